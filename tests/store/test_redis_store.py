"""The store: the same tests on a Redis in this process and on a real one."""

from contextlib import nullcontext

import pytest

from skye_server.games.due import Due
from skye_server.settings import DAY_S
from skye_server.store.codec import entry_header
from skye_server.store.commit import Commit, LogEntry, StoredRecord
from skye_server.store.connection import calls
from skye_server.store.game_index import Listed
from skye_server.store.games import EXPIRY_S
from skye_server.store.redis_store import RedisStore
from skye_server.store.shards import key_of, shard_key, shard_of
from tests.support.dispatching import rebuild_all
from tests.support.playing import Service, problem_code, stored
from tests.support.threads import at_once
from tests.support.waiting import waited_for


@pytest.fixture
def store(any_redis):
    return RedisStore(any_redis)


def contents(client):
    """Return all that is in a Redis, byte for byte."""
    return {key: stored(client, key) for key in client.scan_iter()}


def commit(version, before=None, *, game="ann", **more):
    """Return a commit of a table of this version on one of the version before."""
    expected = None if before is None else b"1:%d:" % before
    entries = [LogEntry(version * 10, b"change %d" % version)]
    return Commit(game, expected, b"1:%d:table" % version, entries, 1000, **more)


def logged(last_event, data):
    """Return a log entry as it is read back."""
    return LogEntry(last_event, data, entry_header(last_event, data))


# All or nothing.


def test_commit_writes_game_log_and_stored_response(store):
    assert store.games.commit(commit(1, record=StoredRecord("key", b"answer", 60)))
    assert store.games.load("ann", "key") == (b"1:1:table", b"answer")
    assert store.games.load_with_log("ann") == (b"1:1:table", [logged(10, b"change 1")])


def test_commit_on_another_version_writes_nothing(store, any_redis):
    store.games.commit(commit(1))
    before = contents(any_redis)
    assert not store.games.commit(commit(12, 11, record=StoredRecord("key", b"answer", 60)))
    assert not store.games.commit(commit(2, 0))
    assert contents(any_redis) == before


def test_version_is_compared_exactly(store):
    store.games.commit(commit(12))
    assert not store.games.commit(commit(2, 1))
    assert store.games.commit(commit(13, 12))


def test_commit_to_an_expired_game_writes_nothing(store, any_redis):
    assert not store.games.commit(commit(2, 1))
    assert contents(any_redis) == {}


def test_creation_with_an_existing_id_writes_nothing(store, any_redis):
    store.games.commit(commit(5))
    before = contents(any_redis)
    assert not store.games.commit(commit(1))
    assert contents(any_redis) == before


def test_one_of_many_commits_on_one_version_is_done(store):
    store.games.commit(commit(1))
    done = at_once(lambda number: store.games.commit(commit(number, 1)), range(2, 18))
    assert sorted(done) == [False] * 15 + [True]
    assert len(store.games.load_with_log("ann")[1]) == 2


def test_commit_with_a_used_idempotency_key_writes_nothing(store, any_redis):
    store.games.commit(commit(1, record=StoredRecord("key", b"first", 60)))
    before = contents(any_redis)
    assert not store.games.commit(commit(2, 1, record=StoredRecord("key", b"second", 60)))
    assert contents(any_redis) == before
    assert store.games.commit(commit(2, 1, record=StoredRecord("other", b"second", 60)))


def test_commit_that_fails_halfway_writes_nothing(store, any_redis):
    store.games.commit(commit(5))
    before = contents(any_redis)
    backwards = Commit(
        "ann", b"1:5:", b"1:6:table", [LogEntry(7, b"change")], 1000, StoredRecord("key", b"answer", 60)
    )
    with pytest.raises(Exception, match="store_unavailable"):
        store.games.commit(backwards)
    assert contents(any_redis) == before


