"""Bad requests to every endpoint: each is refused with the code and the place of its fault; nothing changes.

A fault says at which endpoints it is possible, and yields the requests that have it.
"""

import copy
import json
import random
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import pytest

from skye_server.error_codes import ERROR_CODES
from tests.support.endpoints import BY_NAME, HOST, NOBODY, PLAYER, Endpoint
from tests.support.playing import Game, Service, client_error_code


class Bad(NamedTuple):
    """A bad request.

    :param codes: the code of its problem, or several that are right.
    :param changes: in what it differs from a valid request; see `Endpoint.send`.
    :param place: where the fault is, as `in` and the name or pointer; a pointer may lead further in.
    :param game: the game that it is sent to, if it is not the one of the endpoint's stage.
    """

    codes: str | frozenset[str]
    changes: dict[str, Any]
    place: tuple[str, str] | None = None
    game: Game | None = None


class Valid(NamedTuple):
    """A valid request: the endpoint, games at each stage, and the body."""

    endpoint: Endpoint
    games: dict[str, Game]
    body: Any

    @property
    def game(self):
        return self.games[self.endpoint.stage]


FAULTS: list[Callable] = []


def fault(applies):
    """Add a function that yields the bad requests of an endpoint, if it applies to the endpoint."""

    def decorator(requests):
        FAULTS.append(lambda valid: list(requests(valid)) if applies(valid.endpoint) else [])
        return requests

    return decorator


@cache
def record():
    """Return the record of the beginning of a game, without the fields that a new game ignores."""
    game = Service().create_game(2, bots={0: "random", 1: "random"})
    received = game.service.get(game.path("record"))
    kept = {field: value for field, value in received.items() if field not in ("game_id", "version", "nonce")}
    return kept | {"actions": received["actions"][:3]}


FROM_RECORD = Endpoint("POST", "/v1/games", "lobby", NOBODY, lambda _: {"record": record(), "stop_at": 3})
TRIED = BY_NAME | {"POST /v1/games from a record": FROM_RECORD}
FEW = 2
"""How many requests of each fault the quick test sends to an endpoint."""


def check(name, games, chosen):
    """Send the chosen requests of each fault to an endpoint."""
    endpoint = TRIED[name]
    valid = Valid(endpoint, games, endpoint.right_body(games[endpoint.stage]))
    for requests in FAULTS:
        for bad in chosen(requests(valid)):
            sent = {} if "data" in bad.changes else {"body": valid.body}
            answer = endpoint.send(bad.game or valid.game, **sent | bad.changes)
            about = str(bad)[:500]
            assert client_error_code(answer, about) in codes_of(bad), (about, answer.text)
            assert bad.place is None or is_named(answer.json["errors"], *bad.place), (about, answer.text)


def codes_of(bad):
    return bad.codes if isinstance(bad.codes, frozenset) else {bad.codes}


def is_named(errors, where, name):
    """Return whether the errors are at a place, and have details."""
    assert all(error["detail"] for error in errors)
    found = [(error["in"], error.get("name", error.get("pointer"))) for error in errors]
    if where == "body" and name:
        return any(f"{pointer}/".startswith(f"{name}/") for _, pointer in found)
    return found == [(where, name)]


@pytest.mark.parametrize("name", TRIED)
@pytest.mark.usefixtures("unchanged")
def test_bad_request_is_refused_with_its_code_and_place(name, games):
    dice = random.Random(name)
    check(name, games, lambda requests: dice.sample(requests, min(FEW, len(requests))))


@pytest.mark.parametrize("name", TRIED)
@pytest.mark.usefixtures("unchanged")
def test_every_bad_request_is_refused_with_its_code_and_place(name, games):
    check(name, games, lambda requests: requests)


def test_every_operation_is_tried():
    operations = {
        f"{method} {rule.rule}"
        for rule in Service().app.url_map.iter_rules()
        for method in rule.methods - {"HEAD", "OPTIONS"}
        if rule.rule.startswith("/v1") and not rule.rule.startswith("/v1/lab")  # see lab/test_lab.py
    }
    assert operations == {name for name in BY_NAME if " /v1" in name}


# Paths.

NUMBERS = [
    "-1", "00", "01", "%D9%A1", "99", "9" * 30, "9" * 5000, "1.5", "x", "%00", "+1", "1e0", "0x1", "%20",
    "null", "1%2F2",
]  # fmt: skip
TILES = ["L00", "l01", "L74", "castle-purple", "%00", "x" * 5000, "..", "L01%2Fx", "%ff"]
MALFORMED = {
    "game": [
        "nope", "%00", "%2F", "%2e%2e", "..", "%ff", "%F0%9F%8F%B0", "a" * 7000, "{x}", "*", "%20", "%0a",
        "a%3Ab", "skye:x",
    ],
    "seat:seat": NUMBERS,
    "int:round": NUMBERS,
    "tile": TILES,
    "scoring_tile": TILES,
}  # fmt: skip
NOT_FOUND = frozenset(
    {code for code, row in ERROR_CODES.items() if row.status == 404}
    | {"method_not_allowed", "invalid_parameter"}
)


