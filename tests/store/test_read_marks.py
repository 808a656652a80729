"""Reads and writes of the store: no command that writes is marked, batched or guarded as a read.

The calls that are marked as reads run here as a user of Redis that may neither write nor run scripts.
"""

import inspect

import pytest
import redis

from skye import BASE
from skye_server.games.due import Due
from skye_server.games.game import Game as StoredGame
from skye_server.games.game import GameOptions
from skye_server.outgoing.receiver_store import Progress, ReceiverRef, ReceiverStore, Recorded
from skye_server.store.codec import encode_game
from skye_server.store.commit import Commit, LogEntry, StoredRecord
from skye_server.store.connection import batching
from skye_server.store.connection.batching import BatchingRedis
from skye_server.store.connection.calls import RedisCalls, RetryPolicy
from skye_server.store.connection.topology import SingleServer
from skye_server.store.due_queue import Claim, DueQueue
from skye_server.store.game_index import GameIndex, Listed
from skye_server.store.history_store import HistoryStore, HistoryUpdate
from skye_server.store.lua_scripts import MinReplicas
from skye_server.store.redis_games import RedisGames
from skye_server.store.redis_players import GameUpdate, RedisPlayers, Reservation
from skye_server.store.redis_store import RedisStore
from skye_server.store.ruleset_store import RulesetStore
from tests.support.features import modules_of_features
from tests.support.playing import Service, dice

ANSWER = StoredRecord("key", b"answer", 60)
GAME = StoredGame("ann", "Ann", "", GameOptions("seed"), 0, ruleset_hash=BASE.data.hash)
COMMIT = Commit("ann", None, b"1:1:table", [LogEntry(1, b"change")], 1000, ANSWER)
RECEIVER = ReceiverRef("ann", "receiver")
OF_FEATURES = modules_of_features("stored")


class Reader(BatchingRedis):
    """A client that keeps the names of the commands which it batches."""

    def __init__(self, **options):
        super().__init__(**options)
        self.batched = set()

    def execute_command(self, *args, **options):
        self.batched.add(args[0])
        return super().execute_command(*args, **options)

    def read_together(self, commands):
        self.batched |= {command[0] for command in commands}
        return super().read_together(commands)


@pytest.fixture
def reader(redis_server, redis_client):
    """A client that may neither write nor run scripts."""
    rights = ["+@all", "-@write", "-@scripting"]
    redis_client.execute_command("ACL", "SETUSER", "reader", "on", ">x", "~*", "&*", *rights)
    pool = redis.ConnectionPool.from_url(redis_server.url, username="reader", password="x")
    with pool, Reader(connection_pool=pool) as reader:
        yield reader
    redis_client.acl_deluser("reader")


@pytest.fixture
def store(reader, redis_client, monkeypatch):
    """A store whose calls reach the reader, except those that are marked as writes."""
    call = RedisCalls.call

    def divided(self, key, command, *, writes=False, **options):
        def run(server):
            return command(redis_client if writes else server)

        return call(self, key, run, writes=writes, **options)

    def write_at_servers(_self, *arguments):
        return write(RedisCalls(SingleServer(redis_client), RetryPolicy(0)), *arguments)

    write = RedisCalls.write_at_servers
    monkeypatch.setattr(RedisCalls, "call", divided)
    monkeypatch.setattr(RedisCalls, "write_at_servers", write_at_servers)
    return RedisStore(reader, min_replicas=MinReplicas(0, 10))


