"""Bad input by hand, to every endpoint: always a problem that says what is wrong, and nothing changes."""

import copy
import json
import xml.etree.ElementTree as ET

import pytest

from tests.service.endpoints import ENDPOINTS, stages
from tests.service.playing import Service, code_of

BY_NAME = {endpoint.name: endpoint for endpoint in ENDPOINTS}
WITH_BODY = [name for name, endpoint in BY_NAME.items() if endpoint.body]
WRITES = [name for name, endpoint in BY_NAME.items() if endpoint.writes]
READS = [name for name, endpoint in BY_NAME.items() if endpoint.method == "GET"]
RULES = sorted({endpoint.rule for endpoint in ENDPOINTS})


@pytest.fixture(scope="module")
def games():
    """A game at each stage, which no test changes."""
    return stages(Service())


@pytest.fixture
def unchanged(games):
    """See to it that a test leaves the store as it was."""
    service = games["lobby"].service
    before = service.stored()
    yield
    assert service.stored() == before


def refusal(answer, about):
    """Return the code of an answer that must be a refusal by the service's own fault of nobody."""
    assert 400 <= answer.status_code < 500, (about, answer.status, answer.text[:300])
    return code_of(answer)


def test_every_operation_is_tried():
    operations = {
        f"{method} {rule.rule}"
        for rule in Service().app.url_map.iter_rules()
        for method in rule.methods - {"HEAD", "OPTIONS"}
        if rule.rule.startswith("/v1")
    }
    assert operations == {name for name in BY_NAME if " /v1" in name}


@pytest.mark.parametrize("name", BY_NAME)
def test_the_request_that_is_right_is_accepted(name):
    endpoint = BY_NAME[name]
    game = stages(Service())[endpoint.stage]
    answer = endpoint.send(game, body=endpoint.right_body(game))
    assert answer.status_code < 300 or answer.json["code"] == "terrain_mismatch", answer.text


# Bodies of the wrong shape.

_TEXT = [None, 5, 1.5, True, [], {}, "", "x" * 5000, " ", "\x00", "\u202e"]
_NUMBER = [None, "1", True, False, 1.5, 10**30, -(10**30), [], {}, ""]
_FLAG = [None, 0, 1, "true", "", [], {}]
_LIST = [None, {}, "x", 5, True, [None], [[]]]
_OBJECT = [None, [], "x", 5, True, [{}]]


def wrong_values(value):
    """Return values that cannot stand where this one stands."""
    kinds = {str: _TEXT, bool: _FLAG, int: _NUMBER, list: _LIST, dict: _OBJECT}
    return kinds[type(value)]


def places(body, path=()):
    """Yield each place of a body, by keys and indices; of a list the first element stands for all."""
    yield path, body
    inner = body.items() if isinstance(body, dict) else enumerate(body[:1]) if isinstance(body, list) else ()
    for key, value in inner:
        yield from places(value, (*path, key))


def replaced(body, path, value):
    """Return a body with another value at a place."""
    if not path:
        return value
    body = copy.deepcopy(body)
    inner = body
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return body


@pytest.mark.parametrize("name", WITH_BODY)
@pytest.mark.usefixtures("unchanged")
def test_a_wrong_value_is_refused_where_it_is(name, games):
    endpoint = BY_NAME[name]
    game = games[endpoint.stage]
    right = endpoint.right_body(game)
    for path, value in places(right):
        pointer = "".join(f"/{key}" for key in path)
        for wrong in wrong_values(value):
            answer = endpoint.send(
                game, data=json.dumps(replaced(right, path, wrong)), content_type="application/json"
            )
            about = (pointer, wrong)
            assert refusal(answer, about) == "invalid_body", about
            found = [error["pointer"] for error in answer.json["errors"]]
            assert any(f"{at}/".startswith(f"{pointer}/") for at in found), (about, answer.text)
            assert all(error["detail"] for error in answer.json["errors"]), (about, answer.text)