@fault(lambda endpoint: "<" in endpoint.rule)
def malformed_path(valid):
    for part, values in MALFORMED.items():
        if f"<{part}>" in valid.endpoint.rule:
            yield from (Bad(NOT_FOUND, {"parts": {part: value}}) for value in values)


def at_seat(endpoint):
    return "<seat:seat>" in endpoint.rule


@fault(at_seat)
def seat_that_the_game_does_not_have(_valid):
    yield Bad("seat_not_found", {"token": None, "parts": {"seat:seat": "5"}})


# Callers without the right to an operation, whatever else is right.

STRANGER = "skye_key_" + 22 * "S"
FOR_HOSTS_TOO = {"DELETE /v1/games/<game>/players/<seat:seat>"}
"""What the host may do at every seat."""


@fault(lambda endpoint: endpoint.who == HOST)
def caller_that_is_not_the_host(valid):
    yield Bad("token_required", {"token": None})
    others = [token for token in (valid.game.tokens[1], STRANGER) if token]  # a bot has no token
    yield from (Bad("host_only", {"token": token}) for token in others)


@fault(lambda each: at_seat(each) and (each.method != "GET" or each.rule.endswith("/actions")))
def caller_of_another_seat(valid):
    host = [] if valid.endpoint.name in FOR_HOSTS_TOO else [valid.game.host]
    yield Bad("token_required", {"token": None})
    # A seat is asked to be taken over by the token of another one.
    other = [] if valid.endpoint.who == 1 else [valid.game.tokens[1]]
    yield from (Bad("not_your_seat", {"token": token}) for token in (*other, STRANGER, *host))


@fault(lambda endpoint: endpoint.who == PLAYER)
def caller_without_a_player_key(valid):
    yield Bad("player_key_required", {"token": None})
    yield from (Bad("player_key_only", {"token": token}) for token in (valid.game.tokens[1], valid.game.host))
    for key in ("skye_key_short", "skye_key_" + 65 * "a", "skye_key_" + 22 * "!", "key"):
        yield Bad("token_unknown", {"token": key})


@fault(lambda endpoint: endpoint.changes_game and endpoint.stage not in ("aborted", "alone", "manual"))
def game_that_is_over(valid):
    yield Bad("game_aborted", {}, game=valid.games["aborted"])


# Headers.

AUTHORIZATIONS = [
    "", "Bearer", "Bearer ", "bearer", "Basic YTpi", "Token x", "Bearer x", "Bearer a b", "Bearer \xff",
    "Bearer " + "a" * 8000, "Bearer,x", "\x00", "Bearer null", "Bearer skye_", "BEARER\tx",
]  # fmt: skip


@fault(lambda endpoint: endpoint.of_game)
def malformed_authorization(_valid):
    for sent in AUTHORIZATIONS:
        yield Bad("token_unknown", {"token": None, "headers": {"Authorization": sent}})


@fault(lambda endpoint: endpoint.writes)
def malformed_idempotency_key(_valid):
    for key in ("", "a" * 256, "a" * 8000, "ä", "a b", "\t", "a\x00", "\x7f"):
        headers = {"Idempotency-Key": key}
        yield Bad("invalid_parameter", {"headers": headers}, ("header", "Idempotency-Key"))


@fault(lambda endpoint: endpoint.changes_game)
def malformed_if_match(_valid):
    for tag in ("", '"999999"', '""', "x", "W/", '"', "1" * 1024, '"1","2"', "\xff", ", ,", '"\x00"'):
        yield Bad("version_mismatch", {"headers": {"If-Match": tag}})


LAST_EVENT_IDS = ("x", "-1", "9" * 5000, "1.5", "²", "\xff")


@fault(lambda endpoint: endpoint.name == "GET /v1/games/<game>/events/stream")
def last_event_id_that_is_no_number(_valid):
    for sent in LAST_EVENT_IDS:
        yield Bad("invalid_parameter", {"headers": {"Last-Event-ID": sent}}, ("header", "Last-Event-ID"))


# Queries.