CALLS = {
    RulesetStore: {
        "add": lambda rulesets: rulesets.add(BASE),
        "find": lambda rulesets: rulesets.find("base", 8 * "0"),
        "decoded": lambda rulesets: rulesets.decoded(encode_game(GAME)),
    },
    RedisGames: {
        "commit": lambda games: games.commit(COMMIT),
        "load": lambda games: (games.load("ann"), games.load("ann", "key")),
        "load_to_attend": lambda games: games.load_to_attend("ann"),
        "load_with_log": lambda games: games.load_with_log("ann"),
        "load_many": lambda games: games.load_many(["ann", "bob"]),
        "delete": lambda games: games.delete("ann", b"1:1:", ANSWER, [Due("relay", "ann", 1)]),
        "settle": lambda games: games.settle("ann", None, ["ann/bob"], None),
        "forget_unrelayed": lambda games: games.forget_unrelayed("ann"),
    },
    RedisStore: {
        "fill_bucket": lambda store: store.fill_bucket("x", 1, 2),
        "ping": lambda store: store.ping(),
        "time": lambda store: store.time(),
        "warnings": lambda store: store.warnings(),
        "largest_kinds": lambda store: store.largest_kinds(1),
        "too_old": lambda store: store.too_old(),
        "change_subscriber": lambda store: store.change_subscriber(print),
        "note_proxy": lambda store: store.note_proxy(),
        "has_noted_proxy": lambda store: store.has_noted_proxy(),
        "claim_layout": lambda store: store.claim_layout(),
        "layout_refusal": lambda store: store.layout_refusal(),
        "unfinished_restore": lambda store: store.unfinished_restore(),
        "finish_restore": lambda store: store.finish_restore(),
        "delete_all": lambda store: store.delete_all(),
    },
    GameIndex: {
        "put": lambda index: index.put(Listed("ann", 1, "lobby", 1.0), ["playing"], forced=False),
        "newest": lambda index: index.newest("lobby", None, 9),
        "members": lambda index: list(index.members("lobby")),
        "sizes": lambda index: index.sizes(["lobby"]),
        "remove": lambda index: index.remove("ann", ["lobby"]),
    },
    RedisPlayers: {
        "add_key": lambda players: players.add_key("ann", b"record"),
        "replace_key": lambda players: players.replace_key("ann", b"record", b"new"),
        "key_record": lambda players: players.key_record("ann"),
        "update_game": lambda players: players.update_game(
            GameUpdate("ann", "game", None, b"record", 2e13, 60, [b"event"])
        ),
        "game": lambda players: players.game("ann", "game"),
        "games_of": lambda players: players.games_of("ann"),
        "reserve": lambda players: players.reserve(Reservation("ann", "game", 1, 2), 0, 60),
        "withdraw": lambda players: players.withdraw("ann", "game"),
        "count_held": lambda players: players.count_held("ann", 1),
        "expire_ticket": lambda players: players.expire_ticket("ann", "pool1111", b"event", 60),
        "append_event": lambda players: players.append_event("ann", b"event", 60),
        "active_games": lambda players: players.active_games("ann"),
        "count_games": lambda players: players.count_games("ann", active=True),
        "list_games": lambda players: players.list_games("ann", None, 9),
        "events": lambda players: players.events("ann", "0", 9),
        "delete": lambda players: players.delete("ann"),
    },
    HistoryStore: {
        "put": lambda history: history.put(
            HistoryUpdate("ann", "game", None, b"record", 9, 1, 60, {"games": 1})
        ),
        "newest": lambda history: history.newest("ann", None, 9),
        "record": lambda history: history.record("ann", "game"),
        "records": lambda history: history.records("ann", ["game"]),
        "count": lambda history: history.count("ann"),
        "statistics": lambda history: history.statistics("ann"),
    },
    DueQueue: {
        "add": lambda due: due.add(Due("game", "ann", 1)),
        "claim": lambda due: due.claim(2, {"game": 1}),
        "renew": lambda due: due.renew([Claim("game", "ann", b"1")]),
        "finish": lambda due: due.finish(Claim("game", "ann", b"1"), None),
        "beat": lambda due: due.beat("one", 1),
        "dispatchers": lambda due: due.dispatchers(1),
        "backlog": lambda due: due.backlog(1),
        "claimed": lambda due: due.claimed(),
        "leave": lambda due: due.leave("one"),
    },
    ReceiverStore: {
        "put": lambda receivers: receivers.put(RECEIVER, None, b"receiver", 1, 60),
        "has_any": lambda receivers: receivers.has_any("ann"),
        "with_any": lambda receivers: receivers.with_any(["ann"]),
        "all": lambda receivers: receivers.all("ann"),
        "get": lambda receivers: receivers.get(RECEIVER),
        "queue": lambda receivers: receivers.queue(
            RECEIVER, Progress(), "1-1", [("game", "msg", b"message")], 60
        ),
        "progress": lambda receivers: receivers.progress(RECEIVER),
        "next": lambda receivers: receivers.next(RECEIVER, "game", 1),
        "queued_games": lambda receivers: receivers.queued_games(RECEIVER),
        "record": lambda receivers: receivers.record(
            RECEIVER, "game", "msg", Recorded(b"message", b"sent", over=True, failed=False, now_ms=1)
        ),
        "message": lambda receivers: receivers.message(RECEIVER, "msg"),
        "messages": lambda receivers: receivers.messages(RECEIVER),
        "requeue": lambda receivers: receivers.requeue(RECEIVER, "game", "msg", b"again", 60),
        "close_circuit": lambda receivers: receivers.close_circuit(RECEIVER),
        "delete_all": lambda receivers: receivers.delete_all("ann"),
    },
}
for feature in OF_FEATURES:
    CALLS |= feature.CALLS
