"""Clients that send or read slowly, or not at all, without a proxy: what they hold of a worker has a bound.

`tests/deploy/test_nginx_clients.py` has the same clients behind nginx.
"""

import contextlib
import re
import select
import socket
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.deploy.servers import SHORT_INTERVALS, Instance
from tests.support.launcher import call, launching
from tests.support.threads import running
from tests.support.waiting import MAX_WAIT_S, waited_for
from tests.system.raw import connect, get, is_closed, metric_value, read_response, send_and_read

SILENCE_S = 1
"""How long clients may be silent at `brief`."""

CONNECTIONS = 40
"""The connections of the worker of `small`."""

POST = "POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
CREATE = POST.format("/v1/games").encode()


@pytest.fixture(scope="module")
def brief(tmp_path_factory):
    """A launcher whose worker closes the connections of silent clients soon."""
    with launching(tmp_path_factory.mktemp("brief")) as start:
        yield start(GUNICORN_CMD_ARGS=f"--keep-alive {SILENCE_S}", SKYE_REDIS_URL="memory://")


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A launcher with one worker of few connections, which waits for silent clients longer than any test."""
    with launching(tmp_path_factory.mktemp("small")) as start:
        arguments = f"--worker-connections {CONNECTIONS} --keep-alive 600"
        yield start(GUNICORN_CMD_ARGS=arguments, SKYE_REDIS_URL="memory://")


@pytest.fixture
def short(tmp_path):
    """An instance that gives up clients which acknowledge nothing soon."""
    instance = Instance(tmp_path / "api.sock", "memory://", SHORT_INTERVALS, SKYE_WORKERS="1")
    yield instance.start()
    instance.kill()


# Many.

LARGE = get("/openapi.json")
"""A request with a response of 300 kB."""

SLOW = {
    "no request": (b"", b""),
    "half a head": (b"GET / HTTP/1.1\r\n", b""),
    "a head without end": (b"GET / HTTP/1.1\r\n", b"A: b\r\n"),
    "half a body": (CREATE + b"Content-Length: 100000\r\n\r\n{", b""),
    "a body in single bytes": (CREATE + b"Content-Length: 100000\r\n\r\n", b" "),
    "chunks without end": (CREATE + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
    "more than a refused body": (POST.format("/v1/no").encode() + b"Content-Length: 9000000\r\n\r\n", b" "),
    "responses that it does not read": (LARGE * 100, b""),
}
"""What slow clients send at first, and then again and again."""


@contextlib.contextmanager
def dripping(connections, data):
    """Send some data, or nothing, on connections again and again, ten times a second."""
    stopped = threading.Event()

    def drip():
        while data and not stopped.wait(0.1):
            for connection in connections:
                with contextlib.suppress(OSError):  # closed, or not read by the other side
                    connection.send(data, socket.MSG_DONTWAIT)

    with running(drip):
        try:
            yield
        finally:
            stopped.set()


@pytest.mark.parametrize("what", SLOW)
def test_slow_clients_leave_room_for_the_requests_of_others(small, what):
    begun, more = SLOW[what]
    with contextlib.ExitStack() as opened:
        connections = [opened.enter_context(slow(small, begun)) for _ in range(CONNECTIONS + 20)]
        opened.enter_context(dripping(connections, more))
        with connect(small.url) as connection:
            assert send_and_read(connection, get("/v1/tiles/L01"))[0] == 200
            assert send_and_read(connection, get("/v1/tiles/L01"))[0] == 200
        assert waited_for(lambda: not is_held(connections[0]))


def test_full_worker_that_begins_to_wait_for_its_clients_makes_room(small):
    game = small.call("POST", "/v1/games", {})["game"]["id"]
    polling = get(f"/v1/games/{game}/events?after=1&wait_ms=1000")
    with contextlib.ExitStack() as opened:
        for _ in range(CONNECTIONS):
            opened.enter_context(connect(small.url)).sendall(polling)
        with connect(small.url) as connection:
            assert send_and_read(connection, get("/v1/tiles/L01"))[0] == 200


def test_oldest_body_times_out_when_all_bodies_are_too_large(launch):
    launched = launch(SKYE_REDIS_URL="memory://", GUNICORN_CMD_ARGS="--keep-alive 600")
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


# Silent.

HALF_HEADS = {
    "nothing": b"",
    "half a request line": b"GET /v1/ti",
    "a request line": b"GET /v1/tiles HTTP/1.1\r\n",
    "half of the headers": b"GET /v1/tiles HTTP/1.1\r\nHost: localhost\r\nAcc",
}
HALF_BODIES = {
    "no body": CREATE + b"Content-Length: 10\r\n\r\n",
    "half a body": CREATE + b"Content-Length: 10\r\n\r\n{",
    "no chunk": CREATE + b"Transfer-Encoding: chunked\r\n\r\n",
    "half a chunk": CREATE + b"Transfer-Encoding: chunked\r\n\r\na\r\n{",
    "no last chunk": CREATE + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n",
    "no end of the last chunk": CREATE + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nA: b",
}


def test_silent_client_is_disconnected(brief):
    with contextlib.ExitStack() as opened:
        silent = {what: opened.enter_context(connect(brief.url)) for what in HALF_HEADS | HALF_BODIES}
        for what, connection in silent.items():
            connection.sendall((HALF_HEADS | HALF_BODIES)[what])
        for what, connection in silent.items():
            if what in HALF_BODIES:
                status, headers, problem = read_response(connection)
                assert (status, problem["code"]) == (408, "request_timeout"), what
                assert (headers["Content-Type"], headers["Connection"]) == (
                    "application/problem+json",
                    "close",
                )
            assert is_closed(connection), what


def test_body_to_an_unknown_path_is_not_waited_for_long(brief):
    sent = POST.format("/v1/no").encode() + b"Content-Length: 9\r\n\r\n{"
    with connect(brief.url) as connection:
        status, problem = send_and_read(connection, sent)
        assert (status, problem["code"]) == (404, "not_found")
        assert is_closed(connection)


def test_client_that_waits_in_a_long_poll_is_not_disconnected(brief):
    game = brief.call("POST", "/v1/games", {})["game"]["id"]
    path = f"/v1/games/{game}/events?after=1&wait_ms={1500 * SILENCE_S}"
    with connect(brief.url) as connection:
        assert send_and_read(connection, get(path))[0] == 200


# Reading.


def slow(launched, sent):
    """Open a connection that takes little, and send as much of some data as the server takes at once."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.settimeout(MAX_WAIT_S)
    where = urlsplit(launched.url)
    connection.connect((where.hostname, where.port))
    if sent:
        connection.send(sent, socket.MSG_DONTWAIT)
    return connection


