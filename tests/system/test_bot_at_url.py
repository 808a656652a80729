"""A person against the guide's bot at a URL on a whole server, while dispatchers are killed."""

import os
import signal
import threading

import pytest

from skye_client import RetryPolicy, Skye
from tests.clients.test_guide_receivers import running_bot
from tests.support.launcher import launching
from tests.support.playing import dice
from tests.support.waiting import MAX_RUN_S, waited_for
from tests.system.processes import dispatchers_of

pytestmark = pytest.mark.usefixtures("redis_program")

KILL_EVERY_S = 0.5
KILLS = 2


def kill_dispatchers(launched, stopped, killed):
    while len(killed) < KILLS and not stopped.wait(KILL_EVERY_S):
        for pid in dispatchers_of(launched):
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)


def test_bot_at_a_url_plays_on_while_dispatchers_are_killed(tmp_path):
    throw, stopped, killed = dice(3), threading.Event(), []
    with running_bot(tmp_path) as bot, launching(tmp_path) as start:
        launched = start(SKYE_DISPATCHERS="1")
        killer = threading.Thread(target=kill_dispatchers, args=(launched, stopped, killed))
        with Skye(launched.url, retry=RetryPolicy(attempts=50, max_s=1.0, budget_s=60)) as client:
            created = client.games.create({"players": [{"name": "Ann"}, bot], "auto_start": True})
            game = client.game(created["game"]["id"], created["players"][0]["token"])
            path = f"/v1/games/{created['game']['id']}"

            def acted():
                view = game.get()
                if view["status"] == "playing" and 0 in view["waiting_for"]:
                    actions = client.transport.json("GET", f"{path}/players/0/actions", token=game.token)
                    action = throw.choice(
                        [each for each in actions["actions"] if each["type"] != "take_back"]
                    )
                    client.transport.json(
                        action["method"], action["href"], body=action["body"], token=game.token
                    )
                return view["status"] == "finished"

            killer.start()
            try:
                assert waited_for(acted, MAX_RUN_S)
            finally:
                stopped.set()
                killer.join()
            events = client.transport.json("GET", f"{path}/events", query={"limit": 1000})["events"]
            record = client.transport.json("GET", f"{path}/record")
            deliveries = f"{path}/players/1/bot/deliveries"
            asked = client.transport.json("GET", deliveries, token=created["host_token"])["deliveries"]
    assert killed
    assert [event["id"] for event in events] == list(range(1, len(events) + 1))
    assert [event for event in events if event["type"] == "timed_out"] == []
    moves = [action for action in record["actions"] if action["seat"] == 1]
    assert len(asked) == len(moves)
    assert {each["status"] for each in asked} == {"delivered"}
