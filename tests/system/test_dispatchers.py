"""Dispatchers of a real Redis: games go on while dispatchers are killed and suspended."""

import contextlib
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

from skye_server.store.codec import decode_game
from skye_server.store.shards import key_of
from tests.support.launcher import kill_all
from tests.support.outages import giving_signs
from tests.support.playing import Service
from tests.support.ports import free_port
from tests.support.waiting import MAX_WAIT_S, waited_for
from tests.system.processes import dispatchers_of

GAMES = 20


def versions(service, games):
    return [decode_game(service.redis.get(key_of(game.id, "game"))).version for game in games]


ENDS_BY_ITSELF = {"budget_ms": 1000}
COMMAND = [sys.executable, "-m", "skye_server.cli", "dispatch"]


@contextlib.contextmanager
def dispatchers(url, **settings):
    """Yield a function that starts a dispatcher on a Redis; kill those left at the end."""
    with contextlib.ExitStack() as stack:

        def start(**options):
            process = subprocess.Popen(
                COMMAND, env=os.environ | {"SKYE_REDIS_URL": url} | settings, **options
            )
            stack.callback(kill_all, process)
            return process

        yield start


def counts_finished(metrics, number):
    return f'skye_games_total{{event="finished"}} {number}.0' in metrics


@pytest.mark.usefixtures("redis_program")
def test_metrics_of_serve_count_games_that_its_dispatcher_ends(launch):
    launched = launch(SKYE_DISPATCHERS="1")
    for number in (1, 2):
        body = {"players": [{"name": "Ann"}, {"name": "Bob"}], "auto_start": True, "options": ENDS_BY_ITSELF}
        launched.call("POST", "/v1/games", body)
        assert waited_for(lambda number=number: counts_finished(launched.read("/metrics").decode(), number))
        (dispatcher,) = dispatchers_of(launched)
        os.kill(dispatcher, signal.SIGKILL)
        assert counts_finished(launched.read("/metrics").decode(), number)
    assert launched.end() == 0


def test_dispatcher_serves_its_metrics_at_an_address(redis_server, redis_client):
    port = free_port()
    service = Service(redis_client)
    service.clock.now = time.time()
    service.create_game(2, options=ENDS_BY_ITSELF)

    def is_counted():
        with (
            contextlib.suppress(urllib.error.URLError),
            urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer,
        ):
            return counts_finished(answer.read().decode(), 1)

    with (
        giving_signs(service),
        dispatchers(redis_server.url, SKYE_DISPATCH_BIND=f"127.0.0.1:{port}") as start,
    ):
        start()
        assert waited_for(is_counted)
        second = start(stderr=subprocess.PIPE, text=True)
        _, printed = second.communicate(timeout=MAX_WAIT_S)
        assert second.returncode == 1
        assert f"Cannot listen at 127.0.0.1:{port}: Address already in use." in printed


def test_games_go_on_while_dispatchers_are_killed_and_suspended(redis_server, redis_client):
    service = Service(redis_client)
    service.clock.now = time.time()
    games = [service.create_game(5, options={"turn_ms": 1000}) for _ in range(GAMES)]
    with giving_signs(service), dispatchers(redis_server.url) as start:
        suspended, killed = start(), start()
        for _ in range(3):
            before = versions(service, games)
            assert waited_for(lambda before=before: sum(versions(service, games)) > sum(before) + GAMES)
            suspended.send_signal(signal.SIGSTOP)
            killed.kill()
            killed.wait()
            killed = start()
            before = versions(service, games)
            assert waited_for(
                lambda before=before: all(
                    now > then for now, then in zip(versions(service, games), before, strict=True)
                )
            )
            suspended.send_signal(signal.SIGCONT)
    service.clock.now = time.time() - 60  # reads apply no deadline
    for game in games:
        events = service.get(f"{game.path('events')}?limit=1000")["events"]
        assert [event["id"] for event in events] == list(range(1, len(events) + 1))
