"""Rolling upgrade and rollback between the formats of stored games, under play."""

import contextlib
import http.client
import itertools
import json
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from skye.tiles import LANDSCAPE
from skye_server.storage.codec import FORMAT
from tests.deploy.servers import CURRENT, JSON, PREVIOUS, Instance
from tests.faults.parts import check_stored_game
from tests.support.endpoints import PLAYER_KEY
from tests.support.launcher import PATIENT
from tests.support.receiver import Receiver
from tests.support.sizes import sized
from tests.support.waiting import MAX_WAIT_S, waited_for
from tests.system.wire import bearer

pytestmark = pytest.mark.slow

FIVE = {"players": [{"name": name} for name in ("Ann", "Bob", "Cy", "Di", "Ed")], "auto_start": True}
BODIES = {
    1: FIVE,
    2: {"players": [{"name": "Ann"}]},
    3: FIVE | {"options": {"seed": "rolling"}},
    4: FIVE,
    5: {"position": {"next_draws": list(LANDSCAPE), "players": [{}] * 5}},
    6: {"players": [{"name": name} for name in ("Ann", "Bob", "Cy")]},
    7: FIVE,
}
"""For each format, a game that is stored in it.

The second gets an invitation, the sixth loses a player, and a bot at a URL plays for the seventh a while.
"""

LOCAL = {"SKYE_WEBHOOKS_HTTP": "on", "SKYE_WEBHOOKS_PRIVATE": "on", "SKYE_WEBHOOKS_PORTS": "*"}

IN_THE_LOBBY = (2, 6)

CHANGES_DURING_A_RESTART = 4
BROKEN = (OSError, http.client.HTTPException)


class PlayedGame:
    """A game, created at an instance, that a thread changes at all instances, until `stopped` is set.

    Each change is sent again with its key until it is acknowledged. `wanted` counts changes to make.
    """

    def __init__(self, number, instance):
        self.number, self._instances = number, itertools.repeat(instance)
        self._keys = itertools.count()
        self.versions, self.wanted, self.stopped = [], threading.Semaphore(0), threading.Event()
        key = PLAYER_KEY if number == 4 else None
        created = self._call("POST", "/v1/games", BODIES[number], key)
        self.id, self._host = created["game"]["id"], created["host_token"] or key
        self.path = f"/v1/games/{self.id}"
        self._tokens = [player["token"] or key for player in created["players"]]
        if number == 2:
            self._call("POST", f"{self.path}/invitations", None, self._host)
        if number == 6:
            self._call("DELETE", f"{self.path}/players/1", None, self._tokens[1])
        if number == 7:
            with Receiver() as bot:
                self._call("PUT", f"{self.path}/players/0/bot", {"bot_url": bot.url}, self._tokens[0])
            self._call("DELETE", f"{self.path}/players/0/bot", None, self._tokens[0])

    def _call(self, method, path, body=None, token=None):
        """Return the response of the first instance that does not respond with 503."""
        headers = (
            JSON
            | bearer(token)
            | {"Idempotency-Key": f"{self.number}-{next(self._keys)}-0123456789abcdefghijk"}
        )
        sent, last = None if body is None else json.dumps(body), None

        def answered():
            nonlocal last
            with contextlib.suppress(*BROKEN):
                last = next(self._instances).call(method, path, sent, headers)
            return self.stopped.is_set() or (last is not None and last.status != 503)

        while not answered():  # for as long as only instances of the older release run
            self.stopped.wait(0.05)
        if last is None or last.status == 503:
            raise Stopped
        assert last.status in (200, 201), last
        return last.json

    def play(self, instances):
        self._instances = itertools.cycle(instances)
        with contextlib.suppress(Stopped):
            while not self.stopped.is_set():
                if self.wanted.acquire(timeout=0.1):
                    view = self._call("GET", self.path)
                    self.versions.append(self._change(view)["version"])

    def _change(self, view):
        if view["status"] == "lobby":
            name = {"name": f"Ann {len(self.versions)}"}
            return self._call("PATCH", f"{self.path}/players/0", name, self._tokens[0])
        seat = view["waiting_for"][0]
        listed = self._call("GET", f"{self.path}/players/{seat}/actions", None, self._tokens[seat])
        action = next(action for action in listed["actions"] if action["type"] != "take_back")
        return self._call(action["method"], action["href"], action["body"], self._tokens[seat])


