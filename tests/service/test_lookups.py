"""What is looked up by one for all: never given out while it is doubted."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import redis

from service.storage.connections import Lookup


class Looked:
    """What is looked up; each look waits until it is let, once `slow` is set."""

    def __init__(self):
        self.value, self.looks, self.slow = "old", 0, False
        self.begun, self.let = threading.Semaphore(0), threading.Semaphore(0)

    def __call__(self):
        self.looks += 1
        if self.slow:
            self.begun.release()
            assert self.let.acquire(timeout=60)
        if isinstance(self.value, Exception):
            raise self.value
        return self.value


@pytest.fixture
def looked():
    return Looked()


@pytest.fixture
def threads():
    with ThreadPoolExecutor(4) as threads:
        yield threads


def test_what_is_doubted_is_given_to_nobody_while_it_is_looked_up_anew(looked, threads):
    lookup = Lookup(looked, 0.0)
    assert lookup.value() == "old"
    looked.value, looked.slow = "new", True
    lookup.doubt()
    one = threads.submit(lookup.value)
    assert looked.begun.acquire(timeout=60)
    others = [threads.submit(lookup.value) for _ in range(3)]
    looked.let.release(4)
    assert [asked.result(60) for asked in (one, *others)] == ["new"] * 4


def test_what_is_only_old_is_given_meanwhile(looked, threads):
    lookup = Lookup(looked, 0.0)
    lookup.value()
    looked.value, looked.slow = "new", True
    one = threads.submit(lookup.value)
    assert looked.begun.acquire(timeout=60)
    assert lookup.value() == "old"
    looked.let.release()
    assert one.result(60) == "new"


def test_a_failure_is_told_to_all_who_waited_and_tried_again_by_the_next(looked):
    lookup = Lookup(looked, 60.0)
    looked.value = redis.TimeoutError("away")
    for _ in range(2):
        with pytest.raises(redis.TimeoutError, match="away"):
            lookup.value()
    looked.value = "there"
    assert [lookup.value(), lookup.value()] == ["there", "there"]
    assert looked.looks == 3
