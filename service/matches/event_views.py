"""Views of events: the engine's events and those of the match, as a caller may see them."""

from __future__ import annotations

from service.matches.match import (
    MATCH_EVENT_TYPES,
    AnyEvent,
    Change,
    GameCreated,
    GameStarted,
    Match,
    MatchEvent,
    PositionSet,
    TurnChanged,
)
from service.matches.tokens import Caller
from service.matches.views import (
    View,
    fairness_view,
    named_scoring_tiles,
    options_view,
    origin_view,
    timestamp,
)
from skye import Game, event_as_seen_by, game_as_seen_by, scoring_tiles_view


def event_views(match: Match, change: Change, caller: Caller) -> list[View]:
    """Return the events of a change as a caller may see them, numbered."""
    at = timestamp(change.at_ms)
    return [
        {"id": number, "version": change.version, "at": at, **_event_view(match, event, caller)}
        for number, event in enumerate(change.events, change.first_event)
    ]


def _event_view(match: Match, event: AnyEvent, caller: Caller) -> View:
    if not isinstance(event, MatchEvent):
        assert match.game is not None
        tiles, open_gold = match.game.scoring_tiles, match.options.open_gold
        view = event_as_seen_by(caller.seat, event, scoring_tiles=tiles, open_gold=open_gold)
        return view | {"nonce": match.options.nonce} if view["type"] == "game_finished" else view
    fields = event._asdict()
    if isinstance(event, GameCreated):
        fields |= _created_view(match)
    if isinstance(event, TurnChanged):
        fields["deadline"] = timestamp(fields.pop("deadline_ms"))
    if isinstance(event, PositionSet):
        fields = _position_set_view(match, event.game, caller)
    if isinstance(event, GameStarted):
        fields["scoring_tiles"] = scoring_tiles_view(event.scoring_tiles, 5 if event.rounds == 5 else 4)
    return {"type": MATCH_EVENT_TYPES[type(event)], **fields}


def _created_view(match: Match) -> View:
    """Return what a client needs, with the catalogue, to build the view of a new game."""
    return {
        "game": match.id,
        "private": match.private,
        "seats": match.capacity,
        "options": options_view(match) | {"seed": None},
        "origin": origin_view(match.origin),
        "scoring_tiles": named_scoring_tiles(match),
        "fairness": fairness_view(match) | {"nonce": None, "seed": None},
    }


_SET_BY_POSITION = ("round", "rounds", "starting_seat", "scoring_tiles", "bag", "players", "result")


def _position_set_view(match: Match, game: Game, caller: Caller) -> View:
    """Return what a client needs to build the view of a game that begins from a position."""
    seen = game_as_seen_by(caller.seat, game)
    nonce = match.options.nonce if game.is_over else None
    revealed = {"seed": seen["fairness"]["seed"], "nonce": nonce}
    return {name: seen[name] for name in _SET_BY_POSITION} | revealed
