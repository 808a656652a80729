"""Requests sent twice, one after the other or at the same time."""

import json
import threading
from base64 import b64decode
from pathlib import Path

import pytest

from service.settings import Settings
from service.storage.lua_scripts import MAX_IDEMPOTENCY_KEYS
from service.storage.redis_store import RedisStore
from tests.support.endpoints import ENDPOINTS, stages
from tests.support.playing import Game, Service, code_of

KEY = {"Idempotency-Key": "once"}
WRITES = [endpoint for endpoint in ENDPOINTS if endpoint.writes]


def told(answer):
    """Return all that an answer tells, without the id of the request."""
    headers = [(name, value) for name, value in answer.headers if name != "X-Request-Id"]
    return answer.status, headers, answer.data


# The same request twice.


@pytest.mark.parametrize("endpoint", WRITES, ids=lambda endpoint: endpoint.name)
def test_a_write_sent_twice_counts_once_and_is_answered_alike(endpoint, service):
    game = stages(service)[endpoint.stage]
    body = legal(endpoint, game)
    first = endpoint.send(game, body=body, headers=KEY)
    assert first.status_code < 300, first.text
    after = service.stored()
    again = endpoint.send(game, body=body, headers=KEY)
    assert told(again) == told(first)
    assert service.stored() == after


def legal(endpoint, game):
    """Return a body that the rules allow."""
    if endpoint.rule.endswith("placements"):
        return next(action["body"] for action in game.actions(0) if action["type"] == "place")
    return endpoint.right_body(game)


def test_a_write_sent_twice_without_a_key_counts_twice(service):
    one, other = (service.call("POST", "/v1/games").json["game"]["id"] for _ in range(2))
    assert one != other


def test_tokens_come_back_and_work(service):
    body = {"players": [{"name": "Ann"}, {"name": "Bob"}]}
    first, again = (service.call("POST", "/v1/games", body, headers=KEY) for _ in range(2))
    assert again.json == first.json
    game = Game(service, again.json)
    joined, rejoined = (
        game.call("POST", "players", {"name": "Cy"}, headers={"Idempotency-Key": "join"}) for _ in range(2)
    )
    assert rejoined.json == joined.json
    game.tokens.append(rejoined.json["token"])
    assert [game.view(seat)["you"]["seat"] for seat in range(3)] == [0, 1, 2]
    assert service.get(game.path(), game.host)["you"]["host"]


def test_the_first_answer_comes_again_however_far_the_game_has_gone(service):
    game = service.table(2)
    action = game.actions(0)[0]
    first = game.send(0, action, headers=KEY)
    game.play_to("building", 2)
    before = game.view()
    again = game.send(0, action, headers=KEY)
    assert told(again) == told(first)
    assert game.view() == before


def test_a_refusal_is_not_remembered(service):
    game = service.table(1, start=False)
    assert code_of(game.call("POST", "start", token=game.host, headers=KEY)) == "too_few_players"
    game.call("POST", "players", {"name": "Bob"})
    assert game.call("POST", "start", token=game.host, headers=KEY).status_code == 200


def test_who_has_left_is_told_so_again(service):
    game = service.table(3, start=False)
    first, again = (game.call("DELETE", seat=2, headers=KEY) for _ in range(2))
    assert told(again) == told(first)
    assert len(game.view()["players"]) == 2


def test_a_condition_that_has_held_once_holds_for_the_same_request_again(service):
    game = service.table(2)
    headers = {**KEY, "If-Match": f'"{game.view()["version"]}"'}
    action = game.actions(0)[0]
    first, again = (game.send(0, action, headers=headers) for _ in range(2))
    assert first.status_code == 200
    assert told(again) == told(first)


# Keys.


def test_a_key_used_with_another_request_is_refused(service):
    game = service.table(2)
    assert game.offer(0, 1, 1, headers=KEY).status_code == 200
    for method, rest, body in (
        ("PUT", "offer", {"discard": "L01", "prices": {"L02": 1, "L03": 1}}),
        ("POST", "build/finish", None),
        ("DELETE", "", None),
    ):
        assert code_of(game.call(method, rest, body, seat=0, headers=KEY)) == "idempotency_key_reused"
    one, other = (service.call("POST", "/v1/games", {"name": name}, headers=KEY) for name in ("one", "other"))
    assert one.status_code == 201
    assert code_of(other) == "idempotency_key_reused"


def test_a_key_belongs_to_who_uses_it(service):
    game, other = service.table(2), service.table(2)
    assert game.offer(0, 1, 1, headers=KEY).status_code == 200
    assert game.offer(1, 1, 1, headers=KEY).status_code == 200
    assert other.offer(0, 1, 2, headers=KEY).status_code == 200


