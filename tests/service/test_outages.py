"""Redis away, or gone in the middle of a call: what is waited for, and that nothing is done twice."""

import fakeredis
import pytest
import redis
from redis.exceptions import (
    AskError,
    AuthenticationError,
    BusyLoadingError,
    ClusterDownError,
    MaxConnectionsError,
    MovedError,
    OutOfMemoryError,
    ReadOnlyError,
    TryAgainError,
)

from service.problems import Problem
from service.storage import patience
from service.storage.patience import Patience, TooFewReplicas
from service.storage.scripts import Copies
from service.store import RedisStore
from service.stored import Answer, Commit, Entry
from tests.service.playing import Service, code_of


@pytest.fixture
def naps(monkeypatch):
    """A clock that moves only by what is slept; returns the naps taken, in seconds."""
    taken = []
    monkeypatch.setattr("time.sleep", taken.append)
    monkeypatch.setattr("time.monotonic", lambda: sum(taken))
    return taken


def failing(*errors, at_last="done"):
    """Return a call that fails with each of some errors in turn, and then no more."""
    left = list(errors)

    def attempt():
        if left:
            raise left.pop(0)
        return at_last

    return attempt


PASSING = [
    redis.ConnectionError("refused"),
    redis.TimeoutError("slow"),
    BusyLoadingError("LOADING Redis is loading"),
    MaxConnectionsError("Too many connections"),
    ReadOnlyError("You can't write against a read only replica."),
    ClusterDownError("CLUSTERDOWN Hash slot not served"),
    TryAgainError("Multiple keys request during rehashing"),
    MovedError("1 127.0.0.1:7000"),
    AskError("1 127.0.0.1:7000"),
    TooFewReplicas("0 of 1"),
    redis.ResponseError("NOREPLICAS Not enough good replicas to write."),
    redis.ResponseError("Error running script: @user_script:27: -READONLY You can't write"),
    redis.ResponseError("BUSY Redis is busy running a script."),
]
LASTING = [
    AuthenticationError("WRONGPASS invalid username-password pair"),
    redis.ResponseError("NOAUTH Authentication required."),
    OutOfMemoryError("command not allowed when used memory > 'maxmemory'."),
    redis.ResponseError("MISCONF Redis is configured to save RDB snapshots"),
    redis.ResponseError("WRONGTYPE Operation against a key holding the wrong kind of value"),
]


@pytest.mark.parametrize("error", PASSING, ids=lambda error: type(error).__name__)
def test_what_passes_is_waited_for(error, naps):
    assert Patience(5).call(failing(*[error] * 6)) == "done"
    assert len(naps) == 6
    assert all(
        0.5 * pause <= nap <= pause
        for nap, pause in zip(naps, (0.02, 0.04, 0.08, 0.16, 0.32, 0.5), strict=True)
    )


@pytest.mark.parametrize("error", LASTING, ids=lambda error: str(error)[:9])
def test_what_lasts_is_refused_at_once(error, naps):
    with pytest.raises(Problem, match="store_unavailable"):
        Patience(5).call(failing(error))
    assert naps == []


def test_patience_ends(naps):
    with pytest.raises(Problem, match="store_unavailable"):
        Patience(5).call(failing(*[redis.ConnectionError()] * 100))
    assert 4.5 <= sum(naps) <= 5


def test_without_patience_nothing_is_tried_again(naps):
    for call in (
        lambda: Patience(0).call(failing(redis.ConnectionError())),
        lambda: Patience(5).call(failing(redis.ConnectionError()), patient=False),
    ):
        with pytest.raises(Problem, match="store_unavailable"):
            call()
    assert naps == []


