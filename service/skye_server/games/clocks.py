"""Deadlines of seats: by `turn_ms`, and by the clocks of seats (`budget_ms`, `increment_ms`).

Each seat that must act has a deadline of its own. A clock runs while the game waits for its seat, unless the
server plays it: in the simultaneous phases until the seat has decided. A decision of the seat adds the
increment; a decision that is made for the seat adds none (`without_increment`), nor does one that replaces an
earlier decision.

Nobody waits twice for a player who is away: while a person is present, a seat that the server has taken over
has a short time for each decision, in which its player can come back. While nobody is present it has the time
of the game. Who comes or goes changes the time of the open decisions.

While a game pauses no deadline runs: the times are then computed as of the beginning of the pause, and the
pause keeps what is left of them. Afterwards the open decisions have this time.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import Final, NamedTuple

from msgspec.structs import replace

from skye_server.games.events import SeatClock
from skye_server.games.game import Deadline, Game, Status
from skye_server.games.seat_ends import DAY_MS

SHORT_MS: Final = 10_000
"""The least time of a seat that is taken over, while a person is present, and of one that is taken back."""

SHORT_SHARE: Final = 24
"""Such a seat has this part of the time of the game, if it is more."""


class _Time(Enum):
    """By which time a seat decides."""

    OWN = auto()  # that of its player
    SHORT = auto()  # taken over while a person is present
    LONG = auto()  # taken over while nobody is present


class _Moment(NamedTuple):
    """When a change happens, when the turn began, and whether that is a new turn."""

    at_ms: int
    began_ms: int
    is_new: bool


def with_deadlines(before: Game, after: Game, now_ms: int) -> Game:
    """Return a game after a change with the deadlines of its seats from then on."""
    if after.state is None:
        return after
    is_new = _turn(after) != _turn(before)
    began_ms, set_ms = before.turn_began_ms, before.turn_set_ms
    if is_new:
        began_ms = set_ms = now_ms
    elif before.pause is not None and after.pause is None:
        began_ms, set_ms = began_ms + now_ms - before.pause.began_ms, now_ms
    at_ms = now_ms if after.pause is None else after.pause.began_ms
    after = replace(
        after,
        turn_began_ms=began_ms,
        turn_set_ms=set_ms,
        clocks=_clocks_after(before, after, now_ms, is_new=is_new),
    )
    known, moment = _known(before, after, at_ms), _Moment(at_ms, began_ms, is_new)
    deadlines = tuple(
        [_deadline(seat, known[seat], before, after, moment) for seat in range(len(after.seats))]
    )
    if after.pause is None:
        return replace(after, deadlines=deadlines)
    left_ms = tuple([None if each is None else max(0, each.at_ms - at_ms) for each in deadlines])
    return replace(after, deadlines=(None,) * len(deadlines), pause=after.pause._replace(left_ms=left_ms))


def _known(before: Game, after: Game, at_ms: int) -> tuple[Deadline | None, ...]:
    """Return the deadlines by seat before a change, as of its time."""
    if before.pause is not None:
        return tuple(
            [None if left is None else Deadline(at_ms + left, at_ms) for left in before.pause.left_ms]
        )
    return after.deadlines or (None,) * len(after.seats)


def _deadline(
    seat: int, known: Deadline | None, before: Game, after: Game, moment: _Moment
) -> Deadline | None:
    """Return the deadline of a seat after a change.

    :param known: its deadline before, as of then.
    """
    time, (at_ms, began_ms, is_new) = _time_of(after, seat), moment
    if time is None:
        return None
    if not is_new and time is _time_of(before, seat):
        return known
    limit_ms = _limit_ms(after, time)
    if limit_ms is None:
        end_ms = None
    elif is_new:
        end_ms = at_ms + limit_ms
    elif time is _Time.OWN:
        end_ms = max(began_ms + limit_ms, at_ms + min(SHORT_MS, limit_ms))
    elif time is _Time.SHORT:
        end_ms = at_ms + limit_ms if known is None else min(known.at_ms, at_ms + limit_ms)
    elif known is not None and known.at_ms <= at_ms:
        return known  # this decision is the server's already
    else:
        end_ms = began_ms + limit_ms if known is None else max(known.at_ms, began_ms + limit_ms)
    if time is _Time.OWN and after.clocks:
        runs_out_ms = at_ms + after.clocks[seat].remaining_at(at_ms)
        end_ms = runs_out_ms if end_ms is None else min(end_ms, runs_out_ms)
    return None if end_ms is None else Deadline(end_ms, at_ms)


def _time_of(game: Game, number: int) -> _Time | None:
    """Return by which time a seat decides; None if the game waits for no decision of it."""
    state = game.state
    if state is None or game.status is not Status.PLAYING or number not in state.waiting_for:
        return None
    if game.has_bot_at_once(number):
        return None
    if not game.seats[number].can_return:
        return _Time.OWN
    return _Time.SHORT if any(seat.is_present for seat in game.seats) else _Time.LONG


def _limit_ms(game: Game, time: _Time) -> int | None:
    """Return the time for each decision; None for no limit."""
    turn_ms = game.options.turn_ms
    if time is _Time.OWN:
        return turn_ms
    limit_ms = DAY_MS if turn_ms is None else turn_ms
    return limit_ms if time is _Time.LONG else min(limit_ms, max(SHORT_MS, limit_ms // SHORT_SHARE))


def _clocks_after(before: Game, after: Game, now_ms: int, *, is_new: bool) -> tuple[SeatClock, ...]:
    """Return the clocks of the seats after a change; none without a budget."""
    if after.options.budget_ms is None:
        return ()
    clocks = before.clocks or (SeatClock(after.options.budget_ms),) * len(after.seats)
    return tuple(
        [
            _clock_after(clock, seat, (before, after), now_ms, is_new=is_new)
            for seat, clock in enumerate(clocks)
        ]
    )


def _clock_after(
    clock: SeatClock, seat: int, games: tuple[Game, Game], now_ms: int, *, is_new: bool
) -> SeatClock:
    """Return the clock of a seat after a change.

    :param games: the game before and after it.
    """
    before, after = games
    ran, runs = clock.runs_out_ms is not None, _runs(after, seat)
    if ran and runs and not is_new:
        return clock
    remaining_ms = clock.remaining_at(now_ms)
    if ran and _has_decided(before, after, seat):
        remaining_ms += after.options.increment_ms
    return SeatClock(remaining_ms, now_ms + remaining_ms if runs else None)


def _runs(game: Game, seat: int) -> bool:
    return seat in game.waiting_for and _time_of(game, seat) is _Time.OWN


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
