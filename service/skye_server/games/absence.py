"""Absence: what the log says of players who decide no longer, and which seats are given up.

Theory of operation
-------------------
A seat makes three decisions in each round: its offer, its purchase or pass, its finished build. A decision is
*the server's* if its last move was: after a missed deadline, or while the server plays the seat. All other
moves are the seat's *own*.

The server *takes a seat over* when its player misses two deadlines in a row, or the first one without having
acted at all, or the one that others have asked for (`games.takeover_requests`). It then decides for the seat
until the player returns. A return counts, and ends the row of missed deadlines, only when a decision of the
player follows it: until then it is unconfirmed, and the next missed deadline takes the seat over again, from
the first date.

A seat that a person held when the game began is *given up*, so that it cannot win,

- if its player left: resigned, or used up the time (`Seat.left`);
- if it was taken over before the last round and not taken back (`Seat.takeover`, `Seat.unconfirmed`);
- if more than half of all decisions of its game are the server's (`Seat.majority`).

Each reason has a date: the deadline that was missed, or the time of the resignation. Of the reasons that hold
the earliest counts. Seats of one date share a place.

All of this follows from the log: `after_events` is the one fold over events, of changes as they are made
and of those that are replayed from the log. It also keeps `GameState.gave_up`, by which the engine finds the
winners. The last move of a game does that at once: what it counts is counted before (`before_last_move`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from msgspec.structs import replace

from skye import FinishBuilding, GameState, Move, Phase
from skye.events import (
    BuildingFinished,
    OfferSet,
    OffersRevealed,
    PlacementTakenBack,
    PurchasePassed,
    TileBought,
    TilePlaced,
)
from skye_server.games.events import (
    AnyEvent,
    BotTookOver,
    EndChanged,
    GameResumed,
    GameStarted,
    PositionSet,
    RecordReplayed,
    SeatReturned,
    TakeoverReason,
    TimedOut,
)
from skye_server.games.game import Game, Seat, with_seat
from skye_server.games.seat_ends import (
    DAY_MS,
    SUBSTITUTE_BOT,
    Departure,
    Left,
    SeatEnd,
    SeatOutcome,
    Takeover,
)

MAX_MISSED_IN_ROW: Final = 2
"""After how many missed deadlines in a row the server takes a seat over."""

_DECISIONS: Final = len(Phase)
"""How many decisions a seat makes in each round."""


class _Moment(NamedTuple):
    """When an event happens: the time of its change, and the round."""

    at_ms: int
    round: int


def after_events(game: Game, events: Iterable[AnyEvent], at_ms: int, number: int) -> Game:
    """Return a game with what its events say of absence.

    :param game: the game after the events, but for its deadlines.
    :param at_ms: the time of the change.
    :param number: the round before it.
    """
    after = game
    for event in events:
        fold = _FOLDS.get(type(event))
        if fold is not None:
            after = fold(after, event, _Moment(at_ms, number))
    return after if after.seats is game.seats else with_gave_up(after)


def with_gave_up(game: Game) -> Game:
    """Return a game whose state names the seats that are given up, those of one date together."""
    state = game.state
    if state is None:
        return game
    by_date: dict[int, list[int]] = {}
    for number, seat in enumerate(game.seats):
        given_up = given_up_at(seat, state.rounds)
        if given_up is not None:
            by_date.setdefault(given_up[1].at_ms, []).append(number)
    gave_up = tuple([tuple(by_date[date]) for date in sorted(by_date)])
    return game if gave_up == state.gave_up else replace(game, state=state._replace(gave_up=gave_up))


def given_up_at(seat: Seat, rounds: int) -> tuple[SeatEnd, Departure] | None:
    """Return why a seat is given up, and when; None if it is not.

    :param rounds: how many rounds the game has.
    """
    if not seat.is_person:
        return None
    reasons: list[tuple[SeatEnd, Departure]] = []
    if seat.left is not None:
        reasons.append((seat.left.end, seat.left))
    takeover = seat.takeover or seat.unconfirmed
    if takeover is not None and takeover.round < rounds:
        reasons.append((SeatEnd.TOOK_OVER, takeover))
    if seat.majority is not None:
        reasons.append((SeatEnd.ABSENT, seat.majority))
    return min(reasons, key=lambda reason: reason[1].at_ms, default=None)


def outcome_of(game: Game, seat: Seat) -> SeatOutcome:
    """Return how a seat ended, or would end now."""
    counts = seat.missed_deadlines, seat.server_decisions, seat.decisions
    given_up = None if game.state is None else given_up_at(seat, game.state.rounds)
    if given_up is None:
        return SeatOutcome(SeatEnd.PLAYED, None, None, None, None, *counts)
    end, when = given_up
    return SeatOutcome(end, when.at_ms, when.bot, when.round, when.phase, *counts)


def changed_ends(before: Game, after: Game) -> Iterator[EndChanged]:
    """Yield how seats would end now, where a change of a game in play has changed that."""
    if after.state is None:
        return
    begun = SeatOutcome(decisions=_DECISIONS * after.state.rounds)
    for number, seat in enumerate(after.seats):
        if before.state is None:
            known = begun
        elif before.seats[number] is seat:
            continue
        else:
            known = outcome_of(before, before.seats[number])
        outcome = outcome_of(after, seat)
        if outcome != known:
            yield EndChanged(number, outcome)


def before_last_move(game: Game, number: int, move: Move, at_ms: int) -> Game:
    """Return a game with what the move that may end it counts: the decision of a seat to finish its build."""
    state = game.state
    if state is None or state.round < state.rounds or not isinstance(move, FinishBuilding):
        return game
    return with_gave_up(_decided(game, number, Phase.BUILDING, _Moment(at_ms, state.round)))


def absent_seats(game: Game, now_ms: int) -> tuple[int, ...]:
    """Return the seats whose take-over counts as absence: the others need not wait for their players.

    A day has passed since then, without pauses and outages, and a round that began later has ended.
    """
    if game.pause is not None:
        now_ms = game.pause.began_ms
    times = [game.absent_from_ms(number) for number in range(len(game.seats))]
    return tuple([number for number, time in enumerate(times) if time is not None and now_ms >= time])


def absent_ms_of(seat: Seat) -> int | None:
    """Return when the take-over of a seat counts as absence, also one that an unconfirmed return ended."""
    takeover = seat.takeover or seat.unconfirmed
    return None if takeover is None else takeover.absent_ms


def with_absences(seats: tuple[Seat, ...], times: Sequence[int | None]) -> tuple[Seat, ...]:
    """Return seats whose take-overs count as absence at other times: without pauses and outages."""
    if not any(times):
        return seats
    return tuple(
        [
            seat if absent_ms is None else _with_absence(seat, absent_ms)
            for seat, absent_ms in zip(seats, times, strict=True)
        ]
    )


def _with_absence(seat: Seat, absent_ms: int) -> Seat:
    takeover, unconfirmed = [
        None if each is None else replace(each, absent_ms=absent_ms)
        for each in (seat.takeover, seat.unconfirmed)
    ]
    return replace(seat, takeover=takeover, unconfirmed=unconfirmed)


def misses(game: Game, number: int, deadline_ms: int) -> tuple[AnyEvent, ...]:
    """Return the events of a seat that has not made its decision in time.

    :param deadline_ms: the deadline; for a bot at a URL that has failed, when it failed.
    """
    seat, state = game.seats[number], game.state
    assert state is not None
    assert state.phase is not None
    if seat.is_by_server:  # it has missed this deadline already, or is played by the server
        return ()
    missed = TimedOut(number, deadline_ms)
    here = state.round, state.phase, deadline_ms
    clock = game.turn.clock_of(number)
    if clock is not None and clock.remaining_at(deadline_ms) == 0:
        return missed, BotTookOver(number, SUBSTITUTE_BOT, TakeoverReason.OUT_OF_TIME, *here)
    is_asked = not game.is_timed and deadline_ms == game.turn.deadline_of(number)
    is_absent = is_asked or not seat.has_acted or seat.missed_in_row + 1 >= MAX_MISSED_IN_ROW
    if not seat.is_person or not (is_absent or seat.unconfirmed):
        return (missed,)
    first = seat.unconfirmed
    since = (
        (*here, deadline_ms + DAY_MS)
        if first is None
        else (first.round, first.phase, first.at_ms, first.absent_ms)
    )
    return missed, BotTookOver(number, SUBSTITUTE_BOT, TakeoverReason.TIMED_OUT, *since)


def resigns(game: Game, number: int, now_ms: int) -> BotTookOver:
    """Return the event of a player who resigns from a seat."""
    state = game.state
    assert state is not None
    assert state.phase is not None
    reason = TakeoverReason.RESIGNED
    return BotTookOver(number, SUBSTITUTE_BOT, reason, state.round, state.phase, now_ms)


# The fold.

_Fold: TypeAlias = Callable[[Game, Any, _Moment], Game]


def _with(game: Game, number: int, **fields: Any) -> Game:
    return replace(game, seats=with_seat(game.seats, number, replace(game.seats[number], **fields)))


def _started(game: Game, event: GameStarted, _moment: _Moment) -> Game:
    decisions = _DECISIONS * event.rounds
    seats = [
        replace(seat, is_person=player.is_person, decisions=decisions)
        for seat, player in zip(game.seats, event.players, strict=True)
    ]
    return replace(game, seats=tuple(seats))


def _began(game: Game, event: PositionSet, _moment: _Moment) -> Game:
    seats = [
        replace(seat, decisions=open_decisions(event.state, number)) for number, seat in enumerate(game.seats)
    ]
    return replace(game, seats=tuple(seats))


def _replayed(game: Game, event: RecordReplayed, _moment: _Moment) -> Game:
    """Forget the recorded moves: nobody has acted yet. A game that its record ends has its ends."""
    seats = []
    for seat, ended in zip(game.seats, event.outcomes, strict=True):
        end, at_ms, bot, number, phase, missed, by_server, decisions = ended
        is_played = at_ms is None or bot is None or number is None or phase is None
        left = (
            None if is_played else Left(end=end, bot=bot, round=number, phase=phase, at_ms=at_ms)  # type: ignore[arg-type]
        )
        seats.append(
            replace(
                seat,
                has_acted=False,
                decisions=decisions,
                missed_deadlines=missed,
                server_decisions=by_server,
                left=left,
                is_person=seat.is_person or left is not None,
                bot=seat.bot if left is None else left.bot,
            )
        )
    return replace(game, seats=tuple(seats))


def open_decisions(state: GameState, number: int) -> int:
    """Return how many decisions a game still has for a seat."""
    later = _DECISIONS * (state.rounds - state.round)
    player = state.players[number]
    match state.phase:
        case Phase.PRICING:
            return later + 3 - bool(player.prices)
        case Phase.BUYING:
            turn = (number - state.starting_seat) % len(state.players)
            return later + 2 - (turn < state.buys)
        case Phase.BUILDING:
            return later + 1 - player.building_finished
        case None:
            return 0


def _timed_out(game: Game, event: TimedOut, _moment: _Moment) -> Game:
    seat = game.seats[event.seat]
    return _with(
        game,
        event.seat,
        missed_deadlines=seat.missed_deadlines + 1,
        missed_in_row=seat.missed_in_row + 1,
        timed_out_ms=event.deadline_ms,
    )


def _taken_over(game: Game, event: BotTookOver, _moment: _Moment) -> Game:
    seat, bot = game.seats[event.seat], event.bot
    when: dict[str, Any] = {"bot": bot, "round": event.round, "phase": event.phase, "at_ms": event.since_ms}
    if event.absent_ms is not None:
        takeover = Takeover(**when, absent_ms=event.absent_ms, replaced=seat.bot)
        return _with(game, event.seat, bot=bot, takeover=takeover, unconfirmed=None)
    is_resigned = event.reason is TakeoverReason.RESIGNED
    left = Left(**when, end=SeatEnd.RESIGNED if is_resigned else SeatEnd.OUT_OF_TIME)
    absence = seat.takeover or seat.unconfirmed
    return _with(game, event.seat, bot=bot, left=left, takeover=None, unconfirmed=absence)


def _returned(game: Game, event: SeatReturned, _moment: _Moment) -> Game:
    takeover = game.seats[event.seat].takeover
    return _with(game, event.seat, bot=event.bot, takeover=None, unconfirmed=takeover, timed_out_ms=None)


def _resumed(game: Game, event: GameResumed, _moment: _Moment) -> Game:
    return replace(game, seats=with_absences(game.seats, event.absent_ms))


def _decided(game: Game, number: int, phase: Phase, moment: _Moment) -> Game:
    """Return a game after a decision of a seat."""
    seat = game.seats[number]
    if seat.is_by_server:
        return _decided_by_server(game, number, phase, moment)
    if seat.has_acted and not (seat.missed_in_row or seat.unconfirmed or seat.offer_by_server):
        return game
    changed: dict[str, Any] = {"has_acted": True, "missed_in_row": 0, "unconfirmed": None}
    if seat.offer_by_server and phase is Phase.PRICING:
        count = seat.server_decisions - 1
        changed |= {"offer_by_server": False, "server_decisions": count}
        changed |= {"majority": seat.majority if 2 * count > seat.decisions else None}
    return _with(game, number, **changed)


def _decided_by_server(game: Game, number: int, phase: Phase, moment: _Moment) -> Game:
    seat, count = game.seats[number], game.seats[number].server_decisions + 1
    majority = seat.majority
    if majority is None and 2 * count > seat.decisions:
        date = seat.timed_out_ms
        if date is None:
            deadline_ms = game.turn.deadline_of(number)
            date = moment.at_ms if deadline_ms is None else min(deadline_ms, moment.at_ms)
        majority = Departure(bot=seat.bot or SUBSTITUTE_BOT, round=moment.round, phase=phase, at_ms=date)
    return _with(
        game,
        number,
        server_decisions=count,
        majority=majority,
        offer_by_server=phase is Phase.PRICING,
        timed_out_ms=None,
    )


def _acted(game: Game, event: TilePlaced | PlacementTakenBack, _moment: _Moment) -> Game:
    """Return a game after a move that is no decision."""
    seat = game.seats[event.seat]
    return game if seat.has_acted or seat.is_by_server else _with(game, event.seat, has_acted=True)


def _revealed(game: Game, _event: OffersRevealed, _moment: _Moment) -> Game:
    """Return a game whose offers nobody can replace any more."""
    for number, seat in enumerate(game.seats):
        if seat.offer_by_server:
            game = _with(game, number, offer_by_server=False)
    return game


def _decision(phase: Phase) -> _Fold:
    return lambda game, event, moment: _decided(game, event.seat, phase, moment)


_FOLDS: Final[Mapping[type, _Fold]] = {
    GameStarted: _started,
    PositionSet: _began,
    RecordReplayed: _replayed,
    TimedOut: _timed_out,
    BotTookOver: _taken_over,
    SeatReturned: _returned,
    GameResumed: _resumed,
    OfferSet: _decision(Phase.PRICING),
    OffersRevealed: _revealed,
    TileBought: _decision(Phase.BUYING),
    PurchasePassed: _decision(Phase.BUYING),
    TilePlaced: _acted,
    PlacementTakenBack: _acted,
    BuildingFinished: _decision(Phase.BUILDING),
}
