"""Graceful shutdown: an instance that receives SIGTERM completes its open requests, and soon exits."""

import http.client
import time

import pytest

from tests.deploy.servers import LONG_INTERVALS, messages
from tests.support.waiting import MAX_WAIT_S, waited_for
from tests.system.raw import read_response

UNHURRIED = {
    "GUNICORN_CMD_ARGS": "--graceful-timeout 600 --keep-alive 600",
    "SKYE_WORKERS": "1",
}
"""gunicorn's own worker would wait for all that time, which is longer than any test waits."""


@pytest.fixture
def served(instance):
    return instance(**UNHURRIED).start()


@pytest.fixture
def patient(instance):
    """An instance that does not close idle connections soon at shutdown."""
    return instance(application=LONG_INTERVALS, **UNHURRIED).start()


def test_open_stream_ends_with_restart_at_shutdown(patient):
    with patient.follow(patient.new_game()["game"]["id"]) as stream:
        received = messages(stream)
        assert next(received)[0] == "stream"
        last = next(received)[1]["id"]
        patient.process.terminate()
        assert list(received) == [("end", {"reason": "restart", "resume": "reconnect", "last_event": last})]
    assert patient.process.wait(MAX_WAIT_S) == 0


def test_long_poll_is_answered_at_shutdown(served):
    game = served.new_game()["game"]["id"]
    with served.plug() as polling:
        polling.sendall(b"GET /v1/games/%s/events?after=1&wait_ms=60000 HTTP/1.1\r\n" % game.encode())
        polling.sendall(b"Host: localhost\r\n\r\n")
        assert served.call("GET", "/healthz").status == 200  # the worker has begun the earlier request
        signalled_at = time.monotonic()
        assert served.end() == 0
        assert time.monotonic() - signalled_at < 60
        status, _, page = read_response(polling)
    assert (status, page["events"]) == (200, [])


def test_half_sent_request_is_completed_at_shutdown(patient):
    with patient.plug() as connection, patient.plug() as other:
        connection.sendall(b"POST /v1/games HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n")
        asked(other)  # the worker has begun the earlier request
        shut_down(patient, other)
        connection.sendall(b"Content-Type: application/json\r\n\r\n{}")
        answer = connection.makefile("rb").read()
    assert answer.startswith(b"HTTP/1.1 201 ")
    assert b"\r\nConnection: close\r\n" in answer
    assert patient.process.wait(MAX_WAIT_S) == 0


def asked(connection):
    """Ask on a connection that stays open; return the answer."""
    connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    answer = http.client.HTTPResponse(connection)
    answer.begin()
    assert answer.read() == b'{"status":"ok","lab":false}'
    return answer


def shut_down(served, connection):
    """Send SIGTERM, and wait until the responses on a connection show that the worker has received it."""
    served.process.terminate()
    assert waited_for(lambda: asked(connection).headers["Connection"] == "close")


def test_kept_alive_connection_may_send_a_request_at_shutdown(patient):
    with patient.plug() as connection:
        assert asked(connection).headers["Connection"] == "keep-alive"
        shut_down(patient, connection)
        assert connection.recv(1) == b""
    assert patient.process.wait(MAX_WAIT_S) == 0


def test_idle_connection_is_closed_soon_at_shutdown(served):
    with served.plug() as connection:
        asked(connection)
        assert served.end() == 0
        assert connection.recv(1) == b""


def test_new_connections_are_served_at_shutdown(patient):
    with patient.plug() as first, patient.plug() as second:
        patient.process.terminate()
        assert asked(first).status == 200
        assert asked(second).status == 200
    assert patient.process.wait(MAX_WAIT_S) == 0


def test_shutdown_logs_no_errors(served):
    with served.follow(served.new_game()["game"]["id"]) as stream, served.plug():
        stream.readline()
        assert served.end() == 0
    assert served.log.read_text() == ""
