"""Quick matches: players with the same criteria are matched, each once."""

import secrets

import pytest

from skye_server.storage.match_pool import MatchPools
from tests.support.playing import Service, limited, problem_code

KEY = {"Idempotency-Key": "once"}


def new_key():
    return f"skye_key_{secrets.token_urlsafe(16)}"


def seek(service, key, name="Ann", seats=2, headers=(), **more):
    answer = service.call("POST", "/v1/matches", {"name": name, "seats": seats, **more}, key, headers)
    assert answer.status_code == 201, answer.text
    return answer.json


def look(service, key, request):
    return service.get(f"/v1/matches/{request['id']}", key)


def test_players_with_the_same_criteria_are_matched(service):
    ann, bob = new_key(), new_key()
    waiting = seek(service, ann)
    assert (waiting["status"], waiting["game"], waiting["seat"]) == ("waiting", None, None)
    matched = seek(service, bob, "Bob")
    assert matched["status"] == "matched"
    both = [look(service, ann, waiting), look(service, bob, matched)]
    assert sorted(request["seat"] for request in both) == [0, 1]
    game = service.get(f"/v1/games/{matched['game']}", ann)
    assert (game["status"], game["you"]["seat"]) == ("playing", both[0]["seat"])
    assert {player["name"] for player in game["players"]} == {"Ann", "Bob"}
    for key in (ann, bob):
        types = [event["type"] for event in service.get("/v1/me/events", key)["events"]]
        assert types == ["seated", "your_turn"]


def test_players_with_other_criteria_are_not_matched(service):
    options = [{"turn_ms": 60_000}, {"open_gold": True}]
    for criteria in ({"seats": 2}, {"seats": 3}, *({"options": chosen} for chosen in options)):
        assert seek(service, new_key(), **criteria)["status"] == "waiting"


def test_options_left_out_are_the_defaults(service):
    defaults = {"on_timeout": "auto", "tie_break": "leftover_gold", "open_gold": False}
    seek(service, new_key(), options={"open_gold": False})
    assert seek(service, new_key(), options=defaults)["status"] == "matched"
    seek(service, new_key())
    assert seek(service, new_key(), options=defaults)["status"] == "matched"


def test_matched_game_has_the_requested_options(service):
    options = {"turn_ms": 60_000, "on_timeout": "bot", "tie_break": "total_gold", "open_gold": True}
    keys = [new_key() for _ in range(2)]
    matched = [seek(service, key, options=options) for key in keys][-1]
    shown = service.get(f"/v1/games/{matched['game']}")["options"]
    assert {name: shown[name] for name in options} == options


def test_players_of_one_name_get_numbers(service):
    matched = [seek(service, new_key(), "Ann", 3) for _ in range(3)][-1]
    players = service.get(f"/v1/games/{matched['game']}")["players"]
    assert {player["name"] for player in players} == {"Ann", "Ann 2", "Ann 3"}


def test_player_who_seeks_twice_waits_once(service):
    key = new_key()
    first, again = seek(service, key), seek(service, key)
    assert (first["id"], again["status"]) == (again["id"], "waiting")


def test_repeated_request_with_a_key_returns_the_first(service):
    key = new_key()
    first = seek(service, key, headers=KEY)
    seek(service, new_key())
    again = seek(service, key, headers=KEY)
    assert (again["id"], again["status"]) == (first["id"], "matched")


def test_repeated_request_of_a_player_who_waits_returns_the_older(service):
    key = new_key()
    older = seek(service, key)
    assert seek(service, key, headers=KEY)["id"] == older["id"]
    seek(service, new_key())
    again = seek(service, key, headers=KEY)
    assert (again["id"], again["status"]) == (older["id"], "matched")


@pytest.mark.parametrize("changed", [{"name": "Bob"}, {"wait_ms": 2000}, {"seats": 3}])
def test_other_request_with_the_same_key_is_refused(changed, service):
    key, body = new_key(), {"name": "Ann", "seats": 2}
    seek(service, key, headers=KEY)
    answer = service.call("POST", "/v1/matches", body | changed, key, KEY)
    assert problem_code(answer) == "idempotency_key_reused"


