"""Reading games together: each gets its own, none older than its request, whatever becomes of the others."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from service.gathering import GatheredReads
from service.problems import Problem

LONG_S = 60


class SlowStore:
    """A store that answers when it is let; it notes of each fetch which games it was for."""

    def __init__(self, **tables):
        self.tables = tables
        self.fetches = []
        self.away = False
        self.asked = threading.Semaphore(0)
        self.let = threading.Semaphore(0)

    def load(self, game_id):
        return self._fetch([game_id])[0], None

    def load_many(self, game_ids):
        return self._fetch(game_ids)

    def _fetch(self, game_ids):
        self.fetches.append(game_ids)
        found = [self.tables.get(game_id) for game_id in game_ids]
        away = self.away
        self.asked.release()
        assert self.let.acquire(timeout=LONG_S)
        if away:
            raise Problem("store_unavailable")
        return found


@pytest.fixture
def store():
    return SlowStore(a=b"A", b=b"B", c=b"C")


@pytest.fixture
def threads():
    with ThreadPoolExecutor(20) as threads:
        yield threads


def wait_for(reads, number):
    """Wait until so many requests wait for their turn."""
    ready = threading.Event()
    for _ in range(6000):
        if reads.waiting == number:
            return
        ready.wait(0.01)
    raise AssertionError(f"{reads.waiting} wait, not {number}")


def gathered(threads, store, names, **changed):
    """Ask for a game, and while it is being fetched for others by name; return the answers to come."""
    reads = GatheredReads(store, LONG_S)
    first = threads.submit(reads.load, "a")
    assert store.asked.acquire(timeout=LONG_S)
    store.tables |= changed
    later = []
    for number, name in enumerate(names, 1):
        later.append(threads.submit(reads.load, name))
        wait_for(reads, number)
    return reads, first, later


def test_who_comes_alone_asks_at_once(store):
    store.let.release(2)
    reads = GatheredReads(store)
    assert [reads.load("a"), reads.load("z")] == [b"A", None]
    assert store.fetches == [["a"], ["z"]]


def test_those_who_come_during_a_fetch_share_the_next_and_each_gets_its_own(store, threads):
    _, first, later = gathered(threads, store, "bcazb")
    store.let.release(2)
    assert first.result() == b"A"
    assert [answer.result() for answer in later] == [b"B", b"C", b"A", None, b"B"]
    assert store.fetches == [["a"], ["b", "c", "a", "z", "b"]]


def test_nobody_is_given_what_is_older_than_the_request(store, threads):
    _, first, later = gathered(threads, store, "a", a=b"newer")
    store.let.release(2)
    assert (first.result(), later[0].result()) == (b"A", b"newer")


def test_when_the_fetch_for_all_fails_each_asks_for_itself(store, threads):
    reads, first, later = gathered(threads, store, "bc")
    store.away = True
    store.let.release()
    assert first.result() == b"A"
    assert store.asked.acquire(timeout=LONG_S)
    store.away = False
    store.let.release(3)
    assert (later[0].result(), later[1].result()) == (b"B", b"C")
    assert store.fetches[:2] == [["a"], ["b", "c"]]
    assert sorted(store.fetches[2:]) == [["b"], ["c"]]
    store.let.release()
    assert reads.load("b") == b"B"


def test_the_failure_of_one_who_came_first_is_its_own(store, threads):
    store.away = True
    _, first, later = gathered(threads, store, "b")
    store.away = False
    store.let.release(2)
    with pytest.raises(Problem, match="store_unavailable"):
        first.result()
    assert later[0].result() == b"B"


def test_who_waits_in_vain_asks_alone(store, threads):
    reads = GatheredReads(store, 0)
    first = threads.submit(reads.load, "a")
    assert store.asked.acquire(timeout=LONG_S)
    second = threads.submit(reads.load, "b")
    assert store.asked.acquire(timeout=LONG_S)  # while the first is under way
    assert not first.done()
    store.let.release(2)
    assert (first.result(), second.result()) == (b"A", b"B")
    assert reads.waiting == 0


def test_many_at_once_are_all_answered_in_few_fetches(threads):
    names = [f"game{number}" for number in range(300)]
    store = SlowStore(**{name: name.encode() for name in names})
    store.let.release(10_000)
    reads = GatheredReads(store)
    assert list(threads.map(reads.load, names)) == [name.encode() for name in names]
    assert sum(map(len, store.fetches)) >= len(names)
    assert reads.waiting == 0