def is_held(connection):
    """Return whether the server still has its end of a connection, by the list of the kernel."""
    try:
        ports = connection.getpeername()[1], connection.getsockname()[1]
    except OSError:  # reset
        return False
    ends = " 0100007F:{:04X} 0100007F:{:04X} 01 ".format(*ports)
    return ends in Path("/proc/net/tcp").read_text()


STEADILY_S = 0.02 / 4096
"""How long a slow client takes for each byte."""

ATTEMPTS = 10
"""So often a client tries to be quick enough: a busy machine may make any one of them too slow."""


def was_held(launched):
    """Take no response until the connection is closed, as it must be; return whether it was open at first."""
    with slow(launched, LARGE * 100) as connection:
        held = is_held(connection)
        assert waited_for(lambda: not is_held(connection))
    return held


def test_client_that_does_not_read_responses_is_disconnected(brief):
    assert any(was_held(brief) for _ in range(ATTEMPTS))


def is_taken_steadily(launched):
    """Read a large response slowly; return whether the server sent all of it."""
    with slow(launched, get("/openapi.json", "Connection: close")) as connection:
        size, begun = 0, time.monotonic()
        with contextlib.suppress(ConnectionResetError):
            while data := connection.recv(4096):
                size += len(data)
                time.sleep(max(0, begun + size * STEADILY_S - time.monotonic()))
    return size > 200_000 and time.monotonic() - begun > SILENCE_S


def test_client_that_reads_slowly_but_steadily_gets_all(brief):
    assert any(is_taken_steadily(brief) for _ in range(ATTEMPTS))


class LobbyWithEvents:
    """A game in its lobby, in which a bot joins and leaves to create events."""

    def __init__(self, url):
        created = call(url, "POST", "/v1/games", {})
        self._url = url
        self._path = f"/v1/games/{created['game']['id']}"
        self._host = created["host_token"]
        self.stream = get(f"{self._path}/events/stream")

    def last_event(self):
        """Return the number of the last event."""
        return call(self._url, "GET", self._path)["last_event"]

    def change(self):
        """Let a bot join and leave."""
        players = f"{self._path}/players"
        call(self._url, "POST", players, {"bot": "greedy"}, self._host)
        call(self._url, "DELETE", f"{players}/0", token=self._host)


def test_stream_that_is_not_read_ends_when_its_buffer_is_full(short):
    lobby = LobbyWithEvents(short.url)
    with slow(short, lobby.stream) as connection:
        assert waited_for(lambda: metric_value(short.url, "open_streams") == 1)

        def is_ended():
            lobby.change()
            return not is_held(connection) and metric_value(short.url, "open_streams") == 0

        assert waited_for(is_ended)


def test_stream_beside_one_that_is_cut_off_gets_every_event(short):
    lobby = LobbyWithEvents(short.url)
    with slow(short, lobby.stream) as stuck, connect(short.url) as prompt:
        prompt.sendall(lobby.stream)
        received = []
        reader = threading.Thread(target=lambda: received.extend(iter(lambda: prompt.recv(65536), b"")))
        reader.start()

        def is_cut_off():
            lobby.change()
            return not is_held(stuck) and metric_value(short.url, "open_streams") == 1

        assert waited_for(is_cut_off)
        last = lobby.last_event()

        def ids():
            return [int(number) for number in re.findall(rb"^id: (\d+)$", b"".join(received), re.MULTILINE)]

        assert waited_for(lambda: last in ids())
        assert ids() == list(range(1, last + 1))
        prompt.shutdown(socket.SHUT_RDWR)
        reader.join()
