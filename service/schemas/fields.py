"""Fields that take JSON for what it is: no number in a string, no boolean for a number."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Any

from marshmallow import Schema, ValidationError, fields, validate

from engine import LANDSCAPE, LIMIT, ROTATIONS, SCORING_TILES, TILES

MOST_GOLD = 1_000_000
"""More gold than any purse can hold; a larger price is out of range rather than too dear."""


class Object(Schema):
    """A JSON object that takes no fields but its own."""

    error_messages = {"unknown": "There is no such field.", "type": "This is not a JSON object."}  # noqa: RUF012


class Integer(fields.Integer):
    """A JSON number without a fraction, in a range."""

    def __init__(self, least: int, most: int, description: str, **kwargs: Any) -> None:
        super().__init__(
            strict=True,
            validate=validate.Range(least, most, error="This is not from {min} to {max}."),
            metadata={"description": description},
            **kwargs,
        )

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValidationError("This is not an integer.")
        return super()._deserialize(value, attr, data, **kwargs)


class Boolean(fields.Boolean):
    """`true` or `false`."""

    def __init__(self, description: str, **kwargs: Any) -> None:
        super().__init__(metadata={"description": description}, **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> bool:
        if not isinstance(value, bool):
            raise ValidationError("This is neither true nor false.")
        return value


class Name(fields.String):
    """A name that people read: trimmed, neither empty nor long, nothing invisible in it."""

    def __init__(self, description: str, most: int = 40, **kwargs: Any) -> None:
        self._most = most
        super().__init__(
            metadata={"description": description, "minLength": 1, "maxLength": most, "pattern": r"\S"},
            **kwargs,
        )

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        if not isinstance(value, str):
            raise ValidationError("This is not a string.")
        name = value.strip()
        if not 1 <= len(name) <= self._most:
            raise ValidationError(f"This has not from 1 to {self._most} characters.")
        if any(unicodedata.category(character) in ("Cc", "Cs", "Co", "Zl", "Zp") for character in name):
            raise ValidationError("This has characters that cannot be shown.")
        if any(unicodedata.bidirectional(character) in _BIDI_CONTROLS for character in name):
            raise ValidationError("This has characters that turn the direction of text.")
        return name


_BIDI_CONTROLS = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")


class OneOf(fields.String):
    """One of some words."""

    def __init__(self, choices: Iterable[str], description: str, **kwargs: Any) -> None:
        self._choices = tuple(choices)
        super().__init__(metadata={"description": description, "enum": list(self._choices)}, **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        if not isinstance(value, str) or value not in self._choices:
            raise ValidationError(f"This is not one of {_some(self._choices)}.")
        return value


def _some(choices: tuple[str, ...]) -> str:
    if len(choices) > 20:
        return f"{choices[0]}, {choices[1]}, ... {choices[-1]}"
    return ", ".join(choices)


class LandscapeTile(OneOf):
    """The id of a landscape tile, L01 to L73."""

    def __init__(self, description: str, **kwargs: Any) -> None:
        super().__init__(LANDSCAPE, description, **kwargs)


class AnyTile(OneOf):
    """The id of a landscape or castle tile."""

    def __init__(self, description: str, **kwargs: Any) -> None:
        super().__init__(TILES, description, **kwargs)


class ScoringTileId(OneOf):
    """The id of a scoring tile."""

    def __init__(self, description: str, **kwargs: Any) -> None:
        super().__init__(SCORING_TILES, description, **kwargs)


class Rotation(Integer):
    """Clockwise degrees: 0, 90, 180 or 270."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(0, 270, "Clockwise degrees.", **kwargs)
        self.validators = [validate.OneOf(ROTATIONS, error="This is not one of {choices}.")]


class Coordinate(Integer):
    """A position along one axis, the castle at 0."""

    def __init__(self, description: str, **kwargs: Any) -> None:
        super().__init__(-LIMIT, LIMIT, description, **kwargs)
