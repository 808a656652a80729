"""Misbehaving clients, with nginx before the API: nginx handles them, and the API receives nothing."""

import contextlib
import json

import pytest

from tests.system.raw import get, is_closed
from tests.system.test_malformed_requests import NO_CHUNK, TOO_LONG, UNREADABLE, statuses_of, with_headers

IMPATIENT = [
    ("client_header_timeout 10s", "client_header_timeout 1s"),
    ("client_body_timeout 10s", "client_body_timeout 1s"),
]
NORMALISED = ("lines that end without CR", "two schemes", "an expectation of its own")
"""Malformed requests that nginx normalizes to valid ones."""


@pytest.mark.parametrize("nginx", [IMPATIENT], indirect=True)
def test_half_sent_request_is_closed_by_nginx_and_not_passed_on(nginx):
    begun = [
        b"",
        b"GET /v1/ti",
        b"GET /v1/tiles HTTP/1.1\r\nHost: here\r\nAcc",
        with_headers("Content-Length: 10", after="{"),
        with_headers("Transfer-Encoding: chunked", after="a\r\n{"),
    ]
    with contextlib.ExitStack() as opened:
        silent = [opened.enter_context(nginx.plug()) for _ in begun]
        for connection, sent in zip(silent, begun, strict=True):
            connection.sendall(sent)
        assert all(is_closed(connection) for connection in silent)
    assert nginx.call("GET", "/v1/tiles").status == 503  # no instance runs


@pytest.mark.usefixtures("shared_instance")
def test_malformed_request_is_never_answered_in_html(nginx):
    sent = UNREADABLE | {what: request for what, (request, *_) in TOO_LONG.items()}
    for what, request in sent.items():
        received = b""
        with nginx.plug() as connection:
            with contextlib.suppress(OSError):  # who sends far too much may not send it all
                connection.sendall(request)
                connection.sendall(get("/nowhere", "Connection: close"))
            with contextlib.suppress(OSError):
                while data := connection.recv(65536):
                    received += data
        first = json.JSONDecoder().raw_decode(received.decode()[received.index(b"{") :])[0]
        refused = what not in NORMALISED
        assert first["status"] in ((400, 414, 431) if refused else (404,)), what
        assert b"<html" not in received, what


@pytest.mark.usefixtures("shared_instance")
def test_nginx_and_the_api_agree_on_the_end_of_a_request(nginx):
    inner = get("/v1/tiles/L01").decode()
    sent = with_headers(f"Content-Length: {len(inner)}", after=inner)
    sent += with_headers("Transfer-Encoding: chunked", after=f"{len(inner):x};a=b\r\n{inner}\r\n{NO_CHUNK}")
    sent += get("/v1/tiles/L02", f"Content-Length: {len(inner)}") + inner.encode()
    with nginx.plug() as connection:
        received = statuses_of(connection, sent + get("/v1/tiles/L03", "Connection: close"))
    assert received == ["malformed_json", "malformed_json", "L02", "L03"]
