"""Methods, paths, hosts and headers that select a response: what is served, and what is refused."""

import pytest

from tests.support.endpoints import BY_NAME, ENDPOINTS
from tests.support.playing import client_error_code

READS = [name for name, endpoint in BY_NAME.items() if endpoint.method == "GET"]
RULES = sorted({endpoint.rule for endpoint in ENDPOINTS})
TAGS = ["", '"999999"', '""', "x", "W/", '"', "1" * 1024, "\xff", ", ,"]
METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT", "PROPFIND", "É"]


def some_of(values, name):
    """Return every fourth of the values that all endpoints handle alike, others for the next endpoint."""
    return values[READS.index(name) % 4 :: 4]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.usefixtures("unchanged")
def test_path_refuses_other_methods_and_lists_its_own(rule, games):
    endpoint = next(endpoint for endpoint in ENDPOINTS if endpoint.rule == rule)
    game = games[endpoint.stage]
    has = {other.method for other in ENDPOINTS if other.rule == rule}
    has |= {"HEAD"} & {"HEAD" if "GET" in has else ""}
    for method in METHODS:
        if method not in has:
            answer = game.service.call(method, endpoint.path(game))
            assert (answer.status_code, answer.content_type) == (405, "application/problem+json"), method
            assert set(answer.headers["Allow"].split(", ")) == has | {"OPTIONS"}
    answer = game.service.call("OPTIONS", endpoint.path(game))
    assert answer.status_code in (200, 204)
    assert endpoint.method in answer.headers["Allow"]
    assert not answer.data
    assert "html" not in (answer.content_type or "")


@pytest.mark.parametrize("name", READS)
@pytest.mark.usefixtures("unchanged")
def test_head_is_a_get_without_a_body(name, games):
    endpoint = BY_NAME[name]
    game = games[endpoint.stage]
    named = {"X-Request-Id": "the-same"}
    got = endpoint.send(game, headers=named)
    head = game.service.call(
        "HEAD",
        endpoint.path(game),
        token=endpoint.token(game),
        headers=named,
        query_string=dict(endpoint.query),
    )
    assert (head.status, head.data) == (got.status, b"")
    assert list(head.headers.keys()) == list(got.headers.keys())
    assert dict(head.headers, Date=None) == dict(got.headers, Date=None)  # each has the second of its request


@pytest.mark.parametrize("name", READS)
@pytest.mark.usefixtures("unchanged")
def test_malformed_if_none_match_does_not_match(name, games):
    endpoint = BY_NAME[name]
    for tag in some_of(TAGS, name):
        answer = endpoint.send(games[endpoint.stage], headers={"If-None-Match": tag})
        assert answer.status_code == 200, tag


SERVED = (
    "application/json", "application/linkset+json", "application/x-ndjson", "image/svg+xml",
    "text/event-stream", "text/plain",
)  # fmt: skip


ACCEPTS = [
    "text/html", "application/xml", "image/png, text/*", "*/*;q=0", "application/json;q=0", "text/html;q=abc",
    ";;;", ",", "", "application/*;q=0.1", "*/*", "a" * 5000, "\xff/\xff", "*/json", "application/json;q=1e9",
    "application/json;q=nan", "application/json; version=99",
]  # fmt: skip


@pytest.mark.parametrize("name", READS)
@pytest.mark.usefixtures("unchanged")
def test_parameters_of_accept_exclude_nothing(name, games):
    endpoint = BY_NAME[name]
    served = endpoint.send(games[endpoint.stage])
    for parameters in ("; charset=utf-8", ";version=1", ' ; q=0.5; profile="a"'):
        answer = endpoint.send(games[endpoint.stage], headers={"Accept": served.mimetype + parameters})
        assert (answer.status_code, answer.mimetype) == (served.status_code, served.mimetype)
        answer.close()
    served.close()


@pytest.mark.parametrize("name", READS)
@pytest.mark.usefixtures("unchanged")
def test_accept_that_cannot_be_served_is_refused(name, games):
    endpoint = BY_NAME[name]
    for accept in some_of(ACCEPTS, name):
        answer = endpoint.send(games[endpoint.stage], headers={"Accept": accept})
        if answer.status_code >= 400:
            assert client_error_code(answer, accept) == "not_acceptable"
        elif answer.status_code == 200:
            assert answer.mimetype in SERVED, accept
        else:
            assert (name, answer.headers["Location"]) == ("GET /", "/play/"), accept


@pytest.mark.parametrize("name", [name for name in READS if name.endswith("/stream")])
def test_empty_last_event_id_is_as_absent(name, games):
    endpoint = BY_NAME[name]
    first = []
    for headers in ({}, {"Last-Event-ID": ""}):
        answer = endpoint.send(games[endpoint.stage], headers=headers)
        assert answer.status_code == 200
        first.append(next(answer.response))
        answer.close()
    assert first[0] == first[1]


@pytest.mark.parametrize("path", ["/v1/tiles", "/v1/games"])
def test_query_without_a_parameter_is_accepted(path, service):
    assert service.call("GET", f"{path}?&").status_code == 200


def test_repeated_query_parameter_is_refused_by_name(games):
    answer = games["lobby"].service.call("GET", "/v1/games?limit=1&limit=2")
    assert client_error_code(answer) == "invalid_parameter"
    assert [(error["in"], error["name"]) for error in answer.json["errors"]] == [("query", "limit")]


@pytest.mark.parametrize(
    "path", ["/v1/games/", "/v1//games", "//v1/games", "/v1%2Fgames", "/v1/tiles/L01%2fpicture.svg"]
)
def test_alias_of_a_path_is_not_found(path, games):
    assert client_error_code(games["lobby"].service.call("GET", path)) == "not_found"


@pytest.mark.parametrize("path", ["//v1/games", "///v1/games", "//play/"])
def test_path_that_begins_with_several_slashes_is_not_found(path, games):
    answer = games["lobby"].service.http.get("/", environ_overrides={"PATH_INFO": path})
    assert client_error_code(answer) == "not_found"


def test_absolute_target_without_a_path_is_the_start(service):
    answer = service.http.get("/", environ_overrides={"PATH_INFO": ""})
    assert (answer.status_code, answer.content_type) == (200, "application/json")


@pytest.mark.parametrize("protocol", ["websocket", "h2c"])
@pytest.mark.parametrize("path", ["/v1/games", "/v1/tiles", "/v1"])
def test_other_protocol_that_a_client_offers_is_ignored(path, protocol, service):
    offer = {"Connection": "Upgrade", "Upgrade": protocol}
    assert service.call("GET", path, headers=offer).status_code == 200


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