def test_new_game_begins_a_new_log(store, any_redis):
    store.games.commit(commit(5))
    any_redis.delete(key_of("ann", "game"))  # as when its memory was wanted for something else
    assert store.games.commit(commit(1))
    assert store.games.load_with_log("ann") == (b"1:1:table", [logged(10, b"change 1")])


def test_calls_of_a_store_within_a_prefix_have_its_deadline(any_redis, monkeypatch):
    deadlines = []

    def without_deadline(seconds):
        deadlines.append(seconds)
        return nullcontext()

    monkeypatch.setattr(calls, "call_deadline", without_deadline)
    assert RedisStore(any_redis, timeout_s=9.0).within("hunt:").games.load("ann") == (None, None)
    assert deadlines == [9.0]


# What is kept, and for how long.


def test_all_keys_of_a_game_and_of_a_stored_response_have_their_ttls(store, any_redis):
    any_redis.hset(key_of("ann", "watch"), "host", b"code")
    of_game = [key_of("ann", kind) for kind in ("game", "log", "watch")]
    store.games.commit(commit(1, record=StoredRecord("key", b"answer", 60)))
    for key in (key_of("ann", "record:key"), key_of("ann", "records")):
        assert 0 < any_redis.ttl(key) <= 60
    for version in (2, 3):
        assert [990 < any_redis.ttl(key) <= 1000 for key in of_game] == [True] * 3
        for key in of_game:
            any_redis.expire(key, 5)
        store.games.commit(commit(version, version - 1))


def test_commit_changes_the_time_of_its_game_and_keeps_an_earlier_relay(store, any_redis):
    queues = [shard_key(shard_of("ann"), f"due.{kind}") for kind in ("game", "relay")]
    for version, at_ms, times in ((1, 2000, [2000, 2000]), (2, 3000, [3000, 2000]), (3, 1000, [1000, 1000])):
        due = [Due(kind, "ann", at_ms) for kind in ("game", "relay")]
        store.games.commit(commit(version, version - 1 or None, due=due))
        assert [any_redis.zscore(queue, "ann") for queue in queues] == times


def test_relay_of_a_game_that_has_changed_since_stays_due(store, any_redis):
    queue = shard_key(shard_of("ann"), "due.relay")
    for version in (1, 2):
        due = [Due("game", "ann", 9000), Due("relay", "ann", 2000)]
        store.games.commit(commit(version, version - 1 or None, due=due, relayed_version=version))
    store.due.add(Due("relay", "ann/bob", 2000))
    assert not store.games.settle("ann", b"1:1:", ["ann/bob"], None)
    assert not store.games.settle("ann", b"1:2:", ["ann/bob"], None, version=2)
    assert any_redis.zrange(queue, 0, -1, withscores=True) == [(b"ann", 2000), (b"ann/bob", 2000)]
    assert store.games.settle("ann", b"1:2:", ["ann/bob"], None)
    assert not any_redis.exists(queue, shard_key(shard_of("ann"), "unrelayed"))


def test_keys_of_a_game_share_one_cluster_slot(store, any_redis):
    store.games.commit(commit(1, record=StoredRecord("key", b"answer", 60)))
    tag = key_of("ann", "").partition(":ann")[0].encode()
    assert all(key.startswith(tag) for key in any_redis.scan_iter())
    assert any_redis.dbsize() == 4


def test_missing_game_loads_as_none(store):
    assert store.games.load("ann") == (None, None)
    assert store.games.load("ann", "key") == (None, None)
    assert store.games.load_with_log("ann") == (None, [])
    assert store.games.load_many([]) == []


def test_loaded_games_have_the_requested_order(store):
    store.games.commit(commit(1, game="ann"))
    store.games.commit(commit(2, game="bob"))
    assert store.games.load_many(["bob", "nobody", "ann"]) == [b"1:2:table", None, b"1:1:table"]