@pytest.mark.parametrize("name", WITH_BODY)
@pytest.mark.parametrize("field", ["surprise", "key", "value", "__class__", "", "a/b~c", "\x00", "ü"])
@pytest.mark.usefixtures("unchanged")
def test_an_unknown_field_is_refused_where_it_is(name, field, games):
    endpoint = BY_NAME[name]
    game = games[endpoint.stage]
    right = endpoint.right_body(game)
    for path, value in places(right):
        if isinstance(value, dict):
            answer = endpoint.send(game, body=replaced(right, (*path, field), 1))
            assert refusal(answer, path) == "invalid_body"
            escaped = field.replace("~", "~0").replace("/", "~1")
            pointer = "".join(f"/{key}" for key in (*path, escaped))
            assert pointer in [error["pointer"] for error in answer.json["errors"]], answer.text


@pytest.mark.parametrize("name", WITH_BODY)
@pytest.mark.usefixtures("unchanged")
def test_a_number_too_large_for_any_number_is_refused(name, games):
    endpoint = BY_NAME[name]
    game = games[endpoint.stage]
    right = endpoint.right_body(game)
    for path, value in places(right):
        if type(value) is int:
            for huge in ("1e400", "-1e400", "1e30", "9" * 5000, "NaN", "Infinity", "1e999999999999"):
                sent = json.dumps(replaced(right, path, "HUGE")).replace('"HUGE"', huge)
                answer = endpoint.send(game, data=sent, content_type="application/json")
                assert refusal(answer, (path, huge)) in ("invalid_body", "malformed_json")


BODIES = {
    "not JSON": (b"{", "malformed_json"),
    "two values": (b"{} {}", "malformed_json"),
    "single quotes": (b"{'name': 1}", "malformed_json"),
    "not UTF-8": (b'{"name": "\xff\xfe"}', "malformed_json"),
    "UTF-16": ('{"name": "a"}'.encode("utf-16"), "malformed_json"),
    "a lone surrogate": (b'{"name": "\\ud800"}', "malformed_json"),
    "control characters": (b'{"name": "a\nb"}', "malformed_json"),
    "nested too deeply": (b"[" * 5000 + b"]" * 5000, "malformed_json"),
    "objects nested too deeply": (b'{"name":' * 5000 + b"1" + b"}" * 5000, "malformed_json"),
    "null": (b"null", "invalid_body"),
    "a list": (b"[]", "invalid_body"),
    "a string": (b'"name"', "invalid_body"),
    "a number": (b"5", "invalid_body"),
    "true": (b"true", "invalid_body"),
    "a huge number": (b"1e400", "invalid_body"),
    "white space": (b"   ", "malformed_json"),
    "too large": (b'"' + b"a" * 300_000 + b'"', "body_too_large"),
    "too large and not JSON": (b"\x00" * 300_000, "body_too_large"),
}


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("name", WITH_BODY)
@pytest.mark.usefixtures("unchanged")
def test_a_body_that_is_no_object_is_refused(name, body, games):
    endpoint = BY_NAME[name]
    sent, code = BODIES[body]
    answer = endpoint.send(games[endpoint.stage], data=sent, content_type="application/json")
    assert refusal(answer, body) == code
    if code == "invalid_body":
        assert [error["pointer"] for error in answer.json["errors"]] == [""]


@pytest.mark.parametrize("name", [name for name in WITH_BODY if name != "POST /v1/games"])
@pytest.mark.parametrize("body", [b"", b"{}"])
@pytest.mark.usefixtures("unchanged")
def test_an_empty_body_lacks_what_is_required(name, body, games):
    endpoint = BY_NAME[name]
    answer = endpoint.send(games[endpoint.stage], data=body, content_type="application/json")
    assert refusal(answer, body) == "invalid_body"
    assert answer.json["errors"]


