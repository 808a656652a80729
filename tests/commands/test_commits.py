"""Commits that break off, lack copies, or reach a server that has been replaced: made once, or refused."""

import itertools
from types import SimpleNamespace

import pytest
import redis

from skye_server.error_codes import Problem
from skye_server.outgoing.receiver_store import Progress, ReceiverRef, ReceiverStore, Recorded
from skye_server.server.embedded_redis import RedisServer
from skye_server.setting_parsers import Address
from skye_server.store.commit import Commit, LogEntry, StoredRecord
from skye_server.store.connection import calls
from skye_server.store.connection.calls import RedisCalls, RetryPolicy
from skye_server.store.lua_scripts import DELETE, MinReplicas
from skye_server.store.redis_players import GameUpdate
from skye_server.store.redis_store import RedisStore
from skye_server.store.shards import key_of
from tests.support.playing import KEY, Game, Service, new_key, problem_code
from tests.support.ports import free_port
from tests.support.waiting import MAX_WAIT_S

PATIENT = RetryPolicy(MAX_WAIT_S)

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

    def connection_for(self, _key, since=0.0):  # noqa: ARG002 - at any time
        return self.server

    def invalidate(self):
        pass


@pytest.fixture
def broken(any_redis):
    """A Redis that fails as the test sets."""
    return Breaking(any_redis)


@pytest.fixture
def store(broken):
    return RedisStore(Held(broken), PATIENT)


def commit(version, before=None, *, entries=None, stored=b"change", **more):
    expected = None if before is None else b"1:%d:" % before
    entries = [LogEntry(version * 10, stored)] if entries is None else entries
    return Commit("ann", expected, b"1:%d:%s" % (version, stored), entries, 1000, **more)


@pytest.mark.parametrize("breaks", [["before"], ["after"], ["before", "after"], ["after", "after", "before"]])
@pytest.mark.parametrize(
    "more", [{}, {"record": StoredRecord("key", b"answer", 60)}, {"replaces_log": True}, {"entries": []}]
)
def test_commit_is_applied_once_wherever_its_connection_breaks(store, broken, breaks, more):
    assert store.games.commit(commit(1))
    broken.breaks = list(breaks)
    assert store.games.commit(commit(2, 1, **more))
    assert broken.breaks == []
    assert store.games.load("ann")[0] == b"1:2:change"
    numbers = [entry.last_event for entry in store.games.load_with_log("ann")[1]]
    assert numbers == ([20] if more.get("replaces_log") else [10] if "entries" in more else [10, 20])


def test_new_game_is_made_once_whenever_its_connection_breaks(store, broken):
    broken.breaks = ["after", "before", "after"]
    assert store.games.commit(commit(1, record=StoredRecord("key", b"answer", 60)))
    assert len(store.games.load_with_log("ann")[1]) == 1


def test_retried_commit_is_recognized_after_later_commits(store, broken):
    store.games.commit(commit(1))
    broken.breaks = ["after"]
    broken.meanwhile = lambda: RedisStore(broken.client).games.commit(commit(3, 2))
    assert store.games.commit(commit(2, 1))
    assert [entry.last_event for entry in store.games.load_with_log("ann")[1]] == [10, 20, 30]


@pytest.mark.parametrize(("salts", "stored"), [((7, 8), b"change"), ((7, 7), b"other")])
def test_change_of_another_writer_is_not_taken_for_the_callers(store, broken, monkeypatch, salts, stored):
    store.games.commit(commit(1))
    drawn = iter(salts)
    monkeypatch.setattr("secrets.randbelow", lambda _most: next(drawn))
    broken.breaks = ["before"]
    broken.meanwhile = lambda: RedisStore(broken.client).games.commit(commit(2, 1, stored=stored))
    assert not store.games.commit(commit(2, 1))


def test_retry_of_a_commit_writes_what_replicas_can_acknowledge(store, broken):
    store.games.commit(commit(1))
    broken.breaks = ["after"]
    with broken.client.pipeline() as transaction:
        broken.meanwhile = lambda: transaction.watch(key_of("ann", "log"))
        assert store.games.commit(commit(2, 1))
        transaction.multi()
        transaction.ping()
        with pytest.raises(redis.WatchError):
            transaction.execute()


def test_outcome_is_reported_as_uncertain_once_the_log_is_packed(store, broken):
    store.games.commit(commit(1))
    broken.breaks = ["after"]
    broken.meanwhile = lambda: RedisStore(broken.client).games.commit(commit(3, 2, replaces_log=True))
    with pytest.raises(Problem, match="store_unavailable") as raised:
        store.games.commit(commit(2, 1))
    assert "may have happened" in raised.value.detail


def test_commit_of_unknown_outcome_is_reported_as_such(broken, naps):
    store = RedisStore(Held(broken), RetryPolicy(1))
    broken.breaks = ["before"] * 99
    with pytest.raises(Problem, match="store_unavailable") as raised:
        store.games.commit(commit(1))
    assert "Idempotency-Key" in raised.value.detail
    assert 0.5 < sum(naps) <= 1


