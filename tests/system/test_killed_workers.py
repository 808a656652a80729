"""A worker that is killed during requests: another replaces it, and no request takes effect twice."""

import contextlib
import time

import pytest

from tests.support.launcher import launching
from tests.support.sizes import sized
from tests.support.waiting import waited_for
from tests.system.processes import kill_worker
from tests.system.raw import connect, get, metric_value, post, read_response, send_and_read
from tests.system.wire import anonymous_key

HELD = sized(100, 500)
"""Connections that a worker holds when it is killed, every tenth of them a stream."""

KILLS = sized(3, 20)

pytestmark = pytest.mark.usefixtures("redis_program")


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    with launching(tmp_path_factory.mktemp("killed")) as start:
        yield start(SKYE_DISPATCHERS="1")  # which lists the games whose creator was killed before it did so


def creation(name):
    """Return a request for a game of this name, with a key of the same name."""
    return post("/v1/games", {"name": name}, f"Idempotency-Key: {anonymous_key(name)}")


def named(served, name):
    """Return the ids of all games of a name."""
    return [game["id"] for game in served.call("GET", "/v1/games?limit=100")["games"] if game["name"] == name]


def test_retry_after_a_killed_worker_is_applied_once(served):
    for number in range(KILLS):
        name = f"killed-{number}"
        with connect(served.url) as broken:
            broken.sendall(creation(name))
            time.sleep(0.002 * number)  # from before it has received the request to after its response
            kill_worker(served)
            with contextlib.suppress(OSError):
                broken.recv(1)
        with connect(served.url) as again:
            status, created = send_and_read(again, creation(name))
            assert status == 201
            assert send_and_read(again, creation(name))[1] == created
        assert waited_for(lambda: metric_value(served.url, 'due_entries{kind="relay"}') == 0)
        assert named(served, name) == [created["game"]["id"]]


def test_hundreds_of_clients_of_a_killed_worker_can_reconnect(served):
    game = served.call("POST", "/v1/games", {})["game"]["id"]
    stream = get(f"/v1/games/{game}/events/stream")
    created = metric_value(served.url, 'games_total{event="created"}')
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
            assert metric_value(served.url, "open_streams") == HELD // 10
            kill_worker(served)
            for connection in held:
                read_to_the_end(connection)
        assert metric_value(served.url, "open_streams") == 0
        assert metric_value(served.url, 'games_total{event="created"}') == created


def read_to_the_end(connection):
    """Read the rest of a connection, which must end within its timeout."""
    with contextlib.suppress(ConnectionResetError):
        while connection.recv(65536):
            pass
