"""Rated games of scripted players while each kind of process is killed and Redis fails over.

Afterwards the ladder is what its export recomputes: every game is rated once, with the places of its result.
With `--log-cli-level=INFO` the test shows how many games, requests and kills there were. `RATED_GAMES=3000`
makes it a run by hand, of half an hour on two cores.
"""

import itertools
import json
import logging
import os
import random
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager

from skye_server.ladder.verify import verified
from tests.deploy.servers import Dispatcher
from tests.support.playing import new_key
from tests.support.sizes import sized
from tests.support.waiting import MAX_RUN_S, waited_for
from tests.system.machines import FailingOver, Machines
from tests.system.redis_forms import Sentinels
from tests.system.wire import Wire, bearer

GAMES = int(os.environ.get("RATED_GAMES", sized(8, 60)))
PLAYERS = sized(6, 12) if GAMES < 100 else 60
"""How many players take turns: two of them meet five times."""

BETWEEN_KILLS = sized((30, 60), (200, 500)) if GAMES < 100 else (1000, 3000)
"""How many actions are acknowledged from one kill to the next."""

RESIGNS_EVERY = 5
"""Of how many games a player gives up one. A player who gives up more often waits for minutes."""

LADDER = "live_2"
TICKET = {"seat_count": 2, "rated": True, "options": {"turn_ms": 120_000}}
SETTINGS = {"SKYE_REDIS_REPLICAS": "1", "SKYE_REDIS_TIMEOUT_MS": "1000", "SKYE_WORKERS": "2"}
LOG = logging.getLogger(__name__)


class Crowd:
    """The games that the players have begun, and how many actions were acknowledged."""

    def __init__(self):
        self._lock = threading.Lock()
        self.games, self.action_count = set(), 0
        self.is_playing, self.has_failed = True, False

    def begun(self, game):
        with self._lock:
            self.games.add(game)

    def acted(self):
        with self._lock:
            self.action_count += 1

    @contextmanager
    def ended_by_failure(self):
        """Let nobody wait for a player who has failed."""
        try:
            yield
        except BaseException:
            self.has_failed = True
            raise

    @property
    def has_enough(self):
        return self.has_failed or len(self.games) >= GAMES


class RatedPlayer:
    """A player with a profile, from an address of its own."""

    def __init__(self, number, ports, crowd):
        self._dice, self._crowd = random.Random(number), crowd
        self._key, self._name = new_key(), f"player-{number}"
        address = f"127.1.0.{number + 1}"
        self._headers = bearer(self._key) | {"X-Forwarded-For": address}
        self.wire = Wire(ports, self._dice, may_go_back=True, source=address)

    def play(self):
        """Play rated games until the crowd has begun enough, or a player has failed."""
        with closing(self.wire), self._crowd.ended_by_failure():
            reply = self._send("PUT", "/v1/me/profile", {"name": self._name, "bot": True})
            assert reply.status == 200, reply.body
            begun = itertools.count(self._dice.randrange(RESIGNS_EVERY))
            while not self._crowd.has_enough:
                ticket = self._seek()
                if ticket["game_id"] is not None:
                    self._crowd.begun(ticket["game_id"])
                    resigns = next(begun) % RESIGNS_EVERY == 0
                    self._play_game(f"/v1/games/{ticket['game_id']}", ticket["seat"], resigns)

    def _seek(self):
        ticket = self._send("POST", "/v1/matchmaking/tickets", {"name": self._name, **TICKET}).json
        path = f"/v1/matchmaking/tickets/{ticket['id']}"
        while ticket["status"] == "waiting":
            time.sleep(0.1)
            if self._crowd.has_enough:
                return self._send("DELETE", path).json
            ticket = self.wire.read(path, self._key)
        return ticket

    def _play_game(self, path, seat, resigns):
        left = self._dice.randrange(20) if resigns else -1
        with_actions = f"{path}?include=actions"
        view = self.wire.read(with_actions, self._key)
        while view["status"] == "playing":
            if left == 0:
                self._send("POST", f"{path}/players/{seat}/resign")
                left, view = -1, self.wire.read(with_actions, self._key)
            elif view["actions"]:
                left -= 1
                action = self._dice.choice([each for each in view["actions"] if each["type"] != "take_back"])
                reply = self._send(action["method"], f"{action['href']}?include=actions", action["body"])
                if reply.status < 300:
                    self._crowd.acted()
                    view = reply.json
                else:
                    view = self.wire.read(with_actions, self._key)
            else:
                time.sleep(self._dice.uniform(0.05, 0.2))
                view = self.wire.read(with_actions, self._key)

    def _send(self, method, path, body=None):
        key = f"{self._name}-{self._dice.getrandbits(64):016x}"
        headers = self._headers | {"Idempotency-Key": key}
        return self.wire.ask_until_answered(method, path, body, headers)


