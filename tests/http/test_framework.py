"""The replaced parts of Flask do not change responses."""

import pytest
from flask import Flask, Response

from skye_server.http.framework import Application, PrebuiltResponse
from tests.support.playing import Service

JSON = [("Content-Type", "application/json"), ("Content-Length", "2"), ("ETag", '"5"')]
ANSWERS = [
    (b"{}", 200, JSON),
    (b"{}", 201, [*JSON, ("Location", "/v1/games/abc")]),
    (b"", 304, [("ETag", '"5"'), ("Vary", "Authorization, Accept")]),
]


def sent(response, method):
    """Return the WSGI response: status, headers, body."""
    received = []
    body = b"".join(response({"REQUEST_METHOD": method}, lambda *head: received.append(head)))
    ((status, headers),) = received
    return status, headers, body


@pytest.mark.parametrize("method", ["GET", "POST", "HEAD"])
@pytest.mark.parametrize(("body", "status", "headers"), ANSWERS)
def test_prebuilt_response_is_sent_as_flask_would_send_it(body, status, headers, method):
    plain = sent(Response(body, status, headers), method)
    assert sent(PrebuiltResponse(body, status, headers), method) == plain
    looked_at = PrebuiltResponse(body, status, headers)
    assert looked_at.status_code == status
    assert looked_at.get_data() == body
    assert sent(looked_at, method) == plain


def test_headers_and_status_of_a_prebuilt_response_can_be_changed():
    answer = PrebuiltResponse(b"{}", 200, list(JSON))
    answer.headers["RateLimit-Policy"] = "7"
    answer.status_code = 202
    assert sent(answer, "GET") == ("202 ACCEPTED", [*JSON, ("RateLimit-Policy", "7")], b"{}")


def test_prebuilt_response_without_an_attribute_raises_attribute_error():
    assert not hasattr(PrebuiltResponse(b"{}", 200, list(JSON)), "nothing")


REQUESTS = [
    ("GET", "/things/1"), ("GET", "/things/1/"), ("GET", "//things/1"), ("GET", "/things/x"),
    ("GET", "/th%69ngs/%31"), ("PUT", "/things/1"), ("HEAD", "/things/1"), ("OPTIONS", "/things/1"),
    ("GET", ""), ("GET", "/caf%C3%A9"),
]  # fmt: skip


@pytest.mark.parametrize(("method", "path"), REQUESTS)
@pytest.mark.parametrize("host", ["localhost", "other.example:81"])
def test_paths_match_as_they_do_with_flask(method, path, host):
    received = []
    for kind in (Flask, Application):
        app = kind("either", static_folder=None)
        app.url_map.strict_slashes = app.url_map.merge_slashes = False
        app.add_url_rule("/things/<int:number>", view_func=lambda number: f"{number}", endpoint="thing")
        app.add_url_rule("/café", view_func=lambda: "coffee", endpoint="coffee")
        answer = app.test_client().open(path, method=method, headers={"Host": host})
        received.append((answer.status, sorted(answer.headers), answer.data))
    assert received[0] == received[1]


def test_no_answer_sets_a_cookie():
    game = Service().create_game()
    answers = [game.call("GET"), game.call("GET", "actions", seat=0), game.offer(0, 1, 1)]
    assert [answer.status_code for answer in answers] == [200, 200, 200]
    assert not any("Set-Cookie" in answer.headers for answer in answers)
