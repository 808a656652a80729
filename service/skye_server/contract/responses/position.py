"""Exported positions: the fields of positions in requests, without the values hidden from the caller."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, NamedTuple

from marshmallow import Schema

from skye.fields import BySeat, Component, InTerritory, Keywords, RulesetName
from skye.rulesets import MAX_DRAWN, MIN_PLAYERS
from skye.views import TerritoryTileView
from skye_server.contract.positions import PlayerPosition, Position, PositionDraw
from skye_server.games.views.fields import TieBreakRule


class Exported(NamedTuple):
    """An object in a response that has the fields of an object in requests."""

    description: str
    request: type[Schema]
    optional: frozenset[str]
    changed: Mapping[str, Any]
    """The types of the fields that are not those of the request."""


_TIE_BREAK: Final = Annotated[TieBreakRule, "What breaks a tie."]

EXPORTED: Final = {
    "ExportedDraw": Exported(
        "A drawn tile. Price and discard are missing while hidden, null while not set.",
        PositionDraw,
        frozenset(("price", "discard")),
        {},
    ),
    "ExportedPlayerPosition": Exported(
        "One seat. `gold` is missing while hidden, `offer_set` where `tiles_on_offer` has the offer.",
        PlayerPosition,
        frozenset(("gold", "offer_set")),
        {
            "territory": Annotated[
                InTerritory[TerritoryTileView], "The placed tiles in placing order, the castle first."
            ],
            "tiles_on_offer": Annotated[
                list[Annotated[object, Component("ExportedDraw")]],
                Keywords(maxItems=MAX_DRAWN),
                "The tiles drawn that are still on offer.",
            ],
        },
    ),
    "ExportedPosition": Exported(
        "A game at one moment, as the caller may see it; `POST /v1/games` can begin a game from it.\n\n"
        "The seed and the next draws are missing until the game is finished, except for the host of a game "
        "that began from a position; the next draws also when the seed determines all draws.",
        Position,
        frozenset(("seed", "next_draws")),
        {
            "ruleset": RulesetName,
            "tie_break": _TIE_BREAK,
            "players": Annotated[
                BySeat[Annotated[object, Component("ExportedPlayerPosition")]],
                Keywords(minItems=MIN_PLAYERS),
                "The seats, in seat order.",
            ],
        },
    ),
    "ScenarioPosition": Exported(
        "A position that `POST /v1/games` accepts as `position`. The server draws what is left out.",
        Position,
        frozenset(Position().fields.keys() - {"players"}),
        {"ruleset": RulesetName, "tie_break": _TIE_BREAK},
    ),
}
"""The objects by the names of their components."""
