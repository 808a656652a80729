"""JSON objects: unknown fields, and unions of several forms."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import islice
from typing import Any, ClassVar

import msgspec
from marshmallow import Schema, ValidationError, fields

from service.matches.errors import MAX_ERRORS


class Object(Schema):
    """A JSON object without unknown fields."""

    min_properties: ClassVar[int] = 0
    """The minimum number of fields of an object whose fields are all optional."""

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

    The `fallback` is the form of objects that later versions may send. It is a reference to the form itself:
    code generators for Python would treat a plain form as one more with a `type` of its own.
    """

    variants: ClassVar[tuple[type[Schema], ...]]
    fallback: ClassVar[type[Schema] | None] = None

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
    """A value in one of several forms, each a field or a schema."""

    forms: ClassVar[tuple[fields.Field[Any] | type[Schema], ...]]

    def __init__(self, description: str, **kwargs: Any) -> None:
        super().__init__(metadata={"description": description}, **kwargs)


class UnknownType(fields.String):
    """The `type` of a form that a later version added: any word except those of the known forms."""

    def __init__(self, known: Iterable[type[Schema]]) -> None:
        types = "|".join(Tagged.tag(form) for form in known)
        shape = {"minLength": 1, "maxLength": 64, "pattern": f"^(?!({types})$)[a-z][a-z0-9_]*$"}
        super().__init__(required=True, metadata={"description": "A type that is not known yet.", **shape})


class NestedObject(fields.Nested):
    """A nested object."""

    def __init__(self, schema: type[Schema], description: str, **kwargs: Any) -> None:
        super().__init__(schema, metadata={"description": description}, **kwargs)
