"""Responses that the worker sends without the application: pages of allowed origins can read them."""

import logging
import os

import gevent
import gevent.socket
import pytest
from gunicorn.config import Config

from skye_server.settings import Settings
from skye_server.worker.worker import Worker
from tests.support.playing import Service
from tests.support.waiting import MAX_WAIT_S
from tests.system.raw import get, read_response

ORIGIN = "https://play.example"
PEER = ("192.0.2.1", 5)


@pytest.fixture(scope="module")
def worker():
    """A worker that is not in a process of its own."""
    made = Worker(0, os.getpid(), [], None, 0, Config(), logging.getLogger(__name__))
    made.wsgi = Service().app
    yield made
    made.tmp.close()


def response_to(worker, sent):
    """Return the status and the headers of the response to a request on a new connection."""
    here, there = gevent.socket.socketpair()
    there.settimeout(MAX_WAIT_S)
    handling = gevent.spawn(worker.handle, here, here, PEER)
    with here, there:
        there.sendall(sent)
        status, headers, _ = read_response(there)
        there.close()
        handling.join(MAX_WAIT_S)
    return status, headers


REFUSED = {
    "uri_too_long": (414, lambda *more: get("/" + 20_000 * "a", *more)),
    "headers_too_large": (431, lambda *more: get("/v1", f"A: {9000 * 'b'}", *more)),
    "head_too_large": (431, lambda *more: get("/v1", *(f"A{n}: {8000 * 'b'}" for n in range(5)), *more)),
    "bad_request": (400, lambda *more: get("/v1", "A b: c", *more)),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize(
    ("origins", "sent", "allowed"),
    [
        (("*",), ORIGIN, "*"),
        (("https://a.example", ORIGIN), ORIGIN, ORIGIN),
        ((ORIGIN,), "https://other.example", None),
        ((), ORIGIN, None),
    ],
)
def test_refused_request_has_the_headers_of_its_origin(worker, name, origins, sent, allowed):
    expected, request = REFUSED[name]
    worker.configure(Settings(cors_origins=origins))
    status, headers = response_to(worker, request(f"Origin: {sent}"))
    assert (status, headers["Access-Control-Allow-Origin"]) == (expected, allowed)
    assert ("Retry-After" in (headers["Access-Control-Expose-Headers"] or "")) == (allowed is not None)
    assert headers["Vary"] == ("Origin" if ORIGIN in origins else None)
