"""The keys of ladders and profiles: documented, bounded, and within the limits of a cluster."""

import random
import re

from redis.crc import key_slot

from skye_server.ladder import profiles, results
from skye_server.store.lua_scripts import Script
from tests.ladder.support import begin_rated, new_player

OF_LADDERS = re.compile(r"skye:\{s\d+\}:ladder\.live_2:(\w+)")


def play(service):
    """Play a rated game of new players; return their keys."""
    keys = [new_player(service, name) for name in ("ann", "bob")]
    begin_rated(service, *keys).play_out(random.Random(1))
    return keys


def test_keys_of_a_ladder_are_documented(service):
    play(service)
    found = {OF_LADDERS.match(key.decode()) for key in service.redis.keys("*ladder.live_2*")}
    kinds = {match.group(1) for match in found}
    assert {"results", "ratings", "of", "met"} <= kinds
    assert not [kind for kind in kinds if f"ladder.LADDER:{kind}" not in results.__doc__]
    assert all(f":{kind} " in profiles.__doc__ for kind in ("claim", "profile"))


def test_keys_of_each_script_lie_in_one_slot(service, monkeypatch):
    slots, original = [], Script.run

    def run(script, server, keys, *arguments):
        slots.append({key_slot(key.encode()) for key in keys})
        return original(script, server, keys, *arguments)

    monkeypatch.setattr(Script, "run", run)
    for key in play(service):
        service.call("DELETE", "/v1/me/profile", token=key)
    service.get("/v1/ladders/live_2")
    assert slots
    assert max(map(len, slots)) == 1


def test_keys_grow_with_players_and_results_only(service):
    keys = play(service)

    def sizes():
        found = {}
        for key in service.redis.keys("*ladder.live_2*"):
            kind = OF_LADDERS.match(key.decode()).group(1)
            size = {b"hash": "hlen", b"zset": "zcard", b"set": "scard", b"stream": "xlen"}
            count = getattr(service.redis, size[service.redis.type(key)])(key)
            found[kind] = max(count, found.get(kind, 0))
        return found

    before = sizes()
    service.clock.advance(11)  # a ticket repeats one that was just matched
    begin_rated(service, *keys).play_out(random.Random(2))
    after = sizes()
    per_result = {"results", "numbers", "changes", "of", "met"}
    assert {kind for kind in after if after[kind] != before[kind]} == per_result
    assert {after[kind] for kind in per_result} == {2}
