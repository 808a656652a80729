"""The contract: the OpenAPI document, made from the routes and their schemas."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import msgspec
import yaml
from flask import Flask
from flask_smorest import Api, Blueprint

from service.openapi.components import HEADERS, PARAMETERS, SCHEMAS, SECURITY_SCHEMES, told_in
from service.openapi.conversion import Doc, RulePlugin, SchemaPlugin, joined
from service.openapi.examples import add_examples
from service.openapi.operations import shared_refusals
from service.schemas import responses

TITLE = "Isle of Skye"
VERSION = "1.0.0"
"""The version of the contract, not of the program: see the introduction for when it changes."""

_INFO = {
    "summary": "Keeps and plays games of Isle of Skye.",
    "description": told_in("introduction.md"),
    "contact": {"name": "The operator of this server"},
    "license": {"name": "MIT", "identifier": "MIT"},
}
_SERVERS = [
    {"url": "/", "description": "The server that serves this document."},
    {"url": "http://127.0.0.1:8000", "description": "A server of one's own: `make serve`."},
]
_ORDER = ("openapi", "info", "servers", "tags", "paths", "components")
_OF_OPERATION = (
    "tags",
    "operationId",
    "summary",
    "description",
    "security",
    "parameters",
    "requestBody",
    "responses",
)
_METHODS = {"get", "put", "post", "patch", "delete"}
_WIDTH, _WIDTH_OF_PART = 110, 72


class Contract(Api):
    """Collects the operations of an app; refusals are written by `problems`, not here.

    The document is made when it is first asked for: most processes never are.
    """

    DEFAULT_ERROR_RESPONSE_NAME = None

    def __init__(self, app: Flask) -> None:
        app.config |= {"API_TITLE": TITLE, "API_VERSION": VERSION, "OPENAPI_VERSION": "3.1.0"}
        self._blueprints: list[Blueprint] = []
        super().__init__(
            app, spec_kwargs={"flask_plugin": RulePlugin(), "marshmallow_plugin": SchemaPlugin()}
        )
        app.extensions["skye-contract"] = self

    def register_blueprint(self, blueprint: Blueprint, **options: Any) -> None:
        """Register a blueprint with the app, and remember it for the document."""
        self._app.register_blueprint(blueprint, **options)
        self._blueprints.append(blueprint)

    @cached_property
    def document(self) -> Doc:
        """The OpenAPI document."""
        components = self.spec.components
        for name, schema in SCHEMAS.items():
            components.schema(name, schema)
        components.schema("StreamMessage", schema=responses.StreamMessage)
        components.schema("PlayerStreamMessage", schema=responses.PlayerStreamMessage)
        for name, header in HEADERS.items():
            components.header(name, header)
        for name, parameter in PARAMETERS.items():
            components.parameter(name, parameter["in"], parameter)
        for name, refusal in shared_refusals().items():
            components.response(name, refusal, lazy=True)
        for name, scheme in SECURITY_SCHEMES.items():
            components.security_scheme(name, scheme)
        for blueprint in self._blueprints:
            blueprint.register_views_in_doc(self, self._app, self.spec, name=blueprint.name, parameters=None)
            self.spec.tag({"name": blueprint.name, "description": blueprint.description})
        document = _in_order(self.spec.to_dict())
        add_examples(document)
        return document

    @cached_property
    def json(self) -> bytes:
        """The document as JSON."""
        return msgspec.json.encode(self.document)

    @cached_property
    def yaml(self) -> str:
        """The document as YAML, always in the same words."""
        text: str = yaml.dump(
            self.document, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_WIDTH
        )
        return text

    def _register_error_handlers(self) -> None:
        """Register none: `problems.register` does."""

    def _register_responses(self) -> None:
        """Register none of flask-smorest's own: `operations` has ours."""

    def _register_etag_headers(self) -> None:
        """Register none of flask-smorest's own: `components` has ours."""

    def _register_pagination_header(self) -> None:
        """Register none: pages have cursors, in the body."""


def contract_of(app: Flask) -> Contract:
    """Return the contract of an app."""
    contract: Contract = app.extensions["skye-contract"]
    return contract


class _Dumper(yaml.CSafeDumper):
    """Writes texts of several lines as such, and everything in full wherever it stands."""

    def ignore_aliases(self, data: object) -> bool:
        """Never refer to what was written before."""
        del data
        return True

    def represent_mapping(self, tag: str, mapping: Any, flow_style: bool | None = None) -> yaml.MappingNode:
        """Write what is small in examples on one line: they have many small things."""
        node = super().represent_mapping(tag, mapping, flow_style)
        for key, part in node.value:
            if key.value == "examples" and isinstance(part, yaml.MappingNode):
                _set_in_lines(part)
        return node


def _set_in_lines(node: yaml.Node) -> int:
    """Put a collection on one line if it fits, and a list of words on few; return the length of a node."""
    if not isinstance(node, yaml.CollectionNode):
        return len(node.value)
    parts = [part for pair in node.value for part in (pair if isinstance(pair, tuple) else (pair,))]
    length = sum(_set_in_lines(part) + len(": ") for part in parts)
    of_words = all(isinstance(part, yaml.ScalarNode) for part in parts)
    if length < _WIDTH_OF_PART or (of_words and isinstance(node, yaml.SequenceNode)):
        node.flow_style = True
    return length


def _text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


def _in_order(document: Doc) -> Doc:
    """Return the document in reading order: paths as the routes come, components by name."""
    document["info"] |= _INFO
    document["servers"] = _SERVERS
    for path in document["paths"].values():
        for method in path.keys() & _METHODS:
            operation = {key: path[method][key] for key in _OF_OPERATION if key in path[method]}
            operation["summary"] = operation["summary"].rstrip(".")
            operation["description"] = joined(operation["description"])
            operation["responses"] = dict(sorted(operation["responses"].items()))
            path[method] = operation
    document["components"] = {
        kind: dict(sorted(parts.items())) for kind, parts in document["components"].items()
    }
    return {key: document[key] for key in _ORDER}
