"""Scenarios: named positions for tests of clients, each with a description."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from skye import Action, Place, TakeBack, Territory
from skye.views import TerritoryTileView, territory_tiles_view
from skye_server.games.transitions import MAX_REVISIONS


class Scenario(NamedTuple):
    """A position by name.

    :param actions: the actions played from the position, which the log of the game contains.
    """

    name: str
    text: str
    position: dict[str, Any]
    actions: tuple[Action, ...] = ()


_EVEN: Final = ["squares", "completed_areas", "sheep", "connected_tiles"]
"""Scoring tiles that give seats with equal territories the same points, regardless of their gold."""

_UNPLACEABLE: Final = "L06"
_NO_PLACE: Final = "castle-red L24@1,0 L39@-1,0"
"""A territory in which the tile `_UNPLACEABLE` has no place."""

_LARGEST: Final = (
    "castle-red L56@1,0/180 L58@2,0 L65@3,0/90 L28@4,0/180 L12@5,0 L54@6,0/270 L41@7,0/90 L32@8,0/180 "
    "L69@9,0/270 L23@10,0/90 L06@11,0/90 L29@12,0/270 L15@13,0 L13@14,0/180 L62@15,0/270 L01@16,0/90 "
    "L24@17,0/180 L20@18,0/90"
)
_UNDONE: Final = (Action(0, Place("L28", 0, -1, 0)), Action(0, TakeBack()))


def _territory(text: str) -> list[TerritoryTileView]:
    return territory_tiles_view(Territory.parse(text).placed)


def _tiles(*names: str) -> list[dict[str, str]]:
    return [{"tile": name} for name in names]


def _start(players: int) -> dict[str, Any]:
    return {"players": [{} for _ in range(players)]}


def _last_action(*players: dict[str, Any]) -> dict[str, Any]:
    """Return the last action of the last round: seat 0 has nothing left but to finish its build."""
    seats = [
        player | {"tiles_to_build": [], "building_finished": seat > 0} for seat, player in enumerate(players)
    ]
    return {"round": 6, "phase": "building", "scoring_tiles": _EVEN, "players": seats}


_SCENARIOS: Final = (
    Scenario("two_players", "Two players begin their first round.", _start(2)),
    Scenario("three_players", "Three players begin their first round.", _start(3)),
    Scenario("four_players", "Four players begin their first round.", _start(4)),
    Scenario(
        "five_players", "Five players begin their first round, in which two slots are scored.", _start(5)
    ),
    Scenario(
        "first_round",
        "A first round to learn the game: seat 0 has a tile with a scroll, and tiles that complete areas.",
        {
            "starting_seat": 0,
            "scoring_tiles": ["completed_areas", "sheep", "squares", "connected_tiles"],
            "players": [
                {"color": "red", "tiles_on_offer": _tiles("L48", "L10", "L43")},
                {"color": "blue", "tiles_on_offer": _tiles("L66", "L09", "L47")},
            ],
        },
    ),
    Scenario(
        "pricing_last_seat",
        "Seat 0 is the last to set an offer: its offer reveals all of them.",
        {"round": 2, "players": [{}, {"offer_set": True}, {"offer_set": True}]},
    ),
    Scenario(
        "buying_last_seat",
        "Seat 0 is the last to buy: after it, unsold tiles return to their owners.",
        {"round": 2, "phase": "buying", "starting_seat": 1, "buys": 2, "players": [{"gold": 20}, {}, {}]},
    ),
    Scenario(
        "building_last_seat",
        "Seat 0 is the last to build: when it finishes, the round is scored and the next one begins.",
        {
            "round": 2,
            "phase": "building",
            "players": [{}, {"building_finished": True}, {"building_finished": True}],
        },
    ),
    Scenario(
        "tile_without_place",
        "Seat 0 has a tile that fits nowhere: it can finish without it, and the tile returns to the bag.",
        {
            "round": 2,
            "phase": "building",
            "players": [
                {"territory": _territory(_NO_PLACE), "tiles_to_build": [_UNPLACEABLE]},
                {"color": "blue", "building_finished": True},
            ],
        },
    ),
    Scenario(
        "last_action",
        "The last action of the last round: when seat 0 finishes its build, the game is over.",
        _last_action({"score": 40, "gold": 12}, {"score": 30, "gold": 8}),
    ),
    Scenario(
        "tie_broken_by_gold",
        "When seat 0 finishes its build, the scores are equal, and seat 0 wins by its leftover gold.",
        _last_action({"score": 40, "gold": 9}, {"score": 40, "gold": 7}),
    ),
    Scenario(
        "tie_shared",
        "When seat 0 finishes its build, the scores and the leftover gold are equal, and both seats win.",
        _last_action({"score": 40, "gold": 9}, {"score": 40, "gold": 9}),
    ),
    Scenario(
        "sale_pays_for_purchase",
        "Seat 1 cannot pay for any tile until seat 0 buys one of seat 1.",
        {
            "round": 3,
            "phase": "buying",
            "starting_seat": 0,
            "players": [
                {"gold": 10, "tiles_on_offer": [{"tile": "L01", "price": 4}, {"tile": "L02", "price": 5}]},
                {"gold": 0, "tiles_on_offer": [{"tile": "L03", "price": 3}, {"tile": "L04", "price": 2}]},
            ],
        },
    ),
    Scenario(
        "full_catch_up",
        "When seat 0 finishes its build, the last round brings seat 4 the highest catch-up income: "
        "3 gold for each of the four players ahead.",
        {
            "round": 4,
            "phase": "building",
            "scoring_tiles": _EVEN,
            "players": [
                {"score": score, "tiles_to_build": [], "building_finished": score < 40}
                for score in (40, 30, 20, 10, 0)
            ],
        },
    ),
    Scenario(
        "undo_limit",
        "Seat 0 has taken back so often that it can still place its tile, but no longer take it back.",
        {
            "round": 2,
            "phase": "building",
            "players": [{"color": "red", "tiles_to_build": ["L28"]}, {"building_finished": True}],
        },
        _UNDONE * (MAX_REVISIONS // 2),
    ),
    Scenario(
        "largest_territory",
        "The largest territory: seat 0 has built all tiles that six rounds can give, in a row up to the "
        "border, and finishes the game.",
        _last_action({"territory": _territory(_LARGEST), "placed_this_round": 3}, {"color": "blue"}),
    ),
)

SCENARIOS: Final = {scenario.name: scenario for scenario in _SCENARIOS}
"""All scenarios by name."""


def position_of_scenario(scenario: Scenario) -> dict[str, Any]:
    """Return the position of a scenario, with a seed: a scenario is the same every time."""
    return {"seed": scenario.name} | scenario.position


def scenario_view(scenario: Scenario) -> dict[str, Any]:
    """Return a scenario as the API lists it."""
    position = position_of_scenario(scenario)
    return {"name": scenario.name, "text": scenario.text, "position": position}
