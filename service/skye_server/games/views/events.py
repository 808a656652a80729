"""Events of a game as a caller may see them, numbered."""

from __future__ import annotations

from typing import cast

import skye
import skye.events
from skye import game_view
from skye.views import event_view, used_scoring_tiles_view
from skye_server.games.authorization import Caller
from skye_server.games.events import (
    HOSTED_EVENT_TYPES,
    GameCreated,
    GameStarted,
    HostedEvent,
    PositionSet,
    TurnChanged,
)
from skye_server.games.game import Change, Game
from skye_server.games.transitions import state_with_ruleset
from skye_server.games.views.event_types import (
    GameCreatedView,
    HostedEventView,
    NumberedEventView,
    PositionSetView,
)
from skye_server.games.views.game import (
    fairness_view,
    named_scoring_tiles,
    options_view,
    origin_view,
    timestamp,
    visibility_of,
)


def event_views(game: Game, change: Change, caller: Caller) -> list[NumberedEventView]:
    """Return the events of a change as a caller may see them, numbered."""
    at, views = timestamp(change.at_ms), []
    for number, event in enumerate(change.events, change.first_event):
        view = (
            _hosted_event_view(game, event, caller)
            if isinstance(event, HostedEvent)
            else _engine_event_view(game, event, caller)
        )
        numbered = {"id": number, "version": change.version, "at": at, **view}
        views.append(cast("NumberedEventView", numbered))  # mypy does not merge unions
    return views


def _engine_event_view(game: Game, event: skye.events.Event, caller: Caller) -> HostedEventView:
    """Return an event of the engine; the last one also reveals the nonce of the game."""
    assert game.state is not None
    view = event_view(game.state, caller.seat, event)
    if view["type"] != "game_finished":
        return view
    return {
        "type": "game_finished",
        "seed": game.options.seed,
        "players": view["players"],
        "result": view["result"],
        "nonce": game.options.nonce,
    }


def _hosted_event_view(game: Game, event: HostedEvent, caller: Caller) -> HostedEventView:
    match event:
        case GameCreated(name):
            return _created_view(game, name)
        case GameStarted(scoring_tiles, starting_seat, rounds, players):
            return {
                "type": "game_started",
                "scoring_tiles": used_scoring_tiles_view(game.ruleset, scoring_tiles, len(players)),
                "starting_seat": starting_seat,
                "round_count": rounds,
                "players": [
                    {"seat": seat, "lobby_seat": lobby_seat, "name": name, "color": color, "bot": bot}
                    for seat, (lobby_seat, name, color, bot) in enumerate(players)
                ],
            }
        case PositionSet(state):
            return _position_set_view(game, state_with_ruleset(state, game.options.ruleset), caller)
        case TurnChanged(phase, waiting_for, deadline_ms):
            return {
                "type": "turn_changed",
                "phase": phase,
                "waiting_for": waiting_for,
                "deadline": None if deadline_ms is None else timestamp(deadline_ms),
            }
        case _:  # the view of any other event has the fields of the event
            return cast("HostedEventView", {"type": HOSTED_EVENT_TYPES[type(event)], **event._asdict()})


def _created_view(game: Game, name: str) -> GameCreatedView:
    """Return what a client needs, with the catalogue, to build the view of a new game."""
    return {
        "type": "game_created",
        "name": name,
        "game_id": game.id,
        "ruleset": game.options.ruleset,
        "visibility": visibility_of(game),
        "seat_count": game.capacity,
        "auto_start": game.start_when_full,
        "options": options_view(game),
        "origin": origin_view(game.origin),
        "scoring_tiles": named_scoring_tiles(game),
        "fairness": {**fairness_view(game), "nonce": None, "seed": None},
    }


def _position_set_view(game: Game, state: skye.GameState, caller: Caller) -> PositionSetView:
    """Return what a client needs to build the view of a game that begins from a position."""
    seen = game_view(state, caller.seat)
    return {
        "type": "position_set",
        "round": seen["round"],
        "round_count": state.rounds,
        "starting_seat": state.starting_seat,
        "scoring_tiles": seen["scoring_tiles"],
        "bag": seen["bag"],
        "players": seen["players"],
        "result": seen["result"],
        "seed": seen["fairness"]["seed"],
        "nonce": game.options.nonce if state.is_over else None,
    }