def test_log_is_read_after_a_given_event(store):
    for version in range(1, 4):
        store.games.commit(commit(version, version - 1 or None))
    for after, numbers in (
        (0, [10, 20, 30]),
        (9, [10, 20, 30]),
        (10, [20, 30]),
        (29, [30]),
        (30, []),
        (99, []),
    ):
        assert [entry.last_event for entry in store.games.load_with_log("ann", after)[1]] == numbers


def put(store, name, game_id, score, *, version=1, others=(), forced=False):
    return store.index.put(Listed(game_id, version, name, score), others, forced=forced)


def test_index_lists_the_newest_games_first(store):
    for number in range(5):
        put(store, "lobby", f"game{number}", 1e15 + number)
    put(store, "playing", "other", 2e15)
    newest = store.index.newest("lobby", None, 2)
    assert newest == [("game4", 1e15 + 4), ("game3", 1e15 + 3)]
    assert store.index.newest("lobby", 1e15 + 2, 2) == [("game2", 1e15 + 2), ("game1", 1e15 + 1)]
    for game in ("game2", "nobody"):
        store.index.remove(game, ["lobby", "playing"])
    assert store.index.newest("lobby", 1e15 + 2, 9) == [("game1", 1e15 + 1), ("game0", 1e15)]
    assert store.index.newest("finished", None, 9) == []
    assert set(store.index.members("lobby")) == {"game0", "game1", "game3", "game4"}


def test_index_keeps_a_later_version_unless_forced(store):
    assert put(store, "playing", "ann", 1e15, version=2, others=["lobby"])
    assert not put(store, "lobby", "ann", 1e15, version=1, others=["playing"])
    assert (store.index.sizes(["lobby", "playing"])) == [0, 1]
    assert put(store, "playing", "ann", 2e15, version=2)
    assert put(store, "lobby", "ann", 1e15, version=1, others=["playing"], forced=True)
    assert (store.index.sizes(["lobby", "playing"])) == [1, 0]
    store.index.remove("ann", ["lobby", "playing"])
    assert put(store, "lobby", "ann", 1e15, version=1)


def test_each_commit_is_published(store):
    changes = []
    subscriber = store.change_subscriber(changes.append)
    try:
        subscriber.watch(channel := key_of("ann", "changes"))
        assert waited_for(lambda: changes == [channel])  # it is subscribed
        store.games.commit(commit(1))
        store.games.commit(commit(3, 2))
        store.games.commit(commit(2, 1, game="ann"))
        store.games.commit(commit(1, game="bob"))
        assert waited_for(lambda: len(changes) == 3)
        assert changes == [channel] * 3
    finally:
        subscriber.stop()


# The store under the service.


@pytest.mark.parametrize(
    ("status", "seconds"),
    [("lobby", 7 * DAY_S), ("playing", 30 * DAY_S), ("finished", 30 * DAY_S), ("aborted", DAY_S)],
)
def test_game_ttl_depends_on_its_status(any_redis, status, seconds):
    service = Service(any_redis)
    bots = {0: "random", 1: "random"} if status == "finished" else None
    game = service.create_game(2, bots=bots, start=status != "lobby")
    if status == "aborted":
        game.abort()
    assert game.view()["status"] == status
    for key in (key_of(game.id, "game"), key_of(game.id, "log")):
        assert seconds - 60 < any_redis.ttl(key) - EXPIRY_S <= seconds


def test_expired_game_is_gone_and_not_listed(any_redis):
    service = Service(any_redis)
    game, later = service.create_game(start=False), service.create_game()
    assert len(service.get("/v1/games")["games"]) == 2
    for key in (key_of(game.id, "game"), key_of(game.id, "log")):
        any_redis.pexpireat(key, 1)
    assert problem_code(game.call("GET")) == "game_not_found"
    assert [listed["id"] for listed in service.get("/v1/games")["games"]] == [later.id]
    rebuild_all(service)
    assert RedisStore(any_redis).index.newest("lobby", None, 9) == []
