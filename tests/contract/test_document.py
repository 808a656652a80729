"""The OpenAPI document: complete, valid, and in agreement with the code."""

import re

import jsonschema_rs
import pytest

from skye_server.error_codes import ERROR_CODES
from tests.contract.checked import METHODS, OPENAPI_YAML
from tests.contract.conftest import generated
from tests.support.playing import Service


def walk(thing, place=()):
    """Yield every object of a document, with its place."""
    if isinstance(thing, dict):
        yield place, thing
        for key, part in thing.items():
            yield from walk(part, (*place, key))
    elif isinstance(thing, list):
        for number, part in enumerate(thing):
            yield from walk(part, (*place, number))


def schemas(document):
    """Yield every schema of a document, with its place."""
    for place, thing in walk(document):
        if place[:-1] == ("components", "schemas") or (place and place[-1] in ("schema", "items")):
            yield place, thing
        if len(place) > 1 and place[-2] == "properties" and isinstance(thing, dict):
            yield place, thing


def test_document_in_the_repository_is_what_the_code_generates():
    assert generated("openapi.yaml") == OPENAPI_YAML.read_text(), "run `make openapi` and look at the diff"


def test_document_is_valid_openapi(document):
    from openapi_spec_validator import OpenAPIV31SpecValidator  # noqa: PLC0415 - slow to import

    OpenAPIV31SpecValidator(document).validate()


def test_every_reference_leads_somewhere(document, contract):
    for place, thing in walk(document):
        if isinstance(thing.get("$ref"), str):
            assert thing["$ref"].startswith("#/components/"), place
            contract.resolve(thing)


def test_every_component_is_used(document):
    used = {thing["$ref"] for _, thing in walk(document) if isinstance(thing.get("$ref"), str)}
    components = {
        f"#/components/{kind}/{name}"
        for kind, parts in document["components"].items()
        for name in parts
        if kind != "securitySchemes"
    }
    assert components == used


def test_every_object_has_a_name(document):
    for place, thing in schemas(document):
        if thing.get("type") == "object" or "properties" in thing or "oneOf" in thing:
            assert place[:-1] == ("components", "schemas"), place


def test_every_schema_and_field_has_a_description(document):
    for place, thing in schemas(document):
        is_field = len(place) > 1 and place[-2] == "properties"
        if is_field or (place[-1] not in ("schema", "items") and "$ref" not in thing):
            assert thing.get("description"), place


def test_patterns_mean_the_same_in_all_regular_expression_engines(document):
    patterns = {thing["pattern"] for _, thing in schemas(document) if isinstance(thing.get("pattern"), str)}
    assert r"\S" in patterns
    assert [pattern for pattern in patterns if re.search(r"\\[^S.]|[^ -~]", pattern)] == []


def test_component_members_are_references(document):
    """openapi-generator warns of members of components that have no name."""
    for name, schema in document["components"]["schemas"].items():
        members = [*schema.get("oneOf", ()), *schema.get("anyOf", ())]
        members += [
            schema[key] for key in ("items", "additionalProperties") if isinstance(schema.get(key), dict)
        ]
        assert all("$ref" in member for member in members), name


def test_every_integer_has_a_format_and_bounds(document):
    for place, thing in schemas(document):
        if "integer" in ensured_list(thing.get("type")):
            assert thing.get("format") in ("int32", "int64"), place
            assert "enum" in thing or {"minimum", "maximum"} <= thing.keys(), place


def test_every_list_has_items_and_a_greatest_length(document):
    for place, thing in walk(document):
        if "array" in ensured_list(thing.get("type")):
            assert thing.keys() >= {"items", "maxItems"}, place


def test_every_string_but_a_stream_has_a_greatest_length(document):
    for place, thing in schemas(document):
        if "string" in ensured_list(thing.get("type")) and not place[-1].endswith(("Stream", "Lines")):
            assert {"maxLength", "enum", "const"} & thing.keys(), place


def ensured_list(types):
    """Return the types of a schema, which may be one, as a list."""
    return types if isinstance(types, list) else [types]


