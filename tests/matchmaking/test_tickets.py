"""Matchmaking tickets: players with the same criteria are matched, each once."""

import pytest

from skye_server.matchmaking.pools import TicketPools
from skye_server.settings import Settings
from skye_server.store.games import EXPIRY_S
from skye_server.store.shards import key_of
from tests.support.dispatching import dispatch
from tests.support.playing import KEY, Service, limited, new_key, problem_code

TICKETS = "/v1/matchmaking/tickets"


def post(service, key, name="Ann", seat_count=2, headers=(), **more):
    return service.call("POST", TICKETS, {"name": name, "seat_count": seat_count, **more}, key, headers)


def seek(service, key, *arguments, **named):
    """Create a ticket, or find the player's older one; return it."""
    answer = post(service, key, *arguments, **named)
    assert answer.status_code in (200, 201), answer.text
    assert answer.headers["Location"] == f"{TICKETS}/{answer.json['id']}"
    return answer.json


def look(service, key, ticket):
    return service.get(f"{TICKETS}/{ticket['id']}", key)


def test_players_with_the_same_criteria_are_matched(service):
    ann, bob = new_key(), new_key()
    waiting = seek(service, ann)
    assert (waiting["status"], waiting["game_id"], waiting["seat"]) == ("waiting", None, None)
    matched = seek(service, bob, "Bob")
    assert matched["status"] == "matched"
    both = [look(service, ann, waiting), look(service, bob, matched)]
    assert sorted(request["seat"] for request in both) == [0, 1]
    game = service.get(f"/v1/games/{matched['game_id']}", ann)
    assert (game["status"], game["you"]["seat"]) == ("playing", both[0]["seat"])
    assert {player["name"] for player in game["players"]} == {"Ann", "Bob"}
    for key in (ann, bob):
        types = [event["type"] for event in service.get("/v1/me/events", key)["events"]]
        assert types == ["seat_taken", "your_turn"]


def test_players_with_other_criteria_are_not_matched(service):
    options = [{"turn_ms": 60_000}, {"open_gold": True}]
    for criteria in ({"seat_count": 2}, {"seat_count": 3}, *({"options": chosen} for chosen in options)):
        assert seek(service, new_key(), **criteria)["status"] == "waiting"


DEFAULTS = {
    "turn_ms": 86_400_000,
    "budget_ms": None,
    "increment_ms": 0,
    "on_timeout": "bot",
    "tie_break": "leftover_gold",
    "open_gold": False,
}


@pytest.mark.parametrize("options", [{}, {"turn_ms": None}, {"open_gold": False, "budget_ms": None}])
def test_options_left_out_are_the_defaults(service, options):
    assert seek(service, new_key(), options=options)["options"] == DEFAULTS
    assert seek(service, new_key(), options=DEFAULTS)["status"] == "matched"
    seek(service, new_key())
    assert seek(service, new_key(), options=options)["status"] == "matched"


def test_decision_beside_a_budget_has_a_day(service):
    matched = [seek(service, new_key(), options={"budget_ms": 60_000}) for _ in range(2)][-1]
    shown = service.get(f"/v1/games/{matched['game_id']}")["options"]
    expected = (86_400_000, 60_000, "bot")
    assert (shown["turn_ms"], shown["budget_ms"], shown["on_timeout"]) == expected


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("turn_ms", 259_200_001),
        ("budget_ms", 86_400_001),
        ("increment_ms", 86_400_001),
        ("on_timeout", "auto"),
    ],
)
def test_options_that_strangers_would_wait_for_are_refused(service, option, value):
    longest = {"turn_ms": 259_200_000, "budget_ms": 86_400_000, "increment_ms": 86_400_000}
    assert seek(service, new_key(), options=longest)["status"] == "waiting"
    answer = post(service, new_key(), options=longest | {option: value})
    assert problem_code(answer) == "invalid_body"
    assert [error["pointer"] for error in answer.json["errors"]] == [f"/options/{option}"]


def test_matched_game_has_the_requested_options(service):
    options = {"turn_ms": 60_000, "on_timeout": "bot", "tie_break": "total_gold", "open_gold": True}
    keys = [new_key() for _ in range(2)]
    matched = [seek(service, key, options=options) for key in keys][-1]
    shown = service.get(f"/v1/games/{matched['game_id']}")["options"]
    assert {name: shown[name] for name in options} == options


def test_players_of_one_name_get_numbers(service):
    matched = [seek(service, new_key(), "Ann", 3) for _ in range(3)][-1]
    players = service.get(f"/v1/games/{matched['game_id']}")["players"]
    assert {player["name"] for player in players} == {"Ann", "Ann 2", "Ann 3"}


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


def test_ticket_shows_what_the_player_asked_for(service):
    ticket = seek(service, new_key(), "Ann", 3, options={"turn_ms": 60_000}, ttl_ms=90_000)
    assert (ticket["name"], ticket["seat_count"]) == ("Ann", 3)
    assert ticket["options"] == DEFAULTS | {"turn_ms": 60_000}
    assert ticket["expires_at"] == "2027-01-15T08:01:30.000Z"


