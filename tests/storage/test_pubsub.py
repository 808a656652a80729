"""The pub/sub subscriber: it disconnects from a server that is unresponsive or replaced."""

import threading
from contextlib import contextmanager

import pytest
import redis

from skye_server.storage.connection.pubsub import subscribe


class FakeServer:
    """A server that publishes the given messages; None stands for silence."""

    def __init__(self, *messages):
        self.messages = list(messages)
        self.pings = 0

    @contextmanager
    def pubsub(self, **_options):
        yield self

    def subscribe(self, channel):
        assert channel == "skye:changes"

    def ping(self):
        self.pings += 1

    def get_message(self, **_options):
        return self.messages.pop(0) if self.messages else None


class Servers:
    def __init__(self, *servers):
        self.servers = servers

    def connection_for(self, _key):
        first, *self.servers = [*self.servers, self.servers[-1]]
        return first


def change(game):
    return {"type": "message", "data": f"{game}:7".encode()}


def test_subscriber_receives_the_ids_of_changed_games():
    messages = subscribe(Servers(FakeServer(change("ann"), change("bob"))), threading.Event())
    assert [next(messages) for _ in range(3)] == [None, "ann", "bob"]


def test_silent_server_is_pinged():
    server = FakeServer(None, {"type": "pong"}, None, {"type": "pong"}, change("ann"))
    messages = subscribe(Servers(server), threading.Event())
    assert [next(messages), next(messages)] == [None, "ann"]
    assert server.pings == 2


def test_server_that_does_not_reply_to_the_ping_is_disconnected():
    messages = subscribe(Servers(FakeServer(None, {"type": "pong"}, None, None)), threading.Event())
    assert next(messages) is None
    with pytest.raises(redis.TimeoutError):
        next(messages)


def test_replaced_server_is_disconnected():
    one, other = FakeServer(None), FakeServer()
    messages = subscribe(Servers(one, other), threading.Event())
    assert list(messages) == [None]
    assert one.pings == 0


def test_stopped_subscriber_closes_its_connection():
    stopped = threading.Event()
    messages = subscribe(Servers(FakeServer(*[change("ann")] * 9)), stopped)
    next(messages)
    stopped.set()
    assert list(messages) == []
