"""The code that a request passes."""

import sys
from functools import partial
from importlib.metadata import entry_points
from pathlib import Path

import fakeredis

import skye
import skye_server
from skye_server import app as application
from skye_server.features import PLUGINS, installed
from tests.support.playing import Service

OURS = tuple(f"{Path(package.__file__).parent}/" for package in (skye_server, skye))


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


def test_plugin_adds_no_call_to_a_request_of_a_server_that_is_no_lab(monkeypatch):
    redis = fakeredis.FakeRedis(server=fakeredis.FakeServer())
    with Service(redis) as players:
        game = players.create_game(2)
        offer, path, token = game.actions(0)[0]["body"], f"/v1/games/{game.id}", game.tokens[0]
    requests = [("PUT", f"{path}/players/0/offer", offer, token), ("GET", path, None, token)]

    def called_in_each_of_three():
        with Service(redis) as players:
            found = [[functions_called(partial(players.call, *each)) for each in requests] for _ in range(3)]
        return [(set.intersection(*sets), set.union(*sets)) for sets in zip(*found, strict=True)]

    with_plugins, plugins = called_in_each_of_three(), entry_points(group=PLUGINS).names
    own = [each for each in installed() if each.name not in plugins]
    monkeypatch.setattr(application, "installed", lambda: own)
    for (always, _), (_, ever) in zip(with_plugins, called_in_each_of_three(), strict=True):
        assert not always - ever
