"""Requests sent twice, one after the other."""

import re

import pytest

from skye_server.store.redis_games import RedisGames
from tests.support.endpoints import ENDPOINTS, game_at
from tests.support.playing import KEY, Game, Service, problem_code
from tests.support.stores import store_of

SECRET = re.compile(r"skye_(?:host|seat|invite)_[\w-]{22}")
"""A token or an invitation code, which is stored as a hash only."""
WRITES = [endpoint for endpoint in ENDPOINTS if endpoint.writes]


def answered(answer):
    """Return status, headers and body of an answer, without the id of the request and measured times."""
    differing = {"X-Request-Id", "Content-Length"}
    headers = [(name, value) for name, value in answer.headers if name not in differing]
    return answer.status, headers, re.sub(rb'"duration_ms":\d+', b"", answer.data)


# The same request twice.


@pytest.mark.parametrize("endpoint", WRITES, ids=lambda endpoint: endpoint.name)
def test_write_sent_twice_counts_once_and_gets_the_same_response(endpoint, service):
    game = game_at(endpoint.stage, service)
    body = legal(endpoint, game)
    first = endpoint.send(game, body=body, headers=KEY)
    assert first.status_code < 300, first.text
    after = service.stored()
    again = endpoint.send(game, body=body, headers=KEY)
    assert answered(again) == answered(first)
    assert service.stored() == after
    assert [secret for secret in SECRET.findall(first.text) if secret in f"{after}"] == []


def legal(endpoint, game):
    """Return a body that the rules allow."""
    if endpoint.rule.endswith("placements"):
        return next(action["body"] for action in game.actions(0) if action["type"] == "place")
    return endpoint.right_body(game)


def test_write_sent_twice_without_a_key_counts_twice(service):
    one, other = (service.call("POST", "/v1/games").json["game"]["id"] for _ in range(2))
    assert one != other


def test_repeated_requests_return_the_same_valid_tokens(service):
    body = {"players": [{"name": "Ann"}, {"name": "Bob"}]}
    first, again = (service.call("POST", "/v1/games", body, headers=KEY) for _ in range(2))
    assert again.json == first.json
    game = Game(service, again.json)
    joined, rejoined = (
        game.call(
            "POST", "players", {"name": "Cy"}, headers={"Idempotency-Key": "join-0123456789abcdefghijk"}
        )
        for _ in range(2)
    )
    assert rejoined.json == joined.json
    game.tokens.append(rejoined.json["token"])
    assert [game.view(seat)["you"]["seat"] for seat in range(3)] == [0, 1, 2]
    assert service.get(game.path(), game.host)["you"]["roles"] == ["host"]


def test_first_answer_is_replayed_after_the_game_moved_on(service):
    game = service.create_game(2)
    action = game.actions(0)[0]
    first = game.send(0, action, headers=KEY)
    game.play_to("building", 2)
    before = game.view()
    again = game.send(0, action, headers=KEY)
    assert answered(again) == answered(first)
    assert game.view() == before


def test_error_response_is_not_stored_for_its_key(service):
    game = service.create_game(1, start=False)
    assert problem_code(game.call("POST", "start", token=game.host, headers=KEY)) == "too_few_players"
    game.call("POST", "players", {"name": "Bob"})
    assert game.call("POST", "start", token=game.host, headers=KEY).status_code == 200


def test_repeated_request_with_if_match_is_replayed(service):
    game = service.create_game(2)
    headers = {**KEY, "If-Match": f'"{game.view()["version"]}"'}
    action = game.actions(0)[0]
    first, again = (game.send(0, action, headers=headers) for _ in range(2))
    assert first.status_code == 200
    assert answered(again) == answered(first)


# Keys.


def test_key_used_with_another_request_is_refused(service):
    game = service.create_game(2)
    assert game.offer(0, 1, 1, headers=KEY).status_code == 200
    for method, rest, body in (
        ("PUT", "offer", {"discard": "L01", "prices": {"L02": 1, "L03": 1}}),
        ("POST", "building/finish", None),
        ("DELETE", "", None),
    ):
        assert problem_code(game.call(method, rest, body, seat=0, headers=KEY)) == "idempotency_key_reused"
    one, other = (service.call("POST", "/v1/games", {"name": name}, headers=KEY) for name in ("one", "other"))
    assert one.status_code == 201
    assert problem_code(other) == "idempotency_key_reused"


