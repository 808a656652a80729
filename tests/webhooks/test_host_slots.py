"""The limit of requests that one host handles at once."""

import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from skye_server.webhooks.host_slots import HostSlots, origin_of


def held_slots(held, slots, origin, **more):
    """Hold as many slots of a host as are free; return how many."""
    return sum(held.enter_context(slots.slot(origin, **more)) for _ in range(20))


def free_slots(slots, origin):
    """Return how many slots of a host can be held at once."""
    with ExitStack() as held:
        return held_slots(held, slots, origin)


def test_spellings_of_a_host_share_its_slots():
    urls = ("", "/", "?1", "#", ":443/a", ".", ".:443")
    origins = {
        origin_of(f"https://{host}{rest}") for host in ("victim.example", "VICTIM.example") for rest in urls
    }
    assert origins == {"victim.example:443"}
    assert origin_of("https://victim.example:8443") != origin_of("https://victim.example")


def test_slow_host_has_fewer_slots_until_many_others_are_slow(monkeypatch):
    slots = HostSlots()
    assert free_slots(slots, "a") == 8
    monkeypatch.setattr(HostSlots, "_SLOW_S", -1.0)
    monkeypatch.setattr(HostSlots, "_MAX_SLOW_HOSTS", 3)
    for origin in "abc":
        free_slots(slots, origin)
    assert [free_slots(slots, origin) for origin in "abc"] == [2, 2, 2]
    free_slots(slots, "d")
    assert [free_slots(slots, origin) for origin in "bcda"] == [2, 2, 2, 8]


@pytest.mark.parametrize(("slow_s", "most"), [(1.0, 8), (-1.0, 2)])
def test_webhooks_leave_one_slot_of_a_host_to_bots(monkeypatch, slow_s, most):
    slots = HostSlots()
    monkeypatch.setattr(HostSlots, "_SLOW_S", slow_s)
    free_slots(slots, "a")
    with ExitStack() as held:
        assert held_slots(held, slots, "a", of_webhook=True) == most - 1
        assert held_slots(held, slots, "a") == 1
    with ExitStack() as held, ExitStack() as first:
        assert first.enter_context(slots.slot("a"))
        assert held_slots(held, slots, "a", of_webhook=True) == most - 1
        first.close()
        assert held_slots(held, slots, "a", of_webhook=True) == 0
    assert free_slots(slots, "a") == most


@pytest.fixture
def frequent_switches():
    """Let threads take turns as often as possible."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("frequent_switches")
def test_slots_that_threads_use_at_once_are_all_free_afterwards(monkeypatch):
    slots = HostSlots()
    monkeypatch.setattr(HostSlots, "_MAX_SLOW", 8)
    monkeypatch.setattr(HostSlots, "_SLOW_S", -1.0)
    monkeypatch.setattr(HostSlots, "_MAX_SLOW_HOSTS", 1)

    def use(_thread):
        for number in range(300):
            free_slots(slots, f"host{number % 3}")

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(use, range(4)))
    assert [free_slots(slots, f"host{number}") for number in range(3)] == [8, 8, 8]
