"""Graceful shutdown: an instance that receives SIGTERM completes its open requests, and soon exits."""

import http.client
import threading
import time

import pytest

from tests.deploy.servers import messages
from tests.support.waiting import MAX_WAIT_S

PROMPT_S = 8
"""gunicorn's own worker would wait its whole patience of 10 s."""


@pytest.fixture
def served(instance):
    return instance().start()


@pytest.fixture
def new_game(served):
    return served.new_game()["game"]["id"]


def test_open_stream_ends_with_restart_at_shutdown(served, new_game):
    with served.follow(new_game) as stream:
        received = messages(stream)
        assert next(received)[0] == "stream"
        last = next(received)[1]["id"]
        signalled_at = time.monotonic()
        served.process.terminate()
        assert list(received) == [("end", {"reason": "restart", "last_event": last})]
    assert time.monotonic() - signalled_at < 1
    assert served.process.wait(MAX_WAIT_S) == 0
    assert time.monotonic() - signalled_at < PROMPT_S


def test_long_poll_is_answered_at_shutdown(served, new_game):
    answers = []
    path = f"/v1/games/{new_game}/events?after=1&wait_ms=9000"
    polling = threading.Thread(target=lambda: answers.append(served.call("GET", path)))
    polling.start()
    time.sleep(0.3)  # it begins to wait
    signalled_at = time.monotonic()
    assert served.end() == 0
    polling.join()
    assert time.monotonic() - signalled_at < PROMPT_S
    assert answers[0].status == 200
    assert answers[0].json["events"] == []


def test_half_sent_request_is_completed_at_shutdown(served):
    with served.plug() as connection:
        connection.sendall(b"POST /v1/games HTTP/1.1\r\nHost: here\r\nContent-Length: 2\r\n")
        time.sleep(0.1)
        served.process.terminate()
        time.sleep(0.2)
        connection.sendall(b"Content-Type: application/json\r\n\r\n{}")
        answer = connection.makefile("rb").read()
    assert answer.startswith(b"HTTP/1.1 201 ")
    assert b"\r\nConnection: close\r\n" in answer
    assert served.process.wait(MAX_WAIT_S) == 0


def asked(connection):
    """Ask on a connection that stays open; return the answer."""
    connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n")
    answer = http.client.HTTPResponse(connection)
    answer.begin()
    assert answer.read() == b'{"status":"ok","lab":false}'
    return answer


def test_kept_alive_connection_may_send_a_request_at_shutdown(served):
    with served.plug() as connection:
        assert asked(connection).headers["Connection"] == "keep-alive"
        served.process.terminate()
        time.sleep(0.2)
        assert asked(connection).headers["Connection"] == "close"
        assert connection.recv(1) == b""
    assert served.process.wait(MAX_WAIT_S) == 0


def test_idle_connection_is_closed_soon_at_shutdown(served):
    with served.plug() as connection:
        asked(connection)
        signalled_at = time.monotonic()
        assert served.end() == 0
        assert time.monotonic() - signalled_at < PROMPT_S
        assert connection.recv(1) == b""


def test_new_connections_are_served_at_shutdown(served):
    with served.plug() as first, served.plug() as second:
        served.process.terminate()
        assert asked(first).status == 200
        assert asked(second).status == 200
    assert served.process.wait(MAX_WAIT_S) == 0


def test_shutdown_logs_no_errors(served, new_game):
    with served.follow(new_game) as stream, served.plug():
        stream.readline()
        assert served.end() == 0
    assert served.log.read_text() == ""
