"""The pub/sub subscriber: only watched names, and every interruption is reported as a change."""

import threading

import pytest
import redis
from redis.exceptions import MovedError

from skye_server.store.connection import pubsub
from skye_server.store.connection.pubsub import ChangeSubscriber
from skye_server.store.connection.topology import SingleServer
from skye_server.store.redis_store import RedisStore
from skye_server.store.shards import key_of, player_key
from tests.store.test_redis_store import commit
from tests.support.waiting import MAX_WAIT_S, waited_for

ANN, BOB, EVE = (key_of(game, "changes") for game in ("ann", "bob", "eve"))
KEY, OF_PLAYER = (player_key(player, "changes") for player in ("key", "ann"))


class Servers:
    """A topology whose server a test replaces."""

    def __init__(self, server):
        self.server = server
        self.invalidations = 0

    def connection_for(self, _key):
        if self.server is None:
            raise redis.ConnectionError
        return self.server

    def invalidate(self):
        self.invalidations += 1


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch):
    for name in ("_POLL_S", "_OUTAGE_S", "_LINGER_S"):
        monkeypatch.setattr(pubsub, name, 0.02)


@pytest.fixture
def watch():
    """A function that subscribes at a topology; it returns the list of reported names, and the subscriber."""
    subscribers, others = [], threading.enumerate()

    def start(topology, *names):
        changes = []
        subscriber = ChangeSubscriber(topology, changes.append)
        subscribers.append(subscriber)
        for name in names:
            subscriber.watch(name)
        return changes, subscriber

    yield start
    for subscriber in subscribers:
        subscriber.stop()
    assert waited_for(lambda: set(threading.enumerate()) <= set(others))


def channels(client):
    """Return the channels that have subscribers at a server."""
    return {
        name.decode()
        for kind in ("CHANNELS", "SHARDCHANNELS")
        for name in client.execute_command("PUBSUB", kind)
    }


def test_only_watched_games_and_players_are_reported(any_redis, watch):
    changes, _ = watch(SingleServer(any_redis), ANN, KEY)
    assert waited_for(lambda: set(changes) == {KEY, ANN})  # both are subscribed
    store = RedisStore(any_redis)
    store.games.commit(commit(1, game="bob"))
    store.games.commit(commit(1, game="ann"))
    assert waited_for(lambda: len(changes) == 3)
    assert changes[2] == ANN


def test_event_of_a_player_without_a_game_is_reported(any_redis, watch):
    changes, _ = watch(SingleServer(any_redis), OF_PLAYER)
    assert waited_for(lambda: changes == [OF_PLAYER])
    RedisStore(any_redis).players.append_event("ann", b"event", 60)
    assert waited_for(lambda: changes == [OF_PLAYER, OF_PLAYER])


def test_user_without_sharded_channels_gets_plain_ones(redis_server, redis_client, watch):
    """As on Redis 6.2, which knows neither command."""
    rights = ["+@all", "-ssubscribe", "-spublish"]
    redis_client.execute_command("ACL", "SETUSER", "older", "on", ">x", "~*", "&*", *rights)
    with redis.Redis.from_url(redis_server.url, username="older", password="x") as older:
        changes, _ = watch(SingleServer(older), ANN)
        assert waited_for(lambda: changes == [ANN])
        assert redis_client.pubsub_channels() == [ANN.encode()]
        RedisStore(older).games.commit(commit(1))
        assert waited_for(lambda: changes == [ANN, ANN])
    redis_client.acl_deluser("older")


def test_upgraded_server_gets_sharded_subscriptions(redis_server, redis_client, watch):
    rights = "on", ">x", "~*", "&*", "+@all"
    redis_client.execute_command("ACL", "SETUSER", "older", *rights, "-ssubscribe")
    with redis.Redis.from_url(redis_server.url, username="older", password="x") as older:
        changes, _ = watch(SingleServer(older), ANN)
        assert waited_for(lambda: changes == [ANN])
        redis_client.execute_command("ACL", "SETUSER", "older", *rights)
        redis_client.client_kill_filter(_type="pubsub")
        assert waited_for(lambda: redis_client.pubsub_shardchannels() == [ANN.encode()])
    redis_client.acl_deluser("older")