def test_commit_that_a_full_redis_refuses_is_reported_as_not_applied(redis_client):
    redis_client.config_set("maxmemory", 1)
    try:
        with pytest.raises(Problem, match="store_unavailable") as raised:
            RedisStore(redis_client, PATIENT).games.commit(commit(1))
    finally:
        redis_client.config_set("maxmemory", 0)
    assert "nothing was changed" in raised.value.detail


def test_commit_refused_after_an_unknown_outcome_may_have_happened(redis_client):
    broken = Breaking(redis_client)
    broken.breaks = ["before"]
    broken.meanwhile = lambda: redis_client.config_set("maxmemory", 1)
    try:
        with pytest.raises(Problem, match="store_unavailable") as raised:
            RedisStore(Held(broken), PATIENT).games.commit(commit(1))
    finally:
        redis_client.config_set("maxmemory", 0)
    assert "may have happened" in raised.value.detail


def test_action_is_committed_once_wherever_the_connection_breaks(broken):
    service = Service(broken.client, RedisStore(Held(broken), PATIENT))
    game = service.create_game(2)
    version = game.view()["version"]
    for seat, breaks in ((0, ["after"]), (1, ["before", "after"])):
        broken.breaks = breaks
        answer = game.send(seat, game.actions(seat)[0])
        assert answer.status_code == 200, answer.text
        version += 1
        assert answer.json["version"] == version
    assert problem_code(game.call("PUT", "offer", {}, seat=0)) in ("wrong_phase", "invalid_body")


def test_action_writes_nothing_before_its_commit(service, monkeypatch):
    body = {"players": [{"name": "Ann"}, {"name": "Bob"}], "auto_start": True, "options": {"turn_ms": 60_000}}
    game = Game(service, service.call("POST", "/v1/games", body, new_key()).json)
    action, written, call = game.actions(1)[0], [], RedisCalls.call

    def recorded(self, key, command, *, writes=False, **more):
        if writes:
            written.append(key)
        return call(self, key, command, writes=writes, **more)

    monkeypatch.setattr(RedisCalls, "call", recorded)
    assert game.send(1, action, headers=KEY).status_code == 200
    assert written[0] == key_of(game.id, "game")
    assert written.count(key_of(game.id, "game")) == 1


# MinReplicas on replicas.


def test_change_on_too_few_replicas_is_never_acknowledged(redis_client):
    alone = RedisStore(redis_client, min_replicas=MinReplicas(1, timeout_ms=10))
    for attempt in (
        lambda: alone.games.commit(commit(1, record=StoredRecord("key", b"answer", 60))),
        lambda: alone.games.load("ann", "key"),
    ):
        with pytest.raises(Problem, match="store_unavailable") as raised:
            attempt()
        assert "may have happened" in raised.value.detail
    assert alone.games.load("ann") == (b"1:1:change", None)
    assert alone.games.load("ann", "other") == (b"1:1:change", None)
    assert RedisStore(redis_client, min_replicas=MinReplicas(0, timeout_ms=10)).games.load("ann", "key") == (
        b"1:1:change",
        b"answer",
    )


def test_change_with_too_few_replicas_is_retried_and_applied_once(redis_client):
    store = RedisStore(redis_client, RetryPolicy(0.2), MinReplicas(1, timeout_ms=10))
    with pytest.raises(Problem, match="store_unavailable"):
        store.games.commit(commit(1))
    assert len(store.games.load_with_log("ann")[1]) == 1


def test_conflict_is_returned_while_replicas_are_missing(redis_client):
    store = RedisStore(redis_client, min_replicas=MinReplicas(1, timeout_ms=10))
    assert not store.games.commit(commit(3, 2))


def test_change_whose_replication_is_unknown_may_have_happened(redis_client, redis_server):
    redis_client.execute_command("ACL", "SETUSER", "writer", "on", ">x", "~*", "&*", "+@all", "-wait")
    with redis.Redis.from_url(redis_server.url, username="writer", password="x") as writer:
        with pytest.raises(Problem, match="store_unavailable") as raised:
            RedisStore(writer, min_replicas=MinReplicas(0, timeout_ms=10)).games.commit(commit(1))
        assert raised.value.detail == calls.UNKNOWN_OUTCOME
    redis_client.acl_deluser("writer")


RECEIVER = ReceiverRef("ann", "receiver")
REPEATED = {
    "deletion": lambda store: DELETE.run(
        store, [key_of("ann", n) for n in "123456789"], [1, b"", b"", 0, "ann", 2, "ann", "ann/bob"]
    ),
    "removed game": lambda store: RedisStore(store).players.update_game(
        GameUpdate("ann", "game", b"record", None, 1.0, 60)
    ),
    "deleted receiver": lambda store: ReceiverStore(RedisStore(store).calls).put(
        RECEIVER, b"data", None, 1, 60
    ),
    "queued message": lambda store: ReceiverStore(RedisStore(store).calls).queue(
        RECEIVER, Progress(), "1-1", [("game", "msg", b"message")], 60
    ),
    "recorded message": lambda store: ReceiverStore(RedisStore(store).calls).record(
        RECEIVER, "game", "msg", Recorded(b"message", b"sent", over=True, failed=False, now_ms=1)
    ),
}


