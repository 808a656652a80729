"""Exported positions, without the values that are hidden from the caller."""

from __future__ import annotations

from service.schemas.enums import TieBreakRule
from service.schemas.objects import ListOf
from service.schemas.positions import PlayerPosition, Position, PositionDraw
from service.schemas.responses.shape import ResponseObject, TilesAsPlaced
from skye import PLAYERS


class ExportedDraw(ResponseObject, PositionDraw):
    """A drawn tile. Price and discard are missing while hidden, null while not set."""

    optional = ("price", "discard")


class ExportedPlayerPosition(ResponseObject, PlayerPosition):
    """One seat. `gold` is missing while hidden, `offer_set` where `tiles_drawn` has the offer."""

    optional = ("gold", "offer_set")
    territory = TilesAsPlaced("The placed tiles in placing order, the castle first.")
    tiles_drawn = ListOf(ExportedDraw, "The tiles drawn that are still on offer.", length=(0, 3))


class ExportedPosition(ResponseObject, Position):
    """A game at one moment, as the caller may see it; `POST /v1/games` can begin a game from it.

    The seed is missing until the game is over, except for the host of a game that began from a position.
    """

    optional = ("seed",)
    tie_break = TieBreakRule("What breaks a tie.")  # type: ignore[assignment]  # open to later words
    players = ListOf(ExportedPlayerPosition, "The seats, in seat order.", length=(PLAYERS[0], PLAYERS[-1]))


class ScenarioPosition(ResponseObject, Position):
    """A position that `POST /v1/games` accepts as `position`. The server draws what is left out."""

    optional = tuple(Position().fields.keys() - {"players"})
    tie_break = TieBreakRule("What breaks a tie.")  # type: ignore[assignment]  # open to later words