def test_name_that_nobody_watches_is_unsubscribed_after_a_while(redis_client, watch):
    changes, subscriber = watch(SingleServer(redis_client), ANN, BOB)
    assert waited_for(lambda: len(changes) == 2)
    subscriber.unwatch(ANN)
    subscriber.watch(EVE)  # wakes it
    assert waited_for(lambda: channels(redis_client) == {BOB, EVE})
    subscriber.watch(ANN)
    assert waited_for(lambda: changes.count(ANN) > 1)


def test_name_that_is_watched_again_stays_subscribed(redis_client, watch, monkeypatch):
    monkeypatch.setattr(pubsub, "_LINGER_S", 600)
    changes, subscriber = watch(SingleServer(redis_client), ANN)
    assert waited_for(lambda: changes == [ANN])
    for _ in range(3):
        subscriber.unwatch(ANN)
        subscriber.watch(ANN)
    RedisStore(redis_client).games.commit(commit(1))
    assert waited_for(lambda: changes == [ANN, ANN])


def test_lost_connection_reports_every_name(redis_client, watch):
    changes, _ = watch(SingleServer(redis_client), ANN, BOB)
    assert waited_for(lambda: len(changes) == 2)
    redis_client.client_kill_filter(_type="pubsub")
    assert waited_for(lambda: sorted(changes) == sorted(2 * [ANN, BOB]))
    RedisStore(redis_client).games.commit(commit(1))
    assert waited_for(lambda: len(changes) == 5)


def test_server_that_is_away_is_tried_until_it_is_back(redis_client, watch):
    servers = Servers(None)
    changes, _ = watch(servers, ANN)
    assert waited_for(lambda: servers.invalidations > 2)
    servers.server = redis_client
    assert waited_for(lambda: changes == [ANN])


def test_replaced_server_is_left(redis_client, watch):
    with redis.Redis(connection_pool=redis_client.connection_pool) as other:
        servers = Servers(redis_client)
        changes, _ = watch(servers, ANN)
        assert waited_for(lambda: changes == [ANN])
        servers.server = other
        assert waited_for(lambda: changes == [ANN, ANN])


class Silent:
    """A server that confirms no subscription and replies to no ping."""

    def __init__(self):
        self.pings = 0

    def pubsub(self):
        return self

    def ssubscribe(self, _channel): ...

    def ping(self):
        self.pings += 1

    def get_message(self, **_options):
        return None

    def close(self): ...


def test_server_that_does_not_reply_to_the_ping_is_left(redis_client, watch):
    silent = Silent()
    servers = Servers(silent)
    changes, _ = watch(servers, ANN)
    assert waited_for(lambda: silent.pings > 1)
    assert servers.invalidations > 0
    servers.server = redis_client
    assert waited_for(lambda: changes == [ANN])


class Moved(Silent):
    """A server that has given the slot away, which it reports at the subscription or later."""

    def __init__(self, *messages):
        super().__init__()
        self.messages = list(messages)

    def get_message(self, **_options):
        message = self.messages.pop(0) if self.messages else None
        if isinstance(message, Exception):
            raise message
        return message


@pytest.mark.parametrize(
    "message",
    [
        MovedError("42 127.0.0.1:1"),
        {"type": "sunsubscribe", "channel": ANN.encode(), "data": 0},
    ],
)
def test_slot_that_has_moved_is_subscribed_at_its_new_server(redis_client, watch, message):
    class Moving(Servers):
        def invalidate(self):
            self.server = redis_client

    changes, _ = watch(Moving(Moved(message)), ANN)
    assert waited_for(lambda: changes == [ANN])


class Failing(Silent):
    """A server that fails while the subscriber sends it a second subscription."""

    def __init__(self):
        super().__init__()
        self.sent, self.fails, self.closed = [], threading.Event(), threading.Event()

    def ssubscribe(self, channel):
        if self.sent:
            self.fails.set()
            assert not self.closed.wait(0.1)
        self.sent.append(channel)

    def get_message(self, **_options):
        self.fails.wait()
        raise redis.ConnectionError

    def close(self):
        self.closed.set()


def test_connection_is_not_returned_to_the_pool_while_a_thread_sends_on_it(redis_client, watch):
    class Failover(Servers):
        def invalidate(self):
            self.server = redis_client

    failing = Failing()
    changes, _ = watch(Failover(failing), ANN, BOB)
    assert waited_for(lambda: set(changes) == {ANN, BOB})
    assert failing.closed.wait(MAX_WAIT_S)
    assert len(failing.sent) == 2
