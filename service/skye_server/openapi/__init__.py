"""The contract: an OpenAPI document, generated from the routes and their schemas, with recorded examples."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from copy import deepcopy
from functools import cached_property
from itertools import chain
from pathlib import Path
from threading import Lock
from typing import Any, Final

import msgspec
import yaml
from apispec import APISpec
from flask import Blueprint, Flask
from werkzeug.routing import Rule

from skye_server.contract.unions import OneOf
from skye_server.cooperative_yield import pause
from skye_server.error_codes import ERROR_CODES
from skye_server.features import installed
from skye_server.games.views.history import RecordLine
from skye_server.http.problems import CONTENT_TYPE, title_of
from skye_server.http.request_parsing import DOCUMENTATION
from skye_server.http.responses import JSON
from skye_server.openapi.components import HEADERS, PARAMETERS, SCHEMAS, SECURITY_SCHEMES, component_of
from skye_server.openapi.conversion import Converter, ResponseComponents, SchemaPlugin
from skye_server.openapi.documented_errors import CODES, shared_error_responses
from skye_server.openapi.sent_requests import sent_requests
from skye_server.openapi.text import Doc, as_yaml, joined, text_of

TITLE = "Isle of Skye"
VERSION = "1.0.0"
"""The version of the contract, not of the program: see the introduction for when it changes."""

_INFO = {
    "summary": "Hosts games of Isle of Skye and applies their rules.",
    "description": text_of("introduction.md"),
    "contact": {"name": "The operator of this server"},
    "license": {"name": "MIT", "identifier": "MIT"},
}
_RELATIVE = "/"
_SERVERS = [
    {"url": _RELATIVE, "description": "The server that serves this document."},
    {"url": "http://127.0.0.1:8000", "description": "A local server: `make serve`."},
]
_ORDER = ("openapi", "info", "servers", "tags", "paths", "webhooks", "components")
_OF_OPERATION = (
    "tags",
    "operationId",
    "summary",
    "description",
    "deprecated",
    "security",
    "parameters",
    "requestBody",
    "responses",
)
_METHODS = {"get", "put", "post", "patch", "delete"}
_PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")
"""A parameter in the path of a rule."""


DOCUMENTS: Final = {
    "openapi": "document",
    "arazzo": "workflows",
}
"""The documents by the name of their file, each with the attribute of `Contract` that holds it."""


class Contract:
    """Describes the operations of the blueprints that it registers with an app.

    The documents are generated on first use: most processes never need them.
    """

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._blueprints: dict[Blueprint, str] = {}
        self._texts: dict[str, str] = {}
        self._generating = Lock()  # the worker serves other requests meanwhile
        app.extensions["skye-contract"] = self

    def register(self, blueprint: Blueprint, description: str) -> None:
        """Register a blueprint with the app, and keep it for the document."""
        self._app.register_blueprint(blueprint)
        self._blueprints[blueprint] = description

    @cached_property
    def document(self) -> Doc:
        """The OpenAPI document."""
        plugin = SchemaPlugin()
        spec = APISpec(TITLE, VERSION, "3.1.0", [plugin])
        components, converter = spec.components, plugin.converter
        for name, schema in SCHEMAS.items():
            components.schema(name, schema)
        assert isinstance(converter, Converter)
        _add_parts_of_streams(converter.responses)
        for name, header in HEADERS.items():
            components.header(name, header)
        for name, parameter in PARAMETERS.items():
            components.parameter(name, parameter["in"], parameter)
        for name, response in shared_error_responses().items():
            components.response(name, response, lazy=True)
        for name, scheme in SECURITY_SCHEMES.items():
            components.security_scheme(name, scheme)
        rules = list(self._app.url_map.iter_rules())
        for blueprint, description in self._blueprints.items():
            pause()
            for rule in rules:
                if rule.endpoint.startswith(f"{blueprint.name}."):
                    self._add_path(spec, rule, blueprint.name)
            spec.tag({"name": blueprint.name, "description": description})
        sent = sent_requests(converter.responses)
        document = _in_order(spec.to_dict() | ({"webhooks": sent} if sent else {}))
        add_examples(document)
        share_responses(document)
        return document

    def _add_path(self, spec: APISpec, rule: Rule, tag: str) -> None:
        """Add the operation of a rule: what its decorators, its docstring and its parameters say."""
        view = self._app.view_functions[rule.endpoint]
        summary, _, description = inspect.cleandoc(view.__doc__ or "").partition("\n\n")
        (method,) = (rule.methods or set()) - {"HEAD", "OPTIONS"}
        operation = deepcopy(vars(view)[DOCUMENTATION])
        operation |= {"tags": [tag], "summary": summary.rstrip("."), "description": joined(description)}
        parameters: list[Any] = [component_of(name) for name in sorted(rule.arguments, key=rule.rule.index)]
        path = _PARAMETER.sub(r"{\1}", rule.rule)
        spec.path(path, operations={method.lower(): operation}, parameters=parameters)

    @cached_property
    def workflows(self) -> Doc:
        """Workflows of operations, an Arazzo document."""
        document: Doc = yaml.load(text_of("arazzo.yaml"), yaml.CSafeLoader)
        return document

    def written(self, name: str) -> str:
        """Return a document as text, which is generated once.

        :param name: one of `DOCUMENTS`, with the extension `.yaml` or `.json`.
        """
        if name not in self._texts:
            with self._generating:
                self._texts[name] = self._texts.get(name) or self._text(name)
        return self._texts[name]

    def _text(self, name: str) -> str:
        stem, _, extension = name.rpartition(".")
        document: Doc = getattr(self, DOCUMENTS[stem])
        return as_yaml(document) if extension == "yaml" else msgspec.json.encode(document).decode()


def with_address(text: str, address: str) -> str:
    """Return a document whose first server has an absolute address: some importers need one.

    :param text: a document in YAML or JSON, as `Contract.written` returns it.
    :param address: the address of the server that serves it.
    """
    quoted = msgspec.json.encode(address).decode()  # which YAML reads too
    for key, relative in (("{url: ", _RELATIVE), ('{"url":', f'"{_RELATIVE}"')):
        text = text.replace(f"{key}{relative},", f"{key}{quoted},", 1)
    return text


def contract_of(app: Flask) -> Contract:
    """Return the contract of an app."""
    contract: Contract = app.extensions["skye-contract"]
    return contract


def _add_parts_of_streams(components: ResponseComponents) -> None:
    """Add the messages of streams, and the lines of exports, which no operation names."""
    components.named("StreamMessage")
    components.named("PlayerStreamMessage")
    components.reference(RecordLine)
    for feature in installed():
        for name, (description, forms) in feature.lines().items():
            components.one_of(name, OneOf(description, forms))


def _in_order(document: Doc) -> Doc:
    """Return the document in reading order: paths as the routes come, components by name."""
    document["info"] |= _INFO
    document["servers"] = _SERVERS
    for path in document["paths"].values():
        for method in path.keys() & _METHODS:
            operation = {key: path[method][key] for key in _OF_OPERATION if key in path[method]}
            operation["responses"] = dict(sorted(operation["responses"].items()))
            path[method] = operation
    document["components"] = {
        kind: dict(sorted(parts.items())) for kind, parts in document["components"].items()
    }
    return {key: document[key] for key in _ORDER if key in document}


def share_responses(document: Doc) -> None:
    """Move the responses that several operations have to the components.

    The name of a component is the phrase of its status. If operations share several responses of this status,
    the first operation that has it comes before the phrase.
    """
    uses: dict[tuple[str, bytes], list[Doc]] = {}
    for status, operation in _responses(document):
        encoded = msgspec.json.encode(operation["responses"][status])
        uses.setdefault((status, encoded), []).append(operation)
    shared = {use: operations for use, operations in uses.items() if len(operations) > 1}
    statuses = [status for status, _ in shared]
    components = document["components"]["responses"]
    for (status, _), operations in shared.items():
        first = operations[0]
        name = title_of(int(status)).replace(" ", "")
        if statuses.count(status) > 1 or name in components:
            name = first["operationId"].title().replace("_", "") + name
        components[name] = first["responses"][status]
        for operation in operations:
            operation["responses"][status] = {"$ref": f"#/components/responses/{name}"}
    document["components"]["responses"] = dict(sorted(components.items()))


def _responses(document: Doc) -> Iterator[tuple[str, Doc]]:
    """Yield each response that an operation has itself: its status, and the operation."""
    for path in document["paths"].values():
        for operation in path.values():
            if "operationId" in operation:
                yield from (
                    (status, operation)
                    for status, response in operation["responses"].items()
                    if "$ref" not in response
                )


def add_examples(document: Doc) -> None:
    """Add the recorded examples to the requests, responses and error responses of the document.

    Each example is a component: openapi-generator warns of examples that are not references.
    """
    scenes, problems = recorded_examples()
    known = {operation["operationId"] for operation in _operations(document)}
    scenes = [scene for scene in scenes if scene.keys() <= known]  # others need a feature that is missing
    components = document["components"]["examples"] = dict(problems)
    for operation in _operations(document):
        its_id = operation["operationId"]
        for name, example in chain.from_iterable(scene.get(its_id, {}).items() for scene in scenes):
            prefix = f"{its_id}_{name}"
            if "request" in example:
                components[f"{prefix}_request"] = _example(example, "request")
                _refer(operation["requestBody"], JSON, name, f"{prefix}_request")
            components[f"{prefix}_response"] = _example(example, "response")
            response = operation["responses"][str(example["status"])]
            _refer(response, example["content_type"], name, f"{prefix}_response")
    for response in _error_responses(document):
        for code in filter(problems.__contains__, response[CODES]):
            _refer(response, CONTENT_TYPE, code, code)


def recorded_examples() -> tuple[list[Doc], Doc]:
    """Return the examples of each scene, by operation, and those of error codes; of features too."""
    scenes: list[Doc] = []
    problems: Doc = {}
    files = [Path(__file__).with_name("examples.json"), *(feature.examples for feature in installed())]
    for file in filter(None, files):
        recorded = msgspec.json.decode(file.read_bytes())
        scenes += recorded["scenes"].values()
        problems |= recorded["problems"]
    return scenes, {code: problems[code] for code in sorted(problems) if code in ERROR_CODES}


def _example(recorded: Doc, part: str) -> Doc:
    return {"summary": recorded["summary"], "value": recorded[part]}


def _refer(where: Doc, content_type: str, name: str, component: str) -> None:
    examples = where["content"][content_type].setdefault("examples", {})
    examples[name] = {"$ref": f"#/components/examples/{component}"}


def _operations(document: Doc) -> Iterator[Doc]:
    for path in document["paths"].values():
        yield from (part for part in path.values() if "operationId" in part)


def _error_responses(document: Doc) -> Iterator[Doc]:
    """Yield every error response: those of one operation and the shared ones."""
    responses = [*document["components"]["responses"].values()]
    for operation in _operations(document):
        responses += operation["responses"].values()
    yield from (response for response in responses if CODES in response)
