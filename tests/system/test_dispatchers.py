"""Dispatchers of a real Redis: games go on while dispatchers are killed and suspended."""

import contextlib
import os
import signal
import subprocess
import sys
import time

import pytest

from skye_server.storage.codec import decode_game
from tests.support.launcher import kill_all
from tests.support.playing import Service
from tests.support.waiting import waited_for

GAMES = 20


def versions(service, games):
    return [decode_game(service.redis.get(f"skye:{{{game.id}}}:table")).version for game in games]


@pytest.mark.slow
def test_games_go_on_while_dispatchers_are_killed_and_suspended(redis_server, redis_client):
    service = Service(redis_client)
    service.clock.now = time.time()
    games = [service.create_game(2, options={"turn_ms": 1000}) for _ in range(GAMES)]
    with contextlib.ExitStack() as stack:

        def start():
            command = [sys.executable, "-m", "skye_server.cli", "dispatch"]
            process = subprocess.Popen(command, env=os.environ | {"SKYE_REDIS_URL": redis_server.url})
            stack.callback(kill_all, process)
            return process

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