def kill_processes(machines, second, crowd, dice):
    """Kill processes of each kind in turn, and the second dispatcher, while the crowd plays."""
    for victim in itertools.cycle((*Machines.VICTIMS, "second dispatcher")):
        until = crowd.action_count + dice.randint(*BETWEEN_KILLS)
        assert waited_for(
            lambda until=until: not crowd.is_playing or crowd.action_count >= until, MAX_RUN_S
        ), "nobody plays any more"
        if not crowd.is_playing:
            return
        if victim == "second dispatcher":
            second.kill()
            second.start()
            machines.kills[victim] += 1
        else:
            machines.kill(victim, dice)


def test_ladder_equals_its_recomputation_after_kills(redis_program, tmp_path):
    crowd, dice = Crowd(), random.Random("ladder")
    store = FailingOver(Sentinels(redis_program, tmp_path, replicas=1))
    with Machines(store, tmp_path, **SETTINGS) as machines, ThreadPoolExecutor(PLAYERS + 1) as threads:
        second = Dispatcher(tmp_path / "second.log", store.url, SKYE_LIMITS="off", **SETTINGS)
        second.start()
        try:
            players = [RatedPlayer(number, machines.ports, crowd) for number in range(PLAYERS)]
            playing = [threads.submit(player.play) for player in players]
            killing = threads.submit(kill_processes, machines, second, crowd, dice)
            try:
                for each in playing:
                    each.result()
            finally:
                crowd.is_playing = False
            killing.result()
            check_ladder(machines.ports, crowd.games)
        finally:
            second.kill()
    LOG.info("%s games, %s actions, kills %s", len(crowd.games), crowd.action_count, dict(machines.kills))
    LOG.info("replies %s", dict(sum((player.wire.counts for player in players), Counter())))
    assert machines.kills.keys() >= set(Machines.VICTIMS)


def check_ladder(ports, games):
    """Compare a ladder with the games, and with what follows from its export."""
    with closing(Wire(ports[:1], random.Random(1), may_go_back=True)) as wire:

        def exported():
            return wire.ask_until_answered("GET", f"/v1/ladders/{LADDER}/export").body.splitlines()

        def count():
            return wire.read(f"/v1/ladders/{LADDER}")["ladder"]["result_count"]

        def position():
            return json.loads(exported()[0])["position"]

        assert waited_for(lambda: count() >= len(games)), (count(), len(games))
        assert waited_for(lambda: position() >= len(games)), (position(), len(games))
        lines = exported()
        ladder, results, _ = verified(lines)
        assert (ladder, results) == (LADDER, len(games))
        found = [line for line in map(json.loads, lines) if line["type"] == "result"]
        assert sorted(line["game_id"] for line in found) == sorted(games)
        for line in found:
            placing = wire.read(f"/v1/games/{line['game_id']}")["result"]["placing"]
            assert line["places"] == [
                each["place"] for each in sorted(placing, key=lambda each: each["seat"])
            ]
