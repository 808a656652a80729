"""Matchmaking of many players at once, on several workers: every player has one seat of one full game."""

import contextlib
import random
import secrets
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from tests.support.sizes import sized
from tests.support.waiting import MAX_WAIT_S, waited_for
from tests.system.machines import Machines, OneRedis, kill_a_worker
from tests.system.redis_forms import Cluster, Sentinels
from tests.system.storm_on_redis import serving
from tests.system.wire import Wire, bearer

SEEKERS = sized(80, 1000)
SEATS = 4
CONNECTIONS = 32
WORKERS = {"SKYE_WORKERS": "4", "SKYE_LIMITS": "off"}


class Seeker:
    """A player that creates a ticket; `answered` is the response to the first request."""

    def __init__(self, number):
        self.key = f"skye_key_{secrets.token_urlsafe(24)}"
        self.name = f"Player {number}"
        self.answered = None

    def seek(self, wire):
        """Create a ticket, with the same idempotency key each time; return it."""
        body = {"name": self.name, "seat_count": SEATS}
        headers = bearer(self.key) | {"Idempotency-Key": "seek-0123456789abcdefghijk"}
        reply = wire.ask_until_answered("POST", "/v1/matchmaking/tickets", body, headers)
        assert reply.status == 201, reply.body
        return reply.json


def each(seekers, ports, task, *, may_go_back=False):
    """Run a task for every seeker, on concurrent connections; return all results."""
    start, waiting = threading.Barrier(CONNECTIONS), iter(list(enumerate(seekers)))
    lock, results = threading.Lock(), {}

    def run(number):
        wire = Wire(ports, random.Random(number), may_go_back=may_go_back)
        with contextlib.closing(wire):
            start.wait(MAX_WAIT_S)
            while True:
                with lock:
                    place, seeker = next(waiting, (None, None))
                if seeker is None:
                    return
                results[place] = task(seeker, wire)

    with ThreadPoolExecutor(CONNECTIONS) as threads:
        for running in [threads.submit(run, number) for number in range(CONNECTIONS)]:
            running.result()
    return [results[place] for place in range(len(seekers))]


def seek(seeker, wire):
    seeker.answered = seeker.seek(wire)
    return seeker.answered


def prove(seekers, ports, *, may_go_back=False):
    """Check that the seekers fill games, each in one seat, by a retry, the ticket and the player's list."""
    look = partial(each, seekers, ports, may_go_back=may_go_back)
    listed = []

    def all_are_listed():  # a dispatcher completes the match of a worker that was killed
        listed[:] = look(lambda seeker, wire: wire.read("/v1/me/games", seeker.key)["games"])
        return all(listed)

    assert waited_for(all_are_listed), Counter(map(len, listed))
    assert Counter(map(len, listed)) == {1: len(seekers)}
    seats = [(own["game"]["id"], own["seat"]) for (own,) in listed]
    assert len(set(seats)) == len(seekers)
    assert Counter(Counter(game for game, _ in seats).values()) == {SEATS: len(seekers) // SEATS}
    assert {own["game"]["status"] for (own,) in listed} == {"playing"}
    for found in (
        look(lambda seeker, wire: seeker.seek(wire)),
        look(lambda seeker, wire: wire.read(f"/v1/matchmaking/tickets/{seeker.answered['id']}", seeker.key)),
    ):
        assert [(ticket["game_id"], ticket["seat"]) for ticket in found] == seats
    for seeker, seat in zip(seekers, seats, strict=True):
        ticket = seeker.answered
        assert ticket["status"] == "waiting" or (ticket["game_id"], ticket["seat"]) == seat
    look(_check_events)


def _check_events(seeker, wire):
    events = wire.read("/v1/me/events", seeker.key)["events"]
    assert [event["type"] for event in events][:1] == ["seat_taken"]
    assert len({event["game_id"] for event in events}) == 1


def seek_during(disturb, seekers, ports, *, may_go_back=False):
    """Let all seekers seek, while `disturb(answered)` runs; prove the seats."""
    answered = []
    disturbing = threading.Thread(target=disturb, args=(answered,))
    disturbing.start()
    each(seekers, ports, lambda *given: answered.append(seek(*given)), may_go_back=may_go_back)
    disturbing.join()
    prove(seekers, ports, may_go_back=may_go_back)


def test_seekers_through_killed_workers_have_one_seat_each(redis_program, tmp_path):
    seekers, dice = [Seeker(number) for number in range(SEEKERS)], random.Random(1)
    with Machines(
        OneRedis(redis_program, tmp_path), tmp_path, SKYE_TRUSTED_PROXIES="0", **WORKERS
    ) as machines:

        def kill(answered):
            for share in (1, 2, 3):  # so that each kill comes amid the seeking
                waited_for(lambda share=share: len(answered) >= SEEKERS * share // 4)
                kill_a_worker(dice.choice(machines.instances).process, dice)

        seek_during(kill, seekers, machines.ports)


@pytest.mark.parametrize("make", [Sentinels, partial(Cluster, replicas=2)], ids=["sentinels", "cluster"])
def test_seekers_through_a_failover_have_one_seat_each(make, redis_program, tmp_path):
    seekers = [Seeker(number) for number in range(SEEKERS)]
    settings = {"SKYE_REDIS_REPLICAS": "1", "SKYE_REDIS_TIMEOUT_MS": "1000"} | WORKERS
    with make(redis_program, tmp_path) as form, serving(tmp_path, form.url, **settings) as port:

        def fail(answered):
            assert waited_for(lambda: len(answered) >= SEEKERS // 4)
            form.master(_pool_key(form)).kill()

        seek_during(fail, seekers, [port], may_go_back=True)


def _pool_key(form):
    """Return a key of the pool in which the players wait."""
    for server in form.servers:
        with contextlib.suppress(Exception):
            for key in server.ask("KEYS", "skye:*:pool.*"):
                return key.decode()
    raise AssertionError("no player has created a ticket")
