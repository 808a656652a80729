"""JSON objects, lists and query strings: unknown fields, bounds on lengths, and unions of several forms."""

from __future__ import annotations

from functools import cache
from itertools import islice
from typing import Any, ClassVar

import msgspec
from marshmallow import Schema, ValidationError, fields, validate

from skye_server.contract.enums import Inclusion
from skye_server.contract.fields import Opaque
from skye_server.cooperative_yield import Computation
from skye_server.error_codes import MAX_ERRORS


class Object(Schema):
    """A JSON object without unknown fields. For an optional field, null means that it is left out.

    Only fields with `allow_none` accept null: those that a response has with null of the same meaning, so
    that a client can send what it has read.
    """

    min_properties: ClassVar[int] = 0
    """The minimum number of fields of an object whose fields are all optional."""

    error_messages = {"unknown": "There is no such field.", "type": "This is not a JSON object."}  # noqa: RUF012 - as marshmallow has it

    def load(self, data: Any, **kwargs: Any) -> Any:
        """Load an object; of too many unknown fields only the first are validated and reported."""
        if isinstance(data, dict) and len(data) > len(self.load_fields) + MAX_ERRORS:
            known = {field.data_key or name for name, field in self.load_fields.items()}
            unknown = islice((key for key in data if key not in known), MAX_ERRORS)
            data = {key: data[key] for key in (*(known & data.keys()), *unknown)}
        if isinstance(data, dict) and None in data.values():
            data = {key: value for key, value in data.items() if value is not None or not self._optional(key)}
        if isinstance(data, dict) and len(data) < self.min_properties:
            raise ValidationError(f"At least one of these is required: {', '.join(self.load_fields)}.")
        return super().load(data, **kwargs)

    def _optional(self, name: str) -> bool:
        """Return whether a field can be left out, and be null instead."""
        field = self.load_fields.get(name)
        return field is not None and field.allow_none and not field.required


class Variants(Object):
    """A JSON object in one of several forms."""

    variants: ClassVar[tuple[type[Schema], ...]]

    def variant(self, data: dict[str, Any]) -> type[Schema]:
        """Return the form of an object.

        :raises ValidationError: if the object matches no form.
        """
        raise NotImplementedError

    def load(self, data: Any, **kwargs: Any) -> Any:
        """Load an object with the schema of its form."""
        if not isinstance(data, dict):
            raise ValidationError(self.error_messages["type"])
        return _loader(self.variant(data)).load(data, **kwargs)


@cache
def _loader(form: type[Schema]) -> Schema:
    """Return the only instance of a form: creating one takes longer than loading an object."""
    return form()


class Tagged(Variants):
    """A JSON object in one of several forms, with its `type` as discriminator."""

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
        assert isinstance(tag, Constant)
        return str(tag.value)

    def variant(self, data: dict[str, Any]) -> type[Schema]:
        """Return the form whose `type` an object has."""
        tags, name = self.tags(), data.get(self.discriminator)
        if not isinstance(name, str) or name not in tags:
            raise ValidationError({self.discriminator: [f"This is not one of {', '.join(tags)}."]})
        return tags[name]


class Constant(fields.Field[Any]):
    """A constant, such as the discriminator of a form."""

    def __init__(self, value: str | bool, description: str | None = None, **kwargs: Any) -> None:
        self.value = value
        description = description or f"The type: `{value}`."
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
    """A value in one of several forms, each a field or a schema."""

    forms: ClassVar[tuple[fields.Field[Any] | type[Schema], ...]]

    def __init__(self, description: str, **kwargs: Any) -> None:
        super().__init__(metadata={"description": description}, **kwargs)


class NestedObject(fields.Nested):
    """A nested object."""

    def __init__(self, schema: type[Schema], description: str, **kwargs: Any) -> None:
        super().__init__(schema, metadata={"description": description}, **kwargs)


class ListOf(fields.List[Any]):
    """A list of elements of one kind, with bounds on its length."""

    def __init__(
        self,
        inner: fields.Field[Any] | type[Schema],
        description: str,
        *,
        length: tuple[int, int | None] = (0, None),
        error: str | None = None,
        **kwargs: Any,
    ) -> None:
        metadata = {"description": description, "uniqueItems": kwargs.pop("unique", False)}
        super().__init__(
            fields.Nested(inner) if isinstance(inner, type) else inner,
            validate=validate.Length(length[0] or None, length[1], error=error or _wrong_length(*length)),
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


def _wrong_length(minimum: int, maximum: int | None) -> str:
    """Return the error text for a list with too few or too many elements.

    >>> _wrong_length(0, 3)
    'This has more than {max} elements.'
    """
    if maximum is None:
        return "This has fewer than {min} elements."
    return (
        "This does not have from {min} to {max} elements."
        if minimum
        else "This has more than {max} elements."
    )


CURSOR = "[0-9]{1,16}-[a-z0-9]{1,64}"
"""The form of a place in a list of games."""


class Query(Schema):
    """A query string without unknown parameters."""

    error_messages = {"unknown": "There is no such parameter."}  # noqa: RUF012 - as marshmallow has it


def page_cursor() -> Opaque:
    """Return the parameter that names a page of a list of games."""
    return Opaque(CURSOR, "This is not the cursor of a page.", "The `next_cursor` of the previous page.")


class ViewQuery(Query):
    """The optional parts of the view of a game."""

    include = Inclusion("`actions`: the view also has the legal actions of the caller's seat.")


def json_or_none(data: bytes | str) -> Any:
    """Return a JSON value; None if the data is not JSON, or nested too deeply.

    >>> json_or_none('{"a": 1}'), json_or_none(1500 * "[" + 1500 * "]")
    ({'a': 1}, None)
    """
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None