def test_every_field_of_an_answer_is_always_there(document, contract):
    components = document["components"]["schemas"]
    sometimes = {
        "ExportedDraw": {"discard", "price"},
        "ExportedPlayerPosition": {"gold", "offer_set"},
        "ExportedPosition": {"next_draws", "seed"},
        "FieldProblem": {"name", "pointer"},
        "Game": {"actions"},
        "Problem": {"errors", "params", "trace_id"},
        "ProblemParams": {*components["ProblemParams"]["properties"]},
        "ScenarioPosition": {*components["ScenarioPosition"]["properties"]} - {"players"},
    }
    asked = requested(contract)
    for name, schema in components.items():
        if "properties" in schema and name not in asked:
            optional = schema["properties"].keys() - set(schema.get("required", ()))
            assert optional - {"reload"} == sometimes.get(name, set()), name


def requested(contract):
    """Return the names of the schemas of requests, with all that these refer to."""
    return referred(contract, [operation.get("requestBody", {}) for _, _, operation in contract.operations()])


def referred(contract, found):
    """Return the names of the schemas that parts of the document refer to, directly or not."""
    names = set()
    while found:
        for _, thing in walk(found.pop()):
            name = str(thing.get("$ref", "")).rpartition("/")[2]
            if name and name not in names:
                names.add(name)
                found.append(contract.document["components"]["schemas"].get(name, {}))
    return names


def test_every_operation_is_described(contract):
    names = []
    for method, path, operation in contract.operations():
        names.append(operation["operationId"])
        assert re.fullmatch(r"[a-z]+(_[a-z]+)*", operation["operationId"])
        assert operation["summary"], path
        assert operation["description"], path
        assert len(operation["tags"]) == 1, path
        assert "security" in operation, path
        assert "default" in operation["responses"], path
        assert ("requestBody" in operation) <= (method in ("post", "put", "patch")), path
    assert len(set(names)) == len(names)


def test_tags_come_in_reading_order(document, contract):
    order = list(dict.fromkeys(operation["tags"][0] for _, _, operation in contract.operations()))
    assert order == [tag["name"] for tag in document["tags"]]
    assert all(tag["description"] for tag in document["tags"])


def test_every_error_is_a_problem_whose_codes_are_listed(contract):
    listed = set()
    for _, path, operation in contract.operations():
        for status, response in operation["responses"].items():
            if status < "400":
                continue
            said = contract.resolve(response)
            assert list(said["content"]) == ["application/problem+json"], path
            codes = said["x-problem-codes"]
            assert codes, path
            for code in codes:
                assert status in (str(ERROR_CODES[code].status), "default"), (path, code)
                assert f"`{code}`" in said["description"], (path, code)
            listed.update(codes)
    assert listed == ERROR_CODES.keys()


def test_operation_with_a_path_parameter_lists_not_found(contract):
    for _, path, operation in contract.operations():
        if "{" in path:
            refused = contract.resolve(operation["responses"]["404"])
            assert "not_found" in refused["x-problem-codes"], path


def test_every_route_is_documented_and_every_operation_has_a_route(contract):
    documented = {(method.upper(), path) for method, path, _ in contract.own_operations()}
    of_plugins = {(method.upper(), path) for method, path, _ in contract.operations()} - documented
    routed = {
        (method, re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule))
        for rule in Service().app.url_map.iter_rules()
        for method in rule.methods - {"HEAD", "OPTIONS"}
        if not rule.rule.startswith("/play/")  # the table is a client of the API, and no part of its contract
        and "<path:path>" not in rule.rule  # a hunt has the whole API there
    }
    assert documented == routed - of_plugins


def test_every_link_leads_to_an_operation_that_has_its_parameters(contract):
    parameters = {
        operation["operationId"]: {
            contract.resolve(parameter)["name"]
            for said in (contract.document["paths"][path], operation)
            for parameter in said.get("parameters", ())
        }
        for _, path, operation in contract.operations()
    }
    links = [
        link
        for _, _, operation in contract.operations()
        for response in operation["responses"].values()
        for link in contract.resolve(response).get("links", {}).values()
    ]
    assert links
    for link in links:
        assert link["parameters"].keys() <= parameters[link["operationId"]], link


