"""Bodies of the wrong shape, to every endpoint: the response names the wrong part, and nothing changes."""

import copy
import json
from contextlib import nullcontext
from functools import cache

import pytest

from tests.support.endpoints import BY_NAME, NOBODY, Endpoint
from tests.support.playing import Service, client_error_code


@cache
def record():
    """Return the record of a game that is over, without the fields that a new game ignores."""
    game = Service().create_game(2, bots={0: "random", 1: "random"})
    received = game.service.get(game.path("record"))
    return {field: value for field, value in received.items() if field not in ("game_id", "version", "nonce")}


FROM_RECORD = Endpoint("POST", "/v1/games", "lobby", NOBODY, lambda _: {"record": record(), "stop_at": 9})
BY_NAME = BY_NAME | {"POST /v1/games from a record": FROM_RECORD}
REPORTED_AT_PARENT = {"/pass"}
"""Fields that choose the form of an object: null chooses none, so the object itself is invalid."""

WITH_BODY = [name for name, endpoint in BY_NAME.items() if endpoint.body]

MAY_BE_NULL = {
    "/record/options/scoring_tiles",
    "/record/options/seed",  # of a game that is not over
    "/record/options/first_seat",
    "/record/players/0/bot",
    "/record/actions/0/discard",  # as in the record of a game in play, which hides it
    "/record/actions/0/prices",
}

_TEXT = [None, 5, 1.5, True, [], {}, "", "x" * 5000, " ", "\x00", "\u202e"]
_NUMBER = [None, "1", True, False, 1.5, 10**30, -(10**30), [], {}, ""]
_FLAG = [None, 0, 1, "true", "", [], {}]
_LIST = [None, {}, "x", 5, True, [None], [[]]]
_OBJECT = [None, [], "x", 5, True, [{}]]
_NULL = [5, True, "x", {}, [[]]]


def wrong_values(value):
    """Return values of other types than this one, and out of range."""
    kinds = {str: _TEXT, bool: _FLAG, int: _NUMBER, list: _LIST, dict: _OBJECT, type(None): _NULL}
    return kinds[type(value)]


def places(body, path=()):
    """Yield each part of a body with its path of keys and indices; of a list only the first element."""
    yield path, body
    inner = body.items() if isinstance(body, dict) else enumerate(body[:1]) if isinstance(body, list) else ()
    for key, value in inner:
        yield from places(value, (*path, key))


def replaced(body, path, value):
    """Return a copy of a body with another value at a path."""
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
def test_wrong_value_is_an_error_with_its_pointer(name, games):
    endpoint = BY_NAME[name]
    game = games[endpoint.stage]
    right = endpoint.right_body(game)
    for path, value in places(right):
        pointer = "".join(f"/{key}" for key in path)
        for wrong in wrong_values(value):
            if wrong is None and pointer in MAY_BE_NULL:
                continue
            answer = endpoint.send(
                game, data=json.dumps(replaced(right, path, wrong)), content_type="application/json"
            )
            about = (pointer, wrong)
            assert client_error_code(answer, about) == "invalid_body", about
            if wrong is None and pointer in REPORTED_AT_PARENT:
                pointer = pointer.rpartition("/")[0]
            found = [error["pointer"] for error in answer.json["errors"]]
            assert any(f"{at}/".startswith(f"{pointer}/") for at in found), (about, answer.text)
            assert all(error["detail"] for error in answer.json["errors"]), (about, answer.text)


@pytest.mark.parametrize("name", WITH_BODY)
@pytest.mark.parametrize(
    "field", ["surprise", "key", "value", "_schema", "__class__", "", "a/b~c", "\x00", "ü"]
)
@pytest.mark.usefixtures("unchanged")
def test_unknown_field_is_an_error_with_its_pointer(name, field, games):
    endpoint = BY_NAME[name]
    game = games[endpoint.stage]
    right = endpoint.right_body(game)
    for path, value in places(right):
        if isinstance(value, dict):
            answer = endpoint.send(game, body=replaced(right, (*path, field), 1))
            assert client_error_code(answer, path) == "invalid_body"
            escaped = field.replace("~", "~0").replace("/", "~1")
            pointer = "".join(f"/{key}" for key in (*path, escaped))
            assert pointer in [error["pointer"] for error in answer.json["errors"]], answer.text


