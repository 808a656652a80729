"""Lab servers: they delete all that is the service's, advance their clock, and inject stored faults."""

import json

import pytest

from skye_server.store.games import EXPIRY_S
from skye_server.store.shards import key_of
from tests.contract.checked import CheckedService, Contract, read_document
from tests.support.playing import Service, problem_code
from tests.support.threads import running

KEY = "skye_key_" + 24 * "A"


@pytest.fixture
def lab(any_redis):
    with Service(any_redis, lab=True) as service:
        yield service


def put_fault(lab, game, **body):
    return lab.call("PUT", f"/v1/lab/games/{game.id}/faults", body)


def advance(lab, ms):
    answer = lab.call("POST", "/v1/lab/clock", {"advance_ms": ms})
    assert answer.status_code == 200, answer.text
    return answer.json


def test_emptying_a_lab_deletes_all_but_the_data_of_rulesets_and_keys_of_others(lab):
    lab.redis.set("skyenet:{a}:table", "of others")
    lab.redis.set("other", "of others")
    lab.call("POST", "/v1/games", {"players": [{"name": "Ann"}]}, token=KEY)
    game = lab.create_game(2, headers={"Idempotency-Key": "one-0123456789abcdefghijk"})
    lab.redis.set(key_of("orphan", "log"), "of a game that is gone")
    put_fault(lab, game, fault="drop", requests=3)
    advance(lab, 1000)
    assert lab.call("DELETE", "/v1/lab/games").json == {"deleted": 2}
    assert sorted(lab.redis.keys()) == [b"other", b"skye:{rulesets}:data", b"skyenet:{a}:table"]
    assert game.call("GET").json["code"] == "game_not_found"
    assert lab.get("/v1/games")["games"] == []
    assert lab.get("/v1/me/games", token=KEY)["games"] == []
    assert lab.call("DELETE", "/v1/lab/games").json == {"deleted": 0}


def test_emptying_many_games_leaves_no_key(lab):
    for number in range(600):
        lab.redis.set(key_of(f"game{number}", "game"), b"")
        lab.redis.set(key_of(f"game{number}", "log"), b"")
    assert lab.call("DELETE", "/v1/lab/games").json == {"deleted": 600}
    assert lab.redis.keys() == []


def test_emptying_a_lab_ends_the_streams_of_its_games(lab):
    path = lab.create_game(2).path("events/stream")
    chunks = iter(lab.http.get(path, buffered=False).response)
    first = next(chunks)
    rest = []
    with running(lambda: rest.extend(chunks)):
        lab.call("DELETE", "/v1/lab/games")
    assert first.startswith(b"retry: ")
    assert b'event: end\ndata: {"reason":"game_not_found"' in rest[-1]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/v1/lab", None),
        ("DELETE", "/v1/lab/games", None),
        ("POST", "/v1/lab/inbox/mail", {}),
        ("POST", "/v1/lab/clock", {"advance_ms": 1}),
        ("PUT", "/v1/lab/games/none/faults", {"fault": "drop"}),
        ("GET", "/v1/lab/games/none/faults", None),
        ("DELETE", "/v1/lab/games/none/faults", None),
    ],
)
def test_server_that_is_no_lab_refuses_the_functions_of_one(service, method, path, body):
    assert problem_code(service.call(method, path, body)) == "lab_off"


def test_index_names_the_lab_of_a_lab_server_only(lab, service):
    assert (lab.get("/v1")["lab"], service.get("/v1")["lab"]) == ("/v1/lab", None)
    assert lab.get(lab.get("/")["lab"])["clock"] == "/v1/lab/clock"


# The clock.


def test_advanced_clock_is_the_time_of_all_workers(lab):
    before = lab.get("/v1/lab")
    assert (before["now"], before["ahead_ms"]) == ("2027-01-15T08:00:00.000Z", 0)
    assert advance(lab, 3_600_000)["now"] == "2027-01-15T09:00:00.000Z"
    assert advance(lab, 1_000)["ahead_ms"] == 3_601_000
    with Service(lab.redis, lab=True) as other:
        assert other.get("/v1/lab")["now"] == "2027-01-15T09:00:01.000Z"
    lab.clock.advance(1)
    assert lab.create_game(2).view()["now"] == "2027-01-15T09:00:02.000Z"


def test_games_and_idempotency_records_expire_by_the_advanced_clock(lab):
    key = {"Idempotency-Key": "one-0123456789abcdefghijk"}
    game = lab.create_game(2, start=False, headers=key)
    advance(lab, 2_000_000)
    assert lab.create_game(2, start=False, headers=key).id == game.id
    advance(lab, 2_000_000)
    assert lab.create_game(2, start=False, headers=key).id != game.id
    advance(lab, 7 * 86_400_000 + 1000 * EXPIRY_S + 1)  # fakeredis keeps a key until its time is over
    assert problem_code(game.call("GET")) == "game_not_found"
    assert lab.get("/v1/games")["games"] == []


