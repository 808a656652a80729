"""The master that Sentinels name: whom to believe when they differ, are silent, or talk of the one before."""

import time

import pytest
import redis

from service.storage import sentinel as sentinels
from service.storage.redis_url import parse
from tests.support.informants import Informant

ONE, OTHER = ("10.0.0.1", 6379), ("10.0.0.2", 6379)


class Sentinel(Informant):
    """A Sentinel that says what it is told to."""

    def __init__(self, master=ONE, flags="master", epoch=1, named=None):
        super().__init__(self._told)
        self.master, self.flags, self.epoch, self.named = master, flags, epoch, named

    def _told(self):
        if self.master is None:
            return [None, redis.ResponseError("ERR No such master with that name")]
        host, port = self.named or self.master
        facts = {
            "ip": self.master[0],
            "port": self.master[1],
            "flags": self.flags,
            "config-epoch": self.epoch,
        }
        told = [str(part).encode() for pair in facts.items() for part in pair]
        return [[host.encode(), str(port).encode()], told]


@pytest.fixture
def watch(monkeypatch):
    """Give a function that makes what follows the master from some Sentinels, and returns how to ask it."""
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


def test_the_master_that_all_name_is_asked(watch):
    _, ask = watch(Sentinel(), Sentinel(), Sentinel())
    assert ask() == ONE


def test_of_those_who_differ_the_one_with_the_latest_news_is_believed(watch):
    _, ask = watch(Sentinel(ONE, epoch=4), Sentinel(OTHER, epoch=5), Sentinel(ONE, epoch=4))
    assert ask() == OTHER


def test_one_who_is_elected_is_asked_before_the_replicas_have_turned_to_it(watch):
    _, ask = watch(Sentinel(ONE, "master,o_down", 5, named=OTHER), Sentinel(ONE, "master", 4))
    assert ask() == OTHER


@pytest.mark.parametrize("flags", ["s_down,master", "master,s_down,o_down,failover_in_progress"])
def test_nobody_is_asked_while_the_master_is_down_and_none_is_elected(watch, flags):
    _, ask = watch(Sentinel(flags=flags), Sentinel(flags=flags))
    with pytest.raises(redis.ConnectionError, match="no other is elected yet"):
        ask()


def test_nobody_is_asked_while_any_sentinel_is_replacing_the_master(watch):
    replacing = Sentinel(flags="master,failover_in_progress")
    _, ask = watch(replacing, Sentinel(), Sentinel())
    with pytest.raises(redis.ConnectionError, match="no other is elected yet"):
        ask()
    replacing.named, replacing.epoch = OTHER, 2
    assert ask(2) == OTHER


def test_whoever_must_know_who_is_master_now_is_told_though_another_was_told_a_moment_ago(watch):
    one = Sentinel()
    master, ask = watch(one)
    assert ask() == ONE
    one.master = OTHER
    assert ask(0.01) == ONE
    kwargs = master.connection_for("any", time.monotonic() - 0.001).connection_pool.connection_kwargs
    assert kwargs["host"] == OTHER[0]


def test_the_master_is_not_down_for_one_sentinel_alone(watch):
    _, ask = watch(Sentinel(flags="s_down,master"), Sentinel())
    assert ask() == ONE


def test_older_news_of_a_few_are_not_believed_but_those_of_the_many_are(watch):
    heard, one, another = Sentinel(OTHER, epoch=5), Sentinel(epoch=4), Sentinel(epoch=4)
    _, ask = watch(heard, one, another)
    assert ask() == OTHER
    heard.silent = another.silent = True
    with pytest.raises(redis.ConnectionError, match="not heard of the last failover"):
        ask(2)
    another.silent = False
    assert ask(20) == ONE


def test_a_silent_sentinel_is_left_alone_for_a_while(watch):
    silent = Sentinel()
    silent.silent = True
    _, ask = watch(silent, Sentinel())
    assert [ask(1.5) for _ in range(3)] == [ONE] * 3
    assert silent.asked == 1
    ask(10)
    assert silent.asked == 2


def test_the_last_master_known_stays_when_all_sentinels_are_silent(watch):
    known = Sentinel(), Sentinel()
    _, ask = watch(*known)
    assert ask() == ONE
    for one in known:
        one.silent = True
    assert [ask(2), ask(2)] == [ONE, ONE]


def test_nobody_is_asked_before_any_sentinel_has_spoken(watch):
    silent = Sentinel()
    silent.silent = True
    _, ask = watch(silent)
    with pytest.raises(redis.ConnectionError, match="no Sentinel answers for 'skye'"):
        ask()


def test_an_unknown_service_is_told(watch):
    _, ask = watch(Sentinel(None))
    with pytest.raises(redis.ConnectionError, match="knows no 'skye'"):
        ask()


def test_who_talks_nonsense_is_silent(watch):
    strange = Sentinel()
    strange.answers = lambda: ["nonsense"]
    _, ask = watch(strange, Sentinel())
    assert ask() == ONE


def test_sentinels_are_asked_again_each_second_and_at_once_after_a_failure(watch):
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
