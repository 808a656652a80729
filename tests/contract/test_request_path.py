"""How much code a request passes: a bound on the modules and functions that a reader must follow."""

import sys
from functools import partial
from pathlib import Path

import fakeredis
import pytest
from flask import Blueprint

import skye
import skye_server
from skye_server import app as application
from skye_server.routes import BLUEPRINTS, hunts
from skye_server.settings import Settings
from skye_server.storage.redis_store import RedisStore
from tests.support.playing import Service

OURS = tuple(f"{Path(package.__file__).parent}/" for package in (skye_server, skye))
MAX_MODULES = 30
MAX_FUNCTIONS = 146


@pytest.fixture
def called(redis_server, redis_client):  # noqa: ARG001 - flushed
    """The functions, as file and name, that run each time when a seat sets its offer again."""
    store = RedisStore.from_settings(Settings(redis_url=redis_server.url))
    with Service(store=store) as players:
        game = players.create_game(2)
        offer, path = game.actions(0)[0]["body"], f"/v1/games/{game.id}/players/0/offer"
        assert players.call("PUT", path, offer, game.tokens[0]).status_code == 200
        again = partial(players.call, "PUT", path, offer, game.tokens[0])
        return set.intersection(*(functions_called(again) for _ in range(3)))


def functions_called(call):
    """Return the functions of the project that a call runs; comprehensions belong to their functions."""
    functions = set()

    def record(frame, event, _argument):
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(OURS):
            functions.add((code.co_filename, code.co_qualname))

    before = sys.getprofile()
    sys.setprofile(record)
    try:
        answer = call()
    finally:
        sys.setprofile(before)
    assert answer.status_code == 200
    return {(file, name) for file, name in functions if not name.endswith(("comp>", "genexpr>"))}


def test_request_passes_few_modules_and_functions(called):
    """A reader can follow a request of a seat without a player key through that much code."""
    modules = {Path(file).stem for file, _ in called}
    assert len(modules) <= MAX_MODULES, sorted(modules)
    assert len(called) <= MAX_FUNCTIONS, sorted(called)


def test_hunts_add_no_call_to_a_request_of_a_server_that_is_no_lab(monkeypatch):
    redis = fakeredis.FakeRedis(server=fakeredis.FakeServer())
    with Service(redis) as players:
        game = players.create_game(2)
        offer, path, token = game.actions(0)[0]["body"], f"/v1/games/{game.id}", game.tokens[0]
    requests = [("PUT", f"{path}/players/0/offer", offer, token), ("GET", path, None, token)]

    def called_in_each_of_three():
        with Service(redis) as players:
            found = [[functions_called(partial(players.call, *each)) for each in requests] for _ in range(3)]
        return [(set.intersection(*sets), set.union(*sets)) for sets in zip(*found, strict=True)]

    with_hunts = called_in_each_of_three()
    monkeypatch.setattr(
        application, "BLUEPRINTS", [each for each in BLUEPRINTS if each is not hunts.blueprint]
    )
    monkeypatch.setattr(hunts, "api_blueprint", Blueprint("None", __name__))
    for (always, _), (_, ever) in zip(with_hunts, called_in_each_of_three(), strict=True):
        assert not always - ever
