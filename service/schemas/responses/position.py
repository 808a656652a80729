"""A position as the service exports it. What the caller may not know is left out."""

from __future__ import annotations

from service.schemas.enums import TieBreakRule
from service.schemas.fields import ListOf
from service.schemas.positions import PlayerPosition, Position, PositionDraw
from service.schemas.responses.shape import ResponseObject, TilesAsPlaced
from skye import PLAYERS


class ExportedDraw(ResponseObject, PositionDraw):
    """A drawn tile. Price and discard are left out while they are hidden, null while they are not set."""

    optional = ("price", "discard")


class ExportedPlayerPosition(ResponseObject, PlayerPosition):
    """One seat. `gold` is left out where it is hidden, `offer_set` where `tiles_drawn` shows it."""

    optional = ("gold", "offer_set")
    territory = TilesAsPlaced("The placed tiles in placing order, the castle first.")
    tiles_drawn = ListOf(ExportedDraw, "The tiles drawn that are still before the screen.", length=(0, 3))


class ExportedPosition(ResponseObject, Position):
    """A game at one moment, as the caller may know it; `POST /v1/games` begins a game from it.

    The seed is left out until the game is over, except for the host of a game that began from a position.
    """

    optional = ("seed",)
    tie_break = TieBreakRule("What breaks a tie.")  # type: ignore[assignment]  # open to later words
    players = ListOf(ExportedPlayerPosition, "The seats, in seat order.", length=(PLAYERS[0], PLAYERS[-1]))


class ScenarioPosition(ResponseObject, Position):
    """A position that a game begins from, as it can be sent as `position`. What is left out is drawn."""

    optional = tuple(Position().fields.keys() - {"players"})
    tie_break = TieBreakRule("What breaks a tie.")  # type: ignore[assignment]  # open to later words