@pytest.mark.parametrize(
    "content_type",
    ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "", "json"],
)
@pytest.mark.parametrize("name", WITH_BODY)
@pytest.mark.usefixtures("unchanged")
def test_a_body_that_is_not_said_to_be_json_is_refused(name, content_type, games):
    endpoint = BY_NAME[name]
    game = games[endpoint.stage]
    sent = json.dumps(endpoint.right_body(game))
    answer = endpoint.send(game, data=sent, content_type=content_type)
    assert refusal(answer, content_type) == "unsupported_media_type"


@pytest.mark.usefixtures("unchanged")
def test_of_a_key_given_twice_the_last_counts(games):
    sent = b'{"discard": "L01", "discard": 5, "prices": {}}'
    answer = BY_NAME["PUT /v1/games/<game>/players/<int:seat>/offer"].send(
        games["pricing"], data=sent, content_type="application/json"
    )
    assert [error["pointer"] for error in answer.json["errors"]] == ["/discard"]


@pytest.mark.usefixtures("unchanged")
def test_a_thousand_faults_are_not_all_told(games):
    service = games["lobby"].service
    for body in (
        {f"field{number}": 1 for number in range(10_000)},
        {"players": [{}] * 20_000},
        {"options": {"scoring_tiles": [0] * 50_000}},
    ):
        answer = service.call("POST", "/v1/games", body)
        assert refusal(answer, "") == "invalid_body"
        assert len(answer.data) < 10_000


# Names.

HIDDEN = {
    "a lone control": "a\x07b",
    "a line end": "a\nb",
    "a null": "a\x00b",
    "a delete": "a\x7fb",
    "a next line": "a\x85b",
    "a line separator": "a\u2028b",
    "an override": "abc\u202edef",
    "an embedding": "abc\u202adef",
    "an isolate": "abc\u2066def",
    "no character": "a\ufffeb",
    "nor this": "a\uffffb",
    "for private use": "a\ue000b",
    "nothing but blanks": " \u00a0\u3000 ",
    "nothing to be seen": "\u200b\u200d\ufeff",
    "too long": "a" * 61,
    "too long in other letters": "ü" * 61,
}
READABLE = ["O'Brien <b>&amp;\"", "Zoë", "山田", "שלום", "e\u0301", "🏰", "]]>", "${7*7}", "a" * 40]


@pytest.mark.parametrize("kind", HIDDEN)
@pytest.mark.usefixtures("unchanged")
def test_a_name_that_cannot_be_read_is_refused(kind, games):
    game, name = games["lobby"], HIDDEN[kind]
    for path, body, pointer in (
        ("/v1/games", {"name": name}, "/name"),
        ("/v1/games", {"players": [{"name": name}]}, "/players/0/name"),
        (game.path("players"), {"name": name}, "/name"),
    ):
        answer = game.service.call("POST", path, body)
        assert refusal(answer, kind) == "invalid_body"
        assert [error["pointer"] for error in answer.json["errors"]] == [pointer]


@pytest.mark.parametrize("name", READABLE)
def test_a_name_that_can_be_read_is_shown_as_it_is(name, service):
    game = service.table(1, name=name, start=False)
    assert game.call("POST", "players", {"name": name}).status_code == 201
    view = game.view()
    assert view["name"] == view["players"][1]["name"] == name
    picture = ET.fromstring(game.call("GET", "territory.svg", seat=1, token=game.host).data)
    assert picture.find("{*}title").text == name


# Paths, methods and headers.

GAMES = [
    "nope",
    "%00",
    "%2F",
    "%2e%2e",
    "..",
    "%ff",
    "%F0%9F%8F%B0",
    "a" * 7000,
    "{x}",
    "*",
    "%20",
    "%0a",
    "a%3Ab",
    "skye:x",
]
NUMBERS = ["-1", "99", "9" * 30, "9" * 5000, "1.5", "x", "%00", "+1", "1e0", "0x1", "%20", "null", "1%2F2"]
TILES = ["L00", "l01", "L74", "castle-purple", "%00", "x" * 5000, "..", "L01%2Fx", "%ff"]


