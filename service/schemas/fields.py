"""Fields that take JSON for what it is: no number in a string, no boolean for a number.

A field whose class has a `component` is described once in the contract, under that name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from itertools import islice
from typing import Any, ClassVar

import msgspec
from marshmallow import Schema, ValidationError, fields, validate

from service.matches import tokens
from service.matches.cooperative_yield import Computation
from service.matches.errors import MAX_ERRORS
from service.matches.player_keys import PLAYER_KEY
from skye import LIMIT, PLAYERS, ROTATIONS

MAX_GOLD = 1_000_000
"""More gold than any purse can hold; a larger price is out of range rather than too dear."""


MAX_TURN_MS = 30 * 86_400_000
"""The longest time for a decision, in milliseconds: 30 days."""


class Object(Schema):
    """A JSON object without unknown fields."""

    min_properties: ClassVar[int] = 0
    """How many fields an object has at least, where all of them are optional."""

    error_messages = {"unknown": "There is no such field.", "type": "This is not a JSON object."}  # noqa: RUF012 - as marshmallow has it

    def load(self, data: Any, **kwargs: Any) -> Any:
        """Load an object; of too many unknown fields only the first are validated and reported."""
        if isinstance(data, dict) and len(data) > len(self.load_fields) + MAX_ERRORS:
            known = {field.data_key or name for name, field in self.load_fields.items()}
            unknown = islice((key for key in data if key not in known), MAX_ERRORS)
            data = {key: data[key] for key in (*(known & data.keys()), *unknown)}
        if isinstance(data, dict) and len(data) < self.min_properties:
            raise ValidationError(f"At least one of these is required: {', '.join(self.load_fields)}.")
        return super().load(data, **kwargs)


class Variants(Object):
    """A JSON object in one of several forms.

    The `fallback` is the form of those that later versions may send. It refers to the form proper: a
    generator of Python would take a plain form for one more that has a `type` of its own.
    """

    variants: ClassVar[tuple[type[Schema], ...]]
    fallback: ClassVar[type[Schema] | None] = None

    def variant(self, data: dict[str, Any]) -> type[Schema]:
        """Return the form that an object is meant to have.

        :raises ValidationError: when none can be made out.
        """
        raise NotImplementedError

    def load(self, data: Any, **kwargs: Any) -> Any:
        """Load an object as the form that it is meant to have."""
        if not isinstance(data, dict):
            raise ValidationError(self.error_messages["type"])
        return _loader(self.variant(data)).load(data, **kwargs)


@cache
def _loader(form: type[Schema]) -> Schema:
    """Return the one instance of a form: to make another for each object takes longer than to load it."""
    return form()


class Tagged(Variants):
    """A JSON object in one of several forms, told apart by its `type`."""

    discriminator = "type"

    @classmethod
    @cache
    def tags(cls) -> dict[str, type[Schema]]:
        """Return the forms by their `type`."""
        return {cls.tag(form): form for form in cls.variants}

    @classmethod
    def tag(cls, form: type[Schema]) -> str:
        """Return the `type` of a form."""
        tag = form().declared_fields[cls.discriminator]
        assert isinstance(tag, Always)
        return str(tag.value)

    def variant(self, data: dict[str, Any]) -> type[Schema]:
        """Return the form whose `type` an object has."""
        tags, name = self.tags(), data.get(self.discriminator)
        if not isinstance(name, str) or name not in tags:
            raise ValidationError({self.discriminator: [f"This is not one of {', '.join(tags)}."]})
        return tags[name]


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
    """An integer as it is written in a query: plain digits."""

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
            raise ValidationError("This is neither true nor false.")
        return value


class QueryBoolean(Boolean):
    """`true` or `false` as it is written in a query."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> bool:
        return super()._deserialize({"true": True, "false": False}.get(value), attr, data, **kwargs)


_HIDDEN = (
    r"\x00-\x1f\x7f-\x9f\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5"
    r"\u180b-\u180f\u200b\u200e\u200f\u2027-\u202e\u2060-\u206f\u2800\u3164\ue000-\uf8ff\ufdd0-\ufdef"
    r"\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
)
"""Controls, format characters (category Cf), default-ignorable code points, fillers, variation selectors,
the blank braille pattern, private use and non-characters, as far as they are in the Basic Multilingual Plane.

The joiners U+200C and U+200D are allowed between visible characters: several scripts and emoji need them.
U+2027 is excluded too: code generators write the ends of a range literally, and a literal U+2028 ends a line.
"""

_INVISIBLE_CATEGORIES = frozenset(("Cc", "Cf", "Cs", "Co"))
_JOINERS = "\u200c\u200d"
_SUPPLEMENTARY_SELECTORS = range(0xE0000, 0xE1000)
"""Tags and variation selectors: the default-ignorable block beyond the Basic Multilingual Plane."""

_BLANK = r"\s\u200c\u200d"
"""Characters that leave no mark by themselves."""

_READABLE = re.compile(rf"^[^{_HIDDEN}]*[^{_HIDDEN}{_BLANK}][^{_HIDDEN}]*$")


