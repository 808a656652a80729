"""Clients that send or read slowly, or not at all: timeouts apply, and others do not wait."""

import contextlib
import re
import select
import socket
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.support.launcher import call, launching
from tests.support.threads import running
from tests.support.waiting import MAX_WAIT_S, waited_for
from tests.system.raw import connect, get, is_closed, metric_value, read_response, send_and_read

ENOUGH_S = 1
"""How long clients may take here."""

POST = "POST {} HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\n"
CREATE = POST.format("/v1/games").encode()


@pytest.fixture(scope="module")
def impatient(tmp_path_factory):
    """A launcher with one worker of 40 connections and short timeouts."""
    with launching(tmp_path_factory.mktemp("impatient")) as start:
        settings = {"SKYE_CLIENT_TIMEOUT_S": str(ENOUGH_S), "SKYE_LOG_LEVEL": "info"}
        yield start(GUNICORN_CMD_ARGS="--worker-connections 40 --keep-alive 600", **settings)


@contextlib.contextmanager
def dripping(connection, data):
    """Send some data again and again, ten times a second, until the other side has had enough."""
    stopped = threading.Event()

    def drip():
        with contextlib.suppress(OSError):
            while not stopped.wait(0.1):
                connection.sendall(data)

    with running(drip):
        try:
            yield
        finally:
            stopped.set()


# Sending.

BEGUN = {
    "half a request line": b"GET /v1/ti",
    "a request line": b"GET /v1/tiles HTTP/1.1\r\n",
    "half of the headers": b"GET /v1/tiles HTTP/1.1\r\nHost: here\r\nAcc",
    "no body": CREATE + b"Content-Length: 10\r\n\r\n",
    "half a body": CREATE + b"Content-Length: 10\r\n\r\n{",
    "no chunk": CREATE + b"Transfer-Encoding: chunked\r\n\r\n",
    "half a chunk": CREATE + b"Transfer-Encoding: chunked\r\n\r\na\r\n{",
    "no last chunk": CREATE + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n",
    "no end of the last chunk": CREATE + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nA: b",
}


def test_incomplete_request_is_answered_with_request_timeout(impatient):
    with contextlib.ExitStack() as opened:
        silent = {}
        for what, sent in BEGUN.items():
            silent[what] = opened.enter_context(connect(impatient.url))
            silent[what].sendall(sent)
        for what, connection in silent.items():
            status, headers, problem = read_response(connection)
            assert (status, problem["code"]) == (408, "request_timeout"), what
            assert (headers["Content-Type"], headers["Connection"]) == ("application/problem+json", "close")
            assert is_closed(connection), what


