"""The two client packages have the same classes, operations and functions, under the same names."""

import inspect
import json
import re

import pytest

import skye_client
from tests.clients.offline.node import run
from tests.support.launcher import ROOT

CLASSES = [
    "Skye",
    "Games",
    "OwnGames",
    "Game",
    "Seat",
    "Player",
    "Leagues",
    "Ladders",
    "Catalogue",
    "GameView",
]
OF_PYTHON = {"RetryPolicy", "Turn", "CallOptions", "Iteration", "InvalidEnvironmentError"}
OF_JAVASCRIPT = {"Transport", "EventFollower"}
ONLY_IN_ONE = OF_PYTHON | OF_JAVASCRIPT
"""Names that belong to a language: the iterator of events, types that JavaScript has in JSDoc only, and the
error of an environment that `fetch` does not read."""

LIST_NAMES = """
import * as client from "skye-client";
const skye = new client.Skye("http://test"), game = skye.game("g"), view = new client.GameView(game, {});
const instances = { Skye: skye, Game: game, Seat: game.seat(0), Player: skye.player(), GameView: view };
const named = (object) => Object.getOwnPropertyNames(object);
const objects = (name) => [client[name].prototype, client[name], instances[name] ?? {}];
console.log(JSON.stringify({
  exported: Object.keys(client),
  members: Object.fromEntries(%s.map((name) => [name, objects(name).flatMap(named)])),
}));
"""
OF_THE_LANGUAGE = {"constructor", "length", "name", "prototype", "close"}
"""What every class of JavaScript has; and `close`, since JavaScript has no connections to close."""


def snake_case(name):
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


@pytest.fixture(scope="module")
def javascript():
    program = LIST_NAMES % json.dumps(CLASSES)
    return json.loads(run("node", "--input-type=module", "--eval", program))


def members(cls):
    """Return the public methods and properties of a Python class, and the attributes that it sets."""
    attributes = re.findall(r"self\.([a-z]\w*)(?:: [^=]+)? =", inspect.getsource(cls.__init__))
    return {name for name in (*vars(cls), *attributes) if not name.startswith("_")}


@pytest.mark.parametrize("name", CLASSES)
def test_class_has_the_same_operations_in_both_packages(name, javascript):
    python = members(getattr(skye_client, name)) - OF_THE_LANGUAGE - {"transport"}
    found = {snake_case(member) for member in javascript["members"][name]}
    assert python == found - OF_THE_LANGUAGE - {"transport"}


NOT_LISTED = {"transport", "request", "path", "id", "token", "key", "number", "game", "query"}
"""Attributes, and what the text below the table describes."""


@pytest.mark.parametrize("package", ["python", "typescript"])
def test_readme_lists_all_operations(package):
    readme = (ROOT / "clients" / package / "README.md").read_text()
    rows = re.findall(r"^\| `(?:client|game).*", readme, re.MULTILINE)
    listed = {snake_case(name) for row in rows for name in re.findall(r"`(?:\w+\.)?(\w+)`", row)}
    classes = ["Games", "Game", "Seat", "Player", "Leagues", "Ladders", "Catalogue"]
    offered = set().union(*(members(getattr(skye_client, name)) for name in classes))
    assert offered - NOT_LISTED <= listed


def test_packages_export_the_same_names(javascript):
    python = {name for name in skye_client.__all__ if "sync" not in name.lower() and not name.startswith("_")}
    exported = {name if name[0].isupper() else snake_case(name) for name in javascript["exported"]}
    assert python - ONLY_IN_ONE == exported - ONLY_IN_ONE
