"""Each part works at all: the processes of a server, the Python client, and the web client's modules."""

import random
import shutil
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from skye_client import GameView, Skye
from tests.support.launcher import ROOT
from tests.support.missing_programs import NO_NODE
from tests.support.programs import run
from tests.support.waiting import MAX_WAIT_S

pytestmark = pytest.mark.smoke


def play(skye, created):
    """Play the first seat of a created game to its end by random actions; return the view."""
    game = skye.game(created["game"]["id"], created["players"][0]["token"])
    view, dice = GameView.open(game), random.Random(1)
    while view.until_my_turn():
        actions = [action for action in game.seat(0).actions() if action["type"] != "take_back"]
        game.seat(0).act(dice.choice(actions))
        view.reload()
    return view.data


def test_server_with_workers_and_dispatcher_plays_whole_game(live):
    with Skye(live.url) as skye:
        created = skye.games.create({"players": [{"name": "Ann"}, {"bot": "greedy"}], "auto_start": True})
        assert play(skye, created)["status"] == "finished"


def test_dispatcher_applies_missed_deadline(live):
    people = {"players": [{"name": "Ann"}, {"name": "Bob"}], "auto_start": True}
    with Skye(live.url) as skye:
        created = skye.games.create(people | {"options": {"turn_ms": 3_600_000}})
        events = skye.game(created["game"]["id"]).events()  # a stream, which applies no deadline itself
        httpx.post(f"{live.url}/v1/lab/clock", json={"advance_ms": 3_600_000}).raise_for_status()
        with ThreadPoolExecutor() as threads:
            missed = threads.submit(lambda: any(event["type"] == "timed_out" for event in events))
            assert missed.result(MAX_WAIT_S)


def test_modules_of_web_client_import_names_that_exist():
    if not shutil.which("node"):
        pytest.skip(NO_NODE)
    modules = [str(path) for path in (ROOT / "web").glob("**/*.js") if "node_modules" not in path.parts]
    linker = ROOT / "tests" / "smoke" / "link_modules.mjs"
    linked = run("node", "--no-warnings", "--experimental-vm-modules", str(linker), *modules)
    assert int(linked) > len(modules)  # with those of the TypeScript client
