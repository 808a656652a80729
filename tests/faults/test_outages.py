"""Outages of Redis: requests during one, and a game that continues after it."""

import contextlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import NamedTuple

import pytest
import redis

from tests.deploy.servers import JSON, Instance
from tests.faults.parts import (
    MAX_S,
    SETTINGS,
    Parts,
    RetryingPlayer,
    StreamReader,
    call_in_time,
    call_until_available,
    check_stored_game,
    check_unavailable,
)
from tests.support.launcher import PATIENT
from tests.support.waiting import MAX_RUN_S, MAX_WAIT_S, waited_for
from tests.support.whole_game import played
from tests.system.network import ANSWER, REQUEST, Blackhole, ConnectionBreak, Delay, NoFault, Trickle

MANY = 10_000


def frozen(parts):
    parts.redis.suspend()


def killed(parts):
    parts.redis.wait_until_written()
    parts.redis.kill()


def loading(parts):
    parts.redis.load_slowly()


def paused(parts):
    parts.redis.client.client_pause(1000 * MAX_RUN_S)
    parts.redis.stuck = True  # SIGCONT would not reach it either


def paused_for_writes(parts):
    parts.redis.client.client_pause(1000 * MAX_RUN_S, all=False)


def too_slow(parts):
    parts.relay.fault = Delay(2 * MAX_S)


def dribbling(parts):
    """Each part of a reply arrives in time, but never all of it."""
    parts.relay.fault = Trickle(1, 0.1)


def cut_off(parts):
    parts.relay.fault = Blackhole()


def reset_at_once(parts):
    parts.relay.fault = ConnectionBreak(REQUEST, times=MANY)


def reset_within_each_answer(parts):
    parts.relay.fault = ConnectionBreak(ANSWER, after=3, times=MANY)


def silent_within_each_answer(parts):
    parts.relay.fault = ConnectionBreak(ANSWER, after=3, times=MANY, silence=True)


def full(parts):
    parts.redis.client.config_set("maxmemory", 1)


def out_of_disk(parts):
    parts.redis.fill_disk()


def ended_by_a_full_disk(parts):
    """With `appendfsync always` Redis does not go on without a disk."""
    parts.redis.client.config_set("appendfsync", "always")
    parts.redis.fill_disk()
    with pytest.raises(redis.ConnectionError):
        parts.redis.client.set("filler", "x" * 9000)
    parts.redis.server.process.wait(MAX_WAIT_S)


def made_a_replica(parts):
    parts.redis.client.replicaof("127.0.0.1", 1)


def given_another_password(parts):
    parts.redis.client.config_set("requirepass", "another")
    cut_connections(parts)


def crowded(parts):
    """Redis has as many connections as it may, and ours are not among them."""
    parts.redis.client.config_set("maxclients", 1)
    cut_connections(parts)


def cut_connections(parts):
    for kind in ("normal", "pubsub"):
        parts.redis.client.client_kill_filter(_type=kind)


class Outage(NamedTuple):
    """An outage: the function that starts it, whether reads work, and whether PING works."""

    begin: Callable[[Parts], None]
    reads: bool = False
    pings: bool = False


OUTAGES = [
    Outage(frozen),
    Outage(killed),
    Outage(loading),
    Outage(paused),
    Outage(paused_for_writes, reads=True, pings=True),
    Outage(too_slow),
    Outage(dribbling),
    Outage(cut_off),
    Outage(reset_at_once),
    Outage(reset_within_each_answer),
    Outage(silent_within_each_answer),
    Outage(full, reads=True, pings=True),
    Outage(out_of_disk, reads=True),
    Outage(ended_by_a_full_disk),
    Outage(made_a_replica, reads=True, pings=True),
    Outage(given_another_password),
    Outage(crowded),
]

SCORING = b'{"territories": [{"tiles": [{"tile": "castle-red", "x": 0, "y": 0}], "gold": 3}]}'
STORELESS = [
    ("GET", "/healthz", None),
    ("GET", "/v1/tiles", None),
    ("GET", "/docs", None),
    ("GET", "/docs/reference", None),
    ("GET", "/openapi.json", None),
    ("GET", "/metrics", None),
    ("POST", "/v1/scoring", SCORING),
]
WRITES = [
    ("POST", "/v1/games", b"{}"),
    ("POST", "/v1/games", b'{"visibility": "private"}'),
    ("POST", "/v1/games", b'{"players": [{"name": "Ann"}, {"name": "Bob"}], "auto_start": true}'),
]


def reads(game):
    of_game = ("", "/events", "/record", "/scores", "/rounds/1", "/players/0/territory/picture.svg")
    return [("GET", path, None) for path in ("/v1/games", *(f"/v1/games/{game}{rest}" for rest in of_game))]


