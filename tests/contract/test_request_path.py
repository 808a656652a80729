"""The way of a request as CONTRIBUTING.md draws it, compared with the modules that a request passes."""

import re
import sys
from pathlib import Path

import pytest

import service
from service.settings import Settings
from service.storage.redis_store import RedisStore
from tests.support.playing import Service

ROOT = Path(service.__file__).parent
SECTION = re.compile(r"### The way of a request\n(.*?)\n### ", re.DOTALL)
ELSEWHERE = {"server/worker", "server/client_connection", "web/rate_limits", "web/cors"}
"""Modules of the drawing that a request without gunicorn, limits and named origins does not pass."""


@pytest.fixture(scope="module")
def text():
    """The section of CONTRIBUTING.md that holds the drawing."""
    return SECTION.search((ROOT.parent / "CONTRIBUTING.md").read_text(encoding="utf-8"))[1]


@pytest.fixture
def traced(redis_server, redis_client):  # noqa: ARG001 - flushed
    """The modules of `service` in which a function runs while a seat sets its offer a second time."""
    store = RedisStore.from_settings(Settings(redis_url=redis_server.url))
    with Service(store=store) as players:
        game = players.create_game(2)
        offer, path = game.actions(0)[0]["body"], f"/v1/games/{game.id}/players/0/offer"
        assert players.call("PUT", path, offer, game.tokens[0]).status_code == 200
        return modules_called(lambda: players.call("PUT", path, offer, game.tokens[0]))


def modules_called(call):
    """Return the modules of `service` in which a call runs functions, as in `web/responses`."""
    files = set()
    before = sys.getprofile()
    sys.setprofile(lambda frame, event, _argument: event == "call" and files.add(frame.f_code.co_filename))
    try:
        answer = call()
    finally:
        sys.setprofile(before)
    assert answer.status_code == 200
    ours = [Path(file) for file in files if file.startswith(f"{ROOT}/")]
    return {file.relative_to(ROOT).with_suffix("").as_posix() for file in ours}


def test_request_passes_the_modules_of_the_drawing(text, traced):
    """The drawing names each module that a request passes, and no other."""
    drawing = text.split("```")[1]
    rooms = "|".join(folder.name for folder in ROOT.iterdir() if folder.is_dir())
    drawn = set(re.findall(rf"\b(?:{rooms})/\w+", drawing))
    assert drawn - ELSEWHERE == traced
    assert f"functions of {len(traced)} modules" in " ".join(text.split())
