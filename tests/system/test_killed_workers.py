"""A worker that is killed during requests: another replaces it, and no request takes effect twice."""

import contextlib
import json
import os
import signal
import time

import pytest

from tests.support.launcher import children, launching
from tests.support.sizes import sized
from tests.support.waiting import waited_for
from tests.system.raw import connect, get, is_closed, metric_value, read_response, send_and_read
from tests.system.wire import anonymous_key

HELD = sized(100, 500)
"""Connections that a worker holds when it is killed, every tenth of them a stream."""

KILLS = sized(3, 20)

pytestmark = pytest.mark.usefixtures("redis_program")


class Served:
    """A launcher with one worker, which can be killed."""

    def __init__(self, launched):
        self.url = launched.url
        self.call = launched.call
        (self._master,) = (pid for pid in children(launched.process.pid) if children(pid))

    def kill_worker(self):
        assert waited_for(lambda: children(self._master))
        os.kill(children(self._master)[0], signal.SIGKILL)


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    with launching(tmp_path_factory.mktemp("killed")) as start:
        yield Served(start())


def creation(name):
    """Return a request for a game of this name, with a key of the same name."""
    body = json.dumps({"name": name}).encode()
    head = f"POST /v1/games HTTP/1.1\r\nHost: here\r\nIdempotency-Key: {anonymous_key(name)}\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def named(served, name):
    """Return the ids of all games of a name."""
    return [game["id"] for game in served.call("GET", "/v1/games?limit=100")["games"] if game["name"] == name]


def test_retry_after_a_killed_worker_is_applied_once(served):
    for number in range(KILLS):
        name = f"killed-{number}"
        with connect(served.url) as broken:
            broken.sendall(creation(name))
            time.sleep(0.002 * number)  # from before it has received the request to after its response
            served.kill_worker()
            with contextlib.suppress(OSError):
                broken.recv(1)
        with connect(served.url) as again:
            status, created = send_and_read(again, creation(name))
            assert status == 201
            assert send_and_read(again, creation(name))[1] == created
        assert named(served, name) == [created["game"]["id"]]


def test_partial_request_of_a_killed_worker_has_no_effect(served):
    sent = creation("half")
    with connect(served.url) as broken:
        broken.sendall(sent[:-3])
        served.call("GET", "/healthz")  # it has received the same
        served.kill_worker()
        assert is_closed(broken)
    assert named(served, "half") == []
    with connect(served.url) as whole:
        assert send_and_read(whole, sent)[0] == 201


def test_hundreds_of_clients_of_a_killed_worker_can_reconnect(served):
    game = served.call("POST", "/v1/games", {})["game"]["id"]
    stream = get(f"/v1/games/{game}/events/stream")
    created = metric_value(served, 'games_total{event="created"}')
    for _ in range(2):
        with contextlib.ExitStack() as opened:
            held = [opened.enter_context(connect(served.url)) for _ in range(HELD)]
            for connection in held[::10]:
                connection.sendall(stream)
            for connection in held[::10]:
                assert connection.recv(12) == b"HTTP/1.1 200"
            for connection in held[1::10]:
                connection.sendall(get("/v1/tiles/L01"))
                assert read_response(connection)[0] == 200
            assert metric_value(served, "open_streams") == HELD // 10
            served.kill_worker()
            for connection in held:
                read_to_the_end(connection)
        assert metric_value(served, "open_streams") == 0
        assert metric_value(served, 'games_total{event="created"}') == created


def read_to_the_end(connection):
    """Read the rest of a connection, which must end within its timeout."""
    with contextlib.suppress(ConnectionResetError):
        while connection.recv(65536):
            pass
