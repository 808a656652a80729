"""The event streams of the contract as an AsyncAPI 3 document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from skye_server.contract.responses.unions import UNIONS, tag_of
from skye_server.openapi.components import PLAYER
from skye_server.openapi.event_streams import STREAMS, EventStream, stream_fields
from skye_server.openapi.response_components import component_name
from skye_server.openapi.text import Doc, text_of

_REFERENCE: Final = "#/components/schemas/"
_BINDING: Final = "0.3.0"
"""The version of the HTTP bindings of AsyncAPI."""

_SERVERS: Final = {
    protocol: {
        "host": "{host}",
        "protocol": protocol,
        "description": "The server that serves this document.",
        "variables": {"host": {"default": "127.0.0.1:8000", "description": "The host and port."}},
    }
    for protocol in ("http", "https")
}


def asyncapi_document(document: Doc) -> Doc:
    """Return the AsyncAPI document of the event streams that an OpenAPI document describes."""
    recorded = msgspec.json.decode(text_of("examples.json"))["messages"]
    channels: Doc = {}
    operations: Doc = {}
    messages: Doc = {}
    for stream in STREAMS:
        path, described = _operation(stream.operation, document)
        of_stream = _messages(stream, document, recorded[stream.operation])
        messages |= of_stream
        channels[stream.operation] = _channel(stream, path, described, list(of_stream), document)
        operations[stream.operation] = _operation_of(stream, described, list(of_stream), document)
    return {
        "asyncapi": "3.1.0",
        "info": _info(document),
        "defaultContentType": "application/json",
        "servers": _SERVERS,
        "channels": channels,
        "operations": operations,
        "components": {
            "messages": messages,
            "schemas": _schemas_of([messages, operations], document["components"]["schemas"]),
            "securitySchemes": {PLAYER: document["components"]["securitySchemes"][PLAYER]},
        },
    }


def _operation(name: str, document: Doc) -> tuple[str, Doc]:
    """Return the path and the description of an operation."""
    return next(
        (path, operation)
        for path, item in document["paths"].items()
        for operation in item.values()
        if isinstance(operation, dict) and operation["operationId"] == name
    )


def _info(document: Doc) -> Doc:
    info = document["info"]
    return {
        "title": f"{info['title']}: event streams",
        "version": info["version"],
        "description": text_of("asyncapi_introduction.md"),
        "contact": info["contact"],
        "license": {"name": info["license"]["name"], "url": "https://spdx.org/licenses/MIT"},
        "tags": [{"name": "Events", "description": "What happens in games, as it happens."}],
    }


def _channel(stream: EventStream, path: str, operation: Doc, messages: list[str], document: Doc) -> Doc:
    parameters = {
        parameter["name"]: {
            "description": parameter["description"],
            "examples": _resolved(parameter["schema"], document)["examples"],
        }
        for parameter in _parameters(operation, "path", document)
    }
    return {
        "address": path,
        "title": operation["summary"],
        "description": document["components"]["schemas"][stream.component]["description"],
        "messages": {message: {"$ref": f"#/components/messages/{message}"} for message in messages},
        **({"parameters": parameters} if parameters else {}),
    }


def _operation_of(stream: EventStream, operation: Doc, messages: list[str], document: Doc) -> Doc:
    query = {
        parameter["name"]: _as_asyncapi(parameter["schema"] | {"description": parameter["description"]})
        for parameter in _parameters(operation, "query", document)
    }
    channel = f"#/channels/{stream.operation}"
    needs_player_key = {PLAYER: []} in operation["security"]
    return {
        "action": "send",
        "channel": {"$ref": channel},
        "title": operation["summary"],
        "summary": operation["summary"],
        "description": operation["description"],
        # AsyncAPI cannot express that a token is optional
        **({"security": [{"$ref": f"#/components/securitySchemes/{PLAYER}"}]} if needs_player_key else {}),
        "bindings": {
            "http": {
                "method": "GET",
                "query": {"type": "object", "properties": query, "additionalProperties": False},
                "bindingVersion": _BINDING,
            }
        },
        "messages": [{"$ref": f"{channel}/messages/{message}"} for message in messages],
    }


def _messages(stream: EventStream, document: Doc, recorded: Doc) -> Doc:
    """Return the messages of a stream by the names of their components."""
    return {
        component: _message(stream, name, component, document, recorded) for name, component in _kinds(stream)
    }


def _kinds(stream: EventStream) -> Iterator[tuple[str, str]]:
    """Yield the name of each kind of message, and the component of its data."""
    yield "stream", stream.start
    for form in UNIONS[stream.event].forms:
        yield tag_of(form), component_name(form)
    yield "end", stream.end


def _message(stream: EventStream, name: str, component: str, document: Doc, recorded: Doc) -> Doc:
    event = name if component in (stream.start, stream.end) else None
    description = document["components"]["schemas"][component]["description"]
    fields = stream_fields(event)
    headers = {"id": str(recorded[name]["id"])} if event is None else {"event": event}
    return {
        "name": name,
        "title": name.replace("_", " ").capitalize(),
        "summary": description.partition("\n")[0],
        "contentType": "application/json",
        "headers": {"type": "object", "required": list(fields), "properties": fields},
        "payload": {"$ref": _REFERENCE + component},
        "examples": [{"name": name, "headers": headers, "payload": recorded[name]}],
    }


def _resolved(thing: Doc, document: Doc) -> Doc:
    kind, _, name = str(thing.get("$ref", "")).removeprefix("#/components/").partition("/")
    return document["components"][kind][name] if name else thing


def _parameters(operation: Doc, place: str, document: Doc) -> list[Doc]:
    """Return the parameters of an operation in a place: `path`, `query` or `header`."""
    parameters = [_resolved(parameter, document) for parameter in operation.get("parameters", ())]
    return [parameter for parameter in parameters if parameter["in"] == place]


def _schemas_of(found: Any, schemas: Doc) -> Doc:
    """Return the schemas that parts of the document refer to, directly or not, by name."""
    wanted: Doc = {}
    waiting = list(_references(found))
    while waiting:
        name = waiting.pop()
        if name not in wanted:
            wanted[name] = _as_asyncapi(schemas[name])
            waiting += _references(wanted[name])
    return dict(sorted(wanted.items()))


def _references(thing: Any) -> Iterator[str]:
    """Yield the names of the schemas that a part of the document refers to."""
    if isinstance(thing, dict):
        reference = thing.get("$ref")
        if isinstance(reference, str) and reference.startswith(_REFERENCE):
            yield reference.removeprefix(_REFERENCE)
    for part in thing.values() if isinstance(thing, dict) else thing if isinstance(thing, list) else ():
        yield from _references(part)


def _as_asyncapi(schema: Any) -> Any:
    """Return a schema of OpenAPI 3.1 in the form of AsyncAPI: JSON Schema draft 7 and a `discriminator`.

    Draft 7 ignores the keys beside a `$ref`, so the reference becomes a member of `allOf`.
    """
    if isinstance(schema, list):
        return [_as_asyncapi(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    parts = {name: _as_asyncapi(part) for name, part in schema.items()}
    if isinstance(parts.get("discriminator"), dict):
        parts["discriminator"] = parts["discriminator"]["propertyName"]
    if isinstance(parts.get("$ref"), str) and len(parts) > 1:
        parts["allOf"] = [{"$ref": parts.pop("$ref")}]
    return parts
