"""Replays of games: a game after changes of its log, without drawing or applying rules again.

The events have every draw, income and score. Nothing is drawn from the seed and no rule is applied again: a
later version of the server, with other draws, tiles or scoring tiles, rebuilds the game that was played.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from msgspec.structs import replace

from skye import GameState
from skye.positions import apply_event, set_up
from skye_server.cooperative_yield import Computation
from skye_server.games import absence
from skye_server.games.agreements import after_answer, after_proposal
from skye_server.games.events import (
    AnyEvent,
    BotChanged,
    GameAborted,
    GamePaused,
    GameResumed,
    GameStarted,
    HostedEvent,
    InvitationAccepted,
    InvitationCreated,
    InvitationRevoked,
    PlayerChanged,
    PlayerJoined,
    PlayerLeft,
    PositionSet,
    ProposalAnswered,
    ProposalEnded,
    ProposalMade,
    TimeAdded,
    TurnChanged,
    seat_since_start,
)
from skye_server.games.game import FREE_SEAT, Change, Deadline, Game, Pause, Seat, Status, with_seat
from skye_server.games.public_counters import counters_after
from skye_server.games.transitions import state_with_ruleset

_CODE: Final = "?"
"""The hash of an unused invitation code: the log has none."""


def empty_game(game: Game) -> Game:
    """Return a game as it was before its first change, for `replay_changes`.

    Every view of the result of all changes up to a version equals the view of that version. Token hashes are
    not in the log, so the result cannot authenticate callers.

    :param game: the game at any later version; its id, name, capacity and options do not change.
    """
    return replace(
        game,
        seats=(),
        invites=(),
        ended_invites=(),
        status=Status.LOBBY,
        version=0,
        last_event=0,
        deadlines=(),
        state=None,
        proposal=None,
        proposed=(),
        abort_reason=None,
        absent=(),
        clocks=(),
        pause=None,
        pause_count=0,
        started_first_seat=None,
        public=None,
    )


def replay_changes(
    past: Game, changes: Iterable[Change], keep: Callable[[Change, Game], object] = lambda *_: None
) -> Game:
    """Return a game after the changes that followed.

    :param keep: called with each change and the game after it.
    :raises Problem: server_busy, bad_request.
    """
    is_manual = past.clock_ms is not None
    with Computation() as computation:
        for change in changes:
            for event in change.events:
                number = 0 if past.state is None else past.state.round
                applied = _applied(past, event, change.at_ms)
                past = absence.after_events(applied, (event,), change.at_ms, number)
            public = counters_after(past.public, past, change)
            past = replace(past, version=change.version, last_event=change.last_event, public=public)
            if is_manual:
                past = replace(past, clock_ms=change.at_ms)
            keep(change, past)
            computation.checkpoint()
    return past


def seat_before(later: Sequence[Change], seat: int | None) -> int | None:
    """Return the number that a seat had before later changes; None if its player had not joined yet."""
    for event in reversed([event for change in later for event in change.events]):
        if isinstance(event, PlayerJoined) and event.seat == seat:
            return None
        if isinstance(event, GameStarted) and seat is not None:
            seat = event.players[seat].lobby_seat
    return seat


def _applied(game: Game, event: AnyEvent, at_ms: int) -> Game:  # noqa: C901 - one case for each event
    """Return the game after one event, of a change at a time."""
    seats = game.seats
    match event:
        case PlayerJoined(number, name, color, bot):
            return replace(game, seats=with_seat(seats, number, Seat(name, color, bot=bot)))
        case PlayerLeft(number, _):
            return replace(game, seats=with_seat(seats, number, FREE_SEAT))
        case PlayerChanged(number, name, color):
            changed = replace(seats[number], name=name, color=color)
            return replace(game, seats=with_seat(seats, number, changed))
        case InvitationCreated():
            return replace(game, invites=(*game.invites, _CODE))
        case InvitationAccepted() | InvitationRevoked():
            used = game.invites.index(_CODE)  # the log does not say which
            return replace(game, invites=(*game.invites[:used], "", *game.invites[used + 1 :]))
        case GameStarted():
            return _started(game, event)
        case PositionSet(state):
            return _in_play(game, state_with_ruleset(state, game.options.ruleset))
        case BotChanged(number, bot):
            return replace(game, seats=with_seat(seats, number, replace(seats[number], bot=bot)))
        case TurnChanged():
            return _with_times(game, event)
        case TimeAdded():
            return _with_time_added(game, event)
        case GamePaused():
            return replace(game, pause=Pause(*event, began_ms=at_ms), pause_count=game.pause_count + 1)
        case GameResumed():
            return replace(game, pause=None)
        case ProposalMade():
            return after_proposal(game, event)
        case ProposalAnswered():
            return after_answer(game, event)
        case ProposalEnded():
            return replace(game, proposal=None)
        case GameAborted(reason, absent):
            return replace(game, status=Status.ABORTED, invites=(), abort_reason=reason, absent=absent)
    if isinstance(event, HostedEvent) or game.state is None:
        return game
    return _in_play(game, apply_event(game.state, event))


def _with_time_added(game: Game, event: TimeAdded) -> Game:
    proposal, pause = game.proposal, game.pause
    if proposal is not None and event.expires_ms is not None:
        proposal = replace(proposal, expires_ms=event.expires_ms)
    if pause is not None and event.until_ms is not None:
        pause = pause.moved(event.until_ms)
    seats = absence.with_absences(game.seats, event.absent_ms)
    return _with_times(replace(game, seats=seats, proposal=proposal, pause=pause), event.turn)


def _with_times(game: Game, turn: TurnChanged) -> Game:
    """Return a game with the deadlines and clocks of a turn."""
    deadlines = tuple([None if at_ms is None else Deadline(at_ms, set_ms=0) for at_ms in turn.deadlines])
    return replace(game, deadlines=deadlines, clocks=turn.clocks)


def _started(game: Game, event: GameStarted) -> Game:
    seats = tuple(seat for _, seat in game.taken)
    colors = [seat.color for seat in seats]
    options, first_seat = game.options, seat_since_start(event.players, game.options.first_seat)
    chosen = options.for_engine(first_seat)
    state = set_up(colors, options.seed, chosen, event.scoring_tiles, event.starting_seat)
    fields = {"seats": seats, "invites": (), "started_first_seat": first_seat}
    return replace(game, state=state, status=Status.PLAYING, **fields)


def _in_play(game: Game, state: GameState) -> Game:
    return replace(game, state=state, status=Status.FINISHED if state.is_over else Status.PLAYING)
