"""Signs of life of workers: a gap between two of them is an outage, which is found once."""

import logging
import threading

import fakeredis
import pytest
import redis

from skye_server.error_codes import Problem
from skye_server.games.outages import Outage, Uptime
from skye_server.store import backup as backups
from skye_server.store import outages
from skye_server.store.backup import check_backup
from skye_server.store.connection.topology import SingleServer
from skye_server.store.lua_scripts import MinReplicas
from skye_server.store.outages import (
    KEY,
    MAX_GAP_MS,
    MAX_OUTAGE_MS,
    MAX_OUTAGES,
    RECONNECT_MS,
    SignsOfLife,
)
from skye_server.store.redis_store import RedisStore
from skye_server.store.shared_clock import SharedClock
from tests.store.test_redis_store import commit
from tests.support.playing import Clock, Service
from tests.support.waiting import waited_for

HOUR_MS, DAY_MS = 3_600_000, 86_400_000
KEPT_MS = 30 * DAY_MS


@pytest.fixture
def store(any_redis):
    """A store, in which a worker has just given a sign of life."""
    store = RedisStore(any_redis)
    store.outages.sign(KEPT_MS)
    return store


def now_ms(client):
    """Return the time of a Redis in milliseconds."""
    seconds, microseconds = client.time()
    return 1000 * seconds + microseconds // 1000


def age(client, ms):
    """Make the last sign of life older, or later if `ms` is negative; return its time."""
    sign = int(client.hget(KEY, "sign")) - ms
    client.hset(KEY, "sign", sign)
    return sign


def found_after(store, client, ms):
    """Return the outage that a sign finds `ms` after the one before, and the time of the sign before."""
    before = age(client, ms)
    return store.outages.sign(KEPT_MS).found, before


# Gaps.


def test_signs_in_time_find_no_outage(store, any_redis):
    found, _ = found_after(store, any_redis, MAX_GAP_MS - 2_000)
    assert found is None
    assert store.outages.read().uptime.outages == ()


def test_gap_between_signs_is_an_outage_until_clients_are_back(store, any_redis):
    found, before = found_after(store, any_redis, 13_000)
    now_s, (sign_ms, outages), *_ = store.outages.read()
    assert outages == (found,)
    assert (found.start_ms, found.end_ms) == (before, sign_ms + RECONNECT_MS)
    assert sign_ms <= 1000 * now_s
    assert found.number == sign_ms


@pytest.mark.parametrize("ms", [HOUR_MS, -HOUR_MS])
def test_step_of_the_clock_is_an_outage(store, any_redis, ms):
    found, before = found_after(store, any_redis, ms)
    assert found.start_ms == before
    assert found.end_ms - found.start_ms == pytest.approx(ms + RECONNECT_MS, abs=5_000)


@pytest.mark.parametrize(("ms", "bound_ms"), [(60 * DAY_MS, MAX_OUTAGE_MS), (-60 * DAY_MS, -MAX_OUTAGE_MS)])
def test_no_outage_is_longer_than_seven_days(store, any_redis, ms, bound_ms):
    found, _ = found_after(store, any_redis, ms)
    assert found.end_ms - found.start_ms == bound_ms + RECONNECT_MS


def test_two_workers_find_one_gap_once(store, any_redis):
    age(any_redis, 13_000)
    other = RedisStore(any_redis)
    found = [each.outages.sign(KEPT_MS).found for each in (store, other, store)]
    assert [each is None for each in found] == [False, True, True]
    assert other.outages.read().uptime.outages == (found[0],)


def test_numbers_grow_though_the_clock_is_set_back(store, any_redis):
    first, _ = found_after(store, any_redis, 13_000)
    any_redis.hset(KEY, "last", first.number + HOUR_MS)
    second, _ = found_after(store, any_redis, 13_000)
    assert second.number == first.number + HOUR_MS + 1
    any_redis.delete(KEY)
    assert waited_for(lambda: now_ms(any_redis) > first.number)  # a list is not lost within a millisecond
    store.outages.sign(KEPT_MS)
    third, _ = found_after(store, any_redis, 13_000)
    assert third.number > first.number


def test_lost_sign_after_an_outage_makes_another_with_a_higher_number(store, any_redis):
    first, before = found_after(store, any_redis, 13_000)
    any_redis.hset(KEY, "sign", before)
    second = store.outages.sign(KEPT_MS).found
    assert second.start_ms == first.start_ms
    assert second.number > first.number


def test_list_keeps_outages_for_a_time_and_a_number(store, any_redis):
    for _ in range(3):
        found_after(store, any_redis, 13_000)
    age(any_redis, 13_000)
    assert len(store.outages.sign(-HOUR_MS).uptime.outages) == 0
    numbers = [found_after(store, any_redis, 13_000)[0].number for _ in range(3)]
    any_redis.hset(KEY, mapping={str(number): "1 1795000000000" for number in range(1, MAX_OUTAGES)})
    found, _ = found_after(store, any_redis, 13_000)
    kept = [outage.number for outage in store.outages.read().uptime.outages]
    assert len(kept) == MAX_OUTAGES
    assert kept[-4:] == [*numbers, found.number]


