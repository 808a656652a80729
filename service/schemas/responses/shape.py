"""Common parts of response schemas. They only document responses; tests validate responses with them."""

from __future__ import annotations

from typing import Any, ClassVar

from marshmallow import Schema, fields

from service.schemas.enums import AnyTile, LandscapeTile
from service.schemas.fields import Coordinate, Integer, Rotation, Seat
from service.schemas.objects import ListOf
from skye import LANDSCAPE, PLAYERS, schedule

ROUNDS = max(len(schedule(players)) for players in PLAYERS)
"""The maximum number of rounds of a game."""


class ResponseObject(Schema):
    """A JSON object in a response. All its fields are required, except those in `optional`."""

    optional: ClassVar[tuple[str, ...]] = ()

    def on_bind_field(self, field_name: str, field_obj: fields.Field[Any]) -> None:
        """Mark all fields as required, except the optional ones."""
        field_obj.required = field_name not in self.optional


class Text(fields.String):
    """A string of limited length."""

    def __init__(self, description: str, most: int, **kwargs: Any) -> None:
        metadata = {"description": description, "maxLength": most, **kwargs.pop("metadata", {})}
        super().__init__(metadata=metadata, **kwargs)


class GameId(fields.String):
    """The id of a game."""

    component = "GameId"

    def __init__(self, description: str = "The id of the game.", **kwargs: Any) -> None:
        shape = {"minLength": 1, "maxLength": 64, "pattern": "^[a-z0-9]+$", "examples": ["k7mt2vq9xw3c"]}
        super().__init__(metadata={"description": description, **shape}, **kwargs)


class Token(fields.String):
    """A token, to send as `Authorization: Bearer TOKEN`. The server shows it only here."""

    component = "Token"

    def __init__(self, description: str, **kwargs: Any) -> None:
        shape = {"minLength": 16, "maxLength": 128, "pattern": "^[A-Za-z0-9_-]+$"}
        super().__init__(metadata={"description": description, **shape}, **kwargs)


class Time(fields.DateTime):
    """A time: RFC 3339, UTC."""

    component = "Timestamp"

    def __init__(self, description: str, **kwargs: Any) -> None:
        super().__init__(metadata={"description": description, "maxLength": 40}, **kwargs)


class Count(Integer):
    """A number of objects, points or gold: 0 or more."""

    def __init__(self, description: str, most: int | None = None, **kwargs: Any) -> None:
        super().__init__(0, most, description, **kwargs)


class Version(Integer):
    """The version of a game: the number of accepted changes."""

    def __init__(self, description: str = "The version of the game.") -> None:
        super().__init__(1, None, description)


class Round(Integer):
    """A round, counted from 1."""

    def __init__(self, description: str = "The round, counted from 1.") -> None:
        super().__init__(1, ROUNDS, description)


class Seats(ListOf):
    """Some of the seats."""

    def __init__(self, description: str) -> None:
        super().__init__(Seat("A seat."), description, length=(0, PLAYERS[-1]), unique=True)


class BySeat(ListOf):
    """One entry for each seat, in seat order."""

    def __init__(self, entry: type[Schema], description: str) -> None:
        super().__init__(entry, description, length=(0, PLAYERS[-1]))


class LandscapeTiles(ListOf):
    """Some landscape tiles."""

    def __init__(self, description: str, most: int = len(LANDSCAPE)) -> None:
        super().__init__(LandscapeTile(), description, length=(0, most), unique=True)


class TerritoryTiles(ListOf):
    """Tiles of one territory, by their ids."""

    def __init__(self, description: str) -> None:
        super().__init__(AnyTile(), description, length=(0, len(LANDSCAPE) + 1), unique=True)


class TerritoryTile(ResponseObject):
    """A tile in a territory, with its cell and rotation."""

    tile = AnyTile()
    x = Coordinate("Cells east of the castle.")
    y = Coordinate("Cells south of the castle.")
    rotation = Rotation()


class TilesAsPlaced(ListOf):
    """The tiles of a territory with cells and rotations."""

    def __init__(self, description: str) -> None:
        super().__init__(TerritoryTile, description, length=(0, len(LANDSCAPE) + 1))