@pytest.mark.parametrize("name", WITH_BODY)
@pytest.mark.usefixtures("unchanged")
def test_number_out_of_the_range_of_json_is_an_error(name, games):
    endpoint = BY_NAME[name]
    game = games[endpoint.stage]
    right = endpoint.right_body(game)
    for path, value in places(right):
        if type(value) is int:
            for huge in ("1e400", "-1e400", "1e30", "9" * 5000, "NaN", "Infinity", "1e999999999999"):
                sent = json.dumps(replaced(right, path, "HUGE")).replace('"HUGE"', huge)
                answer = endpoint.send(game, data=sent, content_type="application/json")
                assert client_error_code(answer, (path, huge)) in ("invalid_body", "malformed_json")


BODIES = {
    "not JSON": (b"{", "malformed_json"),
    "two values": (b"{} {}", "malformed_json"),
    "single quotes": (b"{'name': 1}", "malformed_json"),
    "not UTF-8": (b'{"name": "\xff\xfe"}', "malformed_json"),
    "UTF-16": ('{"name": "a"}'.encode("utf-16"), "malformed_json"),
    "a lone surrogate": (b'{"name": "\\ud800"}', "malformed_json"),
    "control characters": (b'{"name": "a\nb"}', "malformed_json"),
    "nested one level too deeply": (b"[" * 65 + b"]" * 65, "malformed_json"),
    "nested too deeply": (b"[" * 5000 + b"]" * 5000, "malformed_json"),
    "objects nested one level too deeply": (b'{"name":' * 65 + b"1" + b"}" * 65, "malformed_json"),
    "nested as deeply as a body may be": (b"[" * 64 + b"]" * 64, "invalid_body"),
    "nested as deeply as its values let it": (b"[" * 8_192 + b"]" * 8_192, "malformed_json"),
    "nested as deeply as its size lets it": (b"[" * 100_000 + b"]" * 100_000, "invalid_body"),
    "more values than a body may have": (b"[" + b"0," * 32_768 + b"0]", "invalid_body"),
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


@pytest.mark.parametrize("name", WITH_BODY)
@pytest.mark.usefixtures("unchanged")
def test_body_that_is_not_an_object_is_refused(name, games):
    endpoint = BY_NAME[name]
    for body, (sent, code) in BODIES.items():
        answer = endpoint.send(games[endpoint.stage], data=sent, content_type="application/json")
        assert client_error_code(answer, body) == code, body
        if code == "invalid_body":
            assert [error["pointer"] for error in answer.json["errors"]] == [""], body


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in WITH_BODY
        if not name.removesuffix(" from a record").endswith(("/v1/games", "/secret"))
    ],
)
@pytest.mark.parametrize("body", [b"", b"{}"])
@pytest.mark.usefixtures("unchanged")
def test_empty_body_lacks_what_is_required(name, body, games):
    endpoint = BY_NAME[name]
    answer = endpoint.send(games[endpoint.stage], data=body, content_type="application/json")
    assert client_error_code(answer, body) == "invalid_body"
    assert answer.json["errors"]


OTHER_TYPES = (
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "",
    "json",
    "application/merge-patch+json",
    "application/vnd.api+json",
    "text/json",
)


@pytest.mark.parametrize("name", WITH_BODY)
@pytest.mark.usefixtures("unchanged")
def test_body_without_the_content_type_of_json_is_refused(name, games):
    endpoint = BY_NAME[name]
    game = games[endpoint.stage]
    sent = json.dumps(endpoint.right_body(game))
    for content_type in OTHER_TYPES:
        answer = endpoint.send(game, data=sent, content_type=content_type)
        assert client_error_code(answer, content_type) == "unsupported_media_type", content_type


@pytest.mark.parametrize("encoding", ["gzip", "br", "x-unknown", "identity, gzip", "gzip, identity"])
@pytest.mark.usefixtures("unchanged")
def test_body_with_a_content_encoding_is_refused_even_if_it_is_plain(encoding, games):
    endpoint = BY_NAME["POST /v1/games"]
    game = games[endpoint.stage]
    sent, headers = json.dumps(endpoint.right_body(game)), {"Content-Encoding": encoding}
    answer = endpoint.send(game, data=sent, content_type="application/json", headers=headers)
    assert client_error_code(answer, encoding) == "unsupported_media_type"


