"""Paths, methods and hosts that no endpoint has: each gets a problem that says why, and nothing changes."""

import pytest

from tests.support.endpoints import BY_NAME, ENDPOINTS
from tests.support.playing import client_error_code

RULES = sorted({endpoint.rule for endpoint in ENDPOINTS})

GAMES = [
    "nope", "%00", "%2F", "%2e%2e", "..", "%ff", "%F0%9F%8F%B0", "a" * 7000, "{x}", "*", "%20", "%0a",
    "a%3Ab", "skye:x",
]  # fmt: skip
NUMBERS = [
    "-1", "00", "01", "%D9%A1", "99", "9" * 30, "9" * 5000, "1.5", "x", "%00", "+1", "1e0", "0x1", "%20",
    "null", "1%2F2",
]  # fmt: skip
TILES = ["L00", "l01", "L74", "castle-purple", "%00", "x" * 5000, "..", "L01%2Fx", "%ff"]


@pytest.mark.parametrize("name", BY_NAME)
@pytest.mark.usefixtures("unchanged")
def test_malformed_path_is_not_found(name, games):
    endpoint = BY_NAME[name]
    game = games[endpoint.stage]
    for part, values in (
        ("game", GAMES),
        ("seat:seat", NUMBERS),
        ("int:round", NUMBERS),
        ("tile", TILES),
        ("scoring_tile", TILES),
    ):
        for value in values if f"<{part}>" in endpoint.rule else ():
            answer = endpoint.send(game, body=endpoint.right_body(game), parts={part: value})
            code = client_error_code(answer, (part, value))
            assert answer.status_code == 404 or code in ("method_not_allowed", "invalid_parameter"), (
                value,
                code,
            )


METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT", "PROPFIND", "É"]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.usefixtures("unchanged")
def test_method_that_a_path_does_not_have_is_refused(rule, games):
    endpoint = next(endpoint for endpoint in ENDPOINTS if endpoint.rule == rule)
    game = games[endpoint.stage]
    has = {other.method for other in ENDPOINTS if other.rule == rule}
    has |= {"HEAD"} & {"HEAD" if "GET" in has else ""}
    for method in METHODS:
        if method not in has:
            answer = game.service.call(method, endpoint.path(game))
            assert (answer.status_code, answer.content_type) == (405, "application/problem+json"), method
            assert set(answer.headers["Allow"].split(", ")) == has | {"OPTIONS"}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.usefixtures("unchanged")
def test_options_response_has_no_body(rule, games):
    endpoint = next(endpoint for endpoint in ENDPOINTS if endpoint.rule == rule)
    game = games[endpoint.stage]
    answer = game.service.call("OPTIONS", endpoint.path(game))
    assert answer.status_code in (200, 204)
    assert endpoint.method in answer.headers["Allow"]
    assert not answer.data
    assert "html" not in (answer.content_type or "")


@pytest.mark.parametrize(
    "path", ["/v1/games/", "/v1//games", "//v1/games", "/v1%2Fgames", "/v1/tiles/L01%2fpicture.svg"]
)
def test_alias_of_a_path_is_not_found(path, games):
    assert client_error_code(games["lobby"].service.call("GET", path)) == "not_found"


@pytest.mark.parametrize(
    "host", [None, "", ":80", "two words", "a,b", "a/b", "[::1", "a:b", "a@b", "ü", "%zz"]
)
def test_request_without_a_valid_host_is_refused(host, service):
    environ = {"HTTP_HOST": host}
    builder = service.http.get("/v1/tiles", environ_overrides=environ)
    assert client_error_code(builder) == "bad_request"


@pytest.mark.parametrize("host", ["localhost", "a-b.example:8000", "[::1]:80", "127.0.0.1", "a:"])
def test_request_with_a_valid_host_is_served(host, service):
    assert service.http.get("/v1/tiles", environ_overrides={"HTTP_HOST": host}).status_code == 200
