"""The check of openapi.yaml against the last release finds exactly the breaking changes."""

import copy
import re

import pytest

from skye import BOTS
from tests.contract import breaking_changes as check

GAME = "/v1/games/{game}"
SCHEMAS = ("components", "schemas")


def fields(schema):
    """Return the place of the fields of a schema."""
    return (*SCHEMAS, schema, "properties")


def at(document, *place):
    """Return a part of a document."""
    for name in place:
        document = document[name]
    return document


def remove(*place):
    """Return a change that removes a part of a document."""
    return lambda document: at(document, *place[:-1]).pop(place[-1])


def put(value, *place):
    """Return a change that sets a part of a document."""
    return lambda document: at(document, *place[:-1]).update({place[-1]: value})


def require(*place):
    """Return a change that makes a field of a schema required."""
    return lambda document: at(document, *place[:-1]).setdefault("required", []).append(place[-1])


BREAKING = {
    "DELETE /v1/games/{game}: the operation is gone": remove("paths", GAME, "delete"),
    "GET /v1/games/{game}: the parameter include is gone": remove("paths", GAME, "get", "parameters"),
    "GET /v1/games/{game}: the response 304 is gone": remove("paths", GAME, "get", "responses", "304"),
    "Bag.count: the field is gone": remove(*fields("Bag"), "count"),
    "Bag: may now lack tiles": put(["count"], *SCHEMAS, "Bag", "required"),
    "Bag.count: the type is now string": put("string", *fields("Bag"), "count", "type"),
    "Placement: now requires rotation": require(*SCHEMAS, "Placement", "rotation"),
    "PersonToSeat.name: maxLength is now 3": put(
        3, *SCHEMAS, "PersonToSeat", "properties", "name", "maxLength"
    ),
    "PersonToSeat.name: minLength is now 9": put(9, *fields("PersonToSeat"), "name", "minLength"),
    "Side: was closed, and now has up": put(
        ["north", "east", "south", "west", "up"], *SCHEMAS, "Side", "enum"
    ),
    "SeatableBot: no longer takes greedy": put(
        [name for name in BOTS if name != "greedy"], *SCHEMAS, "SeatableBot", "enum"
    ),
}

HARMLESS = {
    "an operation more": put({}, "paths", "/v1/auctions"),
    "a field more in a response": put({"type": "string"}, *fields("Bag"), "mood"),
    "an optional field more in a request": put(
        {"type": "string"}, *SCHEMAS, "Placement", "properties", "mood"
    ),
    "a greater bound in a response": put(999, *fields("GameList"), "games", "maxItems"),
    "a smaller bound in a response": put(2, *fields("GameList"), "games", "maxItems"),
    "a word more that requests take": put([*BOTS, "dreamer"], *SCHEMAS, "SeatableBot", "enum"),
    "another description": put("Another.", *SCHEMAS, "Bag", "description"),
}


@pytest.mark.parametrize("said", BREAKING)
def test_change_that_breaks_clients_is_named(said, document):
    changed = copy.deepcopy(document)
    BREAKING[said](changed)
    found = check.breaking_changes(document, changed)
    assert said in found
    assert check.breaking_changes(check.compared(document), changed) == found


@pytest.mark.parametrize("name", HARMLESS)
def test_addition_breaks_nothing(name, document):
    changed = copy.deepcopy(document)
    HARMLESS[name](changed)
    assert check.breaking_changes(document, changed) == []


def test_check_fails_with_the_changes_since_the_release(tmp_path, monkeypatch, capsys):
    released = tmp_path / "released.yaml"
    monkeypatch.setattr(check, "RELEASED", released)
    assert check.main() == 0
    assert check.main("--release") == 0
    released.write_text(re.sub(r"operationId: get_game\b", "operationId: look", released.read_text()))
    assert check.main() == 1
    assert "GET /v1/games/{game}: operationId look is now get_game" in capsys.readouterr().err