"""A call of every method of the store, in an order in which each finds what it looks for."""


ELSEWHERE = {"backup", "restore", "stored", "within"}
"""Methods that `tests/deploy/test_backup.py` and the tests of features call on servers of their own."""


def methods(kind):
    public = {name for name, value in vars(kind).items() if inspect.isfunction(value) and name[0] != "_"}
    return public - ELSEWHERE


@pytest.mark.parametrize("kind", CALLS)
def test_list_of_calls_has_every_method_of_the_store(kind):
    assert methods(kind) == CALLS[kind].keys()


def parts(store):
    return {
        RulesetStore: store.rulesets,
        RedisStore: store,
        RedisGames: store.games,
        GameIndex: store.index,
        DueQueue: store.due,
        RedisPlayers: store.players,
        HistoryStore: store.history,
        ReceiverStore: ReceiverStore(store.calls),
    } | {kind: _store_of(kind, feature, store.calls) for feature in OF_FEATURES for kind in feature.CALLS}


def _store_of(kind, feature, calls):
    """Return the store of a feature, which the feature makes if it needs more than the calls."""
    return getattr(feature, "MAKE", {}).get(kind, kind)(calls)


def test_no_method_of_the_store_writes_in_a_call_marked_as_read(store):
    for kind, part in parts(store).items():
        for call in CALLS[kind].values():
            call(part)  # a forgotten `writes=True` is refused by Redis, and raises store_unavailable


def test_no_request_writes_in_a_call_marked_as_read(store, redis_client):
    with Service(redis_client, store) as service:
        game = service.create_game(3, bots={2: "greedy"})
        game.play_out(dice(1))
        assert [listed["id"] for listed in service.get("/v1/games")["games"]] == [game.id]
        for feature in OF_FEATURES:
            feature.use(service)
        path = game.path()
        assert service.call("DELETE", path, token=game.host).status_code == 204


def test_commands_of_calls_marked_as_reads_are_batched_as_reads(store, reader):
    for kind, part in parts(store).items():
        for call in CALLS[kind].values():
            call(part)
    assert reader.batched <= batching.READS


def test_commands_that_are_batched_as_reads_write_nothing(redis_client):
    known = redis_client.execute_command("COMMAND", "INFO", *sorted(batching.READS))
    assert {name.lower() for name in batching.READS} == known.keys()
    assert not [name for name, command in known.items() if "write" in command["flags"]]