def test_new_ticket_is_created_and_an_existing_one_found(service):
    key = new_key()
    first, again = (post(service, key, headers=KEY) for _ in range(2))
    assert (first.status_code, again.status_code, again.data) == (201, 201, first.data)
    assert post(service, key).status_code == 200
    assert post(service, key, seat_count=3).status_code == 201


def test_tickets_that_wait_are_listed_the_oldest_first(service):
    key = new_key()
    assert service.get(TICKETS, key) == {"tickets": []}
    tickets = []
    for seat_count in (5, 3, 4):
        tickets.append(seek(service, key, seat_count=seat_count))
        service.clock.advance(1)
    cancelled = seek(service, key)
    service.call("DELETE", f"{TICKETS}/{cancelled['id']}", token=key)
    seek(service, new_key(), seat_count=2)
    assert service.get(TICKETS, key) == {"tickets": tickets}
    service.clock.advance(297)
    assert service.get(TICKETS, key) == {"tickets": tickets[1:]}


@pytest.mark.parametrize("reader", ["list", "ticket", "cancel", "dispatcher"])
def test_expired_ticket_is_reported_once_however_it_is_found(reader, service):
    key = new_key()
    ticket = seek(service, key, ttl_ms=1000)
    service.clock.advance(2)
    for _ in range(2):
        if reader == "list":
            service.get(TICKETS, key)
        elif reader == "ticket":
            look(service, key, ticket)
        elif reader == "cancel":
            service.call("DELETE", f"{TICKETS}/{ticket['id']}", token=key)
        else:
            dispatch(service)
        (event,) = service.get("/v1/me/events", key)["events"]
        assert (event["type"], event["ticket_id"]) == ("ticket_expired", ticket["id"])
        assert event["at"] == ticket["expires_at"]
        service.clock.advance(60)


def test_cancelled_or_matched_ticket_is_not_reported_as_expired(service):
    keys = [new_key() for _ in range(2)]
    cancelled = seek(service, keys[0], seat_count=3)
    service.call("DELETE", f"{TICKETS}/{cancelled['id']}", token=keys[0])
    for key in keys:
        seek(service, key)
    service.clock.advance(301)
    dispatch(service)
    for key in keys:
        types = [event["type"] for event in service.get("/v1/me/events", key)["events"]]
        assert "ticket_expired" not in types


@pytest.mark.parametrize("changed", [{"name": "Bob"}, {"ttl_ms": 2000}, {"seat_count": 3}])
def test_other_request_with_the_same_key_is_refused(changed, service):
    key, body = new_key(), {"name": "Ann", "seat_count": 2}
    seek(service, key, headers=KEY)
    answer = service.call("POST", TICKETS, body | changed, key, KEY)
    assert problem_code(answer) == "idempotency_key_reused"


@pytest.mark.parametrize("changed", [{"name": "Bob"}, {"ttl_ms": 2000}, {"seat_count": 3}])
@pytest.mark.parametrize("older", [False, True])
def test_key_reused_after_a_match_is_refused(changed, older, service):
    key, body = new_key(), {"name": "Ann", "seat_count": 2}
    if older:
        seek(service, key)
    seek(service, key, headers=KEY)
    matched = seek(service, new_key())
    service.get("/v1/me/games", key)
    answer = service.call("POST", TICKETS, body | changed, key, KEY)
    assert problem_code(answer) == "idempotency_key_reused"
    assert seek(service, key, headers=KEY)["game_id"] == matched["game_id"]


def test_key_of_a_request_that_a_limit_refused_is_not_bound():
    service, key = limited(limit_games_per_key=1), new_key()
    seek(service, key, seat_count=3)
    assert seek_status(service, key) == 409
    service.clock.now += 301
    assert seek(service, key, name="Bob", headers=KEY)["status"] == "waiting"


@pytest.mark.parametrize("step", ["ticket", "last_matched", "claim_key", "announce", "join"])
@pytest.mark.parametrize("headers", [(), KEY])
def test_requests_at_once_give_one_game_however_they_interleave(any_redis, monkeypatch, step, headers):
    service, key = Service(any_redis), new_key()
    seek(service, new_key(), "Bob")
    original, first = getattr(TicketPools, step), []

    def overtaken(*arguments, **named):
        monkeypatch.setattr(TicketPools, step, original)
        first.append(seek(service, key))
        service.clock.now += 60
        return original(*arguments, **named)

    monkeypatch.setattr(TicketPools, step, overtaken)
    again = seek(service, key, headers=headers)
    assert bool(first) or (step, headers) == ("claim_key", ())
    monkeypatch.setattr(TicketPools, step, original)
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
        service.call("POST", f"/v1/games/{first['game_id']}/players/{seat}/resign", token=key)
    assert seek(service, keys[1])["status"] == "waiting"


