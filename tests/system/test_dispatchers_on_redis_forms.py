"""Dispatchers apply deadlines, with nobody watching, while Sentinels or a cluster fail over."""

import contextlib
import time
from datetime import datetime

import pytest
from redis.crc import key_slot

from skye_server.settings import Settings
from skye_server.store.due_queue import LEASE_MS
from skye_server.store.redis_store import RedisStore
from skye_server.store.shards import SHARDS, key_of, shard_key
from tests.support.outages import giving_signs
from tests.support.playing import Service
from tests.support.waiting import waited_for
from tests.system.redis_forms import PASSWORD, Cluster, Sentinels
from tests.system.test_dispatchers import dispatchers

GAMES, TURN_MS = 32, 2000


def events_of(service, game):
    """Return all events of a game, which a read does not change."""
    service.clock.now = time.time() - 60  # reads apply no deadline
    events = service.get(f"{game.path('events')}?limit=1000")["events"]
    assert [event["id"] for event in events] == list(range(1, len(events) + 1))
    return events


def delays(events):
    """Return by how many seconds each deadline of a game that was missed had passed when it was applied."""
    found, deadline = [], None
    for event in events:
        if event["type"] == "turn_changed" and deadline is not None:
            late = datetime.fromisoformat(event["at"]) - datetime.fromisoformat(deadline)
            found.append(late.total_seconds())
        if event["type"] in {"turn_changed", "time_added"}:
            deadline = event["deadline"]
    return found


def goes_on(events, number):
    """Return whether more than a number of deadlines were applied, or all of the game."""
    return len(delays(events)) > number or "game_finished" in {event["type"] for event in events}


def move_slot(cluster, key):
    """Move the slot of a key from its master to another one."""
    slot, source = key_slot(key.encode()), cluster.master(key)
    target = next(each for each in cluster.servers if each is not source and each.info()["role"] == "master")
    target.ask("CLUSTER SETSLOT", slot, "IMPORTING", source.ask("CLUSTER MYID"))
    source.ask("CLUSTER SETSLOT", slot, "MIGRATING", target.ask("CLUSTER MYID"))
    while keys := source.ask("CLUSTER GETKEYSINSLOT", slot, 100):
        source.ask("MIGRATE", "127.0.0.1", target.port, "", 0, 5000, "AUTH", PASSWORD, "KEYS", *keys)
    for server in (target, source):
        server.ask("CLUSTER SETSLOT", slot, "NODE", target.ask("CLUSTER MYID"))


@pytest.mark.parametrize("make", [Sentinels, Cluster])
def test_deadlines_are_applied_through_a_failover_and_a_reshard(make, redis_program, tmp_path):
    with (
        make(redis_program, tmp_path) as form,
        dispatchers(form.url) as start,
        contextlib.ExitStack() as stack,
    ):
        store = RedisStore.from_settings(Settings(redis_url=form.url))
        service = Service(store=store)
        start()
        start()
        assert waited_for(lambda: store.due.dispatchers(int(time.time() * 1000)) == 2)
        service.clock.now = time.time()
        stack.enter_context(giving_signs(service))
        games = [service.create_game(2, options={"turn_ms": TURN_MS}) for _ in range(GAMES)]

        def wait_for_turns():
            before = [len(delays(events_of(service, game))) for game in games]
            for game, number in zip(games, before, strict=True):
                assert waited_for(lambda game=game, number=number: goes_on(events_of(service, game), number))

        def longest_s():
            return max(max(delays(events_of(service, game))) for game in games)

        wait_for_turns()
        usual_s = longest_s()
        lost = form.master(key_of(games[0].id, "game"))
        killed_at = time.time()
        lost.kill()
        assert waited_for(lambda: form.master(key_of(games[0].id, "game")) is not lost)
        failover_s = time.time() - killed_at
        wait_for_turns()
        lost.start()
        form.wait_until_whole()
        if isinstance(form, Cluster):
            for shard in range(0, SHARDS, 16):
                move_slot(form, shard_key(shard, "due.game"))
        wait_for_turns()
        # After a longer time a claim was lost: its entry waited for the end of its lease.
        assert longest_s() < LEASE_MS / 2000 + failover_s + 10 * usual_s