@pytest.mark.usefixtures("unchanged")
def test_thousand_invalid_fields_are_not_all_reported(games):
    service = games["lobby"].service
    for body in (
        {f"field{number}": 1 for number in range(10_000)},
        {"players": [{}] * 15_000},
        {"options": {"scoring_tiles": [0] * 30_000}},
    ):
        answer = service.call("POST", "/v1/games", body)
        assert client_error_code(answer, "") == "invalid_body"
        assert len(answer.data) < 10_000


@pytest.mark.parametrize(
    ("body", "computations"),
    [(b"[" + b"{}," * 998 + b"{}]", 1), (b"[" + b"{}," * 997 + b"{}]", 0), (b'"' + b"x" * 16_384 + b'"', 1)],
    ids=["1,000 lists and objects", "fewer", "many bytes"],
)
@pytest.mark.usefixtures("unchanged")
def test_body_that_is_expensive_to_decode_is_a_computation(games, monkeypatch, body, computations):
    begun = []

    def begin():
        begun.append(1)
        return nullcontext()

    monkeypatch.setattr("skye_server.http.request_parsing.Computation", begin)
    answer = BY_NAME["POST /v1/games"].send(games["lobby"], data=body, content_type="application/json")
    assert client_error_code(answer, "") == "invalid_body"
    assert len(begun) == computations


@pytest.mark.usefixtures("unchanged")
def test_list_that_is_too_long_is_refused_as_a_whole(games):
    game = games["pricing"]
    prices = {str(number): 0 for number in range(9999)}
    for method, path, body, pointer in (
        ("POST", "/v1/games", {"players": [{}] * 8_000}, "/players"),
        ("POST", "/v1/games", {"options": {"scoring_tiles": [0] * 30_000}}, "/options/scoring_tiles"),
        ("POST", "/v1/scoring", {"territories": [{"tiles": [{}] * 8_000}]}, "/territories/0/tiles"),
        ("POST", game.path("what-if", 0), {"placements": [{}] * 8_000}, "/placements"),
        ("PUT", game.path("offer", 0), {"discard": "L01", "prices": prices}, "/prices"),
    ):
        answer = game.service.call(method, path, body, game.tokens[0])
        assert client_error_code(answer, pointer) == "invalid_body"
        assert [error["pointer"] for error in answer.json["errors"]] == [pointer]


@pytest.mark.parametrize(
    "body", ['{"name": "a", "name": "b"}', '{"options": {"seed": "a", "\\u0073eed": "b"}}']
)
def test_object_with_two_members_of_one_name_is_refused(service, body):
    answer = service.call("POST", "/v1/games", data=body, content_type="application/json")
    assert client_error_code(answer) == "malformed_json"
    assert "two members named" in answer.json["detail"]


def test_colon_in_a_string_is_no_duplicate_member(service):
    assert service.call("POST", "/v1/games", {"name": "a:b"}).status_code == 201


def test_values_of_a_body_are_counted_before_it_is_decoded(service, monkeypatch):
    monkeypatch.setattr("msgspec.json.decode", None)
    for body in (b"[" * 8_193, b"{" * 8_193, b"[{" * 4_097, b"," * 40_000):
        answer = service.http.post("/v1/games", data=body, content_type="application/json")
        assert client_error_code(answer) == "invalid_body"


def test_record_and_batch_of_the_largest_size_have_few_enough_values():
    action = {"seat": 4, "type": "place", "tile": "L01", "x": -1, "y": -1, "rotation": 3, "round": 6}
    record = json.dumps([action] * 2_000, separators=(",", ":")).encode()
    assert sum(record.count(sign) for sign in (b",", b"[", b"{")) < 262_144 // 8
    assert len(json.dumps(action, separators=(",", ":"))) / (len(action) + 1) > 8
    placed = {"tile": "L01", "x": 0, "y": 0, "rotation": 0}  # the smallest object of long lists
    assert len(json.dumps(placed, separators=(",", ":"))) > 32


def test_large_body_with_a_long_list_waits_for_no_computation_of_its_own(service, monkeypatch):
    monkeypatch.setattr("skye_server.cooperative_yield.MAX_QUEUED", 0)
    body = {"record": record() | {"actions": record()["actions"] * 8}}
    assert len(json.dumps(body)) > 16_384
    assert client_error_code(service.call("POST", "/v1/games", body)) == "invalid_record"