def test_all_calls_for_one_request_share_its_patience(naps):
    waiting = Patience(5)
    patience.begin_request()
    try:
        waiting.call(failing(*[redis.ConnectionError()] * 8))
        waited = sum(naps)
        with pytest.raises(Problem, match="store_unavailable"):
            waiting.call(failing(*[redis.ConnectionError()] * 100))
        assert waited > 1
        assert sum(naps) <= 5
    finally:
        patience.end_request()
    assert waiting.call(failing(*[redis.ConnectionError()] * 8)) == "done"


def test_each_kind_of_failure_is_logged_now_and_then(naps, caplog):
    waiting = Patience(5)
    for error in (
        redis.ConnectionError("refused"),
        redis.TimeoutError("slow"),
        redis.ConnectionError("again"),
    ):
        waiting.call(failing(*[error] * 3))
    assert [record.getMessage() for record in caplog.records] == [
        "Redis fails: refused",
        "Redis fails: slow",
    ]
    naps.append(5.0)
    waiting.call(failing(redis.ConnectionError("once more")))
    assert caplog.records[-1].getMessage() == "Redis fails: once more"


# A connection that breaks in the middle of a commit.


class Breaking:
    """A Redis whose connection breaks when a script is called: before it has run, or after."""

    def __init__(self, client):
        self.client = client
        self.breaks = []
        self.meanwhile = lambda: None

    def __getattr__(self, name):
        return getattr(self.client, name)

    def evalsha(self, *arguments):
        return self._run(self.client.evalsha, arguments)

    def eval(self, *arguments):
        return self._run(self.client.eval, arguments)

    def _run(self, run, arguments):
        when = self.breaks[0] if self.breaks else None
        done = None if when == "before" else run(*arguments)  # which fails where the script is not known
        if when is not None:
            del self.breaks[0]
            self.meanwhile()
            raise redis.ConnectionError(f"broken {when}")
        return done


class Held:
    """The one server that holds everything."""

    def __init__(self, server):
        self.server = server

    def holding(self, _key):
        return self.server

    def doubt(self, _error):
        pass


@pytest.fixture(params=["fakeredis", "redis"])
def broken(request):
    """A Redis that breaks as told: one in this process, and a real one."""
    if request.param == "redis":
        client = redis.Redis.from_url(request.getfixturevalue("redis_server").url)
        client.flushall()
    else:
        client = fakeredis.FakeRedis(server=fakeredis.FakeServer())
    with client:
        yield Breaking(client)


@pytest.fixture
def store(broken):
    return RedisStore(Held(broken), Patience(5))


def commit(version, before=None, *, entries=None, stored=b"change", **more):
    expected = None if before is None else b"1:%d:" % before
    entries = [Entry(version * 10, stored)] if entries is None else entries
    return Commit("ann", expected, b"1:%d:%s" % (version, stored), entries, 1000, **more)


@pytest.mark.parametrize("breaks", [["before"], ["after"], ["before", "after"], ["after", "after", "before"]])
@pytest.mark.parametrize(
    "more", [{}, {"answer": Answer("key", b"answer", 60)}, {"anew": True}, {"entries": []}]
)
def test_a_commit_is_done_once_whenever_its_connection_breaks(store, broken, breaks, more):
    assert store.commit(commit(1))
    broken.breaks = list(breaks)
    assert store.commit(commit(2, 1, **more))
    assert broken.breaks == []
    assert store.load("ann")[0] == b"1:2:change"
    numbers = [entry.last_event for entry in store.load_with_log("ann")[1]]
    assert numbers == ([20] if more.get("anew") else [10] if "entries" in more else [10, 20])


def test_a_new_game_is_made_once_whenever_its_connection_breaks(store, broken):
    broken.breaks = ["after", "before", "after"]
    assert store.commit(commit(1, answer=Answer("key", b"answer", 60)))
    assert len(store.load_with_log("ann")[1]) == 1


def test_a_commit_that_was_done_is_known_for_ones_own_after_later_ones(store, broken):
    store.commit(commit(1))
    broken.breaks = ["after"]
    broken.meanwhile = lambda: RedisStore(broken.client).commit(commit(3, 2))
    assert store.commit(commit(2, 1))
    assert [entry.last_event for entry in store.load_with_log("ann")[1]] == [10, 20, 30]