def test_key_is_scoped_to_its_token_and_game(service):
    game, other = service.create_game(2), service.create_game(2)
    assert game.offer(0, 1, 1, headers=KEY).status_code == 200
    assert game.offer(1, 1, 1, headers=KEY).status_code == 200
    assert other.offer(0, 1, 2, headers=KEY).status_code == 200


def test_key_without_a_token_is_scoped_to_the_address(service):
    created = [
        service.call("POST", "/v1/games", headers=KEY, environ_overrides={"REMOTE_ADDR": address})
        for address in ("192.0.2.1", "192.0.2.2", "192.0.2.1")
    ]
    one, other, again = (answer.json for answer in created)
    assert one == again
    assert one["game"]["id"] != other["game"]["id"]
    assert one["host_token"] != other["host_token"]


def test_bearer_token_that_names_an_address_gets_no_tokens(service):
    """A forged token must never select the stored responses of the client at an address."""
    body = {"name": "mine", "players": [{"name": "Ann"}]}
    headers = {"Idempotency-Key": "victim-0123456789abcdefghijk"}
    victim = {"environ_overrides": {"REMOTE_ADDR": "192.0.2.1"}}
    created = service.call("POST", "/v1/games", body, headers=headers, **victim)
    for forged in (
        "192.0.2.1",
        "address:192.0.2.1",
        "skye_",
        "skye_seat_" + "A" * 21,
        "skye_seat_" + "A" * 23,
    ):
        answer = service.call("POST", "/v1/games", body, token=forged, headers=headers)
        assert problem_code(answer) == "token_unknown"
    replayed = service.call("POST", "/v1/games", body, headers=headers, **victim)
    assert replayed.json == created.json


def test_victim_does_not_get_the_game_that_a_forged_token_created_first(service):
    headers, victim = KEY, {"environ_overrides": {"REMOTE_ADDR": "192.0.2.1"}}
    service.call("POST", "/v1/games", token="192.0.2.1", headers=headers)
    attacker = service.call("POST", "/v1/games", token="skye_key_" + "A" * 22, headers=headers).json
    assert service.call("POST", "/v1/games", headers=headers, **victim).json["game"] != attacker["game"]
    assert len(service.redis.keys("*:game")) == 2


@pytest.mark.parametrize(
    "token", ["192.0.2.1", "x", "skye_", "skye_seat_" + "A" * 23, "skye_key_" + "é" * 22]
)
def test_malformed_token_is_refused_before_any_lookup(token):
    service = Service(store=store_of(None, NoLookups))
    for method, path in (("GET", "/v1/games/abc"), ("POST", "/v1/games"), ("POST", "/v1/games/abc/start")):
        assert problem_code(service.call(method, path, token=token, headers=KEY)) == "token_unknown"


class NoLookups(RedisGames):
    """Games of a store that fails the test when it is read."""

    def load(self, *_arguments):
        raise AssertionError("the store was read")


# Authorization of a repeated request.


def test_repeated_request_with_a_token_that_lost_its_role_is_refused(service):
    game = service.create_game(3, start=False)
    left = {"Idempotency-Key": "left-0123456789abcdefghijk"}
    joined = game.call("POST", "players", {"name": "Dee"}, token=game.tokens[2], headers=KEY)
    assert joined.status_code == 201
    assert game.call("DELETE", seat=2, headers=left).status_code == 200
    again = game.call("POST", "players", {"name": "Dee"}, token=game.tokens[2], headers=KEY)
    assert problem_code(again) == "token_unknown"
    assert game.call("DELETE", seat=2, headers=left).status_code == 200  # which itself retired the token


def test_key_of_an_anonymous_caller_has_enough_characters_to_be_random(service):
    for length, status in ((1, 422), (21, 422), (22, 201)):
        answer = service.call("POST", "/v1/games", {}, headers={"Idempotency-Key": "k" * length})
        assert answer.status_code == status
    game = service.create_game(2)
    assert game.offer(0, 1, 1, headers={"Idempotency-Key": "k"}).status_code == 200
