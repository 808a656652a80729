"""Batches of games on real parts: workers that are killed in the middle, and a cluster that fails over."""

import contextlib
import itertools
import random
import threading
from urllib.parse import urlsplit

from skye_server.store.shards import key_of
from tests.support.sizes import sized
from tests.support.waiting import MAX_WAIT_S, waited_for
from tests.system.processes import kill_worker
from tests.system.raw import connect, metric_value, post, send_and_read
from tests.system.redis_forms import Cluster
from tests.system.storm_on_redis import serving
from tests.system.wire import Wire, anonymous_key

GAMES = 100
KILLS, MAX_KILLS = sized(1, 20), 60


def batch(name):
    """Return a request for a batch of games of this name, with a key of the same name."""
    players = [{"name": "Ann"}, {"name": "Bob"}]
    games = [{"name": name, "players": players, "auto_start": True}] * GAMES
    return post("/v1/batches", {"games": games}, f"Idempotency-Key: {anonymous_key(name)}")


def all_named(url, name):
    """Return the ids of all public games of a name."""
    found, path = set(), "/v1/games?limit=100"
    wire = Wire([urlsplit(url).port], random.Random(name))
    while path:
        page = wire.read(path)
        found |= {game["id"] for game in page["games"] if game["name"] == name}
        path = page["next_cursor"] and f"/v1/games?limit=100&cursor={page['next_cursor']}"
    wire.close()
    return found


def completed(url, name):
    """Send a batch until it is answered; return its games."""
    answers = []

    def created():
        with contextlib.suppress(OSError), connect(url) as connection:
            status, view = send_and_read(connection, batch(name))
            if status == 201:
                answers.append(view["games"])
        return answers

    assert waited_for(created)
    return answers[-1]


def test_batch_of_a_killed_worker_is_completed_once_by_a_retry(launch):
    served = launch(SKYE_DISPATCHERS="1")  # which lists the games whose worker was killed before it did so
    partial = 0
    for number in itertools.count():
        if number >= KILLS and partial:
            break
        assert number < MAX_KILLS, "no kill came in the middle of a batch"
        name = f"killed-{number}"
        with connect(served.url) as broken:
            broken.sendall(batch(name))
            assert waited_for(lambda name=name: all_named(served.url, name))
            kill_worker(served)
            with contextlib.suppress(OSError):
                broken.recv(1)
        begun = all_named(served.url, name)
        games = completed(served.url, name)
        assert games == completed(served.url, name)
        assert waited_for(lambda: metric_value(served.url, 'due_entries{kind="relay"}') == 0)
        assert all_named(served.url, name) == {game["game_id"] for game in games}
        assert len(games) == GAMES
        partial += len(begun) < GAMES


def test_batch_on_a_cluster_that_fails_over_is_completed_once(redis_program, tmp_path):
    settings = {"SKYE_REDIS_REPLICAS": "1", "SKYE_REDIS_TIMEOUT_MS": "1000"}
    with (
        Cluster(redis_program, tmp_path, replicas=2) as form,
        serving(tmp_path, form.url, **settings) as port,
    ):
        url = f"http://127.0.0.1:{port}"
        whole = completed(url, "whole")
        lost = form.master(key_of(whole[0]["game_id"], "game"))
        answers = []
        sender = threading.Thread(target=lambda: answers.append(completed(url, "failover")))
        sender.start()
        lost.kill()
        sender.join(MAX_WAIT_S)
        (games,) = answers
        assert completed(url, "whole") == whole
        assert completed(url, "failover") == games
        assert all_named(url, "failover") == {game["game_id"] for game in games}
