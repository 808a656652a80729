"""The converter of schemas to OpenAPI, which names and describes more components than apispec."""

from __future__ import annotations

import typing
from functools import cached_property
from typing import Any

from apispec.ext.marshmallow import MarshmallowPlugin
from apispec.ext.marshmallow.common import resolve_schema_cls, resolve_schema_instance
from apispec.ext.marshmallow.openapi import OpenAPIConverter
from marshmallow import RAISE, Schema, fields

from skye_server.contract.fields import StringEnum
from skye_server.contract.objects import EitherOf, Object, Tagged, Variants
from skye_server.openapi.response_components import ResponseComponents, with_integer_range
from skye_server.openapi.text import Doc, joined

_OF_ITS_PLACE = ("description", "default")
"""The keys of a field that stay where it is used; the others move to its component."""


def meaning_of(thing: type) -> str:
    """Return the docstring of a class."""
    return joined(thing.__doc__ or "")


class Converter(OpenAPIConverter):
    """Gives every object, enumeration and map a name, and every schema its docstring as description."""

    @cached_property
    def responses(self) -> ResponseComponents:
        """The components of responses."""
        return ResponseComponents(self)

    def resolve_nested_schema(self, schema: Any) -> Doc:
        """Return a reference to the component of a schema or of a TypedDict."""
        if typing.is_typeddict(schema):
            return self.responses.reference(schema)
        found: Doc = super().resolve_nested_schema(schema)
        return found

    def init_attribute_functions(self) -> None:
        """Add functions for fields that apispec does not support; the one for nullable fields stays last."""
        super().init_attribute_functions()
        self.attribute_functions[-1:-1] = [self.const, self.range, self.map, self.either, self.named]

    def const(self, field: fields.Field[Any], **_: Any) -> Doc:
        """Add the value of a constant field."""
        return {
            key: field.metadata[key]
            for key in ("type", "const")
            if "const" in field.metadata and key in field.metadata
        }

    def range(self, field: fields.Field[Any], ret: Doc) -> Doc:
        """Give every integer its width, so that no generator truncates it, and an upper bound."""
        doc = with_integer_range(ret) if isinstance(field, fields.Integer) else {}
        return {key: doc[key] for key in ("format", "maximum") if key in doc}

    def map(self, field: fields.Field[Any], ret: Doc) -> Doc:
        """Describe the names and the number of the entries of a map."""
        if not isinstance(field, fields.Dict):
            return {}
        doc = {f"{end}Properties": ret.pop(f"{end}Length") for end in ("min", "max") if f"{end}Length" in ret}
        if field.key_field is not None:
            doc["propertyNames"] = self.field2property(field.key_field)
        return doc

    def either(self, field: fields.Field[Any], **_: Any) -> Doc:
        """List the forms that a value can have."""
        if not isinstance(field, EitherOf):
            return {}
        return {
            "oneOf": [
                self.field2property(form)
                if isinstance(form, fields.Field)
                else self.resolve_nested_schema(form)
                for form in field.forms
            ]
        }

    def named(self, field: fields.Field[Any], ret: Doc) -> Doc:
        """Move the schema of a field to the component of its class, and refer to that."""
        name = getattr(field, "component", None)
        if name is None:
            return {}
        own = {key: ret.pop(key) for key in list(ret) if key not in _OF_ITS_PLACE}
        if name not in self.spec.components.schemas:
            self.spec.components.schema(name, {"description": self._meaning(field, name), **own})
        return {"$ref": f"#/components/schemas/{name}"}

    @staticmethod
    def _meaning(field: fields.Field[Any], name: str) -> str:
        """Return the description of the component of a field: its `meaning`, or the docstring of a class."""
        if isinstance(field, StringEnum) and field.meaning:
            return field.meaning
        kinds = reversed(type(field).__mro__)
        return meaning_of(next(kind for kind in kinds if getattr(kind, "component", "") == name))

    def schema2jsonschema(self, schema: Schema | type[Schema]) -> Doc:
        """Return a schema with its docstring; one in several forms refers to these."""
        schema = resolve_schema_instance(schema)
        doc: Doc = {"description": meaning_of(type(schema))}
        if isinstance(schema, Variants):
            forms = {form: self.resolve_nested_schema(form) for form in schema.variants}
            mapping = {}
            if isinstance(schema, Tagged):
                mapping = {tag: forms[form]["$ref"] for tag, form in schema.tags().items()}
            doc["oneOf"] = list(forms.values())
            if isinstance(schema, Tagged):
                doc["discriminator"] = {"propertyName": schema.discriminator, "mapping": mapping}
            return doc
        doc |= super().schema2jsonschema(schema)
        doc.pop("additionalProperties", None)
        for field in doc.get("properties", {}).values():
            field.pop("default", None)  # TypeScript generators make a field with a default required
        if isinstance(schema, Object) and schema.unknown == RAISE:
            doc["additionalProperties"] = False
        if isinstance(schema, Object) and schema.min_properties:
            doc["minProperties"] = schema.min_properties
        return doc


class SchemaPlugin(MarshmallowPlugin):
    """Names each component after its schema."""

    Converter = Converter

    def __init__(self) -> None:
        super().__init__(schema_name_resolver=_name_of)


def _name_of(schema: Any) -> str:
    found = resolve_schema_cls(schema)
    assert isinstance(found, type)
    return found.__name__