@pytest.mark.parametrize("name", BY_NAME)
@pytest.mark.usefixtures("unchanged")
def test_a_strange_path_is_not_found(name, games):
    endpoint = BY_NAME[name]
    game = games[endpoint.stage]
    for part, values in (("game", GAMES), ("int:seat", NUMBERS), ("int:round", NUMBERS), ("tile", TILES)):
        for value in values if f"<{part}>" in endpoint.rule else ():
            answer = endpoint.send(game, body=endpoint.right_body(game), parts={part: value})
            code = refusal(answer, (part, value))
            assert answer.status_code == 404 or code in ("method_not_allowed", "invalid_parameter"), (
                value,
                code,
            )


METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT", "PROPFIND", "É"]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.usefixtures("unchanged")
def test_a_method_that_a_path_does_not_have_is_refused(rule, games):
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
def test_options_are_told_without_a_body(rule, games):
    endpoint = next(endpoint for endpoint in ENDPOINTS if endpoint.rule == rule)
    game = games[endpoint.stage]
    answer = game.service.call("OPTIONS", endpoint.path(game))
    assert answer.status_code in (200, 204)
    assert endpoint.method in answer.headers["Allow"]
    assert not answer.data
    assert "html" not in (answer.content_type or "")


@pytest.mark.parametrize("name", READS)
@pytest.mark.usefixtures("unchanged")
def test_a_head_is_a_get_without_a_body(name, games):
    endpoint = BY_NAME[name]
    game = games[endpoint.stage]
    named = {"X-Request-Id": "the-same"}
    got = endpoint.send(game, headers=named)
    head = game.service.call("HEAD", endpoint.path(game), token=endpoint.token(game), headers=named)
    assert (head.status, head.data) == (got.status, b"")
    assert dict(head.headers) == dict(got.headers)


AUTHORIZATIONS = [
    "", "Bearer", "Bearer ", "bearer", "Basic YTpi", "Token x", "Bearer x", "Bearer a b", "Bearer \xff",
    "Bearer " + "a" * 8000, "Bearer,x", "\x00", "Bearer null", "Bearer skye_", "BEARER\tx",
]  # fmt: skip


@pytest.mark.parametrize("name", [name for name, endpoint in BY_NAME.items() if endpoint.of_game])
@pytest.mark.usefixtures("unchanged")
def test_a_strange_authorization_is_refused(name, games):
    endpoint = BY_NAME[name]
    game = games[endpoint.stage]
    for sent in AUTHORIZATIONS:
        headers = {"Authorization": sent}
        answer = endpoint.send(game, token=None, headers=headers, body=endpoint.right_body(game))
        assert refusal(answer, sent) == "token_unknown", sent


@pytest.mark.parametrize("name", WRITES)
@pytest.mark.usefixtures("unchanged")
def test_a_strange_idempotency_key_is_refused(name, games):
    endpoint = BY_NAME[name]
    game = games[endpoint.stage]
    for key in ("", "a" * 256, "a" * 8000, "ä", "a b", "\t", "a\x00", "\x7f"):
        answer = endpoint.send(game, headers={"Idempotency-Key": key}, body=endpoint.right_body(game))
        assert refusal(answer, key) == "invalid_parameter"
        assert [error["pointer"] for error in answer.json["errors"]] == ["Idempotency-Key"]


@pytest.mark.parametrize("name", [name for name in WRITES if BY_NAME[name].of_game])
@pytest.mark.usefixtures("unchanged")
def test_a_strange_if_match_does_not_match(name, games):
    endpoint = BY_NAME[name]
    game = games[endpoint.stage]
    for tag in ("", '"999999"', '""', "x", "W/", '"', "1" * 5000, '"1","2"', "\xff", ", ,", '"\x00"'):
        answer = endpoint.send(game, headers={"If-Match": tag}, body=endpoint.right_body(game))
        assert refusal(answer, tag) == "version_mismatch"


@pytest.mark.parametrize("name", READS)
@pytest.mark.usefixtures("unchanged")
def test_a_strange_if_none_match_matches_nothing(name, games):
    endpoint = BY_NAME[name]
    for tag in ("", '"999999"', '""', "x", "W/", '"', "1" * 5000, "\xff", ", ,"):
        answer = endpoint.send(games[endpoint.stage], headers={"If-None-Match": tag})
        assert answer.status_code == 200, tag


