"""What every answer carries: a request id, and the headers that browsers want."""

import re

import pytest

from service.web.response_headers import Envelope

WANTED = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}


def answers(service):
    """Return answers of every kind."""
    game = service.table(2)
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


def test_every_answer_has_a_new_request_id(service):
    ids = [answer.headers.getlist("X-Request-Id") for answer in answers(service)]
    assert all(len(of_answer) == 1 and re.fullmatch("[0-9a-f]{16}", of_answer[0]) for of_answer in ids)
    assert len({of_answer[0] for of_answer in ids}) == len(ids)


def test_every_answer_has_the_headers_that_browsers_want(service):
    for answer in answers(service):
        assert {name: answer.headers.get(name) for name in WANTED} == WANTED, answer


@pytest.mark.parametrize(
    "sent", ["x", "b7ad6b71-6920-3331", "a" * 64, "2026-11-20T12:00:00Z/7", "A.b_c~d+e=f@g:h"]
)
def test_a_well_formed_request_id_comes_back(service, sent):
    for path in ("/v1/tiles", "/nowhere"):
        assert service.call("GET", path, headers={"X-Request-Id": sent}).headers["X-Request-Id"] == sent


@pytest.mark.parametrize(
    "sent", ["", "a" * 65, "two words", "a,b", '"quoted"', "<b>", "é", "a\tb", "skye_token", "my-skye_token"]
)
def test_any_other_is_replaced(service, sent):
    back = service.call("GET", "/v1/tiles", headers={"X-Request-Id": sent}).headers["X-Request-Id"]
    assert re.fullmatch("[0-9a-f]{16}", back)


def test_a_policy_of_its_own_stands():
    told = []

    def page(_environ, start_response):
        start_response("200 OK", [("Content-Security-Policy", "default-src 'self'")])
        return [b"page"]

    enveloped = Envelope(page, lambda *_answer: None)
    assert enveloped({}, lambda *head: told.append(head)) == [b"page"]
    ((_, headers, _),) = told
    assert [text for name, text in headers if name == "Content-Security-Policy"] == ["default-src 'self'"]
    assert ("X-Content-Type-Options", "nosniff") in headers


def test_pages_of_other_origins_may_read_the_id_and_the_limits(service):
    exposed = service.call("GET", "/v1/tiles").headers["Access-Control-Expose-Headers"].split(", ")
    names = {"X-Request-Id", "Retry-After", "RateLimit", "RateLimit-Policy", "Date", "Link"}
    assert names <= {*exposed}