@pytest.fixture
def full(redis_client):
    """A function that fills the memory of Redis."""
    yield lambda: redis_client.config_set("maxmemory", 1)
    redis_client.config_set("maxmemory", 0)


@pytest.mark.parametrize("kind", REPEATED)
def test_retry_of_a_written_change_writes_although_memory_is_full(redis_client, full, kind):
    """WAIT waits only if its connection has written."""
    receivers = ReceiverStore(RedisStore(redis_client).calls)
    if kind.endswith("message"):
        receivers.put(RECEIVER, None, b"data", 1, 60)
        REPEATED["queued message"](redis_client)
    REPEATED[kind](redis_client)
    before, keys = redis_client.info("persistence"), redis_client.keys()
    full()
    assert REPEATED[kind](redis_client)
    after = redis_client.info("persistence")
    assert after["rdb_changes_since_last_save"] > before["rdb_changes_since_last_save"]
    assert redis_client.keys() == keys


def test_commit_without_min_replicas_waits_for_no_replica(redis_client):
    before = redis_client.info("commandstats")
    store = RedisStore(redis_client)
    store.games.commit(commit(1, record=StoredRecord("key", b"answer", 60)))
    store.games.load("ann", "key")
    after = redis_client.info("commandstats")
    assert after.get("cmdstat_wait") == before.get("cmdstat_wait")


# A server that has been replaced, and does not know.


class Failover:
    """Two servers: after the first request to one, the other replaces it.

    A caller that resolves the connection again gets the new one; `resolved_again` counts such calls.
    """

    def __init__(self, replaced, server):
        self._known, self._server = replaced, server
        self._is_over = False
        self.resolved_again = 0

    def connection_for(self, _key, since=None):
        if since is not None:
            self.resolved_again += 1
        if since is not None and self._is_over:
            self._known = self._server
        self._is_over = True
        return self._known

    def invalidate(self):
        self._known = self._server


@pytest.fixture(scope="module")
def other_server(redis_program, tmp_path_factory):
    """Another server."""
    address = Address("127.0.0.1", free_port())
    with RedisServer(redis_program, tmp_path_factory.mktemp("other"), address) as server:
        server.wait_until_ready()
        yield server


@pytest.fixture
def replaced(redis_client, other_server):
    """A master that will be demoted, and its replica with the same data."""
    with redis.Redis.from_url(other_server.url) as other:
        other.flushall()
        for each in (redis_client, other):
            RedisStore(each).games.commit(commit(1))
        yield redis_client, other


@pytest.fixture
def answering_in(monkeypatch):
    """A function that sets the duration of each call of Redis in seconds."""

    def take(seconds):
        times = itertools.count()
        clock = SimpleNamespace(monotonic=lambda: next(times) * seconds, sleep=lambda _pause_s: None)
        monkeypatch.setattr(calls, "time", clock)

    return take


def test_late_write_to_a_demoted_master_is_repeated_at_the_new_one(replaced, answering_in):
    answering_in(0.2)
    store = RedisStore(Failover(*replaced), PATIENT)
    assert store.games.commit(commit(2, 1))
    assert [RedisStore(each).games.load("ann")[0] for each in replaced] == [b"1:2:change"] * 2
    assert [entry.last_event for entry in RedisStore(replaced[1]).games.load_with_log("ann")[1]] == [10, 20]


def test_late_write_whose_retry_is_refused_may_have_happened(replaced, answering_in, monkeypatch):
    def refuse(*_):
        raise redis.ReadOnlyError("You can't write against a read only replica.")

    answering_in(0.2)
    monkeypatch.setattr(replaced[1], "evalsha", refuse)
    with pytest.raises(Problem, match="store_unavailable") as raised:
        RedisStore(Failover(*replaced), RetryPolicy(0.1)).games.commit(commit(2, 1))
    assert raised.value.detail == calls.UNKNOWN_OUTCOME


def test_late_reply_of_a_demoted_master_is_not_trusted(replaced, answering_in):
    RedisStore(replaced[1]).games.commit(commit(2, 1))
    answering_in(0.2)
    assert RedisStore(Failover(*replaced), PATIENT).games.load("ann")[0] == b"1:2:change"


def test_fast_reply_without_required_replicas_is_trusted(replaced, answering_in):
    answering_in(0.01)
    failover = Failover(*replaced)
    store = RedisStore(failover, PATIENT)
    assert store.games.commit(commit(2, 1))
    assert store.games.load("ann")[0] == b"1:2:change"
    assert failover.resolved_again == 0


def test_write_to_a_demoted_master_without_retries_is_uncertain(replaced, answering_in):
    answering_in(0.2)
    with pytest.raises(Problem, match="store_unavailable") as raised:
        RedisStore(Failover(*replaced)).games.commit(commit(2, 1))
    assert "may have happened" in raised.value.detail