# What a sign says.


class Masters:
    """Two servers, as the masters of a cluster; a master that `is_down` answers nothing."""

    def __init__(self):
        self.servers = [fakeredis.FakeRedis(server=fakeredis.FakeServer()) for _ in range(2)]
        self.is_down = False

    def connection_for(self, key, since=0.0):  # noqa: ARG002 - as `Topology` has it
        other = key.endswith("1}:sign")
        if other and self.is_down:
            raise redis.ConnectionError("down")
        return self.servers[other]

    def invalidate(self):
        pass


def test_outage_of_one_master_is_an_outage_of_all():
    masters = Masters()
    outages = RedisStore(masters).outages
    outages.reach_masters()
    masters.is_down = True
    with pytest.raises(Problem):
        outages.reach_masters()
    assert outages.read().uptime == Uptime(0)


def test_master_that_fails_after_it_was_found_prevents_a_sign(monkeypatch):
    masters = Masters()
    outages = RedisStore(masters).outages
    monkeypatch.setattr(masters.servers[1], "evalsha", failing)
    with pytest.raises(Problem):
        outages.reach_masters()


def failing(*_):
    raise redis.ConnectionError("reset")


def test_missing_replica_prevents_a_sign(redis_client):
    store = RedisStore(SingleServer(redis_client), min_replicas=MinReplicas(1, 10))
    with pytest.raises(Problem):
        store.outages.reach_masters()


def test_server_whose_memory_is_full_prevents_a_sign(redis_client):
    store = RedisStore(redis_client)
    store.outages.reach_masters()
    redis_client.config_set("maxmemory", 1)
    try:
        with pytest.raises(Problem):
            store.outages.reach_masters()
    finally:
        redis_client.config_set("maxmemory", 0)
    assert redis_client.keys() == []


# Processes.


class Process:
    """What a process knows of the signs in a store; its thread runs until `stop`."""

    def __init__(self, store, clock=None, *, gives_signs):
        self.known = SignsOfLife(store.outages, clock, KEPT_MS)
        self.known.start(gives_signs=gives_signs)

    def __enter__(self):
        return self.known

    def __exit__(self, *_):
        self.known.stop()
        for thread in threading.enumerate():
            if thread.name == "signs-of-life":
                thread.join()


def test_worker_gives_signs_and_reports_the_outages_it_finds(store, any_redis, caplog, monkeypatch):
    monkeypatch.setattr(outages, "SIGN_S", 0.1)
    caplog.set_level(logging.INFO)
    age(any_redis, 13_000)
    with Process(store, gives_signs=True) as known:
        assert waited_for(lambda: len(known.uptime.outages) == 1)
        age(any_redis, 60_000)
        assert waited_for(lambda: len(known.uptime.outages) == 2)
    reported = [record for record in caplog.records if "no worker could act" in record.message]
    assert [record.levelno for record in reported] == [logging.INFO, logging.WARNING]  # the first at a start
    assert [record.seconds for record in reported] == [pytest.approx(13, abs=3), pytest.approx(60, abs=3)]


def test_dispatcher_reads_and_gives_no_sign(store, any_redis):
    before = age(any_redis, 13_000)
    with Process(store, gives_signs=False) as known:
        assert waited_for(lambda: known.uptime.sign_ms == before)
        known.look()
    assert store.outages.read().uptime == Uptime(before)


def test_worker_that_cannot_reach_a_master_reads_the_signs_of_others(store, monkeypatch):
    def unreachable():
        raise Problem("store_unavailable")

    monkeypatch.setattr(store.outages, "reach_masters", unreachable)
    sign_ms = store.outages.read().uptime.sign_ms
    with Process(store, gives_signs=True) as known:
        assert waited_for(lambda: known.uptime.sign_ms == sign_ms)


def test_process_that_stops_gives_no_more_signs(store, any_redis):
    with Process(store, gives_signs=True) as known:
        assert waited_for(lambda: known.uptime.sign_ms)
    before = age(any_redis, 0)
    known.look()
    assert store.outages.read().uptime.sign_ms == before


def test_nobody_is_late_before_the_first_reading(store, monkeypatch):
    monkeypatch.setattr(SignsOfLife, "_run", lambda *_: None)
    known = SignsOfLife(store.outages, None, KEPT_MS)
    known.look()
    assert known.uptime is None  # a process without the thread knows nothing of outages
    known.start(gives_signs=True)
    assert known.uptime == Uptime(0)
    known.look()
    assert known.uptime.sign_ms > 0


def test_last_reading_stays_while_redis_fails(store, monkeypatch):
    monkeypatch.setattr(SignsOfLife, "_run", lambda *_: None)
    known = SignsOfLife(store.outages, None, KEPT_MS)
    known.start(gives_signs=True)
    known.uptime = Uptime(7)

    def fails():
        raise Problem("store_unavailable")

    monkeypatch.setattr(store.outages, "read", fails)
    known.look()
    assert known.uptime == Uptime(7)


