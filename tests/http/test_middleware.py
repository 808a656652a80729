"""The WSGI middleware: request ids and default response headers."""

import re

import pytest
from flask import Request
from werkzeug.test import create_environ

from skye_server.http.middleware import Middleware
from skye_server.observability.metrics import Metrics

DEFAULT_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}


def responses(service):
    """Yield responses of every kind."""
    game = service.create_game(2)
    tag = game.call("GET", token=game.tokens[0]).headers["ETag"]
    yield service.call("GET", "/v1/tiles/L01")
    yield service.call("GET", "/v1/tiles/L01/picture.svg")
    yield service.call("POST", "/v1/games", {})
    yield game.call("GET", token=game.tokens[0], headers={"If-None-Match": tag})
    yield game.call("GET", token="x")
    yield service.call("GET", "/nowhere")
    yield service.call("PUT", "/v1/tiles")
    yield service.call("POST", "/v1/games", data="{", content_type="application/json")
    yield service.http.options("/v1/games", headers={"Access-Control-Request-Method": "POST"})
    yield service.call("HEAD", "/v1/tiles")
    yield service.call("GET", "/metrics")
    stream = game.call("GET", "events/stream")
    yield stream
    stream.close()


def test_every_response_has_a_new_request_id(service):
    ids = [response.headers.getlist("X-Request-Id") for response in responses(service)]
    assert all(len(of_response) == 1 and re.fullmatch("[0-9a-f]{16}", of_response[0]) for of_response in ids)
    assert len({of_response[0] for of_response in ids}) == len(ids)


def test_every_response_has_the_default_headers(service):
    for response in responses(service):
        assert {name: response.headers.get(name) for name in DEFAULT_HEADERS} == DEFAULT_HEADERS, response


@pytest.mark.parametrize(
    "sent", ["x", "b7ad6b71-6920-3331", "a" * 64, "2026-11-20T12:00:00Z/7", "A.b_c~d+e=f@g:h"]
)
def test_well_formed_request_id_is_returned(service, sent):
    for path in ("/v1/tiles", "/nowhere"):
        assert service.call("GET", path, headers={"X-Request-Id": sent}).headers["X-Request-Id"] == sent


@pytest.mark.parametrize(
    "sent", ["", "a" * 65, "two words", "a,b", '"quoted"', "<b>", "é", "a\tb", "skye_token", "my-skye_token"]
)
def test_malformed_request_id_is_replaced(service, sent):
    back = service.call("GET", "/v1/tiles", headers={"X-Request-Id": sent}).headers["X-Request-Id"]
    assert re.fullmatch("[0-9a-f]{16}", back)


def test_content_security_policy_of_a_view_is_kept():
    started = []

    def view(_environ, start_response):
        start_response("200 OK", [("Content-Security-Policy", "default-src 'self'")])
        return [b"page"]

    environ = create_environ("/")
    environ["werkzeug.request"] = Request(environ)
    assert Middleware(view, Metrics())(environ, lambda *head: started.append(head)) == [b"page"]
    ((_, headers, _),) = started
    assert [text for name, text in headers if name == "Content-Security-Policy"] == ["default-src 'self'"]
    assert ("X-Content-Type-Options", "nosniff") in headers
