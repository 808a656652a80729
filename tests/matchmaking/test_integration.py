"""Tickets in the other parts of a server: player keys, metrics, limits, due work, webhooks, the contract."""

import pytest

from skye_server.matchmaking.pools import TicketPools
from tests.contract.checked import CheckedService, Contract, read_document
from tests.faults.test_wrong_type_keys import spoil
from tests.lab.test_lab import KEY, advance
from tests.matchmaking.test_tickets import TICKETS, post, seek
from tests.observability.test_metrics import scrape, value
from tests.players.test_player_keys import ids, interleaved, replaced
from tests.store.test_backup import check_due_after_restore
from tests.support.dispatching import dispatch, dispatcher_of, entries
from tests.support.endpoints import PLAYER_KEY
from tests.support.local_services import local_service
from tests.support.playing import Service, limited, new_key, problem_code
from tests.support.receiver import Receiver

# Player keys.


@pytest.mark.parametrize("path", [f"{TICKETS}?unknown=1", f"{TICKETS}/none?unknown=1"])
def test_player_is_authenticated_before_the_query_is_read(service, path):
    assert problem_code(service.call("GET", path)) == "player_key_required"
    assert problem_code(service.call("GET", path, token=new_key())) == "invalid_parameter"


def test_key_with_a_waiting_ticket_replaces_no_other(any_redis):
    service, used = Service(any_redis), new_key()
    post(service, used)
    assert problem_code(replaced(service, new_key(), used)) == "key_taken"
    assert post(service, new_key()).json["status"] == "matched"
    assert len(ids(service, used)) == 1


@pytest.mark.parametrize("before", [True, False])
def test_replacement_by_a_key_that_creates_a_ticket_orphans_none(any_redis, monkeypatch, before):
    service, old, new = Service(any_redis), new_key(), new_key()
    results = interleaved(
        monkeypatch, TicketPools, "announce", lambda: replaced(service, old, new), before=before
    )
    answer = post(service, new)
    (result,) = results
    if before:
        assert (result.status_code, problem_code(answer)) == (200, "too_much_contention")
        assert service.redis.keys("*:seeks") == []
        answer = post(service, new)
    else:
        assert problem_code(result) == "key_taken"
    assert answer.json["status"] == "waiting"
    matched = post(service, new_key()).json
    assert matched["status"] == "matched"
    assert ids(service, new) == [matched["game_id"]]


# Metrics, limits, lists, due work.


def test_tickets_that_wait_are_counted(service):
    keys = [PLAYER_KEY, *(f"skye_key_{letter * 22}" for letter in "bcd")]
    body = {"name": "Ann", "seat_count": 3}
    tickets = [service.call("POST", TICKETS, body, key).json for key in keys]
    samples = scrape(service)
    assert value(samples, "waiting_tickets") == 1
    assert value(samples, "matchmaking_total", event="ticket") == 4
    assert value(samples, "matchmaking_total", event="game") == 1
    service.call("DELETE", f"{TICKETS}/{tickets[-1]['id']}", token=keys[-1])
    assert value(scrape(service), "waiting_tickets") == 0
    service.call("POST", TICKETS, body, keys[-1])
    assert value(scrape(service), "waiting_tickets") == 1
    service.clock.now += 301
    assert value(scrape(service), "waiting_tickets") == 0


def test_tickets_count_as_games_created():
    service = limited(limit_games_per_minute=2)
    criteria = [{"name": "Ann", "seat_count": count} for count in (2, 3, 4)]
    answers = [service.call("POST", TICKETS, each, PLAYER_KEY) for each in criteria]
    assert [answer.status_code for answer in answers] == [201, 201, 429]


