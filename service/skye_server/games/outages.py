"""Outages: time in which no worker could take an action is not played time, and is added to a game's times.

`skye_server.store.outages` finds outages. A game stores the number of the last one that it has seen. Before
anything looks for a missed deadline it gets the others (`with_outages`): each time that runs (the deadlines
of seats, their clocks, the open proposal, the pause, the day after a take-over) moves by the part of the
outage after it was set, and counts as set at the end of the outage. So no time moves twice, even if the store
loses the outage that a game has seen, and then finds a longer one.

An outage that ends before it starts is a step back of the store's clock. All times move back with it, except
those that were set by the new time, in the seconds before the step was found.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from msgspec.structs import replace

from skye_server.games.absence import absent_ms_of, with_absences
from skye_server.games.events import SeatClock, TimeAdded
from skye_server.games.game import Deadline, Game, Seat, Status
from skye_server.games.seat_ends import DAY_MS
from skye_server.games.transitions import Transition, advance

_FOUND_MS: Final = 60_000
"""What was set so shortly before the end of a step back counts as set by the new time."""


class Outage(NamedTuple):
    """A time in which no worker could take an action, or a step of the store's clock.

    Times are milliseconds since 1970, by the store's clock.

    :param number: numbers grow, also after the store has lost the list.
    :param start_ms: the last sign of life before it.
    :param end_ms: when clients have had time to reconnect. It is before `start_ms` if the clock was set back.
    """

    number: int
    start_ms: int
    end_ms: int

    def later(self, ms: int) -> Outage:
        """Return the outage by a clock that is ahead of the store's."""
        return self._replace(start_ms=self.start_ms + ms, end_ms=self.end_ms + ms) if ms else self


class Uptime(NamedTuple):
    """The last sign of life of a worker, and the outages, as they were read in one step.

    :param sign_ms: 0 if there is none.
    :param outages: by their numbers.
    """

    sign_ms: int
    outages: tuple[Outage, ...] = ()

    @property
    def last(self) -> int:
        """The number of the last outage, 0 if there is none."""
        return self.outages[-1].number if self.outages else 0

    def after(self, number: int) -> tuple[Outage, ...]:
        """Return the outages with numbers above one."""
        return tuple(outage for outage in self.outages if outage.number > number)


def with_outages(game: Game, outages: Sequence[Outage], now_ms: int) -> Transition:
    """Return a game after outages that it has not seen: as one change, or without a change if no time moves.

    :param outages: by their numbers, at least one.
    """
    after = game
    if game.status is Status.PLAYING:
        for outage in outages:
            after = _after(after, outage)
    moves = [moved - before for before, moved in zip(_times(game), _times(after), strict=True)]
    after = replace(after, outage=max(game.outage, outages[-1].number))
    if not any(moves):
        return Transition(after)
    proposal, pause = after.proposal, after.pause
    event = TimeAdded(
        after.outage,
        max(moves, key=abs),
        after.turn,
        None if proposal is None else proposal.expires_ms,
        None if pause is None else pause.until_ms,
        tuple([absent_ms_of(seat) for seat in after.seats]),
    )
    return advance(after, now_ms, [event])


def _times(game: Game) -> list[int]:
    """Return all times of a game that outages move."""
    times = [
        *game.turn.deadlines,
        *(clock.runs_out_ms for clock in game.clocks),
        None if game.proposal is None else game.proposal.expires_ms,
        None if game.pause is None else game.pause.until_ms,
        *(absent_ms_of(seat) for seat in game.seats),
    ]
    return [time for time in times if time is not None]


def _after(game: Game, outage: Outage) -> Game:
    """Return a game after one outage."""
    turn_began_ms, turn_set_ms = _moved(game.turn_began_ms, game.turn_set_ms, outage)
    proposal, pause = game.proposal, game.pause
    if proposal is not None:
        expires_ms, set_ms = _moved(proposal.expires_ms, proposal.set_ms, outage)
        proposal = replace(proposal, expires_ms=expires_ms, set_ms=set_ms)
    if pause is not None:
        until_ms, set_ms = _moved(pause.until_ms, pause.set_ms, outage)
        pause = pause.moved(until_ms)._replace(set_ms=set_ms)
    return replace(
        game,
        deadlines=tuple([each and Deadline(*_moved(*each, outage)) for each in game.deadlines]),
        turn_began_ms=turn_began_ms,
        turn_set_ms=turn_set_ms,
        clocks=tuple([_clock_after(clock, outage) for clock in game.clocks]),
        proposal=proposal,
        pause=pause,
        seats=_seats_after(game.seats, outage),
    )


def _seats_after(seats: tuple[Seat, ...], outage: Outage) -> tuple[Seat, ...]:
    times = [absent_ms_of(seat) for seat in seats]
    moved = [time and _moved(time, time - DAY_MS, outage)[0] for time in times]
    return seats if moved == times else with_absences(seats, moved)


def _clock_after(clock: SeatClock, outage: Outage) -> SeatClock:
    """Return the clock of a seat after an outage: it starts again at its end, with what was left."""
    if clock.runs_out_ms is None:
        return clock
    runs_out_ms, started_ms = _moved(clock.runs_out_ms, clock.runs_out_ms - clock.remaining_ms, outage)
    if runs_out_ms == clock.runs_out_ms:
        return clock
    return SeatClock(max(0, runs_out_ms - started_ms), runs_out_ms)


def _moved(at_ms: int, set_ms: int, outage: Outage) -> tuple[int, int]:
    """Return a time after an outage, and when it counts as set."""
    part_ms = _part(outage, set_ms)
    return (at_ms + part_ms, outage.end_ms) if part_ms else (at_ms, set_ms)


def _part(outage: Outage, set_ms: int) -> int:
    """Return the part of an outage after a time was set, in milliseconds; negative after a step back."""
    if outage.start_ms <= outage.end_ms:
        return max(0, outage.end_ms - max(outage.start_ms, set_ms))
    is_new_time = outage.end_ms - _FOUND_MS <= set_ms <= outage.end_ms
    return 0 if is_new_time else outage.end_ms - outage.start_ms
