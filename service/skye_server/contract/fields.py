"""Fields for single JSON values: numbers, booleans, times and strings.

They do not convert JSON types: a number in a string, or a boolean, is not a number. The contract describes a
field whose class has a `component` once, under that name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from inspect import cleandoc
from itertools import groupby
from typing import Any, ClassVar, Final, NamedTuple

from marshmallow import ValidationError, fields, validate

from skye import Ruleset
from skye.positions import MAX_GOLD
from skye.rulesets import BASE, MAX_PLAYERS, RULESETS
from skye.tiles import LIMIT, ROTATIONS
from skye.words import Word
from skye_server.games.authorization import (
    INVITE_PATTERN,
    MAX_PLAYER_KEY_LENGTH,
    PLAYER_KEY_PATTERN,
)
from skye_server.games.views.fields import MAX_OPAQUE_LENGTH

_TIME: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})"
)

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

_SUPPLEMENTARY_BLANKS = frozenset("\U00013441\U00013442\U00016fe4\U0001d159")
"""Characters beyond the Basic Multilingual Plane whose glyphs are blank, of categories that are visible."""

_BLANK = r"\s\u200c\u200d"
"""Characters that are invisible on their own."""

_READABLE = re.compile(rf"^[^{_HIDDEN}]*[^{_HIDDEN}{_BLANK}][^{_HIDDEN}]*$")


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


class Time(fields.String):
    """A time, as RFC 3339 writes it; milliseconds since 1970 once loaded."""

    def __init__(self, description: str, **kwargs: Any) -> None:
        super().__init__(
            metadata={"description": description, "format": "date-time", "maxLength": 35}, **kwargs
        )

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        text = super()._deserialize(value, attr, data, **kwargs).upper()
        try:
            if not _TIME.fullmatch(text):
                raise ValueError
            return round(datetime.fromisoformat(text).timestamp() * 1000)
        except ValueError:
            raise ValidationError("This is no time such as 2027-01-15T08:00:00Z.") from None


class Coordinate(Integer):
    """A coordinate on one axis; the castle is at 0."""

    def __init__(self, description: str, **kwargs: Any) -> None:
        super().__init__(-LIMIT, LIMIT, description, **kwargs)


class Seat(Integer):
    """A seat, counted from 0 in clockwise order."""

    def __init__(self, description: str, **kwargs: Any) -> None:
        super().__init__(0, MAX_PLAYERS - 1, description, **kwargs)


class Price(Integer):
    """Gold laid on a tile on offer; the rules ask for 1 or more."""

    component = "Price"

    def __init__(self) -> None:
        super().__init__(0, MAX_GOLD, "The price of the tile.")


class Name(fields.String):
    r"""A name: trimmed, with visible characters only, and with a maximum length.

    The pattern in the contract is one that all regular expression engines read alike: classes of Unicode
    characters are errors of syntax or of encoding in some generated clients.
    """

    def __init__(self, description: str, most: int = 40, **kwargs: Any) -> None:
        self._most = most
        shape = {"minLength": 1, "maxLength": most, "pattern": r"\S"}
        words = f"{description} Control, format and other invisible characters are refused."
        super().__init__(metadata={"description": words, **shape}, **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        if not isinstance(value, str):
            raise ValidationError("This is not a string.")
        name = value.strip()
        if not 1 <= len(name) <= self._most:
            raise ValidationError(f"This does not have 1 to {self._most} characters.")
        is_plain = name.isascii() and name.isprintable()
        if not is_plain and not (_READABLE.fullmatch(name) and all(map(_is_visible, name))):
            raise ValidationError("This has characters that cannot be shown, or none that can.")
        return name


def _is_visible(character: str) -> bool:
    """Return whether a name may contain a character, which is not one of `_HIDDEN`."""
    if character in _JOINERS:
        return True
    if character in _SUPPLEMENTARY_BLANKS or ord(character) in _SUPPLEMENTARY_SELECTORS:
        return False
    is_character = ord(character) & 0xFFFE != 0xFFFE
    return is_character and unicodedata.category(character) not in _INVISIBLE_CATEGORIES


class PatternString(fields.String):
    """A string that a regular expression matches. Error messages never contain it.

    :param form: the regular expression.
    :param error: the error text for other strings, and for those longer than `maxLength` of `shape`.
    :param shape: its keywords in the contract.
    """

    def __init__(self, form: str, error: str, description: str, shape: dict[str, Any], **kwargs: Any) -> None:
        self._form, self._error, self._most = re.compile(form), error, shape["maxLength"]
        super().__init__(metadata={"description": description, **shape}, **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        del attr, data, kwargs
        if not isinstance(value, str) or len(value) > self._most or not self._form.fullmatch(value):
            raise ValidationError(self._error)
        return value


class Opaque(PatternString):
    """A string that clients send as they have received it: a cursor, an id or a code.

    The contract has the form that requests may have, for programs that generate them. Responses promise none,
    and a later version can take other forms too.
    """

    def __init__(self, form: str, error: str, description: str, **kwargs: Any) -> None:
        shape = {"maxLength": MAX_OPAQUE_LENGTH, "pattern": f"^{form}$"}
        super().__init__(form, error, description, shape, **kwargs)


class PlayerKey(PatternString):
    """A player key. Its form is part of the contract, because clients generate it."""

    def __init__(self, description: str, **kwargs: Any) -> None:
        shape = {"maxLength": MAX_PLAYER_KEY_LENGTH, "pattern": f"^{PLAYER_KEY_PATTERN}$"}
        error = f"This does not match the pattern {PLAYER_KEY_PATTERN}."
        super().__init__(PLAYER_KEY_PATTERN, error, description, shape, **kwargs)


class InviteCode(Opaque):
    """An invitation code."""

    def __init__(self, description: str, **kwargs: Any) -> None:
        super().__init__(INVITE_PATTERN, "This is not an invitation code.", description, **kwargs)


EXTENSIBLE_ENUM = "x-extensible-enum"
"""The extension that lists the known words of an enumeration that may get others."""


class OneOf(fields.String):
    """A string with a list of valid values."""

    form: ClassVar[str] = "^[a-z][a-z0-9_]*$"
    """The pattern of the words of an extensible list."""

    def __init__(
        self, choices: Iterable[str], description: str, *, extensible: bool = False, **kwargs: Any
    ) -> None:
        self._choices = tuple(choices)
        words: dict[str, Any] = {"enum": [str(choice) for choice in self._choices]}
        if extensible:
            words = {EXTENSIBLE_ENUM: words["enum"], "maxLength": 64, "pattern": self.form}
        super().__init__(metadata={"description": description, **words}, **kwargs)

    def known(self) -> Collection[str]:
        """Return the valid values."""
        return self._choices

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        if not isinstance(value, str) or (value not in self._choices and value not in self.known()):
            raise ValidationError(f"This is not one of {_some(self.known())}.")
        return value


def _some(choices: Iterable[str]) -> str:
    first, *others = choices
    if len(others) >= 20:
        return f"{first}, {others[0]}, ... {others[-1]}"
    return ", ".join([first, *others])


class Requested(NamedTuple):
    """The words of an extensible enumeration from which requests choose: a closed list.

    :param component: the name of the list in the contract.
    :param choices: its words; all words of the enumeration if left out.
    """

    component: str
    description: str
    choices: Iterable[str] = ()


class StringEnum(OneOf):
    """An enumeration: one of the words in `choices`, which have their home elsewhere.

    The docstring of the class is its description; what the words mean follows the first paragraph.

    An enumeration that responses have is `extensible` if later versions may add words. If requests have it
    too, `requested` describes the closed list from which they choose; then it is extensible.

    :param in_response: whether the field belongs to a response.
    """

    choices: ClassVar[Iterable[str]]
    component: str
    extensible: ClassVar[bool] = False
    requested: ClassVar[Requested | None] = None
    of_field: ClassVar[str] = ""
    """The description of a field that has no other."""
    are_listed: ClassVar[bool] = False
    """Whether the first paragraph ends with a list of the words."""
    explained: ClassVar[Iterable[str]] = ()
    """The words in the order of their explanations, if it is not that of `choices`."""
    meaning = ""
    """The description of the component, if it does not follow from the docstring."""

    def __init_subclass__(cls) -> None:
        cls.component = cls.__dict__.get("component", cls.__name__)
        cls.extensible = cls.extensible or cls.requested is not None

    def __init__(self, description: str = "", *, in_response: bool = False, **kwargs: Any) -> None:
        words = None if in_response else self.requested
        assert in_response or words or not self.extensible, "Only responses have words of later versions."
        choices = words.choices if words and words.choices else self.choices
        extensible = in_response and self.extensible
        super().__init__(choices, description or self.of_field, extensible=extensible, **kwargs)
        if words:
            self.component, self.meaning = words.component, words.description

    @classmethod
    def description(cls) -> str:
        """Return the description of the component."""
        first, *others = cleandoc(cls.__doc__ or "").split("\n\n")
        if cls.are_listed:
            first = f"{first.removesuffix('.')}: {listed([*cls.choices])}."
        return "\n\n".join([first, *explanations(cls.explained or cls.choices), *others])


def explanations(words: Iterable[str]) -> list[str]:
    """Return a paragraph with the meanings of words, none if they have none; equal meanings stand once.

    >>> from skye import Phase
    >>> explanations(Phase)[0][:71]
    '`pricing`: all seats set their offers. `buying`: the seats buy or pass,'
    """
    known = [word for word in words if isinstance(word, Word) and word.meaning]
    sentences = [
        f"{', '.join(f'`{word}`' for word in group)}: {meaning}"
        for meaning, group in groupby(known, key=lambda word: word.meaning)
    ]
    return [" ".join(sentences)] if sentences else []


def listed(words: Sequence[str]) -> str:
    """Return a list of words in a sentence.

    >>> listed(["GET", "PUT", "POST"])
    '`GET`, `PUT` or `POST`'
    """
    *others, last = [f"`{word}`" for word in words]
    return f"{', '.join(others)} or {last}"


class RulesetEnum(StringEnum):
    """An enumeration of the words of a ruleset: the contract lists those of `base`, others are valid too."""

    @staticmethod
    def words(ruleset: Ruleset) -> Iterable[str]:
        """Return the words of a ruleset."""
        raise NotImplementedError

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.choices = tuple(cls.words(BASE))

    def known(self) -> Collection[str]:
        """Return the words of all rulesets."""
        return dict.fromkeys([word for ruleset in RULESETS.values() for word in self.words(ruleset)])


MAX_URL_LENGTH: Final = 2048

_URL: Final = "https?://[!-~]+"

_LETTER: Final = "[A-Za-z0-9+/]"
_SECRET: Final = (
    f"whsec_((?:{_LETTER}{{4}}){{8,21}}(?:{_LETTER}{{2}}==)?|(?:{_LETTER}{{4}}){{8,20}}{_LETTER}{{3}}=)"
)


class Url(PatternString):
    """The URL of a receiver. The server checks scheme, port and address when it uses the URL."""

    def __init__(self, description: str, **kwargs: Any) -> None:
        shape = {"minLength": 8, "maxLength": MAX_URL_LENGTH, "format": "uri", "pattern": f"^{_URL}$"}
        error = f"This is not a URL of http or https with at most {MAX_URL_LENGTH} ASCII characters."
        super().__init__(_URL, error, description, shape, **kwargs)


class Secret(PatternString):
    """A secret: `whsec_` and 24 to 64 bytes in base64."""

    def __init__(self, description: str, **kwargs: Any) -> None:
        shape = {"maxLength": 96, "pattern": f"^{_SECRET}$"}
        error = "This is not whsec_ and 24 to 64 bytes in base64."
        super().__init__(_SECRET, error, description, shape, **kwargs)