SERVED = ("application/json", "image/svg+xml", "text/event-stream", "text/plain")
ACCEPTS = [
    "text/html", "application/xml", "image/png, text/*", "*/*;q=0", "application/json;q=0", "text/html;q=abc",
    ";;;", ",", "", "application/*;q=0.1", "*/*", "a" * 5000, "\xff/\xff", "*/json", "application/json;q=1e9",
    "application/json;q=nan", "application/json; version=99",
]  # fmt: skip


@pytest.mark.parametrize("name", READS)
@pytest.mark.usefixtures("unchanged")
def test_an_accept_that_cannot_be_served_is_refused(name, games):
    endpoint = BY_NAME[name]
    for accept in ACCEPTS:
        answer = endpoint.send(games[endpoint.stage], headers={"Accept": accept})
        if answer.status_code != 200:
            assert refusal(answer, accept) == "not_acceptable"
        else:
            assert answer.mimetype in SERVED, accept


QUERIES = {
    "GET /v1/games": {
        "limit": ["0", "101", "-1", "x", "", "9" * 30, "9" * 5000, "\x00", "1_0", "\u0661", " 5 "],
        "status": ["", "LOBBY", "aborted", "x" * 5000, "\x00"],
        "cursor": ["", "x", "=", "é", "a" * 65, "bmFu", "\x00", "9" * 64, "MQ==MQ=="],
    },
    "GET /v1/games/<game>/events": {
        "after": ["-1", "x", "", "1.5", "9" * 30, "9" * 5000, "\x00"],
        "limit": ["0", "1001", "x", "-1"],
        "wait_ms": ["-1", "60001", "x", "1e3", "9" * 30],
    },
    "GET /v1/tiles/<tile>.svg": {"rotation": ["45", "-90", "x", "", "360", "0x0", "9" * 5000, "090"]},
}  # fmt: skip


@pytest.mark.parametrize("name", QUERIES)
@pytest.mark.usefixtures("unchanged")
def test_a_parameter_out_of_range_is_refused_by_name(name, games):
    endpoint = BY_NAME[name]
    for parameter, values in QUERIES[name].items():
        for value in values:
            answer = endpoint.send(games[endpoint.stage], query_string={parameter: value})
            about = (parameter, value)
            assert refusal(answer, about) == "invalid_parameter", about
            assert [error["pointer"] for error in answer.json["errors"]] == [parameter], about


@pytest.mark.usefixtures("unchanged")
def test_a_strange_last_event_id_is_as_good_as_none(games):
    game = games["pricing"]
    everything = game.call("GET", "events").json
    for sent in ("", "x", "-1", "9" * 5000, "1.5", "²", "\xff"):
        assert game.call("GET", "events", headers={"Last-Event-ID": sent}).json == everything


@pytest.mark.usefixtures("unchanged")
def test_a_list_that_is_too_long_is_refused_as_a_whole(games):
    game = games["pricing"]
    prices = {str(number): 0 for number in range(9999)}
    for method, path, body, pointer in (
        ("POST", "/v1/games", {"players": [{}] * 50_000}, "/players"),
        ("POST", "/v1/games", {"options": {"scoring_tiles": [0] * 50_000}}, "/options/scoring_tiles"),
        ("POST", "/v1/scoring", {"territories": [{"tiles": [{}] * 50_000}]}, "/territories/0/tiles"),
        ("POST", game.path("what-if", 0), {"placements": [{}] * 50_000}, "/placements"),
        ("PUT", game.path("offer", 0), {"discard": "L01", "prices": prices}, "/prices"),
    ):
        answer = game.service.call(method, path, body, game.tokens[0])
        assert refusal(answer, pointer) == "invalid_body"
        assert [error["pointer"] for error in answer.json["errors"]] == [pointer]