def test_a_key_without_a_token_belongs_to_an_address(service):
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
    headers = {"Idempotency-Key": "victim"}
    victim = {"environ_overrides": {"REMOTE_ADDR": "192.0.2.1"}}
    created = service.call("POST", "/v1/games", body, headers=headers, **victim)
    for forged in ("192.0.2.1", "address:192.0.2.1", "skye_", "skye_" + "A" * 21, "skye_" + "A" * 23):
        answer = service.call("POST", "/v1/games", body, token=forged, headers=headers)
        assert code_of(answer) == "token_unknown"
    replayed = service.call("POST", "/v1/games", body, headers=headers, **victim)
    assert replayed.json == created.json


def test_victim_does_not_get_the_game_that_a_forged_token_created_first(service):
    headers, victim = KEY, {"environ_overrides": {"REMOTE_ADDR": "192.0.2.1"}}
    service.call("POST", "/v1/games", token="192.0.2.1", headers=headers)
    attacker = service.call("POST", "/v1/games", token="skye_" + "A" * 22, headers=headers).json
    assert service.call("POST", "/v1/games", headers=headers, **victim).json["game"] != attacker["game"]
    assert len(service.redis.keys("*:table")) == 2


@pytest.mark.parametrize("token", ["192.0.2.1", "x", "skye_", "skye_" + "A" * 23, "skye_" + "é" * 22])
def test_malformed_token_is_refused_before_any_lookup(token):
    service = Service(store=NoLookups(None))
    for method, path in (("GET", "/v1/games/abc"), ("POST", "/v1/games"), ("POST", "/v1/games/abc/start")):
        assert code_of(service.call(method, path, token=token, headers=KEY)) == "token_unknown"


class NoLookups(RedisStore):
    """A store that fails the test when it is read."""

    def load(self, *_arguments):
        raise AssertionError("the store was asked")


def test_an_answer_is_remembered_for_its_time(service):
    game = service.table(2)
    game.offer(0, 1, 1, headers=KEY)
    (key,) = service.redis.keys("*:answer:*")
    assert 0 < service.redis.ttl(key) <= Settings().idempotency_ttl_s


def test_creation_with_an_expired_key_creates_another_game(service):
    first = service.call("POST", "/v1/games", {"private": True}, headers=KEY).json
    service.redis.delete(*service.redis.keys("*:answer:*"))
    before = service.redis.get(f"skye:{{{first['game']['id']}}}:table")
    later = service.call("POST", "/v1/games", {"name": "later"}, headers=KEY).json
    assert later["game"]["id"] != first["game"]["id"]
    assert service.redis.get(f"skye:{{{first['game']['id']}}}:table") == before
    assert [game["id"] for game in service.get("/v1/games")["games"]] == [later["game"]["id"]]
    assert service.call("POST", "/v1/games", {"name": "later"}, headers=KEY).json == later


# What is stored.


def test_record_of_an_action_takes_at_most_400_bytes(redis_client):
    service = Service(redis_client)
    game = service.table(5)
    before = used_bytes(redis_client)
    game.offer(0, 1, 1, headers={"Idempotency-Key": "k" * 255})
    assert used_bytes(redis_client) - before <= 400


def used_bytes(client):
    """Return the memory of all idempotency records and of the lists of them."""
    return sum(client.memory_usage(key, samples=0) for key in client.keys("*:answer*"))


def test_game_holds_the_records_of_its_latest_64_keys(service):
    game = service.table(2)
    for number in range(70):
        assert game.offer(0, 1, 1 + number % 2, headers={"Idempotency-Key": f"{number}"}).status_code == 200
    assert len(service.redis.keys("*:answer:*")) == MAX_IDEMPOTENCY_KEYS
    assert service.redis.llen(f"skye:{{{game.id}}}:answers") == MAX_IDEMPOTENCY_KEYS
    before = game.view()["version"]
    assert game.offer(0, 1, 1, headers={"Idempotency-Key": "6"}).json["version"] < before  # still replayed
    assert game.offer(0, 1, 1, headers={"Idempotency-Key": "0"}).json["version"] == before + 1  # runs again


def test_records_contain_no_token(service):
    game = service.table(3, headers=KEY, start=False)
    join = {"Idempotency-Key": "join"}
    joined = game.call("POST", "players", {"name": "Dee"}, headers=join).json["token"]
    stored = b"".join(service.redis.get(key) for key in service.redis.keys("*:answer:*"))
    assert stored
    assert not any(token.encode() in stored for token in (joined, game.host, *game.tokens))


# Formats.

FORMAT_1 = Path(__file__).parent / "idempotency_record_format_1.json"