EXPORTED = {
    "limit": ["0", "1001"],
    "cursor": ["x", "17"],
    "since": ["1700000000", "2027-02-30T00:00:00Z"],
    "until": ["2027-01-15"],
    "ruleset": ["druids"],
}
QUERIES = {
    "GET /v1/records": EXPORTED,
    "GET /v1/me/games/records": EXPORTED,
    "GET /v1/me/records": {"limit": ["0", "101", "x"], "cursor": ["x", "17"]},
    "GET /v1/games/<game>": {"include": ["", "all"]},
    "GET /v1/me/events": {
        "after": ["", "1", "-1", "1-", "1-x", "9" * 20 + "-1", "1-1-1"],
        "limit": ["0", "1001", "x"],
        "wait_ms": ["-1", "60001"],
    },
    "GET /v1/me/events/stream": {"after": ["", "1", "1-x"]},
    "GET /v1/me/games": {
        "limit": ["0", "101", "-1", "x", ""],
        "cursor": ["", "x", "1", "-a", "1-", "1-A", "12345678901234567-a"],
    },
    "GET /v1/games": {
        "limit": ["0", "101", "-1", "x", "", "9" * 30, "9" * 5000, "\x00", "1_0", "\u0661", " 5 "],
        "status": ["", "LOBBY", "aborted", "x" * 5000, "\x00"],
        "cursor": ["", "x", "=", "é", "a" * 65, "bmFu", "\x00", "9" * 64, "MQ==MQ=="],
    },
    "GET /v1/games/<game>/events/stream": {"after": ["-1", "x", "", "1.5", "9" * 30]},
    "GET /v1/games/<game>/events": {
        "after": ["-1", "x", "", "1.5", "9" * 30, "9" * 5000, "\x00"],
        "limit": ["0", "1001", "x", "-1"],
        "wait_ms": ["-1", "60001", "x", "1e3", "9" * 30],
    },
    "GET /v1/games/<game>/players/<seat:seat>/places": {"tile": ["", "L74", "castle-red", "L35,L36", "\x00"]},
    "GET /v1/tiles/<tile>/picture.svg": {"rotation": ["45", "-90", "x", "", "360", "0x0", "9" * 5000]},
}  # fmt: skip


@fault(lambda endpoint: endpoint.name in QUERIES)
def parameter_out_of_range(valid):
    for parameter, values in QUERIES[valid.endpoint.name].items():
        for value in values:
            yield Bad("invalid_parameter", {"query_string": {parameter: value}}, ("query", parameter))


@fault(lambda endpoint: endpoint.rule.startswith("/v1"))
def unknown_query_parameter(valid):
    for unknown in ("no_such", "_schema", "a/b"):
        query = {**dict(valid.endpoint.query), unknown: "1"}
        yield Bad("invalid_parameter", {"query_string": query}, ("query", unknown))


# Bodies.


def has_body(endpoint):
    return endpoint.body is not None


def as_json(data):
    """Return the changes of a request that sends bytes or text as JSON."""
    return {"data": data, "content_type": "application/json"}


_TEXT = [None, 5, 1.5, True, [], {}, "", "x" * 5000, " ", "\x00", "\u202e"]
_NUMBER = [None, "1", True, False, 1.5, 10**30, -(10**30), [], {}, ""]
_FLAG = [None, 0, 1, "true", "", [], {}]
_LIST = [None, {}, "x", 5, True, [None], [[]]]
_OBJECT = [None, [], "x", 5, True, [{}]]
_NULL = [5, True, "x", {}, [[]]]
WRONG = {str: _TEXT, bool: _FLAG, int: _NUMBER, list: _LIST, dict: _OBJECT, type(None): _NULL}
"""Values of other types than a type, and out of range."""

REPORTED_AT_PARENT = {"/pass"}
"""Fields that choose the form of an object: null chooses none, so the object itself is invalid."""

MAY_BE_NULL = {
    *(
        f"{place}/options/{option}"  # as if left out
        for place in ("", "/games/0")
        for option in ("turn_ms", "budget_ms", "scoring_tiles", "first_seat", "seed")
    ),
    "/secret",
    "/record/draws",  # drawn by the seed, as if left out
    "/record/options/scoring_tiles",
    "/record/options/seed",  # of a game that is not over
    "/record/options/first_seat",
    "/record/players/0/bot",
    "/record/actions/0/discard",  # as in the record of a game in play, which hides it
    "/record/actions/0/prices",
}


MAY_BE_A_NUMBER = {"/record/players/0/end/round"}
"""Fields that are null in the right request."""


def parts(body, path=()):
    """Yield each part of a body with its path of keys and indices; of a list only the first element."""
    yield path, body
    inner = body.items() if isinstance(body, dict) else enumerate(body[:1]) if isinstance(body, list) else ()
    for key, value in inner:
        yield from parts(value, (*path, key))


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


