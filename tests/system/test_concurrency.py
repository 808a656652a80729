"""Concurrent requests to two workers and a real Redis: each takes effect once."""

import random
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from urllib.parse import urlsplit

import pytest

from tests.support.sizes import sized
from tests.support.waiting import MAX_WAIT_S, waited_for
from tests.system.storm_on_redis import played_on
from tests.system.wire import Wire

pytestmark = pytest.mark.usefixtures("redis_program")

ACTIONS = sized(150, 1500)
CALLERS, SEATS = 8, 5


@pytest.fixture
def port(live):
    return urlsplit(live.url).port


@pytest.fixture
def wire(port):
    """A client, whose requests wait for each other."""
    with closing(Wire([port], random.Random(1))) as wire:
        yield wire


def together(port, send):
    """Call `send(wire, number)` from several connections at once; return the responses."""
    start = threading.Barrier(CALLERS)

    def run(number):
        with closing(Wire([port], random.Random(number))) as wire:
            wire.read("/healthz")  # the connection is open before the start
            start.wait(MAX_WAIT_S)
            return send(wire, number)

    with ThreadPoolExecutor(CALLERS) as threads:
        return list(threads.map(run, range(CALLERS)))


def test_actions_of_seats_that_act_at_once_all_count_once(port):
    def acted():
        return sum(len(seat.journal) for match, _ in crowd.matches for seat in match.seats)

    with played_on(port) as crowd:
        assert waited_for(lambda: crowd.wrong or acted() >= ACTIONS)


def test_simultaneous_joins_each_get_a_seat_of_their_own(port, wire):
    path = f"/v1/games/{wire.ask('POST', '/v1/games', {'auto_start': True}).json['game']['id']}"

    def join(wire, number):
        return wire.ask("POST", f"{path}/players", {"name": f"player {number}"})

    answers = together(port, join)
    seated = [answer.json for answer in answers if answer.status == 201]
    refused = {answer.json["code"] for answer in answers if answer.status != 201}
    assert sorted(joined["seat"] for joined in seated) == list(range(SEATS))
    assert len({joined["token"] for joined in seated}) == SEATS
    assert refused <= {"game_full", "game_already_started"}
    view = wire.read(path)
    assert (view["status"], len(view["players"])) == ("playing", SEATS)
    for joined in seated:
        assert wire.read(path, joined["token"])["you"]["seat"] == joined["seat"]