ADDED = [
    '"now":"2027-01-15T08:00:00.000Z"',
    '"invites":[]',
    '"invites":0',
    '"auto_start":true',
    '"clock":"real"',
    '"nonce":null',
    '"origin":null',
]
"""The fields that releases since have added, as they are for a game of that release."""


def known(text):
    """Return a response without the fields that releases since have added."""
    for field in ADDED:
        text = text.replace(f"{field},", "").replace(f",{field}", "")
    return text


def test_record_of_format_1_is_replayed(service):
    """The fixture was written by the release before records had a format number."""
    fixture = json.loads(FORMAT_1.read_text())
    for key, value in fixture["strings"].items():
        service.redis.set(key, b64decode(value))
    for entry, value in fixture["log"]:
        service.redis.xadd(fixture["log_key"], {"c": b64decode(value)}, entry)
    before = service.stored()
    for request in fixture["requests"]:
        answer = service.call(request["method"], request["path"], request["body"], request["token"], KEY)
        assert (answer.status_code, known(answer.text)) == (request["status"], request["text"])
    assert service.stored() == before


@pytest.mark.parametrize("stored", [b"3:00000000:", b"2:00000000:\x97", b"2:", b"", b"\x87", b"\x87\xa1a"])
def test_record_of_an_unknown_format_or_damaged_is_refused(service, stored):
    game = service.table(2)
    action = game.actions(0)[0]
    game.send(0, action, headers=KEY)
    (key,) = service.redis.keys("*:answer:*")
    service.redis.set(key, stored)
    before = game.view()
    assert code_of(game.send(0, action, headers=KEY)) == "game_unreadable"
    assert game.view() == before


# Authorization of a repeated request.


def test_repeated_request_with_a_token_that_lost_its_role_is_refused(service):
    game = service.table(3, start=False)
    left = {"Idempotency-Key": "left"}
    joined = game.call("POST", "players", {"name": "Dee"}, token=game.tokens[2], headers=KEY)
    assert joined.status_code == 201
    assert game.call("DELETE", seat=2, headers=left).status_code == 200
    again = game.call("POST", "players", {"name": "Dee"}, token=game.tokens[2], headers=KEY)
    assert code_of(again) == "token_unknown"
    assert game.call("DELETE", seat=2, headers=left).status_code == 200  # which itself retired the token


# At the same time.


def at_once(service, *args, **more):
    """Return what six clients are answered who send a request at the same time."""
    clients = [Service(service.redis) for _ in range(6)]
    together = threading.Barrier(len(clients))
    answers = []

    def send(client):
        together.wait(5)
        answers.append(client.call(*args, **more))

    threads = [threading.Thread(target=send, args=[client]) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert len(answers) == len(clients)
    return answers


def test_a_game_opened_many_times_at_once_is_opened_once(service):
    body = {"name": "one", "players": [{"name": "Ann"}]}
    answers = at_once(service, "POST", "/v1/games", body, headers=KEY)
    assert len({answer.data for answer in answers}) == 1
    assert len(service.redis.keys("*:table")) == 1
    assert len(service.get("/v1/games")["games"]) == 1


def test_a_move_made_many_times_at_once_is_made_once(service):
    game = service.table(2)
    body = game.actions(0)[0]["body"]
    answers = at_once(service, "PUT", game.path("offer", 0), body, game.tokens[0], KEY)
    assert len({answer.data for answer in answers}) == 1
    assert game.view()["version"] == answers[0].json["version"]


class Overtaken(RedisStore):
    """A store in which somebody else is always a little faster, once."""

    def __init__(self, client, overtake):
        super().__init__(client)
        self._overtake = overtake

    def commit(self, commit):
        if self._overtake is not None:
            overtake, self._overtake = self._overtake, None
            overtake()
        return super().commit(commit)


def test_two_seats_that_act_at_once_both_succeed(service):
    game = service.table(3)
    slow = Service(service.redis, Overtaken(service.redis, lambda: game.offer(1, 2, 2)))
    answer = slow.call("PUT", game.path("offer", 0), game.actions(0)[0]["body"], game.tokens[0])
    assert answer.status_code == 200
    assert answer.json["waiting_for"] == [2]
    events = service.get(game.path("events"))["events"]
    assert [event["seat"] for event in events if event["type"] == "offer_set"] == [1, 0]


def test_but_not_the_one_that_asked_for_a_version(service):
    game = service.table(3)
    slow = Service(service.redis, Overtaken(service.redis, lambda: game.offer(1, 2, 2)))
    headers = {"If-Match": f'"{game.view()["version"]}"'}
    body = game.actions(0)[0]["body"]
    answer = slow.call("PUT", game.path("offer", 0), body, game.tokens[0], headers)
    assert code_of(answer) == "version_mismatch"
    assert game.view()["waiting_for"] == [0, 2]
