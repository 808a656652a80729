"""Components of responses are made from the types that the code uses."""

import re
from typing import Annotated, Literal, NotRequired, TypedDict, get_type_hints

import pytest
from apispec import APISpec

import skye
import skye.events
from skye.fields import BySeat, Color, Component, Count, Keywords, Seat, TileId
from skye_server.contract.unions import EVENTS, UNIONS, tag_of
from skye_server.games.events import HOSTED_EVENT_TYPES
from skye_server.openapi.conversion import SchemaPlugin


class DescribedView(TypedDict):
    """An object with a field of each kind.

    Second paragraph
    in two lines.
    """

    type: Literal["described"]
    seat: Seat
    seller: Annotated[Seat | None, "The seat that sells."]
    count: Annotated[Count, Keywords(maximum=5_000_000_000), "A number."]
    tile: Annotated[TileId | None, "A tile or none."]
    colors: Annotated[BySeat[Color], Keywords(minItems=2), "The colours."]
    nothing: Annotated[None, "Always null."]
    note: NotRequired[Annotated[str, Keywords(maxLength=9)]]


@pytest.fixture
def components():
    """Yield an empty document to which a type can be added."""
    plugin = SchemaPlugin()
    spec = APISpec("", "", "3.1.0", plugins=[plugin])
    return spec.components.schemas, plugin.converter.responses


def test_typed_dict_becomes_a_component_without_the_word_view(components):
    schemas, responses = components
    assert responses.reference(DescribedView) == {"$ref": "#/components/schemas/Described"}
    described = schemas["Described"]
    assert (
        described["description"] == "An object with a field of each kind.\n\nSecond paragraph in two lines."
    )
    assert "note" not in described["required"]
    assert sorted(described["properties"]) == sorted([*described["required"], "note"])


SEAT = {"type": "integer", "minimum": 0, "maximum": 4, "format": "int32"}
SCHEMAS = {
    "type": {"type": "string", "const": "described", "description": "The type: `described`."},
    "seat": SEAT | {"description": "The seat."},
    "seller": SEAT | {"type": ["integer", "null"], "description": "The seat that sells."},
    "count": SEAT | {"maximum": 5_000_000_000, "format": "int64", "description": "A number."},
    "tile": {
        "anyOf": [{"$ref": "#/components/schemas/TileId"}, {"type": "null"}],
        "description": "A tile or none.",
    },
    "colors": {
        "type": "array",
        "minItems": 2,
        "maxItems": 5,
        "description": "The colours.",
        "items": {"$ref": "#/components/schemas/Color"},
    },
    "nothing": {"const": None, "description": "Always null."},
    "note": {"type": "string", "maxLength": 9},
}


@pytest.mark.parametrize(("name", "schema"), SCHEMAS.items())
def test_annotations_of_a_field_become_its_schema(components, name, schema):
    schemas, responses = components
    responses.reference(DescribedView)
    assert schemas["Described"]["properties"][name] == schema


def test_enumeration_that_a_field_names_is_added(components):
    schemas, responses = components
    responses.reference(DescribedView)
    assert schemas["Color"]["enum"] == list(skye.BASE.colors)


def test_field_of_an_unknown_kind_is_refused(components):
    class Wrong(TypedDict):
        """A field that JSON does not have."""

        field: complex

    with pytest.raises(KeyError):
        components[1].reference(Wrong)


def test_every_type_of_event_has_one_form():
    emitted = {*skye.events.EVENT_TYPES.values(), *HOSTED_EVENT_TYPES.values()}
    assert sorted(map(tag_of, EVENTS)) == sorted(emitted)


def test_event_has_the_common_fields_and_its_own():
    (finished,) = (event for event in EVENTS if tag_of(event) == "game_finished")
    assert {"id", "version", "at", "result", "nonce"} <= get_type_hints(finished).keys()


@pytest.mark.parametrize("name", [name for name, union in UNIONS.items() if union.tagged])
def test_form_of_later_versions_takes_unknown_types_only(components, name):
    schemas, responses = components
    responses.named(name)
    form = schemas[UNIONS[name].fallback]["oneOf"][0]["$ref"].rpartition("/")[2]
    pattern = schemas[form]["properties"]["type"]["pattern"]
    assert re.search(pattern, "of_a_later_version")
    assert not [tag for tag in map(tag_of, UNIONS[name].forms) if re.search(pattern, tag)]


def test_component_that_a_request_defines_is_referred_to(components):
    class Body(TypedDict):
        """A body."""

        offer: Annotated[object, Component("Offer")]

    schemas, responses = components
    responses.reference(Body)
    assert schemas["Body"]["properties"]["offer"] == {"$ref": "#/components/schemas/Offer"}