class Name(fields.String):
    """A name that people read: trimmed, neither empty nor long, nothing invisible in it."""

    def __init__(self, description: str, most: int = 40, **kwargs: Any) -> None:
        self._most = most
        shape = {"minLength": 1, "maxLength": most, "pattern": _READABLE.pattern}
        super().__init__(metadata={"description": description, **shape}, **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        if not isinstance(value, str):
            raise ValidationError("This is not a string.")
        name = value.strip()
        if not 1 <= len(name) <= self._most:
            raise ValidationError(f"This has not from 1 to {self._most} characters.")
        if not _READABLE.fullmatch(name) or not all(map(_is_visible, name)):
            raise ValidationError("This has characters that cannot be shown, or none that can.")
        return name


def _is_visible(character: str) -> bool:
    """Return whether a character beyond those of `_HIDDEN` may be part of a name."""
    if character in _JOINERS:
        return True
    is_selector = ord(character) in _SUPPLEMENTARY_SELECTORS
    return not is_selector and unicodedata.category(character) not in _INVISIBLE_CATEGORIES


class Credential(fields.String):
    """A secret of a certain form, which no message repeats."""

    def __init__(self, pattern: str, description: str, **kwargs: Any) -> None:
        self._pattern = re.compile(pattern)
        super().__init__(metadata={"description": description, "pattern": f"^{pattern}$"}, **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        del attr, data, kwargs
        if not isinstance(value, str) or not self._pattern.fullmatch(value):
            raise ValidationError(f"This has not the form {self._pattern.pattern}.")
        return value


class PlayerKey(Credential):
    """A player key."""

    def __init__(self, description: str, **kwargs: Any) -> None:
        super().__init__(PLAYER_KEY, description, **kwargs)


class InviteCode(Credential):
    """An invitation code."""

    def __init__(self, description: str, **kwargs: Any) -> None:
        super().__init__(tokens.FORM, description, **kwargs)


EXTENSIBLE_ENUM = "x-extensible-enum"
"""Under which the contract lists the known words of a string that may get others."""


class OneOf(fields.String):
    """One of some words."""

    def __init__(
        self, choices: Iterable[str], description: str, *, extensible: bool = False, **kwargs: Any
    ) -> None:
        self._choices = tuple(choices)
        words: dict[str, Any] = {"enum": [str(choice) for choice in self._choices]}
        if extensible:
            others = "_-" if any("-" in word for word in words["enum"]) else "_"
            pattern = f"^[a-z][a-z0-9{others}]*$"
            words = {EXTENSIBLE_ENUM: words["enum"], "maxLength": 64, "pattern": pattern}
        super().__init__(metadata={"description": description, **words}, **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        if not isinstance(value, str) or value not in self._choices:
            raise ValidationError(f"This is not one of {_some(self._choices)}.")
        return value


def _some(choices: tuple[str, ...]) -> str:
    if len(choices) > 20:
        return f"{choices[0]}, {choices[1]}, ... {choices[-1]}"
    return ", ".join(choices)


class Always(fields.Field[Any]):
    """A value that is always the same, such as the word that tells one form of an object from another."""

    def __init__(self, value: str | bool, description: str = "Which form this is.", **kwargs: Any) -> None:
        self.value = value
        metadata = {"description": description, "const": value}
        if isinstance(value, str):  # generators make no enumeration of a boolean that has a type
            metadata["type"] = "string"
        super().__init__(required=True, metadata=metadata, **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        del attr, data, kwargs
        if value != self.value or type(value) is not type(self.value):
            raise ValidationError(f"This is not {msgspec.json.encode(self.value).decode()}.")
        return value


class EitherOf(fields.Field[Any]):
    """A value in one of several forms, each of them a field or a schema."""

    forms: ClassVar[tuple[fields.Field[Any] | type[Schema], ...]]

    def __init__(self, description: str, **kwargs: Any) -> None:
        super().__init__(metadata={"description": description}, **kwargs)


class UnknownType(fields.String):
    """The `type` of a form that a later version added: any but those of the known forms."""

    def __init__(self, known: Iterable[type[Schema]]) -> None:
        types = "|".join(Tagged.tag(form) for form in known)
        shape = {"minLength": 1, "maxLength": 64, "pattern": f"^(?!({types})$)[a-z][a-z0-9_]*$"}
        super().__init__(required=True, metadata={"description": "A type that is not known yet.", **shape})


class Word(OneOf):
    """One of the words that a subclass lists in `choices`; its docstring says what they are.

    A word of responses is `extensible` if later versions may add others.
    """

    choices: ClassVar[Iterable[str]]
    component: ClassVar[str]
    extensible: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        cls.component = cls.__dict__.get("component", cls.__name__)

    def __init__(self, description: str, **kwargs: Any) -> None:
        super().__init__(self.choices, description, extensible=self.extensible, **kwargs)


class Rotation(Integer):
    """Clockwise degrees from the reference orientation. There will be no others under `/v1`."""

    component = "Rotation"

    def __init__(self, description: str = "How the tile is turned.", **kwargs: Any) -> None:
        super().__init__(ROTATIONS[0], ROTATIONS[-1], description, **kwargs)
        self.validators = [validate.OneOf(ROTATIONS, error="This is not one of {choices}.")]


class QueryRotation(Rotation):
    """A rotation as it is written in a query."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        return super()._deserialize(_digits(value), attr, data, **kwargs)


class Coordinate(Integer):
    """A position along one axis, the castle at 0."""

    def __init__(self, description: str, **kwargs: Any) -> None:
        super().__init__(-LIMIT, LIMIT, description, **kwargs)


class Seat(Integer):
    """A seat, counted from 0 in clockwise order."""

    def __init__(self, description: str, **kwargs: Any) -> None:
        super().__init__(0, PLAYERS[-1] - 1, description, **kwargs)


class ListOf(fields.List[Any]):
    """A list of one kind of thing, of a length within bounds."""

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


class One(fields.Nested):
    """One object of a kind."""

    def __init__(self, schema: type[Schema], description: str, **kwargs: Any) -> None:
        super().__init__(schema, metadata={"description": description}, **kwargs)
