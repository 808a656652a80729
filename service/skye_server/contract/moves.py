"""The request bodies that act on a game: offers, purchases, placements, and the advance of a clock."""

from __future__ import annotations

from typing import Any, Final

from marshmallow import ValidationError, fields, validate

from skye_server.contract.enums import LandscapeTile
from skye_server.contract.fields import Boolean, Coordinate, Integer, Price, Rotation
from skye_server.contract.objects import Object

_DRAWN: Final = 3
"""How many tiles a seat draws in a round: the most that an offer can name."""


class Prices(fields.Dict):
    """Gold for each tile on offer, by the tile's id."""

    component = "Prices"

    def __init__(self, description: str, **kwargs: Any) -> None:
        super().__init__(
            keys=LandscapeTile(),
            values=Price(),
            validate=validate.Length(max=_DRAWN, error="There are {max} tiles to price at most."),
            metadata={"description": description},
            **kwargs,
        )

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if isinstance(value, dict):
            self._validate(value)  # before the keys: a map that is far too long stays cheap
        try:
            return super()._deserialize(value, attr, data, **kwargs)  # type: ignore[no-untyped-call]  # theirs
        except ValidationError as error:
            raise ValidationError(_by_key(error.messages)) from None


def _by_key(messages: Any) -> Any:
    """Return the messages by key, without the level `key` or `value` that marshmallow adds."""
    if not isinstance(messages, dict):
        return messages
    return {key: [fault for faults in found.values() for fault in faults] for key, found in messages.items()}


class Offer(Object):
    """An offer: which of the three drawn tiles to discard, and a price for each of the other two."""

    discard = LandscapeTile("The tile that goes back into the bag.", required=True)
    prices = Prices("The gold to lay on each of the other two tiles.", required=True)


class Purchase(Object):
    """A tile to buy from another player at its price, or a pass."""

    tile = LandscapeTile("The tile to buy; null: pass, and buy nothing.", required=True, allow_none=True)


class ProposalAnswer(Object):
    """The answer to the open proposal."""

    accept = Boolean(
        "Whether the seat agrees; the seat that made the proposal withdraws it by false.", required=True
    )


class Placement(Object):
    """A tile to place, with its cell and rotation."""

    tile = LandscapeTile("The tile to place.", required=True)
    x = Coordinate("Cells east of the castle.", required=True)
    y = Coordinate("Cells south of the castle.", required=True)
    rotation = Rotation("The rotation; 0 if left out.", load_default=0)


MAX_ADVANCE_MS = 366 * 86_400_000
"""How far a clock can be advanced at once, in milliseconds: a year."""


class ClockAdvance(Object):
    """How far to advance a clock."""

    advance_ms = Integer(1, MAX_ADVANCE_MS, "Milliseconds.", required=True)