def pointer_to(path):
    return "".join(f"/{str(key).replace('~', '~0').replace('/', '~1')}" for key in path)


@fault(has_body)
def wrong_value(valid):
    for path, value in parts(valid.body):
        pointer = pointer_to(path)
        for wrong in WRONG[type(value)]:
            if (wrong is None and pointer in MAY_BE_NULL) or (wrong == 5 and pointer in MAY_BE_A_NUMBER):
                continue
            place = pointer.rpartition("/")[0] if wrong is None and pointer in REPORTED_AT_PARENT else pointer
            yield Bad("invalid_body", as_json(json.dumps(replaced(valid.body, path, wrong))), ("body", place))


@fault(has_body)
def unknown_field(valid):
    for path, value in parts(valid.body):
        if isinstance(value, dict):
            for field in ("surprise", "key", "value", "_schema", "__class__", "", "a/b~c", "\x00", "ü"):
                place = "body", pointer_to((*path, field))
                yield Bad("invalid_body", {"body": replaced(valid.body, (*path, field), 1)}, place)


@fault(has_body)
def number_out_of_the_range_of_json(valid):
    for path, value in parts(valid.body):
        if type(value) is int:
            sent = json.dumps(replaced(valid.body, path, "HUGE"))
            for huge in ("1e400", "-1e400", "1e30", "9" * 5000, "NaN", "Infinity", "1e999999999999"):
                yield Bad(
                    frozenset({"invalid_body", "malformed_json"}), as_json(sent.replace('"HUGE"', huge))
                )


NO_JSON = {
    "not JSON": b"{",
    "two values": b"{} {}",
    "single quotes": b"{'name': 1}",
    "not UTF-8": b'{"name": "\xff\xfe"}',
    "UTF-16": '{"name": "a"}'.encode("utf-16"),
    "a lone surrogate": b'{"name": "\\ud800"}',
    "control characters": b'{"name": "a\nb"}',
    "nested one level too deeply": b"[" * 65 + b"]" * 65,
    "nested too deeply": b"[" * 5000 + b"]" * 5000,
    "objects nested one level too deeply": b'{"name":' * 65 + b"1" + b"}" * 65,
    "nested as deeply as its values let it": b"[" * 8_192 + b"]" * 8_192,
    "objects nested too deeply": b'{"name":' * 5000 + b"1" + b"}" * 5000,
    "white space": b"   ",
}
NO_OBJECT = {
    "nested as deeply as a body may be": b"[" * 64 + b"]" * 64,
    "nested as deeply as its size lets it": b"[" * 100_000 + b"]" * 100_000,
    "more values than a body may have": b"[" + b"0," * 32_768 + b"0]",
    "null": b"null",
    "a list": b"[]",
    "a string": b'"name"',
    "a number": b"5",
    "true": b"true",
    "a huge number": b"1e400",
}
TOO_LARGE = {"a string": b'"' + b"a" * 300_000 + b'"', "not JSON": b"\x00" * 300_000}


@fault(has_body)
def body_that_is_no_json(_valid):
    yield from (Bad("malformed_json", as_json(sent)) for sent in NO_JSON.values())


@fault(has_body)
def body_that_is_no_object(_valid):
    yield from (Bad("invalid_body", as_json(sent), ("body", "")) for sent in NO_OBJECT.values())


@fault(has_body)
def body_that_is_too_large(_valid):
    yield from (Bad("body_too_large", as_json(sent)) for sent in TOO_LARGE.values())


@fault(lambda endpoint: has_body(endpoint) and not endpoint.rule.endswith(("/v1/games", "/secret")))
def body_without_what_is_required(_valid):
    yield from (Bad("invalid_body", as_json(sent)) for sent in (b"", b"{}"))


@fault(lambda endpoint: endpoint.rule.endswith("/purchase") and endpoint.writes)
def purchase_without_a_tile_or_with_more(_valid):
    for body in ({"tile": "L01", "pass": True}, {"pass": None}, {}):
        yield Bad("invalid_body", {"body": body})


OTHER_TYPES = (
    "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "", "json",
    "application/merge-patch+json", "application/vnd.api+json", "text/json",
)  # fmt: skip


@fault(has_body)
def content_type_that_is_not_json(valid):
    for content_type in OTHER_TYPES:
        sent = {"data": json.dumps(valid.body), "content_type": content_type}
        yield Bad("unsupported_media_type", sent)


@fault(has_body)
def content_encoding(valid):
    for encoding in ("gzip", "br", "x-unknown", "identity, gzip", "gzip, identity"):
        sent = as_json(json.dumps(valid.body))
        yield Bad("unsupported_media_type", sent | {"headers": {"Content-Encoding": encoding}})