def test_replaced_player_key_is_free_again_by_the_advanced_clock(lab):
    lab.call("PUT", "/v1/me/key", {"key": "skye_key_" + 24 * "B"}, KEY)
    assert problem_code(lab.call("GET", "/v1/me/games", token=KEY)) == "token_unknown"
    for _ in range(11):
        advance(lab, 366 * 86_400_000)
    assert lab.call("GET", "/v1/me/games", token=KEY).status_code == 200


def test_deadline_of_a_real_clock_passes_by_the_advanced_clock(lab):
    real = lab.create_game(2, options={"turn_ms": 60_000})
    manual = lab.create_game(2, options={"turn_ms": 60_000, "clock": "manual"})
    advance(lab, 60_000)
    assert [real.view()["phase"], manual.view()["phase"]] == ["buying", "pricing"]


def test_advanced_clock_wakes_a_stream_for_a_missed_deadline(lab):
    game = lab.create_game(2, options={"turn_ms": 600_000})
    chunks = iter(lab.http.get(game.path("events/stream"), buffered=False).response)
    received = [next(chunks)]

    def read():
        while b"timed_out" not in received[-1]:
            received.append(next(chunks))

    with running(read):
        advance(lab, 600_000)
    chunks.close()
    assert b"timed_out" in received[-1]


def test_clock_cannot_be_more_than_a_hundred_years_ahead(lab):
    for _ in range(100):
        advance(lab, 366 * 86_400_000)
    answer = lab.call("POST", "/v1/lab/clock", {"advance_ms": 1})
    assert problem_code(answer) == "invalid_body"
    assert answer.json["errors"][0]["pointer"] == "/advance_ms"


# Faults that stay.


def test_next_requests_of_a_game_have_the_stored_fault(lab):
    game, other = lab.create_game(2), lab.create_game(2)
    answer = put_fault(lab, game, fault="status=503", requests=2)
    assert answer.json == {"fault": "status=503", "requests": 2, "method": None}
    assert problem_code(game.call("GET")) == "store_unavailable"
    assert other.call("GET").status_code == 200
    assert lab.get(f"/v1/lab/games/{game.id}/faults")["requests"] == 1
    assert problem_code(game.call("GET", "actions", seat=0)) == "store_unavailable"
    assert lab.get(f"/v1/lab/games/{game.id}/faults") == {"fault": None, "requests": 0, "method": None}
    assert game.call("GET").status_code == 200


def test_stored_fault_of_a_method_leaves_other_requests_alone(lab):
    game = lab.create_game(2)
    put_fault(lab, game, fault="status=429", method="POST")
    assert game.call("OPTIONS").status_code < 300
    before = game.view()
    assert problem_code(game.call("POST", "building/finish", seat=0)) == "too_many_requests"
    assert problem_code(game.call("POST", "building/finish", seat=0)) == "wrong_phase"
    assert game.view() == before


def test_stored_fault_of_streams_waits_for_a_stream(lab):
    game = lab.create_game(2)
    put_fault(lab, game, fault="cut_after=1")
    assert game.call("GET").status_code == 200
    received = []
    with pytest.raises(ConnectionAbortedError):
        received.extend(lab.http.get(game.path("events/stream"), buffered=False).response)
    assert lab.get(f"/v1/lab/games/{game.id}/faults")["requests"] == 0


def test_stored_fault_is_replaced_and_removed(lab):
    game = lab.create_game(2)
    put_fault(lab, game, fault="drop", requests=1000)
    assert put_fault(lab, game, fault="status=500", method="PUT").json["requests"] == 1
    assert lab.call("DELETE", f"/v1/lab/games/{game.id}/faults").json["fault"] is None
    assert game.call("PUT", "offer", {}, seat=0).status_code == 422


def test_header_of_a_request_takes_precedence_over_the_stored_fault(lab):
    game = lab.create_game(2)
    put_fault(lab, game, fault="status=503")
    answer = game.call("GET", headers={"Skye-Fault": "status=500"})
    assert problem_code(answer) == "internal_error"
    assert lab.get(f"/v1/lab/games/{game.id}/faults")["requests"] == 1


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"fault": "dorp"}, "/fault"),
        ({"fault": "status=503, drop"}, "/fault"),
        ({"fault": 5}, "/fault"),
        ({}, "/fault"),
        ({"fault": "drop", "requests": 0}, "/requests"),
        ({"fault": "drop", "requests": 1001}, "/requests"),
        ({"fault": "drop", "method": "OPTIONS"}, "/method"),
    ],
)
def test_malformed_stored_fault_is_refused(lab, body, pointer):
    game = lab.create_game(2)
    answer = put_fault(lab, game, **body)
    assert problem_code(answer) == "invalid_body"
    assert [error["pointer"] for error in answer.json["errors"]] == [pointer]


