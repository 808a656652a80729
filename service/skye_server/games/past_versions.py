"""Earlier versions of a match, rebuilt from its event log (event sourcing)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from skye import GameState, action_of, new_game, play
from skye_server.cooperative_yield import Computation
from skye_server.games.events import (
    AnyEvent,
    BotTookOver,
    GameAborted,
    GameStarted,
    InviteAccepted,
    InviteCreated,
    MatchEvent,
    PlayerChanged,
    PlayerJoined,
    PlayerLeft,
    PositionSet,
    TurnChanged,
)
from skye_server.games.game import Change, Match, Seat, Status


def match_at_version(match: Match, changes: Iterable[Change], version: int) -> Match:
    """Return a match as it was at an earlier version, by replaying its changes from the first one.

    Every view of the result equals the view of that version. Token hashes are not in the log, so the result
    cannot authenticate callers.

    :param match: the match at any later version; its id, name, capacity and options do not change.
    :raises Problem: server_busy, bad_request.
    """
    due = [change for change in changes if change.version <= version]
    return replay_changes(empty_match(match), due)


def empty_match(match: Match) -> Match:
    """Return a match as it was before its first change."""
    return replace(
        match, seats=(), invites=(), status=Status.LOBBY, version=0, last_event=0, deadline_ms=None, game=None
    )


def replay_changes(
    past: Match, changes: Iterable[Change], keep: Callable[[Change, Match], object] = lambda *_: None
) -> Match:
    """Return a match after the changes that followed.

    :param keep: called with each change and the match after it.
    :raises Problem: server_busy, bad_request.
    """
    is_manual = past.clock_ms is not None
    with Computation() as computation:
        for change in changes:
            for event in change.events:
                past = _applied(past, event)
            past = replace(past, version=change.version, last_event=change.last_event)
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
        if isinstance(event, PlayerLeft) and seat is not None and event.seat <= seat:
            seat += 1
    return seat


def _applied(match: Match, event: AnyEvent) -> Match:  # noqa: C901 - one case for each event
    """Return the match after one event."""
    seats = match.seats
    match event:
        case PlayerJoined(_, name, color, bot):
            return replace(match, seats=(*seats, Seat(name, color, bot=bot)))
        case PlayerLeft(number):
            return replace(match, seats=(*seats[:number], *seats[number + 1 :]))
        case PlayerChanged(number, name, color):
            changed = replace(seats[number], name=name, color=color)
            return replace(match, seats=(*seats[:number], changed, *seats[number + 1 :]))
        case InviteCreated():
            return replace(match, invites=(*match.invites, ""))
        case InviteAccepted():
            return replace(match, invites=match.invites[1:])
        case GameStarted():
            return _started(match)
        case PositionSet(game):
            return _in_play(match, game)
        case BotTookOver(number, bot, _):
            taken_over = replace(seats[number], bot=bot)
            return replace(match, seats=(*seats[:number], taken_over, *seats[number + 1 :]))
        case TurnChanged(_, _, deadline_ms):
            return replace(match, deadline_ms=deadline_ms)
        case GameAborted():
            return replace(match, status=Status.ABORTED, invites=())
    return match if isinstance(event, MatchEvent) else _played(match, event)


def _started(match: Match) -> Match:
    colors = [seat.color for seat in match.seats]
    game, _ = new_game(colors, match.options.seed, match.options.for_engine)
    return replace(match, game=game, status=Status.PLAYING, invites=())


def _played(match: Match, event: AnyEvent) -> Match:
    """Return the match after the action of an engine event; draws and incomes follow from the actions."""
    action = None if isinstance(event, MatchEvent) else action_of(event)
    if action is None or match.game is None:
        return match
    return _in_play(match, play(match.game, action.seat, action.move).game)


def _in_play(match: Match, game: GameState) -> Match:
    return replace(match, game=game, status=Status.FINISHED if game.is_over else Status.PLAYING)
