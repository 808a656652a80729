"""Webhooks while dispatchers, workers and Redis are killed, and the receiver fails at random."""

import os
import random
import signal
import sys
import threading
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor

import pytest
from standardwebhooks import Webhook

from skye_client import ApiError, ConnectionFailedError, RetryPolicy, Skye, new_key
from skye_server.server.embedded_redis import url_of
from tests.support.launcher import launching, redis_servers
from tests.support.receiver import Receiver, respond
from tests.support.sizes import sized
from tests.support.waiting import MAX_RUN_S, waited_for
from tests.system.processes import dispatchers_of, workers_of
from tests.system.rebuilt import relayed

pytestmark = pytest.mark.usefixtures("redis_program")

KEYS = 4
GAMES = sized(5, 50)
EVENTS = sized(10, 100)
"""Per game: at least 200 or 20,000 events in all."""

FAILING = 0.1
KINDS = {"dispatcher", "worker", "redis"}
KILL_EVERY_S = sized(0.5, 5.0)
KILL_REDIS_EVERY_S = sized(3, 70)
"""The launcher restarts a Redis that was up for a minute at once, others later."""

FROZEN_S = sized(12, 30)


class Books:
    """What has arrived: the events of each key in the order of their first arrival."""

    def __init__(self):
        self.secrets = {}
        self.arrived = defaultdict(list)
        self.requests = self.repeated = 0
        self.forged = []
        self._seen = set()
        self._lock = threading.Lock()
        self._chance = random.Random(1)

    def answer(self, received, handler):
        with self._lock:
            self.requests += 1
            key = next((key for key, secret in self.secrets.items() if _signed(secret, received)), None)
            fails = self._chance.random() < FAILING
            accepted = not fails or self._chance.random() < 0.3  # a failure after the event was processed
            if key is None:
                self.forged.append(received)
            elif accepted and received.id in self._seen:
                self.repeated += 1
            elif accepted:
                self._seen.add(received.id)
                self.arrived[key].append(received.message["data"])
        if not fails:
            respond(handler, 204)
        elif self._chance.random() < 0.5:
            respond(handler, 503)
        else:
            handler.close_connection = True  # without a response


def _signed(secret, received):
    try:
        Webhook(secret).verify(received.body, received.headers)
    except Exception:  # noqa: BLE001 - whatever makes it unverified
        return False
    return True


def processes(launched):
    """Return the processes to kill: dispatchers, workers and Redis."""
    redis = redis_servers(launched.process.pid)
    return {"dispatcher": dispatchers_of(launched), "worker": workers_of(launched), "redis": redis}


def kill_at_random(launched, books, stopped, killed):
    """Kill a process whenever deliveries go on after the last kill; suspend a dispatcher at first."""
    chance, requests = random.Random(2), 0
    frozen = processes(launched)["dispatcher"][0]
    os.kill(frozen, signal.SIGSTOP)
    thaw_at = time.monotonic() + FROZEN_S
    redis_at = time.monotonic() + KILL_REDIS_EVERY_S / 2
    while not stopped.wait(KILL_EVERY_S):
        if frozen and time.monotonic() > thaw_at:
            os.kill(frozen, signal.SIGCONT)
            frozen = None
        if books.requests == requests:
            continue
        requests = books.requests
        kind = chance.choice(["dispatcher", "worker"])
        if time.monotonic() > redis_at:
            kind, redis_at = "redis", time.monotonic() + KILL_REDIS_EVERY_S
        pids = [pid for pid in processes(launched)[kind] if pid != frozen]
        if pids:
            os.kill(chance.choice(pids), signal.SIGKILL)
            killed[kind] += 1
    if frozen:
        os.kill(frozen, signal.SIGCONT)


PATIENTLY = RetryPolicy(attempts=200, max_s=1.0, budget_s=150)


def play(url, key, failures, goes_on):
    """Join and leave games; each change is an event of the key, unless the next one comes before it."""
    games = 0
    with Skye(url, retry=PATIENTLY) as client:
        while games < GAMES or goes_on():
            games += 1
            game = client.game(client.games.create({"seat_count": 2})["game"]["id"], key)
            for number in range(EVENTS):
                try:
                    game.seat(0).leave() if number % 2 else game.join({"name": "Ann"})
                except (ApiError, ConnectionFailedError) as error:
                    failures.append(error)
            if game.get()["version"] != EVENTS + 1:
                failures.append("an action was lost or doubled")


def events_of(url, key):
    """Return all stored events of a key."""
    found, after = [], "0-0"
    with Skye(url, retry=PATIENTLY) as client:
        while True:
            query = {"after": after, "limit": 1000}
            page = client.transport.json("GET", "/v1/me/events", query=query, token=key)["events"]
            if not page:
                return found
            found += page
            after = page[-1]["id"]


def test_events_survive_kills_in_order(tmp_path):
    books, killed, failures = Books(), defaultdict(int), []
    with Receiver(books.answer) as receiver, launching(tmp_path) as start:
        launched = start(
            SKYE_WORKERS="2",
            SKYE_DISPATCHERS="2",
            SKYE_LAB="on",
            SKYE_APPENDFSYNC="always",
            SKYE_REDIS_TIMEOUT_MS="2000",
            SKYE_REDIS_WAIT_MS="20000",
        )
        url = launched.url
        keys = [new_key() for _ in range(KEYS)]
        for key in keys:
            with Skye(url) as client:
                body = {"url": receiver.url}
                created = client.transport.json("POST", "/v1/me/webhooks", body=body, token=key)
                assert created["status"] == "active"
                books.secrets[key] = created["secret"]
        stopped = threading.Event()
        killer = threading.Thread(target=kill_at_random, args=(launched, books, stopped, killed))
        killer.start()

        def goes_on():
            return killer.is_alive() and killed.keys() != KINDS

        try:
            with ThreadPoolExecutor(KEYS) as pool:
                list(pool.map(lambda key: play(url, key, failures, goes_on), keys))
        finally:
            stopped.set()
            killer.join()
        relayed(url_of(tmp_path / "data" / "redis.sock"))
        expected = {key: events_of(url, key) for key in keys}

        def arrived():
            time.sleep(1)
            with Skye(url, retry=PATIENTLY) as client:  # later retries come after hours
                client.transport.json("POST", "/v1/lab/clock", body={"advance_ms": 1_800_000})
            return all(len(books.arrived[key]) >= len(expected[key]) for key in keys)

        complete = waited_for(arrived, MAX_RUN_S)
    total = sum(map(len, expected.values()))
    sys.stdout.write(
        f"{total} events, {books.requests} requests, {books.repeated} repeated, killed {dict(killed)}\n"
    )
    assert killed.keys() == KINDS
    assert complete, {key: (len(books.arrived[key]), len(expected[key])) for key in keys}
    assert not books.forged
    assert not failures
    for key in keys:
        assert {each["id"] for each in books.arrived[key]} == {each["id"] for each in expected[key]}
        by_game = defaultdict(list)
        for each in books.arrived[key]:
            by_game[each["game_id"]].append(int(each["id"].split("-")[0]))
        assert all(numbers == sorted(numbers) for numbers in by_game.values())
