"""Sentinel topology: the current master when Sentinels disagree, are unresponsive or out of date."""

import time

import pytest
import redis

from service.storage import sentinel as sentinels
from service.storage.redis_url import parse
from tests.support.topology_servers import FakeTopologyServer

ONE, OTHER = ("10.0.0.1", 6379), ("10.0.0.2", 6379)


class Sentinel(FakeTopologyServer):
    """A Sentinel with given replies."""

    def __init__(self, master=ONE, flags="master", epoch=1, named=None):
        super().__init__(self._replies)
        self.master, self.flags, self.epoch, self.named = master, flags, epoch, named

    def _replies(self):
        if self.master is None:
            return [None, redis.ResponseError("ERR No such master with that name")]
        host, port = self.named or self.master
        facts = {
            "ip": self.master[0],
            "port": self.master[1],
            "flags": self.flags,
            "config-epoch": self.epoch,
        }
        fields = [str(part).encode() for pair in facts.items() for part in pair]
        return [[host.encode(), str(port).encode()], fields]


@pytest.fixture
def watch(monkeypatch):
    """A function that returns the topology of some Sentinels, and a function that returns their master."""
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])

    def make(*three):
        left = list(three)
        monkeypatch.setattr(sentinels, "create_client_at", lambda *_: left.pop(0))
        hosts = ",".join("abc"[: len(three)])
        master = sentinels.SentinelTopology(parse(f"redis+sentinel://{hosts}/skye"), 2.0)

        def ask(seconds_later=0.0):
            now[0] += seconds_later
            kwargs = master.connection_for("any").connection_pool.connection_kwargs
            return kwargs["host"], kwargs["port"]

        return master, ask

    return make


def test_master_that_all_sentinels_name_is_used(watch):
    _, ask = watch(Sentinel(), Sentinel(), Sentinel())
    assert ask() == ONE


def test_sentinel_with_the_latest_epoch_wins_a_disagreement(watch):
    _, ask = watch(Sentinel(ONE, epoch=4), Sentinel(OTHER, epoch=5), Sentinel(ONE, epoch=4))
    assert ask() == OTHER


def test_elected_master_is_used_before_replicas_follow_it(watch):
    _, ask = watch(Sentinel(ONE, "master,o_down", 5, named=OTHER), Sentinel(ONE, "master", 4))
    assert ask() == OTHER


@pytest.mark.parametrize("flags", ["s_down,master", "master,s_down,o_down,failover_in_progress"])
def test_no_server_is_used_while_the_master_is_down(watch, flags):
    _, ask = watch(Sentinel(flags=flags), Sentinel(flags=flags))
    with pytest.raises(redis.ConnectionError, match="no other is elected yet"):
        ask()


def test_no_server_is_used_during_a_failover(watch):
    replacing = Sentinel(flags="master,failover_in_progress")
    _, ask = watch(replacing, Sentinel(), Sentinel())
    with pytest.raises(redis.ConnectionError, match="no other is elected yet"):
        ask()
    replacing.named, replacing.epoch = OTHER, 2
    assert ask(2) == OTHER


def test_lookup_that_must_be_current_bypasses_the_cache(watch):
    one = Sentinel()
    master, ask = watch(one)
    assert ask() == ONE
    one.master = OTHER
    assert ask(0.01) == ONE
    kwargs = master.connection_for("any", time.monotonic() - 0.001).connection_pool.connection_kwargs
    assert kwargs["host"] == OTHER[0]


def test_master_that_one_sentinel_reports_down_is_used(watch):
    _, ask = watch(Sentinel(flags="s_down,master"), Sentinel())
    assert ask() == ONE


def test_older_epoch_is_accepted_from_a_majority_only(watch):
    newest, one, another = Sentinel(OTHER, epoch=5), Sentinel(epoch=4), Sentinel(epoch=4)
    _, ask = watch(newest, one, another)
    assert ask() == OTHER
    newest.silent = another.silent = True
    with pytest.raises(redis.ConnectionError, match="do not report the last failover"):
        ask(2)
    another.silent = False
    assert ask(20) == ONE


def test_unresponsive_sentinel_is_skipped_for_a_while(watch):
    silent = Sentinel()
    silent.silent = True
    _, ask = watch(silent, Sentinel())
    assert [ask(1.5) for _ in range(3)] == [ONE] * 3
    assert silent.asked == 1
    ask(10)
    assert silent.asked == 2


def test_last_known_master_is_used_without_any_sentinel(watch):
    known = Sentinel(), Sentinel()
    _, ask = watch(*known)
    assert ask() == ONE
    for one in known:
        one.silent = True
    assert [ask(2), ask(2)] == [ONE, ONE]


def test_no_server_is_used_before_a_sentinel_replies(watch):
    silent = Sentinel()
    silent.silent = True
    _, ask = watch(silent)
    with pytest.raises(redis.ConnectionError, match="no Sentinel responds for 'skye'"):
        ask()


def test_unknown_service_is_an_error(watch):
    _, ask = watch(Sentinel(None))
    with pytest.raises(redis.ConnectionError, match="does not monitor 'skye'"):
        ask()


def test_sentinel_with_malformed_replies_counts_as_unresponsive(watch):
    strange = Sentinel()
    strange.answers = lambda: ["nonsense"]
    _, ask = watch(strange, Sentinel())
    assert ask() == ONE


def test_sentinels_are_queried_each_second_and_after_a_failure(watch):
    one = Sentinel()
    master, ask = watch(one)
    assert [ask(), ask(0.5), ask(0.4)] == [ONE] * 3
    assert one.asked == 1
    one.master = OTHER
    assert ask(0.2) == OTHER
    one.master = ONE
    master.invalidate(redis.TimeoutError())
    assert ask(0.01) == ONE
    assert one.asked == 3