def test_clock_is_set_before_the_list_is_known(store, any_redis, monkeypatch):
    monkeypatch.setattr(SignsOfLife, "_run", lambda *_: None)
    clock = SharedClock(Clock(), monotonic=Clock(5.0))
    clock()
    known, seen = SignsOfLife(store.outages, clock, KEPT_MS), []
    known.start(gives_signs=True)
    age(any_redis, 13_000)
    outage = store.outages.sign(KEPT_MS).found
    clock.on_reading = lambda _difference_s: seen.append((known.uptime, clock() > 1_700_000_000))
    known.look()
    assert seen == [(Uptime(0), True)]
    assert known.uptime.outages == (outage,)


# Backups.


@pytest.fixture
def lasting(redis_client):
    """A store in a real Redis, in which a worker has just given a sign of life."""
    store = RedisStore(redis_client)
    store.outages.sign(KEPT_MS)
    return store


def backup_of(store, path):
    with path.open("wb") as file:
        return store.backup(file)


def test_backup_has_signs_and_outages_as_its_last_value(lasting, redis_client, tmp_path):
    lasting.games.commit(commit(1))
    found, _ = found_after(lasting, redis_client, 13_000)
    counts = backup_of(lasting, tmp_path / "backup")
    assert counts.games == 1
    assert check_backup(tmp_path / "backup") == counts
    *_, last = backups._stored_values(tmp_path / "backup")  # noqa: SLF001 - the order in the file
    assert last.key == KEY.encode()
    redis_client.flushall()
    lasting.restore(tmp_path / "backup")
    assert lasting.outages.read().uptime.outages == (found,)


def test_time_since_a_backup_is_an_outage_after_a_restore(lasting, redis_client, tmp_path):
    lasting.games.commit(commit(1))
    backed_up_ms = age(redis_client, DAY_MS)
    backup_of(lasting, tmp_path / "backup")
    redis_client.flushall()
    lasting.restore(tmp_path / "backup")
    assert lasting.outages.read().uptime == Uptime(backed_up_ms)
    lasting.finish_restore()
    found = lasting.outages.sign(KEPT_MS).found
    assert found.start_ms == backed_up_ms
    assert found.end_ms - found.start_ms == pytest.approx(DAY_MS + RECONNECT_MS, abs=5_000)


def test_no_worker_gives_a_sign_during_a_restore(lasting, redis_client, tmp_path, monkeypatch):
    lasting.games.commit(commit(1))
    backup_of(lasting, tmp_path / "backup")
    redis_client.flushall()
    lasting.outages.sign(KEPT_MS)  # of a worker that serves the empty server: it holds no game
    waits, signs, restored = [], [], backups._restore  # noqa: SLF001 - each step of a restore
    monkeypatch.setattr(backups.time, "sleep", waits.append)

    def restore(calls, stored):
        signs.append(lasting.outages.sign(KEPT_MS).uptime)
        restored(calls, stored)

    monkeypatch.setattr(backups, "_restore", restore)
    lasting.restore(tmp_path / "backup")
    assert len(waits) == 1
    assert len(signs) > 1
    assert set(signs) == {Uptime(0)}
    assert lasting.outages.sign(KEPT_MS).uptime.sign_ms


def test_backup_without_signs_lets_workers_give_them_after_its_restore(lasting, redis_client, tmp_path):
    redis_client.flushall()
    lasting.games.commit(commit(1))
    backup_of(lasting, tmp_path / "backup")
    redis_client.flushall()
    lasting.restore(tmp_path / "backup")
    assert lasting.outages.sign(KEPT_MS).uptime == Uptime(0)
    lasting.finish_restore()
    assert lasting.outages.sign(KEPT_MS).uptime.sign_ms


# For operators.


def test_metrics_have_the_age_of_the_last_sign_and_the_number_of_outages(any_redis):
    service = Service(any_redis)
    assert "\nskye_sign_age_seconds 0.0\n" in service.call("GET", "/metrics").text
    store = RedisStore(any_redis)
    store.outages.sign(KEPT_MS)
    found_after(store, any_redis, 13_000)
    age(any_redis, 60_000)
    lines = dict(line.rsplit(" ", 1) for line in service.call("GET", "/metrics").text.splitlines())
    assert float(lines["skye_sign_age_seconds"]) == pytest.approx(60, abs=5)
    assert lines["skye_outages"] == "1.0"


def test_outages_are_sorted_by_their_numbers(store, any_redis):
    first, second = (found_after(store, any_redis, 13_000)[0] for _ in range(2))
    uptime = store.outages.read().uptime
    assert (uptime.last, uptime.after(0)) == (second.number, (first, second))
    assert uptime.after(first.number) == (second,)
    assert uptime.after(second.number) == ()
    assert Outage(1, 2, 3) < Outage(2, 1, 1)