@pytest.mark.parametrize("name", ["Event", "Action", "RecordedAction", "ExportedAction"])
def test_union_is_discriminated_by_type(document, name):
    union = document["components"]["schemas"][name]
    assert union["discriminator"]["propertyName"] == "type"
    mapping = union["discriminator"]["mapping"]
    assert list(mapping.values()) == [form["$ref"] for form in union["oneOf"]]
    for tag, reference in mapping.items():
        if tag.startswith("Unknown"):  # the fallback has no type of its own, and goes by its name
            continue
        form = document["components"]["schemas"][reference.rpartition("/")[2]]
        assert form["properties"]["type"]["const"] == tag


UNIONS_OF_RESPONSES = {
    "Event": {"id": 1, "version": 1, "at": "2027-01-15T08:00:00Z"},
    "Action": {"method": "POST", "revises": False, "href": "/v1/games/k7mt2vq9xw3c/players/0/auction"},
    "ExportedAction": {"seat": 0},
}
"""The unions that may get new members, each with the fields that all members have."""


@pytest.mark.parametrize("name", UNIONS_OF_RESPONSES)
def test_union_of_responses_takes_a_type_of_a_later_version(document, name):
    later = UNIONS_OF_RESPONSES[name] | {"type": "auction_held", "bids": [1, 2]}
    schema = {"$ref": f"#/components/schemas/{name}", "components": document["components"]}
    assert jsonschema_rs.Draft202012Validator(schema).is_valid(later)


@pytest.mark.parametrize("name", UNIONS_OF_RESPONSES)
def test_union_of_responses_takes_no_malformed_member_of_a_known_type(document, name):
    union = document["components"]["schemas"][name]
    schema = {"$ref": f"#/components/schemas/{name}", "components": document["components"]}
    validator = jsonschema_rs.Draft202012Validator(schema)
    for tag in union["discriminator"]["mapping"]:
        assert not validator.is_valid({"type": tag}), tag
    placing = "tile_placed" if name == "Event" else "place"
    assert not validator.is_valid(UNIONS_OF_RESPONSES[name] | {"type": placing})


SENT_AGAIN = {
    "ChosenOptions": ["GameOptions", "ExportedOptions"],
    "OptionsOfPlay": ["GameOptions"],
    "TicketOptionsToSet": ["TicketOptions"],
    "PlayerOfPosition": ["Player", "SeatToken"],
    "UrlBot": ["SeatToken"],
    "UrlBotToSeat": ["SeatToken"],
    "UrlBotToJoin": ["TakenSeat"],
    "WebhookToCreate": ["CreatedWebhook"],
    "SecretRotation": ["CreatedWebhook"],
    "RecordedOptions": ["ExportedOptions"],
    "RecordedPlayer": ["ExportedPlayer"],
    "GameRecord": ["ExportedRecord"],
    "HuntToOpen": ["OpenedBugHunt"],
    "TicketToCreate": ["Ticket"],
}
"""Objects of requests, and the objects of responses that have fields of the same name and meaning."""


def takes_null(schema):
    return "null" in str(schema.get("type")) or {"type": "null"} in schema.get("anyOf", [])


@pytest.mark.parametrize("name", SENT_AGAIN)
def test_field_that_a_response_has_with_null_takes_it_in_a_request(document, name):
    schemas = document["components"]["schemas"]
    sent = schemas[name]["properties"]
    for response in SENT_AGAIN[name]:
        for field, schema in schemas[response]["properties"].items():
            assert field not in sent or takes_null(sent[field]) or not takes_null(schema), field


def test_enumeration_with_later_values_is_in_no_request(document, contract):
    asked = requested(contract)
    schemas = document["components"]["schemas"].items()
    assert not [name for name, schema in schemas if "x-extensible-enum" in schema and name in asked]


SELF_EXPLANATORY = {"Color", "ObjectKind", "Rotation", "Side", "TerrainName"}
"""The enumerations whose values are everyday words, or degrees."""


def test_enumeration_describes_each_of_its_values(document):
    for name, schema in document["components"]["schemas"].items():
        values = schema.get("x-extensible-enum", schema.get("enum", ()))
        elsewhere = re.search(r"; see `(GET /|[A-Z])", schema.get("description", ""))
        if name not in SELF_EXPLANATORY and not elsewhere:
            assert [value for value in values if f"`{value}`" not in schema["description"]] == [], name


def test_methods_are_those_that_are_looked_at(document):
    kinds = {key for item in document["paths"].values() for key in item}
    assert kinds <= {*METHODS, "parameters"}
