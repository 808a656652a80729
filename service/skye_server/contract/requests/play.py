"""The request bodies of moves: offers, purchases, placements."""

from __future__ import annotations

from typing import Any

from marshmallow import Schema, ValidationError

from skye_server.contract.enums import LandscapeTile
from skye_server.contract.fields import Coordinate, Rotation
from skye_server.contract.objects import Constant, Object, Prices, Variants


class Offer(Object):
    """An offer: which of the three drawn tiles to discard, and a price for each of the other two."""

    discard = LandscapeTile("The tile that goes back into the bag.", required=True)
    prices = Prices("The gold to lay on each of the other two tiles.", required=True)


class TileToBuy(Object):
    """A tile to buy from another player, at its price."""

    tile = LandscapeTile("The tile to buy.", required=True)


class PassToBuy(Object):
    """A pass: the seat buys nothing."""

    pass_ = Constant(True, "Always true.", data_key="pass")


_EITHER = 'Send either {"tile": "L01"} or {"pass": true}'


class Purchase(Variants):
    """A tile to buy, or a pass."""

    variants = (TileToBuy, PassToBuy)

    def variant(self, data: dict[str, Any]) -> type[Schema]:
        """Return the form that has the field sent.

        :raises ValidationError: if the object has both fields or neither, or the field is null.
        """
        if "tile" in data and "pass" in data:
            raise ValidationError(f"{_EITHER}, not both.")
        for name in data.keys() & {"tile", "pass"}:
            if data[name] is None:
                raise ValidationError({name: [f"{_EITHER}."]})
        if not data.keys() & {"tile", "pass"}:
            raise ValidationError(f"{_EITHER}.")
        return TileToBuy if "tile" in data else PassToBuy


class Placement(Object):
    """A tile to place, with its cell and rotation."""

    tile = LandscapeTile("The tile to place.", required=True)
    x = Coordinate("Cells east of the castle.", required=True)
    y = Coordinate("Cells south of the castle.", required=True)
    rotation = Rotation("The rotation; 0 if left out.", load_default=0)