def test_player_at_the_limit_gets_the_ticket_that_waits():
    service, key = limited(limit_games_per_key=1), new_key()
    first = seek(service, key)
    assert seek(service, key) == first
    matched = seek(service, new_key())
    assert seek(service, key)["game_id"] == matched["game_id"]


def test_cancelled_ticket_is_not_matched(service):
    key = new_key()
    request = seek(service, key)
    answer = service.call("DELETE", f"{TICKETS}/{request['id']}", token=key)
    assert answer.json["status"] == "cancelled"
    assert seek(service, new_key())["status"] == "waiting"
    assert look(service, key, request)["status"] == "cancelled"


def test_matched_ticket_stays_matched_when_cancelled(service):
    key = new_key()
    request = seek(service, key)
    seek(service, new_key())
    answer = service.call("DELETE", f"{TICKETS}/{request['id']}", token=key)
    assert answer.json["status"] == "matched"


def test_expired_ticket_is_not_matched(service):
    key = new_key()
    request = seek(service, key, ttl_ms=1000)
    service.clock.now += 2
    assert seek(service, new_key())["status"] == "waiting"
    assert look(service, key, request)["status"] == "expired"


def test_ticket_of_another_player_is_not_found(service):
    request = seek(service, new_key())
    for method in ("GET", "DELETE"):
        answer = service.call(method, f"{TICKETS}/{request['id']}", token=new_key())
        assert problem_code(answer) == "ticket_not_found"


def seek_status(service, key):
    return service.call("POST", TICKETS, {"name": "Ann", "seat_count": 2}, key, KEY).status_code


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
    assert service.get(f"/v1/games/{found['game_id']}")["status"] == "playing"


def test_game_that_a_crash_left_out_is_created_by_a_retry(service, monkeypatch):
    keys, _ = leave_out_the_game(service, monkeypatch)
    assert seek(service, keys[1], headers=KEY)["status"] == "matched"


def test_game_that_a_crash_left_out_is_created_by_a_dispatcher(service, monkeypatch):
    keys, _ = leave_out_the_game(service, monkeypatch)
    dispatch(service)
    for key in keys:
        types = [event["type"] for event in service.get("/v1/me/events", key)["events"]]
        assert types == ["seat_taken", "your_turn"]


def test_ticket_that_was_never_added_is_forgotten(service, monkeypatch):
    key = new_key()
    with monkeypatch.context() as patched:
        patched.setattr("skye_server.matchmaking.pools.TicketPools.join", lambda *_: 1 / 0)
        assert seek_status(service, key) == 500
    service.get(TICKETS, key)
    assert len(service.redis.keys("*:seeks")) == 1  # the process may still be adding it
    service.clock.now += 61
    service.get(TICKETS, key)
    assert service.redis.keys("*:seeks") == []


def test_waiting_tickets_count_as_games_of_a_key():
    service, key = limited(limit_games_per_key=2), new_key()
    for seat_count in (2, 3):
        seek(service, key, seat_count=seat_count)
    body = {"name": "Ann", "seat_count": 4}
    assert problem_code(service.call("POST", TICKETS, body, key)) == "too_many_games"
    service.clock.now += 301
    assert seek(service, key, seat_count=4)["status"] == "waiting"


def test_games_that_have_expired_allow_another_ticket():
    service, key = limited(limit_games_per_key=1), new_key()
    game = service.create_game(1, start=False, key=key)
    service.redis.expire(key_of(game.id, "game"), EXPIRY_S)
    service.clock.now += Settings().game_ttl_lobby_s
    dispatch(service)
    assert seek(service, key)["status"] == "waiting"


def test_player_who_waits_already_uses_up_no_limit():
    service, key = limited(limit_games_per_key=2), new_key()
    requests = [seek(service, key) for _ in range(5)]
    assert len({request["id"] for request in requests}) == 1


def test_ticket_shows_no_other_player(service):
    names = ["Ann", "Bob", "Cy"]
    keys = [new_key() for _ in names]
    requests = [seek(service, key, name, 3) for key, name in zip(keys, names, strict=True)]
    found = look(service, keys[0], requests[0])
    assert (found["id"], found["name"], found["status"]) == (requests[0]["id"], "Ann", "matched")
    assert not any(
        other in str(found) for other in (*names[1:], *(each["id"] for each in requests[1:]), *keys)
    )
    stored = repr(service.stored())
    assert not any(key in stored for key in keys)


def test_ticket_of_a_newer_format_is_refused(service):
    key = new_key()
    request = seek(service, key)
    (name,) = service.redis.keys("*:request:*")
    service.redis.hset(name, "data", b"2:0:")
    answers = [service.call("GET", f"{TICKETS}/{request['id']}", token=key), post(service, new_key())]
    assert [problem_code(answer) for answer in answers] == ["data_newer"] * 2
