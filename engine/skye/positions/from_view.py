"""Create a game that a bot can search from the view of a seat over HTTP."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, cast

from skye.positions.importing import game_from_position
from skye.positions.snapshot import PlayerPosition, Position
from skye.rules.state import GameState
from skye.rulesets.ruleset import ruleset_of
from skye.tiles.tile_set import DEFAULT_RULESET
from skye.visibility.observation import count_purses

_ENDS_TAKING_BACK = ("tiles_kept", "round_started", "position_set")
"""Types of events after which earlier placements cannot be taken back."""

_NEEDED = ("players", "round", "phase", "starting_seat", "scoring_tiles", "waiting_for", "fairness")


def game_from_view(
    view: Mapping[str, Any], events: Iterable[Mapping[str, Any]] = (), seed: str | None = None
) -> GameState:
    """Return a game that is consistent with the view of a seat.

    Secret offers are replaced by legal ones; `determinize` samples others. With the events, hidden purses,
    the points by round and the placements that can be taken back are exact. Without events, and in a game
    that began from a position, each hidden purse is assumed to contain the income of the round, and only
    placements that must have been made in this round can be taken back.

    >>> from skye import game_view, legal_moves, new_game
    >>> game = game_from_view(game_view(new_game(2, seed="secret").game, 0))
    >>> game.round, game.seed
    (1, None)

    :param view: the view of a seat, in the format of `game_view` and of the HTTP API.
    :param events: all events of the game so far, as the seat sees them. Those after the `last_event` of the
        view are ignored.
    :param seed: the seed of future draws; without one they are chance decisions.
    :raises InvalidPosition: when the game of the view has not started.
    :raises ValueError: when it is no view of a game.
    """
    missing = [name for name in _NEEDED if name not in view]
    if missing:
        raise ValueError(f"this is no view of a game: it has no {missing[0]}")
    seats = view["players"]
    options = view.get("options") or {}
    ruleset = view.get("ruleset", DEFAULT_RULESET)
    position: Position = {
        "ruleset": ruleset,
        "round": view["round"],
        "phase": view["phase"],
        "starting_seat": view["starting_seat"],
        "scoring_tiles": [tile["scoring_tile"] for tile in view["scoring_tiles"]],
        "tie_break": options.get("tie_break"),
        "open_gold": options.get("open_gold"),
        "players": [_player(player, pricing=view["phase"] == "pricing") for player in seats],
    }
    if view["phase"] == "buying":
        position["buys"] = (view["waiting_for"][0] - view["starting_seat"]) % len(seats)
    if seed is None:
        position["seed"] = view["fairness"]["seed"]
    last_event = view.get("last_event", math.inf)
    _add_history(position, [event for event in events if event.get("id", 0) <= last_event])
    return game_from_position(position, seed)


def _player(player: Mapping[str, Any], *, pricing: bool) -> PlayerPosition:
    known = ("color", "gold", "score", "tiles_on_offer", "building_finished", "territory")
    fields = {name: player[name] for name in known if name != "building_finished" or not pricing}
    fields["tiles_to_build"] = list(player["tiles_to_build"])
    fields["offer_set"] = pricing and player["offer_set"]
    return cast("PlayerPosition", fields)


def _add_history(position: Position, events: list[Mapping[str, Any]]) -> None:
    """Add the data that only events contain: purses, points and sizes by round, placements of this round."""
    players = position["players"]
    if not events or any(event["type"] == "position_set" for event in events):
        _add_placements(position, events)
        return
    purses = count_purses(events, len(players))
    for player, purse in zip(players, purses, strict=True):
        if player["gold"] is None:
            player["gold"] = purse
        player |= {"points": [], "territory_sizes": [], "placed_this_round": 0}
    sizes = [1] * len(players)
    for event in events:
        _add_event(players, sizes, event)


def _add_placements(position: Position, events: list[Mapping[str, Any]]) -> None:
    """Add the number of placements in this round, from the events or from the sizes of territories."""
    begun_at = max(
        (number for number, event in enumerate(events) if event["type"] in _ENDS_TAKING_BACK), default=0
    )
    max_before = ruleset_of(position["ruleset"] or DEFAULT_RULESET).tiles_drawn * (position["round"] - 1)
    for seat, player in enumerate(position["players"] if position["phase"] == "building" else ()):
        own = [event["type"] for event in events[begun_at:] if event.get("seat") == seat]
        placed = own.count("tile_placed") - own.count("placement_taken_back")
        player["placed_this_round"] = max(0, placed, len(player["territory"]) - 1 - max_before)


def _add_event(players: list[PlayerPosition], sizes: list[int], event: Mapping[str, Any]) -> None:
    match event["type"]:
        case "tiles_kept" | "round_started":
            for player in players:
                player["placed_this_round"] = 0
        case "tile_placed" | "placement_taken_back":
            step = 1 if event["type"] == "tile_placed" else -1
            sizes[event["seat"]] += step
            players[event["seat"]]["placed_this_round"] += step
        case "round_scored":
            for scored in event["players"]:
                points = [tile["points"] for tile in scored["scoring_tiles"]]
                players[scored["seat"]]["points"].append(points)
                players[scored["seat"]]["territory_sizes"].append(sizes[scored["seat"]])
        case _:
            pass
