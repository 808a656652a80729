"""One owner whose names never resolve and whose hosts never answer: the games of others go on in time.

What is late is compared with a run without that owner, since a busy machine delays everybody.
"""

import contextlib
import json
import socket
import threading
import time
from datetime import datetime

import pytest

from skye_server.http.framework import collaborators
from skye_server.store.codec import decode_game
from skye_server.store.shards import key_of
from tests.support.local_services import LOCAL
from tests.support.name_server import NameServer
from tests.support.outages import giving_signs
from tests.support.playing import PAIR, Clock, Service
from tests.support.receiver import AnsweringSender, Receiver, respond
from tests.support.sizes import sized
from tests.support.waiting import MAX_WAIT_S, waited_for
from tests.system.test_dispatchers import dispatchers
from tests.webhooks.support import create

OWNER, OTHER = "skye_key_" + 22 * "A", "skye_key_" + 22 * "B"
SILENT_NAMES, TARPITS, SLOW_HOSTS = sized(40, 200), sized(12, 60), 24
OTHER_GAMES, SECONDS = sized(5, 10), sized(8, 45)
"""How many games of each kind the other owner has, and how long each of the two phases is watched."""

ATTEMPTS = 3
"""How often the two are compared before it is a failure: other programs may delay only the second."""

TURN_MS = 2_000
SETTINGS = {
    "SKYE_WEBHOOKS_HTTP": "on",
    "SKYE_WEBHOOKS_PRIVATE": "on",
    "SKYE_WEBHOOKS_PORTS": "*",
}


@contextlib.contextmanager
def tarpit():
    """Yield the port of a server that accepts connections, and neither reads nor answers."""
    held = []
    with socket.create_server(("127.0.0.1", 0), backlog=500) as server:

        def accept():
            with contextlib.suppress(OSError):
                while True:
                    held.append(server.accept()[0])

        thread = threading.Thread(target=accept)
        thread.start()
        try:
            yield server.getsockname()[1]
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join()
            for connection in held:
                connection.close()


class Watch:
    """How late deadlines, decisions and events of the other owner are from now on, in seconds."""

    def __init__(self):
        self.delays = {"deadlines": [], "bots": [], "webhooks": []}
        self._began = time.time()
        self._answered = {}

    def answer(self, received, handler):
        """Receive an event; or a decision, and think for a second about it."""
        now, message = time.time(), received.message
        if message["type"] != "decision":
            self._note("webhooks", datetime.fromisoformat(message["timestamp"]).timestamp(), now)
            respond(handler, 204)
            return
        game = message["data"]["game"]["id"]
        self._note("bots", self._answered.get(game, 0), now)
        time.sleep(1)
        self._answered[game] = time.time()  # a little before the commit
        respond(handler, 200, json.dumps(message["data"]["actions"][0]).encode())

    def look(self, service, games):
        """Compare stored games with what they were: `games`, by their ids."""
        keys = [key_of(game, "game") for game in games]
        for (game, before), data in zip(games.items(), service.redis.mget(keys), strict=True):
            after = decode_game(data)
            if before is not None and after.version != before.version:
                self._note("deadlines", before.deadline_ms / 1000, time.time())
            games[game] = after

    def _note(self, kind, due, now):
        if due >= self._began:
            self.delays[kind].append(now - due)

    def late(self):
        """Return the 99th percentile of each kind."""
        return {kind: sorted(each)[len(each) * 99 // 100] for kind, each in self.delays.items()}


def watched(service, receiver, url):
    """Watch games of the other owner for some time, after Redis has closed its connections."""
    alive = collaborators(service.app).games.store.due.dispatchers
    assert waited_for(lambda: alive(round(time.time() * 1000)))
    service.redis.client_kill_filter(_type="normal", skipme=True)
    time.sleep(2)  # the dispatcher looks its host up again, and connects
    watch, begins = Watch(), time.monotonic()
    receiver.answer = watch.answer
    players = PAIR | {"options": {"turn_ms": TURN_MS}}
    games = dict.fromkeys(service.begin(OTHER, **players).id for _ in range(OTHER_GAMES))
    for _ in range(OTHER_GAMES):
        begin(service, [url, url], OTHER)
    while (seconds := time.monotonic() - begins) < SECONDS or not all(watch.delays.values()):
        assert seconds < MAX_WAIT_S, watch.delays
        watch.look(service, games)
        time.sleep(0.01)
    return watch.late()


@pytest.fixture
def service(redis_client, monkeypatch):
    """A service by the real time that believes every URL to have answered its challenge."""
    monkeypatch.setattr(Clock, "__call__", lambda _clock: time.time())
    service = Service(redis_client, **LOCAL)
    collaborators(service.app).challenges.sender = AnsweringSender(**LOCAL)
    return service


def attack_with_names(service, port):
    """Give one owner bots and webhooks at names that never resolve, and at hosts that never answer."""
    silent = [f"http://s{number}.wild.example/" for number in range(SILENT_NAMES)]
    pits = [f"http://127.0.0.{number}:{port}/" for number in range(1, TARPITS + 1)]
    for urls in (silent, pits):
        bots, hooks = urls[: len(urls) // 2], urls[len(urls) // 2 :]
        for pair in zip(bots[::2], bots[1::2], strict=True):
            game = begin(service, pair, OWNER)
            for hook in [hooks.pop() for _ in hooks[:10]]:
                create(service, hook, game.path("webhooks"), OWNER)


def attack_with_hosts(service, port):
    """Give one owner many bots at each of some hosts that never answer."""
    for number in range(SLOW_HOSTS * 4):
        host = f"http://127.0.0.{number % SLOW_HOSTS + 1}:{port}/"
        begin(service, [f"{host}{number}", f"{host}{number}/again"], OWNER)


def begin(service, urls, key, **more):
    """Begin a game of bots at URLs."""
    return service.begin(key, players=[{"bot_url": url} for url in urls], auto_start=True, **more)


def late_without_and_with(service, redis_server, attack):
    """Return what is late in games of the other owner before an attack, and during it."""
    service.redis.flushall()
    with NameServer() as names, tarpit() as port, Receiver() as receiver:
        settings = SETTINGS | {"GEVENTARES_SERVERS": "127.0.0.1", "GEVENTARES_UDP_PORT": str(names.port)}
        url = f"http://ok.other.example:{receiver.port}/"
        create(service, url, token=OTHER)
        started = dispatchers(redis_server.url.replace("127.0.0.1", "localhost"), **settings)
        with giving_signs(service), started as start:
            first = start()
            calm = watched(service, receiver, url)
            first.terminate()
            first.wait()
            attack(service, port)
            start()
            return calm, watched(service, receiver, url)


@pytest.mark.parametrize("attack", [attack_with_names, attack_with_hosts])
def test_owner_of_silent_names_and_hosts_delays_no_other(service, redis_server, attack):
    compared = []
    for _ in range(ATTEMPTS):
        calm, attacked = late_without_and_with(service, redis_server, attack)
        if all(late_s < 3 * (1 + calm[kind]) for kind, late_s in attacked.items()):
            return
        compared.append((calm, attacked))
    pytest.fail(f"late without and with {attack.__name__}: {compared}")
