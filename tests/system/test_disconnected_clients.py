"""Clients that disconnect during a request, with or without a reset, do not affect others."""

import socket
import struct
import threading
import time

import pytest

from tests.support.launcher import launching
from tests.support.waiting import waited_for
from tests.system.hosts import printed_by
from tests.system.raw import connect, get, metric_value, post, send_and_read

CREATE = b"POST /v1/games HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    with launching(tmp_path_factory.mktemp("gone")) as start:
        yield start(SKYE_REDIS_URL="memory://")


def reset(connection):
    """End a connection by a reset."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GET /v1/ti",
        b"GET /v1/tiles HTTP/1.1\r\nHo",
        CREATE + b"Content-Length: 10\r\n\r\n{",
        CREATE + b"Transfer-Encoding: chunked\r\n\r\n5\r\n{",
        get("/v1/tiles"),
        get("/openapi.json") * 50,
        b"hello\r\n\r\n",
    ],
)
def test_reset_by_a_client_is_not_logged_as_an_error(served, sent):
    for pause in (0, 0.01):
        with connect(served.url) as connection:
            connection.sendall(sent)
            time.sleep(pause)
            reset(connection)
    with connect(served.url) as another:
        assert send_and_read(another, get("/v1/tiles/L01"))[0] == 200
    assert '"level"' not in served.printed


def test_stream_of_a_disconnected_client_ends_at_the_next_event(served):
    created = served.call("POST", "/v1/games", {})
    path = f"/v1/games/{created['game']['id']}"
    for leave, names in ((reset, ("Ann", "Bob")), (socket.socket.close, ("Cid", "Dan"))):
        with connect(served.url) as follower:
            follower.sendall(get(f"{path}/events/stream"))
            assert follower.recv(12) == b"HTTP/1.1 200"
            assert metric_value(served.url, "open_streams") == 1
            leave(follower)
        for name in names:
            served.call("POST", f"{path}/players", {"name": name})
            time.sleep(0.05)  # the first write is what finds out
        assert waited_for(lambda: metric_value(served.url, "open_streams") == 0)
    assert '"level"' not in served.printed


def test_half_open_connection_is_closed(tmp_path):
    assert printed_by("tests.system.half_open_client", tmp_path) == "0\n"


# A worker that is busy.


def answered_during_a_game_of_bots(served):
    """Let five bots play a game; return how many requests were answered meanwhile."""
    bots = {"players": [{"bot": "greedy"}] * 5, "auto_start": True}
    answers, meanwhile = [], 0
    playing = threading.Thread(target=lambda: answers.append(served.call("POST", "/v1/games", bots)))
    with connect(served.url) as connection:
        playing.start()
        while playing.is_alive():
            assert send_and_read(connection, get("/healthz"))[0] == 200
            meanwhile += 1
    playing.join()
    assert answers[0]["game"]["status"] == "finished"
    return meanwhile


def test_game_of_bots_yields_to_other_requests(served):
    # On a busy machine it may be this process that has few turns: so up to ten games are watched.
    assert any(answered_during_a_game_of_bots(served) >= 6 for _ in range(10))


def test_creation_of_a_bots_game_without_its_client_is_cancelled(served):
    refused = 'errors_total{code="bad_request"}'
    before = metric_value(served.url, refused)

    def is_cancelled():
        return metric_value(served.url, refused) > before

    for number in range(10):  # on a busy machine a game can be over before this process disconnects
        name = f"Nobody waits {number}"
        game = {"name": name, "auto_start": True, "players": [{"bot": "greedy"}] * 5}
        with connect(served.url) as connection:
            connection.sendall(post("/v1/games", game))
        assert waited_for(lambda name=name: is_cancelled() or name in finished(served))
        if is_cancelled():
            break
    assert is_cancelled()
    assert name not in finished(served)


def finished(served):
    """Return the list of finished games, as text."""
    return served.read("/v1/games?status=finished&limit=100").decode()
