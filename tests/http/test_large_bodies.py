"""Bodies with many or long values: the cost of the refusal and the size of its problem are bounded."""

import json
from contextlib import nullcontext

import pytest

from tests.http.test_bad_requests import record
from tests.support.endpoints import BY_NAME
from tests.support.playing import client_error_code


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
    monkeypatch.setattr("skye_server.http.request_parsing._DECODER", None)
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
    body = {"record": record() | {"actions": record()["actions"] * 400}}
    assert len(json.dumps(body)) > 16_384
    assert client_error_code(service.call("POST", "/v1/games", body)) == "invalid_record"


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