class Stopped(Exception):
    """The game is stopped while no instance serves it."""


class Players:
    """Threads that play games at instances."""

    def __init__(self, instances, threads):
        self._instances, self._threads = instances, threads
        self.games, self._playing = [], []

    def begin(self, formats, instance):
        """Create a game of each format at an instance, and play it at all; return the games."""
        begun = [PlayedGame(number, instance) for number in formats]
        self._playing += [self._threads.submit(game.play, self._instances) for game in begun]
        self.games += begun
        return begun

    def go_on(self, games):
        """Change each of some games twice."""
        for game in games:
            changed = len(game.versions) + 2
            game.wanted.release(2)
            assert waited_for(lambda game=game, changed=changed: len(game.versions) >= changed)

    def restart(self, instance, release):
        """Restart an instance as a release, under play."""
        for game in self.games:
            game.wanted.release(CHANGES_DURING_A_RESTART)
        instance.restart(release)

    def stop(self):
        for game in self.games:
            game.stopped.set()
        for playing in self._playing:
            playing.result(MAX_WAIT_S)


@pytest.fixture(params=sized([1], list(range(1, FORMAT))), ids="reads_up_to_{}".format)
def rolling(request, redis_server, redis_client, tmp_path):
    """Two instances of a release that reads up to some format, and players."""
    settings = PATIENT | LOCAL | {"READS_UP_TO": str(request.param), "SKYE_WORKERS": "1"}
    instances = [Instance(tmp_path / name, redis_server.url, PREVIOUS, **settings) for name in ("one", "two")]
    with contextlib.ExitStack() as running:
        for instance in instances:
            running.callback(instance.kill)
            instance.start()
        threads = running.enter_context(ThreadPoolExecutor(FORMAT + 1))
        players = Players(instances, threads)
        running.callback(players.stop)
        yield request.param, instances, players, redis_client


def stored(client, games):
    """Return the stored bytes of games, each of which must be in its format."""
    found = [client.get(f"skye:{{{game.id}}}:table") for game in games]
    for game, data in zip(games, found, strict=True):
        assert data.startswith(b"%d:" % game.number)
    return found


def assert_refused(instance, games, others):
    """Assert that an instance refuses some games, and lists the others only."""
    for game in games:
        for path in (game.path, f"{game.path}/record"):
            answer = instance.call("GET", path)
            assert (answer.status, answer.json["code"]) == (503, "data_newer"), (game.number, path)
    lists = ("/v1/games?limit=100", "/v1/games?limit=100&origin=position")
    listed = {game["id"] for path in lists for game in instance.call("GET", path).json["games"]}
    assert {game.id for game in others} <= listed
    assert not {game.id for game in games} & listed


def test_games_of_all_formats_survive_an_upgrade_and_a_rollback(rolling):
    known, (one, two), players, client = rolling
    old = players.begin(range(1, known + 1), two)
    players.go_on(old)
    players.restart(one, CURRENT)
    new = players.begin(range(known + 1, FORMAT + 1), one)
    players.go_on(old + new)
    assert_refused(two, new, old)
    players.restart(two, CURRENT)
    players.go_on(old + new)
    players.restart(one, PREVIOUS)
    players.go_on(old + new)
    players.restart(two, PREVIOUS)
    left = stored(client, new)
    for instance in (one, two):
        assert_refused(instance, new, old)
    players.go_on(old)
    assert stored(client, new) == left
    players.restart(one, CURRENT)
    players.go_on(old + new)
    players.stop()
    for game in players.games:
        assert game.versions == list(range(game.versions[0], game.versions[-1] + 1))
        if game.number not in IN_THE_LOBBY:
            assert check_stored_game(client, game.id).version == game.versions[-1]
