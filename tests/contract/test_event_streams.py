"""The event streams in OpenAPI 3.2 and in AsyncAPI match the messages that streams send."""

import json

import jsonschema_rs
import pytest
import yaml

from skye_server.contract.responses.unions import UNIONS
from skye_server.http.sse import EVENT_STREAM
from skye_server.openapi.event_streams import STREAMS, stream_messages
from skye_server.openapi.response_components import component_name
from tests.contract.conftest import generated
from tests.contract.test_document import walk
from tests.support.playing import Service


@pytest.fixture(scope="module")
def typed():
    """The contract in OpenAPI 3.2."""
    return Service().get("/openapi-3.2.json")


@pytest.fixture(scope="module")
def asyncapi():
    """The AsyncAPI document."""
    return Service().get("/asyncapi.json")


def streams(document):
    """Return the descriptions of event streams in an OpenAPI document, by operation."""
    return {
        operation["operationId"]: operation["responses"]["200"]["content"][EVENT_STREAM]
        for item in document["paths"].values()
        for method, operation in item.items()
        if method == "get" and EVENT_STREAM in operation["responses"].get("200", {}).get("content", {})
    }


def validator(document, schema):
    kind = jsonschema_rs.Draft202012Validator
    return kind(schema | {"components": document["components"]})


def test_typed_document_is_valid_openapi(typed):
    from openapi_spec_validator import OpenAPIV32SpecValidator  # noqa: PLC0415 - slow to import

    OpenAPIV32SpecValidator(typed).validate()


def test_typed_document_differs_only_in_its_event_streams(document, typed):
    of_streams = {"StreamMessage", "EventStream", "EventMessage", "StreamStartMessage", "StreamEndMessage"}
    of_streams |= {f"Player{name}" for name in of_streams} | {f"{s.component}Message" for s in STREAMS}
    for kind, components in document["components"].items():
        for name in components.keys() | typed["components"][kind].keys() - of_streams:
            if name not in of_streams and "serializedValue" not in typed["components"][kind][name]:
                assert typed["components"][kind][name] == components[name]
    assert typed["openapi"].startswith("3.2")
    assert typed["paths"].keys() == document["paths"].keys()
    assert typed["info"] == document["info"]


def test_all_event_streams_have_typed_items(typed):
    found = streams(typed)
    assert found.keys() == {stream.operation for stream in STREAMS}
    for content in found.values():
        assert "schema" not in content
        assert content["itemSchema"]["$ref"].endswith("EventStreamMessage")


@pytest.mark.parametrize("stream", STREAMS, ids=lambda stream: stream.operation)
def test_recorded_stream_has_the_types_of_its_items(stream, typed):
    content = streams(typed)[stream.operation]
    item = validator(typed, content["itemSchema"])
    for reference in content["examples"].values():
        example = typed["components"]["examples"][reference["$ref"].rpartition("/")[2]]
        assert example["dataValue"] == stream_messages(example["serializedValue"])
        assert len(example["dataValue"]) > 2
        for message in example["dataValue"]:
            item.validate(message)


@pytest.mark.parametrize("stream", STREAMS, ids=lambda stream: stream.operation)
def test_items_of_a_stream_refuse_other_messages(stream, typed):
    item = validator(typed, streams(typed)[stream.operation]["itemSchema"])
    for message in ({"data": "{}"}, {"event": "pause", "data": "{}"}, {"event": "end"}, {"id": "x"}):
        assert not item.is_valid(message)


def test_asyncapi_references_lead_somewhere(asyncapi):
    for place, thing in walk(asyncapi):
        if isinstance(thing.get("$ref"), str):
            found = asyncapi
            for part in thing["$ref"].removeprefix("#/").split("/"):
                found = found[part]
            assert list(thing) == ["$ref"], place


def test_asyncapi_components_are_all_used(asyncapi):
    used = {thing["$ref"] for _, thing in walk(asyncapi) if isinstance(thing.get("$ref"), str)}
    for kind, components in asyncapi["components"].items():
        for name in components:
            assert f"#/components/{kind}/{name}" in used


def test_asyncapi_names_every_message_of_every_stream(asyncapi):
    for stream in STREAMS:
        messages = asyncapi["channels"][stream.operation]["messages"]
        events = [component_name(form) for form in UNIONS[stream.event].forms]
        assert list(messages) == [stream.start, *events, stream.end]
    assert len(asyncapi["components"]["messages"]) == sum(len(UNIONS[s.event].forms) + 2 for s in STREAMS)


def test_asyncapi_channels_are_the_paths_of_the_streams(asyncapi, typed):
    addresses = {name: channel["address"] for name, channel in asyncapi["channels"].items()}
    for name, address in addresses.items():
        assert typed["paths"][address]["get"]["operationId"] == name
    assert asyncapi["info"]["version"] == typed["info"]["version"]


def test_asyncapi_examples_are_what_their_schemas_say(asyncapi):
    for message in asyncapi["components"]["messages"].values():
        for example in message["examples"]:
            for part in ("payload", "headers"):
                schema = message[part] | {"components": asyncapi["components"]}
                jsonschema_rs.Draft7Validator(schema).validate(example[part])


def test_asyncapi_payloads_take_what_the_contract_takes(asyncapi, document):
    """JSON Schema draft 7 ignores keywords beside a reference, so a schema of 3.1 could lose a condition."""
    for message in asyncapi["components"]["messages"].values():
        payload = message["examples"][0]["payload"]
        draft7 = jsonschema_rs.Draft7Validator(message["payload"] | {"components": asyncapi["components"]})
        name = message["payload"]["$ref"].rpartition("/")[2]
        contract = validator(document, {"$ref": f"#/components/schemas/{name}"})
        for field in payload:
            for wrong in (payload | {field: {"wrong": 1}}, {k: v for k, v in payload.items() if k != field}):
                assert draft7.is_valid(wrong) == contract.is_valid(wrong), (name, field)


@pytest.mark.parametrize("name", ["openapi", "openapi-3.2", "asyncapi"])
def test_document_is_served_as_yaml_and_json(name, service):
    as_yaml, as_json = (service.call("GET", f"/{name}.{form}") for form in ("yaml", "json"))
    assert as_yaml.mimetype == "application/yaml"
    assert as_yaml.text == generated(f"{name}.yaml")
    assert yaml.load(as_yaml.text, yaml.CSafeLoader) == json.loads(as_json.text)