ENDLESS = [
    (b"GET /", b"a"),
    (b"GET / HTTP/1.1\r\n", b"A: b\r\n"),
    (CREATE + b"Content-Length: 1000\r\n\r\n", b" "),
    (CREATE + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
]


def are_answered_408(launched):
    """Send requests without an end; return whether this client was quick enough to read the responses."""
    with contextlib.ExitStack() as opened, contextlib.suppress(ConnectionResetError):
        connections = []
        for begun, more in ENDLESS:
            connections.append(opened.enter_context(connect(launched.url)))
            connections[-1].sendall(begun)
            opened.enter_context(dripping(connections[-1], more))
        for connection in connections:
            status, _, problem = read_response(connection)
            assert (status, problem["code"]) == (408, "request_timeout")
        return True
    return False


def test_client_that_sends_slowly_is_answered_408(impatient):
    assert any(are_answered_408(impatient) for _ in range(ATTEMPTS))


def test_body_to_an_unknown_path_is_not_waited_for_long(impatient):
    sent = POST.format("/v1/no").encode() + b"Content-Length: 9\r\n\r\n{"
    with connect(impatient.url) as connection:
        status, problem = send_and_read(connection, sent)
        assert (status, problem["code"]) == (404, "not_found")
        assert is_closed(connection)


def test_connection_without_a_request_is_closed_without_a_response(impatient):
    with connect(impatient.url) as connection:
        assert is_closed(connection)


def test_connection_may_be_idle_for_longer_between_requests(impatient):
    with connect(impatient.url) as connection:
        assert send_and_read(connection, get("/v1/tiles/L01"))[0] == 200
        time.sleep(1.5 * ENOUGH_S)
        assert send_and_read(connection, get("/v1/tiles/L01"))[0] == 200
        connection.sendall(b"GET")
        assert read_response(connection)[0] == 408


def test_client_that_waits_in_a_long_poll_is_not_disconnected(impatient):
    game = impatient.call("POST", "/v1/games", {})["game"]["id"]
    path = f"/v1/games/{game}/events?after=1&wait_ms={1500 * ENOUGH_S}"
    with connect(impatient.url) as connection:
        assert send_and_read(connection, get(path))[0] == 200


# Taking.


def slow(launched, sent):
    """Open a connection that takes little, and send requests on it."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.settimeout(MAX_WAIT_S)
    where = urlsplit(launched.url)
    connection.connect((where.hostname, where.port))
    connection.sendall(sent)
    return connection


def is_held(connection):
    """Return whether the server still has its end of a connection, by the list of the kernel."""
    ports = connection.getpeername()[1], connection.getsockname()[1]
    ends = " 0100007F:{:04X} 0100007F:{:04X} 01 ".format(*ports)
    return ends in Path("/proc/net/tcp").read_text()


STEADILY_S = 0.02 / 4096
"""How long a slow client takes for each byte; a third of the time that it has for 64 KiB."""

LARGE = get("/openapi.json")
"""A request with a response of 300 kB."""


ATTEMPTS = 10
"""So often a client tries to be quick enough: a busy machine may make any one of them too slow."""


def was_held(launched):
    """Take no response until the connection is closed, as it must be; return whether it was open at first."""
    with slow(launched, LARGE * 100) as connection:
        held = is_held(connection)
        assert waited_for(lambda: not is_held(connection))
    return held


def test_client_that_does_not_read_responses_is_disconnected(impatient):
    assert any(was_held(impatient) for _ in range(ATTEMPTS))


def is_taken_steadily(launched):
    """Read a large response slowly; return whether the server sent all of it."""
    with slow(launched, get("/openapi.json", "Connection: close")) as connection:
        size, begun = 0, time.monotonic()
        with contextlib.suppress(ConnectionResetError):
            while data := connection.recv(4096):
                size += len(data)
                time.sleep(max(0, begun + size * STEADILY_S - time.monotonic()))
    return size > 200_000 and time.monotonic() - begun > ENOUGH_S


def test_client_that_reads_slowly_but_steadily_gets_all(impatient):
    assert any(is_taken_steadily(impatient) for _ in range(ATTEMPTS))


class LobbyWithEvents:
    """A game in its lobby, in which a bot joins and leaves to create events."""

    def __init__(self, launched):
        created = launched.call("POST", "/v1/games", {})
        self._launched = launched
        self._path = f"/v1/games/{created['game']['id']}"
        self._host = created["host_token"]
        self.stream = get(f"{self._path}/events/stream")

    def last_event(self):
        """Return the number of the last event."""
        return self._launched.call("GET", self._path)["last_event"]

    def change(self):
        """Let a bot join and leave."""
        url, players = self._launched.url, f"{self._path}/players"
        call(url, "POST", players, {"bot": "greedy"}, self._host)
        call(url, "DELETE", f"{players}/0", token=self._host)


def test_stream_that_is_not_read_ends_when_its_buffer_is_full(impatient):
    lobby = LobbyWithEvents(impatient)
    with slow(impatient, lobby.stream) as connection:
        assert waited_for(lambda: metric_value(impatient.url, "open_streams") == 1)

        def is_ended():
            lobby.change()
            return not is_held(connection) and metric_value(impatient.url, "open_streams") == 0

        assert waited_for(is_ended)


def test_stream_beside_one_that_is_cut_off_gets_every_event(impatient):
    lobby = LobbyWithEvents(impatient)
    with slow(impatient, lobby.stream) as stuck, connect(impatient.url) as prompt:
        prompt.sendall(lobby.stream)
        received = []
        reader = threading.Thread(target=lambda: received.extend(iter(lambda: prompt.recv(65536), b"")))
        reader.start()

        def is_cut_off():
            lobby.change()
            return not is_held(stuck) and metric_value(impatient.url, "open_streams") == 1

        assert waited_for(is_cut_off)
        last = lobby.last_event()

        def ids():
            return [int(number) for number in re.findall(rb"^id: (\d+)$", b"".join(received), re.MULTILINE)]

        assert waited_for(lambda: last in ids())
        assert ids() == list(range(1, last + 1))
        prompt.shutdown(socket.SHUT_RDWR)
        reader.join()


# Many.


def test_idle_connections_are_closed_to_make_room_for_requests(impatient):
    with contextlib.ExitStack() as opened:
        idle = [opened.enter_context(connect(impatient.url)) for _ in range(60)]
        for connection in idle[:10]:
            connection.sendall(b"GET /")
        with connect(impatient.url) as connection:
            assert send_and_read(connection, get("/v1/tiles/L01"))[0] == 200
            assert send_and_read(connection, get("/v1/tiles/L01"))[0] == 200
        assert is_closed(idle[0])


def test_oldest_body_times_out_when_all_bodies_are_too_large(launch):
    launched = launch(SKYE_REDIS_URL="memory://", SKYE_CLIENT_TIMEOUT_S="600")
    body = b" " * 250_000
    with contextlib.ExitStack() as opened:
        silent = [opened.enter_context(connect(launched.url)) for _ in range(300)]
        for connection in silent:
            connection.sendall(CREATE + b"Content-Length: 250001\r\n\r\n" + body)
        early, _, _ = select.select(silent, [], [], MAX_WAIT_S)
        assert early
        reported = b""
        with contextlib.suppress(ConnectionResetError):  # for one that was still sending
            reported = early[0].recv(65536)
        assert reported[:12] in (b"HTTP/1.1 408", b"")
        whole = connect(launched.url)
        opened.enter_context(whole)
        assert send_and_read(whole, CREATE + b"Content-Length: 250002\r\n\r\n" + body + b"{}")[0] == 201