@pytest.mark.parametrize("changed", [{"name": "Bob"}, {"wait_ms": 2000}, {"seats": 3}])
@pytest.mark.parametrize("older", [False, True])
def test_key_reused_after_a_match_is_refused(changed, older, service):
    key, body = new_key(), {"name": "Ann", "seats": 2}
    if older:
        seek(service, key)
    seek(service, key, headers=KEY)
    matched = seek(service, new_key())
    service.get("/v1/me/games", key)
    answer = service.call("POST", "/v1/matches", body | changed, key, KEY)
    assert problem_code(answer) == "idempotency_key_reused"
    assert seek(service, key, headers=KEY)["game"] == matched["game"]


def test_key_of_a_request_that_a_limit_refused_is_not_bound():
    service, key = limited(limit_games_per_key=1), new_key()
    seek(service, key, seats=3)
    assert seek_status(service, key) == 429
    service.clock.now += 301
    assert seek(service, key, name="Bob", headers=KEY)["status"] == "waiting"


@pytest.mark.parametrize("step", ["request", "last_matched", "claim_key", "add_seek", "join"])
@pytest.mark.parametrize("headers", [(), KEY])
def test_requests_at_once_give_one_game_however_they_interleave(any_redis, monkeypatch, step, headers):
    service, key = Service(any_redis), new_key()
    seek(service, new_key(), "Bob")
    original, first = getattr(MatchPools, step), []

    def overtaken(*arguments, **named):
        monkeypatch.setattr(MatchPools, step, original)
        first.append(seek(service, key))
        service.clock.now += 60
        return original(*arguments, **named)

    monkeypatch.setattr(MatchPools, step, overtaken)
    again = seek(service, key, headers=headers)
    assert bool(first) or (step, headers) == ("claim_key", ())
    monkeypatch.setattr(MatchPools, step, original)
    assert again["status"] == "matched"
    assert not first or again == first[0]
    assert seek(service, new_key(), "Cy")["status"] == "waiting"
    assert len(service.get("/v1/me/games", key)["games"]) == 1
    if headers:
        service.clock.now += 60
        assert seek(service, key, headers=headers) == again


def test_request_soon_after_a_match_returns_it_while_its_game_goes_on(service):
    keys = [new_key() for _ in range(2)]
    first = [seek(service, key) for key in keys][-1]
    service.clock.now += 9
    assert seek(service, keys[1], headers=KEY) == first
    service.clock.now += 2
    assert seek(service, keys[1])["status"] == "waiting"
    assert seek(service, keys[1], headers=KEY) == first


def test_request_after_a_game_that_ended_soon_waits_again(service):
    keys = [new_key() for _ in range(2)]
    first = [seek(service, key) for key in keys][-1]
    for seat, key in ((first["seat"], keys[1]), (1 - first["seat"], keys[0])):
        service.call("DELETE", f"/v1/games/{first['game']}/players/{seat}", token=key)
    assert seek(service, keys[1])["status"] == "waiting"


def test_player_at_the_limit_gets_the_request_that_waits():
    service, key = limited(limit_games_per_key=1), new_key()
    first = seek(service, key)
    assert seek(service, key) == first
    matched = seek(service, new_key())
    assert seek(service, key)["game"] == matched["game"]


def test_cancelled_request_is_not_matched(service):
    key = new_key()
    request = seek(service, key)
    answer = service.call("DELETE", f"/v1/matches/{request['id']}", token=key)
    assert answer.json["status"] == "cancelled"
    assert seek(service, new_key())["status"] == "waiting"
    assert look(service, key, request)["status"] == "cancelled"


def test_matched_request_stays_matched_when_cancelled(service):
    key = new_key()
    request = seek(service, key)
    seek(service, new_key())
    answer = service.call("DELETE", f"/v1/matches/{request['id']}", token=key)
    assert answer.json["status"] == "matched"


def test_expired_request_is_not_matched(service):
    key = new_key()
    request = seek(service, key, wait_ms=1000)
    service.clock.now += 2
    assert seek(service, new_key())["status"] == "waiting"
    assert look(service, key, request)["status"] == "expired"