def test_stored_fault_of_an_unknown_game_is_refused(lab):
    for method, body in (("PUT", {"fault": "drop"}), ("GET", None), ("DELETE", None)):
        answer = lab.call(method, "/v1/lab/games/none/faults", body)
        assert problem_code(answer) == "game_not_found"


INBOX = "/v1/lab/inbox/mail"


def post_to_inbox(lab, message, **headers):
    return lab.call("POST", INBOX, message, headers={"webhook-id": "msg_1", **headers})


def test_inbox_stores_requests_and_repeats_challenges(lab):
    challenge = {"type": "webhook_challenge", "data": {"challenge": "abc"}}
    assert post_to_inbox(lab, challenge).json == {"challenge": "abc"}
    assert post_to_inbox(lab, {"type": "your_turn"}).status_code == 204
    messages = lab.get(INBOX)["messages"]
    assert [json.loads(each["body"])["type"] for each in messages] == ["your_turn", "webhook_challenge"]
    assert messages[0]["webhook_id"] == "msg_1"
    assert lab.get("/v1/lab/inbox/other")["messages"] == []
    assert lab.call("DELETE", INBOX).json["messages"] == []


def test_inbox_that_plays_answers_with_the_first_action(lab):
    actions = [{"type": "pass", "body": {"tile": None}}, {"type": "buy"}]
    decision = {"type": "decision", "data": {"actions": actions}}
    assert post_to_inbox(lab, decision).status_code == 204
    assert lab.call("PUT", INBOX, {"plays": True}).json["answer"]["plays"] is True
    assert post_to_inbox(lab, decision).json == actions[0]
    for other in ({"type": "decision"}, {"type": "decision", "data": {"actions": []}}, {"type": "game_over"}):
        assert post_to_inbox(lab, other).status_code == 204


def test_inbox_answers_as_it_is_told(lab):
    answer = {"status": 418, "body": {"type": "pass"}, "challenges": False}
    assert lab.call("PUT", INBOX, answer).json["answer"] == {
        **answer,
        "body": '{"type":"pass"}',
        "fault": None,
        "plays": False,
    }
    challenge = {"type": "webhook_challenge", "data": {"challenge": "abc"}}
    response = post_to_inbox(lab, challenge)
    assert (response.status_code, response.json) == (418, {"type": "pass"})
    lab.call("PUT", INBOX, {"fault": "status=503"})
    assert post_to_inbox(lab, {}).status_code == 503
    assert len(lab.get(INBOX)["messages"]) == 2


@pytest.mark.parametrize(
    ("wrong", "pointer"),
    [
        ({"status": 99}, "/status"),
        ({"fault": "x"}, "/fault"),
        ({"fault": "cut_after=1"}, "/fault"),
        ({"a": 1}, "/a"),
    ],
)
def test_malformed_answer_of_an_inbox_is_refused(lab, wrong, pointer):
    response = lab.call("PUT", INBOX, wrong)
    assert response.json["errors"][0]["pointer"] == pointer


def test_inbox_takes_any_body_and_refuses_other_names(lab):
    for body in (b"", b"\xff", b"{", b"[]", b'{"type": "webhook_challenge", "data": 5}'):
        assert lab.call("POST", INBOX, data=body).status_code == 204
    assert lab.call("POST", "/v1/lab/inbox/A_b").json["code"] == "not_found"


def test_lab_is_in_the_contract():
    contract = Contract(read_document())
    lab = CheckedService(contract, lab=True)
    faults = f"/v1/lab/games/{lab.create_game(2).id}/faults"
    assert lab.call("GET", "/v1/lab").status_code == 200
    assert lab.call("POST", "/v1/lab/clock", {"advance_ms": 1000}).status_code == 200
    assert lab.call("PUT", faults, {"fault": "status=503", "requests": 1}).status_code == 200
    assert {lab.call(method, faults).status_code for method in ("GET", "DELETE")} == {200}
    assert lab.call("DELETE", "/v1/lab/games").json == {"deleted": 1}
    inbox = "/v1/lab/inbox/mail"
    for kind, status in (("webhook_challenge", 200), ("your_turn", 204)):
        assert lab.call("POST", inbox, {"type": kind, "data": {"challenge": "a"}}).status_code == status
    assert len(lab.get(inbox)["messages"]) == 2
    assert {lab.call(*asked).status_code for asked in (("PUT", inbox, {}), ("DELETE", inbox))} == {200}
    assert lab.call("GET", "/v1/games", headers={"Skye-Fault": "drop=1"}).status_code == 400
    operations = [each for each in contract.operations() if "Lab" in each[2]["tags"]]
    assert operations
    assert not contract.unreceived(operations)