def test_who_was_faster_is_not_taken_for_oneself_though_the_change_is_the_same(store, broken, monkeypatch):
    store.commit(commit(1))
    salts = iter([7, 8])
    monkeypatch.setattr("secrets.randbelow", lambda _most: next(salts))
    broken.breaks = ["before"]
    broken.meanwhile = lambda: RedisStore(broken.client).commit(commit(2, 1))
    assert not store.commit(commit(2, 1))


def test_whether_it_was_done_is_said_to_be_uncertain_once_the_log_is_packed(store, broken):
    store.commit(commit(1))
    broken.breaks = ["after"]
    broken.meanwhile = lambda: RedisStore(broken.client).commit(commit(3, 2, anew=True))
    with pytest.raises(Problem, match="store_unavailable") as refusal:
        store.commit(commit(2, 1))
    assert "may have happened" in refusal.value.detail


def test_a_commit_given_up_in_the_dark_says_that_it_may_have_happened(broken, naps):
    store = RedisStore(Held(broken), Patience(1))
    broken.breaks = ["before"] * 99
    with pytest.raises(Problem, match="store_unavailable") as refusal:
        store.commit(commit(1))
    assert "Idempotency-Key" in refusal.value.detail
    assert 0.5 < sum(naps) <= 1


def test_an_action_lands_once_and_is_acknowledged_whenever_the_connection_breaks(broken):
    service = Service(broken.client, RedisStore(Held(broken), Patience(5)))
    game = service.table(2)
    version = game.view()["version"]
    for seat, breaks in ((0, ["after"]), (1, ["before", "after"])):
        broken.breaks = breaks
        answer = game.send(seat, game.actions(seat)[0])
        assert answer.status_code == 200, answer.text
        version += 1
        assert answer.json["version"] == version
    assert code_of(game.call("PUT", "offer", {}, seat=0)) in ("wrong_phase", "invalid_body")


# Copies on replicas.


@pytest.fixture
def real(redis_server):
    """An empty Redis without replicas."""
    with redis.Redis.from_url(redis_server.url) as client:
        client.flushall()
        yield client


def test_a_change_that_too_few_replicas_have_is_not_acknowledged_nor_is_its_answer_told_later(real):
    alone = RedisStore(real, copies=Copies(1, wait_ms=10))
    for attempt in (
        lambda: alone.commit(commit(1, answer=Answer("key", b"answer", 60))),
        lambda: alone.load("ann", "key"),
    ):
        with pytest.raises(Problem, match="store_unavailable") as refusal:
            attempt()
        assert "may have happened" in refusal.value.detail
    assert alone.load("ann") == (b"1:1:change", None)
    assert alone.load("ann", "other") == (b"1:1:change", None)
    assert RedisStore(real, copies=Copies(0, wait_ms=10)).load("ann", "key") == (b"1:1:change", b"answer")


def test_a_change_that_lacks_copies_is_waited_for_and_made_once(real):
    store = RedisStore(real, Patience(0.2), Copies(1, wait_ms=10))
    with pytest.raises(Problem, match="store_unavailable"):
        store.commit(commit(1))
    assert len(store.load_with_log("ann")[1]) == 1


def test_what_conflicts_is_said_to_whoever_lacks_copies(real):
    store = RedisStore(real, copies=Copies(1, wait_ms=10))
    assert not store.commit(commit(3, 2))


def test_no_replica_is_waited_for_where_none_is_wanted(real):
    before = real.info("commandstats")
    store = RedisStore(real)
    store.commit(commit(1, answer=Answer("key", b"answer", 60)))
    store.load("ann", "key")
    after = real.info("commandstats")
    assert after.get("cmdstat_wait") == before.get("cmdstat_wait")