def test_request_of_another_player_is_not_found(service):
    request = seek(service, new_key())
    for method in ("GET", "DELETE"):
        answer = service.call(method, f"/v1/matches/{request['id']}", token=new_key())
        assert problem_code(answer) == "match_not_found"
    assert (
        problem_code(service.call("POST", "/v1/matches", {"name": "Ann", "seats": 2}))
        == "player_key_required"
    )


def seek_status(service, key):
    return service.call("POST", "/v1/matches", {"name": "Ann", "seats": 2}, key, KEY).status_code


def leave_out_the_game(service, monkeypatch):
    """Let two players seek a game; the process dies before it creates the game. Return keys and requests."""
    keys = [new_key() for _ in range(2)]
    with monkeypatch.context() as patched:
        patched.setattr("skye_server.matchmaking.tickets._create", lambda *_: 1 / 0)
        requests = [seek(service, keys[0])]
        assert seek_status(service, keys[1]) == 500
    assert service.call("GET", "/v1/games").json["games"] == []
    return keys, requests


def test_game_that_a_crash_left_out_is_created_by_a_look(service, monkeypatch):
    keys, (request,) = leave_out_the_game(service, monkeypatch)
    found = look(service, keys[0], request)
    assert found["status"] == "matched"
    assert service.get(f"/v1/games/{found['game']}")["status"] == "playing"


def test_game_that_a_crash_left_out_is_created_by_a_retry(service, monkeypatch):
    keys, _ = leave_out_the_game(service, monkeypatch)
    assert seek(service, keys[1], headers=KEY)["status"] == "matched"


@pytest.mark.parametrize("path", ["/v1/me/games", "/v1/me/events"])
def test_game_that_a_crash_left_out_is_created_for_readers(path, service, monkeypatch):
    keys, _ = leave_out_the_game(service, monkeypatch)
    service.get(path, keys[0])
    for key in keys:
        types = [event["type"] for event in service.get("/v1/me/events", key)["events"]]
        assert types == ["seated", "your_turn"]


def test_request_that_was_never_added_is_forgotten(service, monkeypatch):
    key = new_key()
    with monkeypatch.context() as patched:
        patched.setattr("skye_server.storage.match_pool.MatchPools.join", lambda *_: 1 / 0)
        assert seek_status(service, key) == 500
    service.get("/v1/me/games", key)
    assert len(service.redis.keys("*:seeks")) == 1  # the process may still be adding it
    service.clock.now += 61
    service.get("/v1/me/games", key)
    assert service.redis.keys("*:seeks") == []


def test_waiting_requests_count_as_games_of_a_key():
    service, key = limited(limit_games_per_key=2), new_key()
    for seats in (2, 3):
        seek(service, key, seats=seats)
    body = {"name": "Ann", "seats": 4}
    assert problem_code(service.call("POST", "/v1/matches", body, key)) == "too_many_games"
    service.clock.now += 301
    assert seek(service, key, seats=4)["status"] == "waiting"


def test_player_who_waits_already_uses_up_no_limit():
    service, key = limited(limit_games_per_key=2), new_key()
    requests = [seek(service, key) for _ in range(5)]
    assert len({request["id"] for request in requests}) == 1


def test_request_shows_no_other_player(service):
    names = ["Ann", "Bob", "Cy"]
    keys = [new_key() for _ in names]
    requests = [seek(service, key, name, 3) for key, name in zip(keys, names, strict=True)]
    found = look(service, keys[0], requests[0])
    assert set(found) == {"id", "status", "expires_at", "game", "seat"}
    stored = repr(service.stored())
    assert not any(key in stored for key in keys)


def test_request_of_a_newer_format_is_refused(service):
    key = new_key()
    request = seek(service, key)
    (name,) = service.redis.keys("*:request:*")
    service.redis.hset(name, "data", b"2:0:")
    assert look(service, key, request)["status"] == "waiting"
    answer = service.call("POST", "/v1/matches", {"name": "Ann", "seats": 2}, new_key())
    assert problem_code(answer) == "game_unreadable"
