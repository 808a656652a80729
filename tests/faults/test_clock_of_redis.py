"""The clock of Redis jumps: what expires early, and what protects a change from being made twice."""

import subprocess
from datetime import datetime
from pathlib import Path

import pytest
import redis

from skye_server.http.framework import collaborators
from skye_server.server.embedded_redis import RedisServer
from skye_server.setting_parsers import Address
from skye_server.store.outages import SignsOfLife
from tests.support.missing_programs import CLASHES_WITH_FAKETIME, NO_FAKETIME
from tests.support.playing import Service, problem_code
from tests.support.ports import free_port
from tests.support.waiting import MAX_WAIT_S, waited_for

HOUR_S = 3600
KEY = {"Idempotency-Key": "once-0123456789abcdefghijk"}


@pytest.fixture
def jump(redis_program, tmp_path):
    """A service on a Redis of its own, and a function that sets that Redis's time of day forward or back."""
    (library, *_) = [*Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1")] or pytest.skip(NO_FAKETIME)
    built = subprocess.run([redis_program, "--version"], capture_output=True, text=True, check=True).stdout
    if "malloc=jemalloc" in built:
        pytest.skip(CLASHES_WITH_FAKETIME)
    offset = tmp_path / "offset"
    offset.write_text("+0s")
    wrapper = tmp_path / "redis.sh"
    wrapper.write_text(
        f"#!/bin/sh\nexport LD_PRELOAD={library} FAKETIME_TIMESTAMP_FILE={offset} FAKETIME_NO_CACHE=1 "
        f'FAKETIME_DONT_FAKE_MONOTONIC=1\nexec {redis_program} "$@"\n'
    )
    wrapper.chmod(0o700)
    with (
        RedisServer(wrapper, tmp_path, Address("127.0.0.1", free_port())) as server,
        redis.Redis.from_url(server.url, socket_timeout=MAX_WAIT_S) as client,
    ):
        server.wait_until_ready()
        with Service(client) as service:

            def jump(seconds):
                expected = client.time()[0] + seconds
                offset.write_text(f"{seconds:+}s")
                assert waited_for(lambda: abs(client.time()[0] - expected) <= MAX_WAIT_S)

            yield service, jump


def lobby(service):
    return service.create_game(2, start=False)


def add_bot(game, **headers):
    return game.call("POST", "players", {"bot": "random"}, token=game.host, headers=KEY | headers)


def test_retry_after_an_hours_jump_is_carried_out_again(jump):
    service, jump = jump
    game = lobby(service)
    first = add_bot(game)
    assert add_bot(game).json == first.json
    jump(HOUR_S + 1)
    assert add_bot(game).json["seat"] == first.json["seat"] + 1
    assert len(game.view()["players"]) == 4


def test_retry_with_if_match_is_made_once_despite_a_jump(jump):
    service, jump = jump
    game = lobby(service)
    version = {"If-Match": f'"{game.view()["version"]}"'}
    first = add_bot(game, **version)
    assert add_bot(game, **version).json == first.json
    jump(HOUR_S + 1)
    assert problem_code(add_bot(game, **version)) == "version_mismatch"
    assert len(game.view()["players"]) == 3


@pytest.mark.parametrize("seconds", [HOUR_S, -HOUR_S])
def test_jump_of_an_hour_ends_no_game_and_costs_no_turn(jump, monkeypatch, seconds):
    service, jump = jump
    monkeypatch.setattr(SignsOfLife, "_run", lambda *_: None)
    signs = collaborators(service.app).games.signs
    signs.start(gives_signs=True)
    service.clock.now = service.redis.time()[0]
    assert signs.sign()
    games = [
        service.create_game(2, options=options) for options in ({"budget_ms": 60_000}, {"turn_ms": 60_000})
    ]
    jump(seconds)
    service.clock.now += seconds
    assert signs.sign()
    for game in games:
        view = game.view()
        events = service.get(game.path("events"))["events"]
        assert [event["type"] for event in events if event["type"] in {"time_added", "timed_out"}] == [
            "time_added"
        ]
        left = datetime.fromisoformat(view["deadline"]) - datetime.fromisoformat(view["now"])
        assert left.total_seconds() == pytest.approx(60, abs=MAX_WAIT_S)
        game.act_legally(0)


def test_play_and_replays_go_on_after_a_jump_back(jump):
    service, jump = jump
    game = lobby(service)
    first = add_bot(game)
    jump(-HOUR_S)
    assert add_bot(game).json == first.json
    game.call("POST", "start", token=game.host)
    assert game.view()["status"] == "playing"
