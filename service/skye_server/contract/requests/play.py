"""The request bodies of moves: offers, purchases, placements."""

from __future__ import annotations

from skye_server.contract.enums.tiles import LandscapeTile
from skye_server.contract.fields import Coordinate, Rotation
from skye_server.contract.objects import Object, Prices


class Offer(Object):
    """An offer: which of the three drawn tiles to discard, and a price for each of the other two."""

    discard = LandscapeTile("The tile that goes back into the bag.", required=True)
    prices = Prices("The gold to lay on each of the other two tiles.", required=True)


class Purchase(Object):
    """A tile to buy from another player at its price, or a pass."""

    tile = LandscapeTile("The tile to buy; null: pass, and buy nothing.", required=True, allow_none=True)


class Placement(Object):
    """A tile to place, with its cell and rotation."""

    tile = LandscapeTile("The tile to place.", required=True)
    x = Coordinate("Cells east of the castle.", required=True)
    y = Coordinate("Cells south of the castle.", required=True)
    rotation = Rotation("The rotation; 0 if left out.", load_default=0)
