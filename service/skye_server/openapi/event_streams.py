"""The event streams of the contract: their messages, and their types in OpenAPI 3.2."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Final, NamedTuple

from skye_server.contract.fields import MAX_OPAQUE_LENGTH
from skye_server.http.sse import EVENT_STREAM
from skye_server.openapi.text import Doc

_SCHEMAS: Final = "#/components/schemas/"


class EventStream(NamedTuple):
    """A stream of server-sent events: the components of the `data` of its messages."""

    operation: str
    """The `operationId`, which is also the name of the view."""
    component: str
    """The component of the whole stream."""
    prefix: str
    """The beginning of the names of the components of its messages."""
    start: str
    event: str
    """A union: the events proper."""
    end: str


STREAMS: Final = (
    EventStream("stream_events", "EventStream", "", "StreamStart", "Event", "StreamEnd"),
    EventStream(
        "stream_player_events",
        "PlayerEventStream",
        "Player",
        "PlayerStreamStart",
        "PlayerEvent",
        "PlayerStreamEnd",
    ),
)


def stream_fields(event: str | None) -> Doc:
    """Return the schemas of the fields of a message next to `data`.

    :param event: the `event` of the message; None for the events proper, which have an `id` instead.
    """
    if event is None:
        shape = {"type": "string", "maxLength": MAX_OPAQUE_LENGTH}
        return {"id": shape | {"description": "The id of the event, which a client resumes from."}}
    return {
        "event": {"type": "string", "description": f"The type of the message: `{event}`.", "const": event}
    }


def with_typed_streams(document: Doc) -> Doc:
    """Return an OpenAPI 3.1 document as OpenAPI 3.2, with the schemas of the items of event streams."""
    typed = deepcopy(document)
    typed["openapi"] = "3.2.0"
    schemas = typed["components"]["schemas"]
    for stream in STREAMS:
        del schemas[schemas.pop(stream.component)["contentSchema"]["$ref"].removeprefix(_SCHEMAS)]
        schemas |= _item_schemas(stream, document["components"]["schemas"])
    typed["components"]["schemas"] = dict(sorted(schemas.items()))
    for path in typed["paths"].values():
        for operation in path.values():
            _type_streams(operation, typed["components"]["examples"])
    return typed


def _item_schemas(stream: EventStream, described: Doc) -> Doc:
    """Return the components of the items of a stream.

    :param described: the schemas of the document.
    """
    forms = {
        f"{stream.prefix}StreamStartMessage": _message("stream", stream.start, described),
        f"{stream.prefix}EventMessage": _message(None, stream.event, described),
        f"{stream.prefix}StreamEndMessage": _message("end", stream.end, described),
    }
    references = [{"$ref": _SCHEMAS + name} for name in forms]
    description = described[stream.component]["description"]
    return forms | {f"{stream.component}Message": {"description": description, "oneOf": references}}


def _message(event: str | None, component: str, schemas: Doc) -> Doc:
    data = {
        "type": "string",
        "description": "One line of JSON.",
        "contentMediaType": "application/json",
        "contentSchema": {"$ref": _SCHEMAS + component},
    }
    properties = stream_fields(event) | {"data": data}
    if event == "stream":
        properties["retry"] = {
            "type": "integer",
            "format": "int32",
            "description": "How many milliseconds an `EventSource` waits before it reconnects.",
            "minimum": 0,
            "maximum": 60_000,
        }
    return {
        "type": "object",
        "description": schemas[component]["description"].partition("\n")[0],
        "required": [name for name in properties if name != "retry"],
        "properties": properties,
    }


def _type_streams(operation: Any, components: Doc) -> None:
    """Replace the schema of the event streams of an operation by that of their items.

    :param components: the examples of the document, of which those of streams get their messages.
    """
    for response in operation.get("responses", {}).values() if isinstance(operation, dict) else ():
        content = response.get("content", {}).get(EVENT_STREAM)
        if content is not None:
            component = content.pop("schema")["$ref"]
            content["itemSchema"] = {"$ref": f"{component}Message"}
            for reference in content["examples"].values():
                example = components[reference["$ref"].rpartition("/")[2]]
                example["serializedValue"] = example.pop("value")
                example["dataValue"] = stream_messages(example["serializedValue"])


def stream_messages(text: str) -> list[dict[str, Any]]:
    r"""Return the messages of a stream, each by its fields; comments are left out.

    >>> stream_messages('retry: 500\nevent: end\ndata: {}\n\n: heartbeat\n\n')
    [{'retry': 500, 'event': 'end', 'data': '{}'}]
    """
    blocks = (
        [line.split(": ", 1) for line in block.split("\n") if line and line[0] != ":"]
        for block in text.split("\n\n")
    )
    messages = (dict(fields) for fields in blocks if fields)
    return [
        message | ({"retry": int(message["retry"])} if "retry" in message else {}) for message in messages
    ]