def test_match_is_in_the_lists_when_it_is_acknowledged(service):
    keys = [new_key(), new_key()]
    for key in keys:
        ticket = service.call("POST", TICKETS, {"name": "Ann", "seat_count": 2}, key).json
    assert [game["id"] for game in service.get("/v1/games?status=playing")["games"]] == [ticket["game_id"]]
    assert [ids(service, key) for key in keys] == 2 * [[ticket["game_id"]]]
    near_ms = int(1000 * service.clock.now) + 23 * 3_600_000
    assert entries(service, "relay") == {ticket["game_id"]: near_ms}  # only that the deadline is near then


def test_ticket_expires_without_a_request(service):
    dispatcher = dispatcher_of(service)
    body = {"name": "Ann", "seat_count": 2, "ttl_ms": 90_000}
    service.call("POST", TICKETS, body, new_key())
    service.clock.advance(60)
    dispatcher.run_due()
    assert service.redis.keys("skye:{player.*}:events") == []
    service.clock.advance(31)
    dispatcher.run_due()
    (events,) = service.redis.keys("skye:{player.*}:events")
    assert b"ticket_expired" in service.redis.xrevrange(events, count=1)[0][1][b"e"]


def test_expired_ticket_is_reported_without_a_request():
    with local_service() as service, Receiver() as receiver:
        created = service.call("POST", "/v1/me/webhooks", {"url": receiver.url}, PLAYER_KEY)
        assert created.json["status"] == "active"
        ticket = {"name": "Ann", "seat_count": 4, "ttl_ms": 60_000}
        service.call("POST", TICKETS, ticket, PLAYER_KEY)
        service.clock.advance(61)
        dispatch(service)
        assert [each.message["type"] for each in receiver.events] == ["ticket_expired"]
        assert receiver.events[0].message["href"] is None


def test_ticket_expires_by_the_advanced_clock(any_redis):
    lab = Service(any_redis, lab=True)
    ticket = lab.call("POST", TICKETS, {"name": "Ann", "seat_count": 2}, KEY).json
    advance(lab, 1_000)
    assert lab.get(f"{TICKETS}/{ticket['id']}", KEY)["status"] == "waiting"
    advance(lab, 86_400_000)
    answer = lab.call("GET", f"{TICKETS}/{ticket['id']}", token=KEY)
    assert answer.status_code == 404 or answer.json["status"] == "expired"


@pytest.mark.parametrize("kind", ["waiting", "players"])
def test_pool_with_a_key_of_another_type_goes_on_once_it_is_deleted(redis_client, kind):
    service = Service(redis_client)
    first = new_key()
    assert seek(service, first)["status"] == "waiting"
    (key,) = redis_client.keys(f"skye:*:pool.*:{kind}")
    spoil(redis_client, key)
    refused = service.call("POST", TICKETS, {"name": "Bob", "seat_count": 2}, new_key())
    assert refused.status_code == 503
    redis_client.delete(key)
    assert seek(service, first)["status"] == "waiting"
    assert seek(service, new_key(), "Bob")["status"] == "matched"


def test_due_work_is_rebuilt_after_a_restore(redis_client, tmp_path):
    check_due_after_restore(redis_client, tmp_path / "backup", lambda service: seek(service, new_key()), 1)


# The contract.


def test_responses_about_tickets_are_in_the_contract():
    contract = Contract(read_document())
    service = CheckedService(contract)
    ticket = {"name": "Ann", "seat_count": 2}
    keys = [f"skye_key_{letter * 22}" for letter in "ab"]
    for key in keys:
        first, found = (service.call("POST", TICKETS, ticket, key) for _ in range(2))
        assert (first.status_code, found.status_code) == (201, 200)
    path = f"{TICKETS}/{found.json['id']}"
    assert service.get(TICKETS, keys[1]) == {"tickets": []}
    assert service.get(path, keys[1])["status"] == "matched"
    assert service.call("DELETE", path, token=keys[1]).status_code == 200
    operations = [each for each in contract.operations() if "Matchmaking" in each[2]["tags"]]
    assert operations
    assert not contract.unreceived(operations)