def responses_of(api, requests, ask=call_in_time):
    """Send requests at the same time, and return their answers."""
    with ThreadPoolExecutor(len(requests)) as threads:
        sent = [threads.submit(ask, api, *request, JSON) for request in requests]
        return [answer.result(MAX_WAIT_S) for answer in sent]


@pytest.mark.parametrize("outage", OUTAGES, ids=lambda outage: outage.begin.__name__)
def test_outage_is_reported_and_play_continues_after_it(parts, outage):
    player = RetryingPlayer(parts.api)
    playing = played(player, 2, outage.begin.__name__)
    begun, _ = list(islice(playing, 8))[-1]
    reader = StreamReader(parts.api, begun["id"])
    with ThreadPoolExecutor(1) as thread:
        outage.begin(parts)
        rest = thread.submit(lambda: list(playing))
        try:
            send_during_outage(parts, outage, begun["id"])
            assert waited_for(lambda: player.refused_calls)
        finally:
            parts.repair()
        last, _ = rest.result(MAX_RUN_S)[-1]
    assert player.versions == list(range(player.versions[0], last["version"] + 1))
    assert check_stored_game(parts.redis.client, begun["id"]).version == last["version"]
    assert reader.ended() == "finished"
    assert reader.events == list(range(1, last["last_event"] + 1))


def send_during_outage(parts, outage, game):
    """Send all requests while the store is unavailable, or refuses writes."""
    ready = 200 if outage.pings else 503
    assert waited_for(lambda: call_in_time(parts.api, "GET", "/readyz").status == ready)
    answered = responses_of(parts.api, STORELESS)
    assert {answer.status for answer in answered} == {200}
    up = b"skye_store_up %.1f\n" % outage.reads
    assert waited_for(lambda: up in call_in_time(parts.api, "GET", "/metrics").body)
    for answer in responses_of(parts.api, WRITES + ([] if outage.reads else reads(game))):
        check_unavailable(answer)
    if outage.reads:
        answers = responses_of(parts.api, reads(game), call_until_available)
        assert {answer.status for answer in answers} == {200}


def test_full_disk_loses_whole_changes_only(parts):
    player = RetryingPlayer(parts.api)
    playing = played(player, 2, "lost with the disk")
    begun, _ = list(islice(playing, 8))[-1]
    parts.redis.wait_until_written()
    parts.redis.fill_disk()
    opened = []

    def is_refused():
        opened.append(call_in_time(parts.api, "POST", "/v1/games", b'{"name": "Kept in memory"}', JSON))
        return opened[-1].status == 503

    assert waited_for(is_refused)  # Redis may postpone its writes for two seconds, while it calls fsync
    parts.redis.kill()
    parts.repair()
    for answer in opened:
        if answer.status == 201:
            game = answer.json["game"]["id"]
            assert call_until_available(parts.api, "GET", f"/v1/games/{game}/events").status in (200, 404)
    check_stored_game(parts.redis.client, begun["id"])
    *_, (last, _) = playing
    assert last["status"] == "finished"


class Unready(Instance):
    """An instance that is up before its store is."""

    def answers(self):
        with contextlib.suppress(OSError):
            return self.call("GET", "/healthz").status == 200
        return False


def test_api_started_before_its_redis_serves_once_it_is_up(parts, place):
    parts.relay.fault = ConnectionBreak(REQUEST, times=MANY)
    api = Unready(place / "early.sock", parts.api.environ["SKYE_REDIS_URL"], **SETTINGS, SKYE_WORKERS="1")
    try:
        api.start()
        check_unavailable(api.call("GET", "/readyz"))
        check_unavailable(api.call("POST", "/v1/games", b"{}", JSON))
        parts.relay.fault = NoFault()
        assert waited_for(lambda: api.call("GET", "/readyz").status == 200)
        assert waited_for(lambda: api.call("POST", "/v1/games", b"{}", JSON).status == 201)
    finally:
        api.end()


@pytest.fixture
def patient_api(parts, place):
    """An API whose Redis may take long: only the relay makes it slow, not the other work of the machine."""
    api = Instance(place / "patient.sock", parts.api.environ["SKYE_REDIS_URL"], **PATIENT, SKYE_WORKERS="1")
    yield api.start()
    api.end()


@pytest.mark.parametrize("trouble", [Delay(0.05), Delay(0.01, jitter=0.1)], ids=["slow", "jitter"])
def test_slow_store_causes_no_error(patient_api, parts, trouble):
    player = RetryingPlayer(patient_api)
    playing = played(player, 2, "slow")
    begun, _ = next(playing)
    reader = StreamReader(patient_api, begun["id"])
    parts.relay.fault = trouble
    list(islice(playing, 5))
    assert player.refused_calls == 0
    parts.repair()
    *_, (last, _) = playing
    assert player.versions == list(range(player.versions[0], last["version"] + 1))
    check_stored_game(parts.redis.client, begun["id"])
    assert reader.ended() == "finished"
    assert reader.events == list(range(1, last["last_event"] + 1))
