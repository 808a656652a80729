"""Fields that do not convert JSON types: a number in a string, or a boolean, is not a number.

The contract describes a field whose class has a `component` once, under that name.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any, Final

from marshmallow import Schema, ValidationError, fields, validate

from service.matches.cooperative_yield import Computation
from service.matches.errors import MAX_ERRORS
from service.schemas.enums import LandscapeTile
from skye import LIMIT, PLAYERS, ROTATIONS

MAX_GOLD = 1_000_000
"""More gold than a player can have. A larger price is out of range, not `not_enough_gold`."""


MAX_TURN_MS = 30 * 86_400_000
"""The longest time for a decision, in milliseconds: 30 days."""


_TIME: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})"
)


class Integer(fields.Integer):
    """A JSON number without a fraction, in a range."""

    def __init__(self, least: int, most: int | None, description: str, **kwargs: Any) -> None:
        error = f"This is not from {least} to {most}." if most is not None else f"This is less than {least}."
        super().__init__(
            strict=True,
            validate=validate.Range(least, most, error=error),
            metadata={"description": description},
            **kwargs,
        )

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        if isinstance(value, float) and value.is_integer():  # JSON does not tell 2.0 from 2
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise ValidationError("This is not an integer.")
        return super()._deserialize(value, attr, data, **kwargs)


class QueryInteger(Integer):
    """An integer in a query string: plain digits."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        return super()._deserialize(_digits(value), attr, data, **kwargs)


def _digits(text: str) -> int:
    if not re.fullmatch(r"-?(0|[1-9][0-9]{0,9})", text):
        raise ValidationError("This is not an integer.")
    return int(text)


class Boolean(fields.Boolean):
    """`true` or `false`."""

    def __init__(self, description: str, **kwargs: Any) -> None:
        super().__init__(metadata={"description": description}, **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> bool:
        if not isinstance(value, bool):
            raise ValidationError("This is not true or false.")
        return value


class QueryBoolean(Boolean):
    """`true` or `false` in a query string."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> bool:
        return super()._deserialize({"true": True, "false": False}.get(value), attr, data, **kwargs)


class Rotation(Integer):
    """Clockwise degrees from the reference orientation. There will be no others under `/v1`."""

    component = "Rotation"

    def __init__(self, description: str = "The rotation.", **kwargs: Any) -> None:
        super().__init__(ROTATIONS[0], ROTATIONS[-1], description, **kwargs)
        self.validators = [validate.OneOf(ROTATIONS, error="This is not one of {choices}.")]
        self.metadata = {**self.metadata, "minimum": ROTATIONS[0], "maximum": ROTATIONS[-1]}


class QueryRotation(Rotation):
    """A rotation in a query string."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        return super()._deserialize(_digits(value), attr, data, **kwargs)


class QueryTime(fields.String):
    """A time in a query, as RFC 3339 writes it; milliseconds since 1970 once loaded."""

    def __init__(self, description: str, **kwargs: Any) -> None:
        super().__init__(
            metadata={"description": description, "format": "date-time", "maxLength": 35}, **kwargs
        )

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        text = super()._deserialize(value, attr, data, **kwargs).upper()
        try:
            if not _TIME.fullmatch(text):
                raise ValueError
            return int(datetime.fromisoformat(text).timestamp() * 1000)
        except ValueError:
            raise ValidationError("This is no time such as 2027-01-15T08:00:00Z.") from None


class Coordinate(Integer):
    """A coordinate on one axis; the castle is at 0."""

    def __init__(self, description: str, **kwargs: Any) -> None:
        super().__init__(-LIMIT, LIMIT, description, **kwargs)


class Seat(Integer):
    """A seat, counted from 0 in clockwise order."""

    def __init__(self, description: str, **kwargs: Any) -> None:
        super().__init__(0, PLAYERS[-1] - 1, description, **kwargs)


class ListOf(fields.List[Any]):
    """A list of elements of one kind, with bounds on its length."""

    def __init__(
        self,
        inner: fields.Field[Any] | type[Schema],
        description: str,
        *,
        length: tuple[int, int | None] = (0, None),
        error: str = "This is not from {min} to {max} long.",
        **kwargs: Any,
    ) -> None:
        metadata = {"description": description, "uniqueItems": kwargs.pop("unique", False)}
        super().__init__(
            fields.Nested(inner) if isinstance(inner, type) else inner,
            validate=validate.Length(length[0] or None, length[1], error=error),
            metadata={key: value for key, value in metadata.items() if value},
            **kwargs,
        )

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> list[Any]:
        if isinstance(value, list):
            self._validate(value)  # before the elements: a list that is far too long stays cheap
        if not isinstance(value, list) or len(value) <= MAX_ERRORS:
            return super()._deserialize(value, attr, data, **kwargs)
        return self._load_elements(value, **kwargs)

    def _load_elements(self, elements: list[Any], **kwargs: Any) -> list[Any]:
        """Load a long list in time slices, up to the maximum number of invalid elements."""
        loaded, errors = [], {}
        with Computation() as computation:
            for index, element in enumerate(elements):
                try:
                    loaded.append(self.inner.deserialize(element, **kwargs))
                except ValidationError as error:
                    errors[index] = error.messages
                    if len(errors) == MAX_ERRORS:
                        break
                computation.checkpoint()
        if errors:
            raise ValidationError(errors)
        return loaded


_DRAWN = 3
"""How many tiles a seat draws in a round: the most that an offer can name."""


class Prices(fields.Dict):
    """Gold for each tile on offer, by the tile's id."""

    component = "Prices"

    def __init__(self, description: str, **kwargs: Any) -> None:
        super().__init__(
            keys=LandscapeTile(),
            values=Integer(0, MAX_GOLD, "Gold laid on the tile; the rules ask for 1 or more."),
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
