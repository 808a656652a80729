"""Listening to one server: one that says nothing any more, or is replaced, is left."""

import threading
from contextlib import contextmanager

import pytest
import redis

from service.storage.pubsub import subscribe


class Ear:
    """A server that is listened to; it says what it is told to, and None where it says nothing in time."""

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


def test_games_are_told_as_they_change():
    listening = subscribe(Servers(Ear(change("ann"), change("bob"))), threading.Event())
    assert [next(listening) for _ in range(3)] == [None, "ann", "bob"]


def test_a_server_that_is_silent_must_show_that_it_is_there():
    ear = Ear(None, {"type": "pong"}, None, {"type": "pong"}, change("ann"))
    listening = subscribe(Servers(ear), threading.Event())
    assert [next(listening), next(listening)] == [None, "ann"]
    assert ear.pings == 2


def test_a_server_that_does_not_show_it_is_given_up():
    listening = subscribe(Servers(Ear(None, {"type": "pong"}, None, None)), threading.Event())
    assert next(listening) is None
    with pytest.raises(redis.TimeoutError):
        next(listening)


def test_a_server_that_is_replaced_is_left():
    one, other = Ear(None), Ear()
    listening = subscribe(Servers(one, other), threading.Event())
    assert list(listening) == [None]
    assert one.pings == 0


def test_nobody_listens_once_told_to_stop():
    stopped = threading.Event()
    listening = subscribe(Servers(Ear(*[change("ann")] * 9)), stopped)
    next(listening)
    stopped.set()
    assert list(listening) == []
