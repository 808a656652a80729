"""The components of the contract: schemas of requests, and the TypedDicts that describe responses."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any, Final

from apispec.ext.marshmallow import MarshmallowPlugin
from apispec.ext.marshmallow.common import resolve_schema_cls, resolve_schema_instance
from apispec.ext.marshmallow.openapi import OpenAPIConverter
from marshmallow import RAISE, Schema, fields

from skye.fields import Component, Keywords
from skye.words import Word
from skye_server.contract.enums import component_of, enumerations
from skye_server.contract.fields import StringEnum
from skye_server.contract.objects import EitherOf, Object, Tagged, Variants
from skye_server.contract.positions import EXPORTED, Exported
from skye_server.contract.unions import UNIONS, UNKNOWN, OneOf, Unknown, tag_of
from skye_server.features import fields_of
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
        """Return the description of the component of a field: by default the docstring of a class."""
        if isinstance(field, StringEnum):
            return field.meaning or joined(field.description())
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


_SCHEMAS: Final = "#/components/schemas/"
_MAX_INT32: Final = 2**31 - 1
_NAMES: Final = {"TimedGameView": "Game", "SeatView": "SeatView"}
"""The names of the components that do not follow from the names of their types."""

_PLAIN: Final = {bool: "boolean", int: "integer", float: "number", str: "string"}


def component_name(kind: type) -> str:
    """Return the name of the component of a TypedDict or of a schema."""
    return _NAMES.get(kind.__name__) or kind.__name__.removesuffix("View")


def with_integer_range(doc: Doc) -> Doc:
    """Give an integer its width, so that no generator truncates it, and an upper bound."""
    if doc.get("type") != "integer":
        return doc
    greatest = doc.get("maximum", _MAX_INT32)
    return doc | {"format": "int32" if greatest <= _MAX_INT32 else "int64", "maximum": greatest}


class ResponseComponents:
    """Adds the schemas of responses to a document, each once, under its name."""

    def __init__(self, converter: OpenAPIConverter) -> None:
        self._converter = converter
        self._components = converter.spec.components

    def reference(self, kind: type) -> Doc:
        """Return a reference to the component of a TypedDict or of a schema of requests."""
        if issubclass(kind, Schema):
            found: Doc = self._converter.resolve_nested_schema(kind)
            return found
        return self._added(component_name(kind), partial(self._object, kind))

    def named(self, name: str) -> Doc:
        """Return a reference to the component with a name; a request or `SCHEMAS` may define it."""
        if name in UNIONS:
            return self.one_of(name, UNIONS[name])
        if name in UNKNOWN:
            return self._added(name, partial(self._unknown, UNKNOWN[name]))
        if name in EXPORTED:
            return self._added(name, partial(self._exported, EXPORTED[name]))
        if name in enumerations():
            self._converter.field2property(enumerations()[name](in_response=True))
        return {"$ref": _SCHEMAS + name}

    def one_of(self, name: str, union: OneOf) -> Doc:
        """Return a reference to the component of a union."""
        return self._added(name, partial(self._one_of, union))

    def _added(self, name: str, make: Callable[[], Doc]) -> Doc:
        if name not in self._components.schemas:
            self._components.schema(name, make())
        return {"$ref": _SCHEMAS + name}

    def _object(self, kind: type) -> Doc:
        hints = typing.get_type_hints(kind, include_extras=True) | fields_of(component_name(kind))
        # `__required_keys__` has a field of NotRequired too where annotations are strings.
        required = sorted(
            name for name, hint in hints.items() if typing.get_origin(hint) is not typing.NotRequired
        )
        return {
            "description": joined(kind.__doc__ or ""),
            "type": "object",
            "properties": {name: self._schema(hint) for name, hint in hints.items()},
            **({"required": required} if required else {}),
        }

    def _one_of(self, union: OneOf) -> Doc:
        references = [self.reference(form) for form in union.forms]
        fallbacks = [] if union.fallback is None else [self.named(union.fallback)]
        doc: Doc = {"description": union.description, "oneOf": [*references, *fallbacks]}
        if union.tagged:  # linters require a mapping to each form
            mapping = {
                tag_of(form): reference["$ref"]
                for form, reference in zip(union.forms, references, strict=True)
            }
            mapping |= {} if union.fallback is None else {union.fallback: _SCHEMAS + union.fallback}
            doc["discriminator"] = {"propertyName": "type", "mapping": mapping}
        return doc

    def _unknown(self, unknown: Unknown) -> Doc:
        form = self._object(unknown.form)
        known = "|".join(map(tag_of, unknown.known))
        form["properties"]["type"]["pattern"] = f"^(?!({known})$)[a-z][a-z0-9_]*$"
        return {
            "description": unknown.description,
            "oneOf": [self._added(component_name(unknown.form), lambda: form)],
        }

    def _exported(self, exported: Exported) -> Doc:
        doc: Doc = self._converter.schema2jsonschema(exported.request)
        properties = doc["properties"] | {name: self._schema(hint) for name, hint in exported.changed.items()}
        return {
            "description": exported.description,
            "type": "object",
            "properties": properties,
            "required": sorted(properties.keys() - exported.optional),
        }

    def _schema(self, hint: Any) -> Doc:
        """Return the schema of a type; its last description applies, and the last of each keyword."""
        kind, notes, nullable = _parts(hint)
        doc: Doc = {}
        for note in notes:
            if isinstance(note, type):
                doc |= self.reference(note)
            elif isinstance(note, Component):
                doc |= self.named(note.name)
            elif isinstance(note, Keywords):
                doc |= note.keywords
            else:
                doc["description"] = note
        if "$ref" not in doc:
            doc = with_integer_range(self._plain(kind) | doc)
        return _nullable(doc) if nullable else doc

    def _plain(self, kind: Any) -> Doc:
        if typing.is_typeddict(kind):
            return self.reference(kind)
        if kind is types.NoneType:
            return {"const": None}
        if isinstance(kind, type) and issubclass(kind, Word):
            return self.named(component_of(kind))
        if typing.get_origin(kind) is typing.Literal:
            value = str(*typing.get_args(kind))
            return {"description": f"The type: `{value}`.", "type": "string", "const": value}
        if typing.get_origin(kind) in (list, Sequence):
            (item,) = typing.get_args(kind)
            return {"type": "array", "items": self._schema(item)}
        return {"type": _PLAIN[kind]}


def _parts(hint: Any) -> tuple[Any, list[Any], bool]:
    """Return a type, its annotations from the inside out, and whether it can be None."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        kind, notes, nullable = _parts(parts[0])
        return kind, [*notes, *parts[1:]], nullable
    if origin is typing.NotRequired:
        return _parts(parts[0])
    if origin in (typing.Union, types.UnionType) and types.NoneType in parts:
        (present,) = (part for part in parts if part is not types.NoneType)
        kind, notes, _ = _parts(present)
        return kind, notes, True
    return hint, [], False


def _nullable(doc: Doc) -> Doc:
    """Return a schema that takes null too."""
    if "$ref" in doc:
        reference = {"$ref": doc.pop("$ref")}
        return doc | {"anyOf": [reference, {"type": "null"}]}
    return doc | {"type": [doc["type"], "null"]}
