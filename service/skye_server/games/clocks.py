"""Deadlines: those of turns (`turn_ms`), and the clocks of seats (`budget_ms`, `increment_ms`).

A clock runs while the game waits for its seat, unless a bot of the server acts at once: in the simultaneous
phases until the seat has decided. A decision of the seat adds the increment; a decision that is made for
the seat adds none (`without_increment`), nor does one that replaces an earlier decision. While a game pauses
no deadline runs; afterwards the open decisions have the time that was left.
"""

from __future__ import annotations

from msgspec.structs import replace

from skye_server.games.events import SeatClock
from skye_server.games.game import Game, Status


def with_deadlines(before: Game, after: Game, now_ms: int) -> Game:
    """Return a game after a change with its deadlines from then on."""
    turn_ms, budget_ms = after.options.turn_ms, after.options.budget_ms
    is_new = _turn(after) != _turn(before)
    if before.pause is not None and not is_new:
        turn_ms = before.pause.left_ms
    if budget_ms is None:
        if not is_new and after.pause is before.pause:
            return after
        has_deadline = turn_ms is not None and after.waiting_for
        deadline_ms = now_ms + (turn_ms or 0) if has_deadline else None
        return replace(after, deadline_ms=deadline_ms, deadline_set_ms=now_ms)
    if after.state is None:
        return after
    clocks = before.clocks or (SeatClock(budget_ms),) * len(after.seats)
    clocks = tuple(
        _clock_after(clock, seat, (before, after), (now_ms, turn_ms), is_new=is_new)
        for seat, clock in enumerate(clocks)
    )
    deadlines = [clock.deadline_ms for clock in clocks if clock.deadline_ms is not None]
    return replace(after, clocks=clocks, deadline_ms=min(deadlines, default=None))


def _clock_after(
    clock: SeatClock, seat: int, games: tuple[Game, Game], time: tuple[int, int | None], *, is_new: bool
) -> SeatClock:
    """Return the clock of a seat after a change.

    :param games: the game before and after it.
    :param time: the time of the change, and the time for a decision that begins with it.
    """
    (before, after), (now_ms, turn_ms) = games, time
    ran, runs = clock.runs_out_ms is not None, _runs(after, seat)
    if ran and runs and not is_new:
        return clock
    remaining_ms = clock.remaining_at(now_ms)
    if ran and _has_decided(before, after, seat):
        remaining_ms += after.options.increment_ms
    if not runs:
        return SeatClock(remaining_ms)
    runs_out_ms = now_ms + remaining_ms
    return SeatClock(
        remaining_ms, runs_out_ms, runs_out_ms if turn_ms is None else min(runs_out_ms, now_ms + turn_ms)
    )


def _runs(game: Game, seat: int) -> bool:
    return seat in game.waiting_for and not game.has_bot_at_once(seat)


def _has_decided(before: Game, after: Game, seat: int) -> bool:
    """Return whether a change is the decision of a seat for which the game waited."""
    then, now = before.state, after.state
    if then is None or now is None or seat not in then.waiting_for:
        return False
    is_next = (then.round, then.phase, then.buys) != (now.round, now.phase, now.buys)
    return is_next or seat not in now.waiting_for


def without_increment(game: Game) -> Game:
    """Return a game whose decisions add no time."""
    return replace(game, options=replace(game.options, increment_ms=0))


def _turn(game: Game) -> tuple[object, ...]:
    """Return the turn to which a deadline applies: round, phase and number of buying turns."""
    state = game.state
    if state is None or game.status is not Status.PLAYING:
        return ()
    return state.round, state.phase, state.buys
