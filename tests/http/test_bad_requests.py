"""Invalid requests to every endpoint: the response is a problem with a reason, and nothing changes."""

import pytest

from tests.support.endpoints import BY_NAME
from tests.support.playing import Service, client_error_code

WRITES = [name for name, endpoint in BY_NAME.items() if endpoint.writes]
READS = [name for name, endpoint in BY_NAME.items() if endpoint.method == "GET"]


def places(answer):
    """Return the places of the errors of a response."""
    return [(error["in"], error.get("name", error.get("pointer"))) for error in answer.json["errors"]]


def test_every_operation_is_tried():
    operations = {
        f"{method} {rule.rule}"
        for rule in Service().app.url_map.iter_rules()
        for method in rule.methods - {"HEAD", "OPTIONS"}
        if rule.rule.startswith("/v1") and not rule.rule.startswith("/v1/lab")  # see tests/routes/test_lab.py
    }
    assert operations == {name for name in BY_NAME if " /v1" in name}


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


AUTHORIZATIONS = [
    "", "Bearer", "Bearer ", "bearer", "Basic YTpi", "Token x", "Bearer x", "Bearer a b", "Bearer \xff",
    "Bearer " + "a" * 8000, "Bearer,x", "\x00", "Bearer null", "Bearer skye_", "BEARER\tx",
]  # fmt: skip


@pytest.mark.parametrize("name", [name for name, endpoint in BY_NAME.items() if endpoint.of_game])
@pytest.mark.usefixtures("unchanged")
def test_malformed_authorization_is_refused(name, games):
    endpoint = BY_NAME[name]
    game = games[endpoint.stage]
    for sent in AUTHORIZATIONS:
        headers = {"Authorization": sent}
        answer = endpoint.send(game, token=None, headers=headers, body=endpoint.right_body(game))
        assert client_error_code(answer, sent) == "token_unknown", sent


@pytest.mark.parametrize("name", WRITES)
@pytest.mark.usefixtures("unchanged")
def test_malformed_idempotency_key_is_refused(name, games):
    endpoint = BY_NAME[name]
    game = games[endpoint.stage]
    for key in ("", "a" * 256, "a" * 8000, "ä", "a b", "\t", "a\x00", "\x7f"):
        answer = endpoint.send(game, headers={"Idempotency-Key": key}, body=endpoint.right_body(game))
        assert client_error_code(answer, key) == "invalid_parameter"
        assert places(answer) == [("header", "Idempotency-Key")]


@pytest.mark.parametrize("name", [name for name in WRITES if BY_NAME[name].changes_game])
@pytest.mark.usefixtures("unchanged")
def test_malformed_if_match_does_not_match(name, games):
    endpoint = BY_NAME[name]
    game = games[endpoint.stage]
    for tag in ("", '"999999"', '""', "x", "W/", '"', "1" * 1024, '"1","2"', "\xff", ", ,", '"\x00"'):
        answer = endpoint.send(game, headers={"If-Match": tag}, body=endpoint.right_body(game))
        assert client_error_code(answer, tag) == "version_mismatch"


@pytest.mark.parametrize("name", READS)
@pytest.mark.usefixtures("unchanged")
def test_malformed_if_none_match_does_not_match(name, games):
    endpoint = BY_NAME[name]
    for tag in ("", '"999999"', '""', "x", "W/", '"', "1" * 1024, "\xff", ", ,"):
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
    for accept in ACCEPTS:
        answer = endpoint.send(games[endpoint.stage], headers={"Accept": accept})
        if answer.status_code >= 400:
            assert client_error_code(answer, accept) == "not_acceptable"
        elif answer.status_code == 200:
            assert answer.mimetype in SERVED, accept
        else:
            assert (name, answer.headers["Location"]) == ("GET /", "/play/"), accept


EXPORTED = {
    "limit": ["0", "1001"],
    "cursor": ["x", "17"],
    "since": ["1700000000", "2027-02-30T00:00:00Z"],
    "until": ["2027-01-15"],
    "ruleset": ["druids"],
}
QUERIES = {
    "GET /v1/records": EXPORTED,
    "GET /v1/me/records": EXPORTED,
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


@pytest.mark.parametrize("name", QUERIES)
@pytest.mark.usefixtures("unchanged")
def test_parameter_out_of_range_is_refused_by_name(name, games):
    endpoint = BY_NAME[name]
    for parameter, values in QUERIES[name].items():
        for value in values:
            answer = endpoint.send(games[endpoint.stage], query_string={parameter: value})
            about = (parameter, value)
            assert client_error_code(answer, about) == "invalid_parameter", about
            assert places(answer) == [("query", parameter)], about


@pytest.mark.usefixtures("unchanged")
def test_last_event_id_that_is_no_number_is_refused(games):
    game = games["pricing"]
    for sent in ("x", "-1", "9" * 5000, "1.5", "²", "\xff"):
        answer = game.call("GET", "events/stream", headers={"Last-Event-ID": sent})
        assert client_error_code(answer, sent) == "invalid_parameter", sent
        assert places(answer) == [("header", "Last-Event-ID")], sent


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


@pytest.mark.parametrize(
    "name", [endpoint.name for endpoint in BY_NAME.values() if endpoint.rule[:3] == "/v1"]
)
@pytest.mark.usefixtures("unchanged")
def test_unknown_query_parameter_is_refused_by_name(name, games):
    endpoint = BY_NAME[name]
    for unknown in ("no_such", "_schema", "a/b"):
        answer = endpoint.send(games[endpoint.stage], query_string={**dict(endpoint.query), unknown: "1"})
        assert client_error_code(answer, name) == "invalid_parameter"
        assert places(answer) == [("query", unknown)]


@pytest.mark.parametrize("path", ["/v1/tiles", "/v1/games"])
def test_query_without_a_parameter_is_accepted(path, service):
    assert service.call("GET", f"{path}?&").status_code == 200


def test_repeated_query_parameter_is_refused_by_name(games):
    answer = games["lobby"].service.call("GET", "/v1/games?limit=1&limit=2")
    assert client_error_code(answer) == "invalid_parameter"
    assert places(answer) == [("query", "limit")]


@pytest.mark.parametrize("body", [{"tile": "L01", "pass": True}, {"pass": None}, {}])
def test_purchase_without_a_tile_or_with_more_is_refused(body, games):
    answer = BY_NAME["PUT /v1/games/<game>/players/<seat:seat>/purchase"].send(games["buying"], body=body)
    assert client_error_code(answer) == "invalid_body"


def test_problem_of_a_long_input_keeps_to_the_lengths_of_the_contract(service):
    answers = [
        service.call("POST", "/v1/games", {"x" * 5000: 1}),
        service.call("POST", "/v1/games", {"players": [{"~" * 2000: 1, "name": "Ann"}]}),
        service.http.post("/v1/games", data="{}", content_type="a/" + "b" * 5000),
        service.call("GET", "/v1/games?" + "y" * 3000 + "=1"),
    ]
    for answer in answers:
        assert client_error_code(answer)
        assert len(answer.json["detail"]) <= 1000
        assert all(len(text) <= 500 for error in answer.json.get("errors", ()) for text in error.values())


def test_number_out_of_range_is_reported_without_the_path_of_the_decoder(service):
    answer = service.http.post("/v1/games", data='{"seat_count": 1e400}', content_type="application/json")
    assert answer.json["errors"] == [{"in": "body", "pointer": "", "detail": "A number is out of range."}]
