"""Deliveries: every event at least once, those of a game in order, to receivers that fail."""

import json
import re

import pytest
from standardwebhooks import Webhook

from skye_server.commands.current_games import Games
from skye_server.error_codes import Problem
from skye_server.games.authorization import hash_player_key
from skye_server.http.framework import collaborators
from skye_server.outgoing.receiver_store import ReceiverStore
from skye_server.outgoing.retries import RETRIES_S
from skye_server.players.player_games import Players
from skye_server.store.shards import player_owner
from skye_server.webhooks import dispatching
from tests.support.dispatching import dispatch, handlers_of
from tests.support.endpoints import PLAYER_KEY
from tests.support.local_services import dispatching as running
from tests.support.local_services import local_service
from tests.support.receiver import Receiver, respond, respond_slowly
from tests.support.waiting import waited_for
from tests.webhooks.support import create, deliveries

DAY_S = 86_400


def start(service, **more):
    """Start a game whose seat 0, of the player key, must act."""
    return service.create_game(2, key=PLAYER_KEY, options={"first_seat": 0}, **more)


def kinds(receiver):
    return [each.message["type"] for each in receiver.events]


def test_events_of_a_player_arrive_signed_and_thin(service, receiver):
    webhook = create(service, receiver.url)
    game = start(service)
    dispatch(service)
    assert kinds(receiver) == ["seat_taken", "your_turn"]
    for each in receiver.events:
        assert Webhook(webhook["secret"]).verify(each.body, each.headers) == each.message
    message = receiver.events[1].message
    listed = service.get("/v1/me/events", PLAYER_KEY)["events"][1]
    assert message == {
        "type": "your_turn",
        "timestamp": listed["at"],
        "href": f"/v1/games/{game.id}",
        "data": listed,
        "stale": False,
    }
    delivered = deliveries(service, webhook)
    assert [each["id"] for each in delivered] == [each.id for each in reversed(receiver.events)]
    assert {(each["status"], each["http_status"], each["attempts"]) for each in delivered} == {
        ("delivered", 204, 1)
    }


def test_no_delivery_has_a_token_or_a_hidden_value(service, receiver):
    game = service.create_game(2, options={"first_seat": 0})
    create(service, receiver.url, game.path("webhooks"), game.host)
    game.play_until(lambda _: game.view()["status"] == "finished")
    dispatch(service)
    assert kinds(receiver)[-1] == "game_over"
    for each in receiver.events:
        assert not re.search(rb"\b(L\d\d|castle-\w+)\b", each.body)  # tiles
        assert not any(token.encode() in each.body for token in (game.host, *game.tokens))


def test_types_that_a_webhook_does_not_list_are_left_out(service, receiver):
    create(service, receiver.url, types=["game_over"])
    game = start(service)
    game.abort()
    dispatch(service)
    assert kinds(receiver) == ["game_over"]


def test_webhook_of_a_game_reports_all_seats(service, receiver):
    game = service.create_game(3, start=False)
    create(service, receiver.url, game.path("webhooks"), game.host)
    game.call("POST", "players", {"name": "Dee"})
    game.call("DELETE", "players/3", token=game.host)
    game.call("POST", "start", token=game.host)
    game.call("POST", "resign", seat=2)
    game.abort()
    dispatch(service)
    found = [(each.message["type"], each.message["data"]["seat"]) for each in receiver.events]
    assert found[:2] == [("seat_taken", 3), ("seat_left", 3)]
    assert {("your_turn", 0), ("your_turn", 1), ("seat_left", 2)} <= {*found}
    assert found[-1] == ("game_over", None)
    numbers = [each.message["data"]["game_last_event"] for each in receiver.events]
    assert numbers == sorted(numbers)


def test_webhook_of_a_game_reports_a_full_lobby_and_why_seats_are_left(service, receiver):
    game = service.create_game(2, start=False, seat_count=3)
    create(service, receiver.url, game.path("webhooks"), game.host, types=["lobby_full", "seat_left"])
    for token in (None, game.host):
        joined = game.call("POST", "players", {"name": "Dee"}).json
        dispatch(service)
        game.call("DELETE", "players/2", token=token or joined["token"])
        dispatch(service)
    game.call("POST", "start", token=game.host)
    game.call("POST", "resign", seat=1)
    dispatch(service)
    found = [(each.message["type"], each.message["data"].get("reason")) for each in receiver.events]
    full = ("lobby_full", None)
    left = [("seat_left", reason) for reason in ("left", "removed", "resigned")]
    assert found == [full, left[0], full, left[1], left[2]]


def test_webhook_of_a_game_reports_the_seats_that_the_start_renumbers(service, receiver):
    game = service.create_game(3, start=False)
    create(service, receiver.url, game.path("webhooks"), game.host, types=["seat_taken", "seat_left"])
    game.call("DELETE", "players/1", token=game.host)
    game.call("POST", "start", token=game.host)
    dispatch(service)
    found = [(each.message["type"], each.message["data"]["seat"]) for each in receiver.events]
    assert found == [("seat_left", 1), ("seat_taken", 1)]


def test_near_deadline_is_reported_once_to_both_kinds_of_webhooks(service, receiver):
    create(service, receiver.url, types=["deadline_near"])
    game = service.create_game(2, key=PLAYER_KEY, options={"turn_ms": 60_000})
    create(service, receiver.url, game.path("webhooks"), types=["deadline_near"])
    dispatch(service)
    service.clock.advance(46)
    for _ in range(2):
        dispatch(service)
    assert sorted(each.message["data"]["seat"] for each in receiver.events) == [0, 0, 1]


def test_failed_delivery_is_repeated_by_the_schedule_with_the_same_id(service, receiver):
    webhook = create(service, receiver.url, types=["your_turn"])
    receiver.answer = lambda _, handler: respond(handler, 500)
    start(service)
    dispatch(service)
    for attempt, pause_s in enumerate(RETRIES_S, 1):
        assert len(receiver.events) == attempt
        service.clock.advance(pause_s - 1)
        dispatch(service)
        assert len(receiver.events) == attempt
        service.clock.advance(0.2 * pause_s + 1)
        dispatch(service)
    assert len({each.id for each in receiver.events}) == 1
    (delivery,) = deliveries(service, webhook)
    assert (delivery["status"], delivery["attempts"], delivery["http_status"]) == ("failed", 10, 500)
    assert delivery["next_attempt_at"] is None


def test_later_events_of_a_game_wait_for_a_failed_one(service, receiver):
    create(service, receiver.url)
    failing = True

    def answer(received, handler):
        is_first = received.message["data"].get("game_id") == games[0].id
        respond(handler, 503 if failing and is_first else 204)

    receiver.answer = answer
    games = [start(service), start(service)]
    games[0].abort()
    dispatch(service)
    of_first = [each for each in receiver.events if each.message["data"]["game_id"] == games[0].id]
    assert [each.message["type"] for each in of_first] == ["seat_taken"]
    assert kinds(receiver).count("your_turn") == 1, "the other game does not wait"
    failing = False
    service.clock.advance(10)
    dispatch(service)
    of_first = [each for each in receiver.events if each.message["data"]["game_id"] == games[0].id]
    assert [each.message["type"] for each in of_first][1:] == ["seat_taken", "your_turn", "game_over"]


def test_retry_after_of_a_receiver_is_obeyed(service, receiver):
    create(service, receiver.url, types=["your_turn"])
    receiver.answer = lambda _, handler: respond(handler, 429, Retry_After="600")
    start(service)
    dispatch(service)
    service.clock.advance(599)
    dispatch(service)
    assert len(receiver.events) == 1
    service.clock.advance(2)
    dispatch(service)
    assert len(receiver.events) == 2


def test_receiver_that_is_gone_loses_its_webhook(service, receiver):
    create(service, receiver.url)
    receiver.answer = lambda _, handler: respond(handler, 410)
    start(service)
    dispatch(service)
    assert service.get("/v1/me/webhooks", PLAYER_KEY)["webhooks"] == []
    assert not service.redis.keys("*:webhook:*")


def test_five_days_of_failure_disable_a_webhook_with_an_event(service, receiver):
    with Receiver() as other:
        webhook = create(service, receiver.url, types=["your_turn"])
        create(service, other.url, types=["webhook_disabled"])
        receiver.answer = lambda _, handler: respond(handler, 500)
        start(service)
        dispatch(service)
        service.clock.advance(5 * DAY_S)
        dispatch(service)
        path = f"/v1/me/webhooks/{webhook['id']}"
        assert service.get(path, PLAYER_KEY)["status"] == "disabled"
        event = service.get("/v1/me/events", PLAYER_KEY)["events"][-1]
        assert (event["type"], event["webhook_id"]) == ("webhook_disabled", webhook["id"])
        assert kinds(other) == ["webhook_disabled"]
    receiver.answer = lambda _, handler: respond(handler, 204)
    assert service.call("POST", f"{path}/test", token=PLAYER_KEY).json["webhook"]["status"] == "active"
    dispatch(service)
    assert deliveries(service, webhook)[0]["status"] == "delivered"


def test_delivery_can_be_sent_again(service, receiver):
    webhook = create(service, receiver.url, types=["your_turn"])
    start(service)
    dispatch(service)
    (delivery,) = deliveries(service, webhook)
    path = f"/v1/me/webhooks/{webhook['id']}/deliveries/{delivery['id']}/retry"
    assert service.call("POST", path, token=PLAYER_KEY).json["status"] == "pending"
    dispatch(service)
    assert [each.id for each in receiver.events] == 2 * [delivery["id"]]


def test_dead_receiver_is_probed_by_one_delivery_at_a_time(service, receiver):
    create(service, receiver.url, types=["your_turn"])
    receiver.answer = lambda _, handler: respond(handler, 500)
    for _ in range(30):
        start(service)
    dispatch(service)
    assert len(receiver.events) <= 12, "the circuit opens after ten failures"
    before = len(receiver.events)
    service.clock.advance(7)
    dispatch(service)
    assert len(receiver.events) == before + 1
    receiver.answer = lambda _, handler: respond(handler, 204)
    service.clock.advance(400)
    for _ in range(3):
        dispatch(service)
        service.clock.advance(20)
    dispatch(service)
    delivered = {each.message["data"]["game_id"] for each in receiver.events[before + 1 :]}
    assert len(delivered) == 30


def test_more_events_than_the_queue_holds_are_all_sent(service, receiver, monkeypatch):
    monkeypatch.setattr(dispatching, "MAX_QUEUED", 5)
    monkeypatch.setattr(dispatching, "_PAGE", 3)
    create(service, receiver.url, types=["your_turn"])
    receiver.answer = lambda _, handler: respond(handler, 500)
    for _ in range(20):
        start(service)
    dispatch(service)
    receiver.answer = lambda _, handler: respond(handler, 204)
    for _ in range(20):
        service.clock.advance(301)
        dispatch(service)
    assert len({each.id for each in receiver.events}) == 20


def test_slow_receiver_does_not_delay_others(service):
    with Receiver(respond_slowly) as slow_one, Receiver() as fast, running(service):
        create(service, slow_one.url, types=["your_turn"])
        other = "skye_key_" + 22 * "B"
        create(service, fast.url, token=other, types=["your_turn"])
        for _ in range(20):
            start(service)
        for _ in range(5):
            service.create_game(2, key=other, options={"first_seat": 0})
        assert waited_for(lambda: len(fast.events) == 5)
        assert len(slow_one.events) < 20
        for each in fast.events:
            assert json.loads(each.body)["type"] == "your_turn"


def attend(service, entry):
    """Handle an entry of the due queue; return when it is due again."""
    return handlers_of(service)["webhook"].handle(entry)


def call_once(monkeypatch, owner, name, meanwhile):
    """Replace a method so that its first call does something else first."""
    method = getattr(owner, name)

    def called(*arguments):
        monkeypatch.setattr(owner, name, method)
        meanwhile()
        return method(*arguments)

    monkeypatch.setattr(owner, name, called)


def test_webhook_deleted_while_events_are_read_is_left_alone(service, receiver, monkeypatch):
    webhook = create(service, receiver.url)
    start(service)
    owner = player_owner(hash_player_key(PLAYER_KEY))
    entry = f"{owner}/{owner}"
    path, reads, read = f"/v1/me/webhooks/{webhook['id']}", [], Players.events_after

    def read_and_delete(*arguments):
        reads.append(arguments)
        assert len(reads) < 3, "it never ends"
        service.call("DELETE", path, token=PLAYER_KEY)
        return read(*arguments)

    monkeypatch.setattr(Players, "events_after", read_and_delete)
    attend(service, entry)
    assert attend(service, entry) is None
    assert not service.redis.keys("skye:{player.*}:webhook:*")


def test_events_that_two_threads_queue_at_once_are_all_queued(service, receiver, monkeypatch):
    game = service.create_game(2)
    create(service, receiver.url, game.path("webhooks"), game.host)

    def overtake():
        game.call("POST", "resign", seat=0)
        attend(service, f"{game.id}/{game.id}")
        game.abort()

    call_once(monkeypatch, Games, "changes_after", overtake)
    assert attend(service, f"{game.id}/{game.id}") == collaborators(service.app).games.now_ms()


def aborted(*, of_game):
    """Return the events of a game that is aborted by agreement: the key of the proposer is not asked."""
    return ["proposal_opened", "game_over"] if of_game else ["game_over"]


@pytest.mark.parametrize("of_game", [False, True])
def test_webhook_whose_creation_failed_after_its_write_works(of_game, service, receiver, monkeypatch):
    game = start(service)
    path = game.path("webhooks") if of_game else "/v1/me/webhooks"
    put = ReceiverStore.put

    def put_and_fail(*arguments, **options):
        put(*arguments, **options)
        raise Problem("store_unavailable")

    key = {"Idempotency-Key": "k1"}
    with monkeypatch.context() as patched:
        patched.setattr(ReceiverStore, "put", put_and_fail)
        assert service.call("POST", path, {"url": receiver.url}, PLAYER_KEY, key).status_code == 503
    assert service.call("POST", path, {"url": receiver.url}, PLAYER_KEY, key).json["status"] == "active"
    game.abort()
    service.clock.advance(60)
    dispatch(service)
    assert kinds(receiver) == aborted(of_game=of_game)


@pytest.mark.parametrize("of_game", [False, True])
def test_webhook_without_a_cursor_reports_later_events(of_game, service, receiver):
    game = start(service)
    create(service, receiver.url, game.path("webhooks") if of_game else "/v1/me/webhooks")
    assert service.redis.delete(*service.redis.keys("skye:*:webhook:*")) == 1
    owner = game.id if of_game else player_owner(hash_player_key(PLAYER_KEY))
    attend(service, f"{game.id}/{owner}")
    game.abort()
    dispatch(service)
    assert kinds(receiver) == aborted(of_game=of_game)


@pytest.mark.parametrize("of_game", [False, True])
def test_event_during_a_creation_that_broke_off_is_reported(of_game, service, receiver, monkeypatch):
    game = start(service)
    path = game.path("webhooks") if of_game else "/v1/me/webhooks"
    put = ReceiverStore.put

    def put_after_an_event(*arguments, **options):
        game.abort()
        dispatch(service)
        put(*arguments, **options)
        raise Problem("store_unavailable")

    monkeypatch.setattr(ReceiverStore, "put", put_after_an_event)
    assert service.call("POST", path, {"url": receiver.url}, PLAYER_KEY).status_code == 503
    service.clock.advance(60)
    dispatch(service)
    assert kinds(receiver) == aborted(of_game=of_game)


def test_webhook_of_a_game_gets_the_next_event_of_any_process(service, receiver):
    game = start(service)
    game.service = local_service(redis=service.redis)
    assert game.offer(0, 1, 1).status_code == 200
    create(service, receiver.url, game.path("webhooks"), PLAYER_KEY, types=["game_over"])
    game.abort()
    dispatch(service)
    assert kinds(receiver) == ["game_over"]


def test_failure_after_a_successful_test_keeps_the_webhook_active(service, receiver):
    webhook = create(service, receiver.url, types=["your_turn"])
    receiver.answer = lambda _, handler: respond(handler, 500)
    start(service)
    dispatch(service)
    service.clock.advance(5 * DAY_S)
    path = f"/v1/me/webhooks/{webhook['id']}"
    assert service.call("POST", f"{path}/test", token=PLAYER_KEY).json["problem"] is None
    dispatch(service)
    assert len(receiver.events) == 2
    assert service.get(path, PLAYER_KEY)["status"] == "active"


def test_right_answer_to_a_challenge_ends_the_wait_of_deliveries(service, receiver):
    webhook = create(service, receiver.url, types=["your_turn"])
    receiver.answer = lambda _, handler: respond(handler, 500)
    for _ in range(2):
        start(service)
    dispatch(service)
    receiver.answer = lambda _, handler: respond(handler, 204)
    service.call("POST", f"/v1/me/webhooks/{webhook['id']}/test", token=PLAYER_KEY)
    dispatch(service)
    assert [each["status"] for each in deliveries(service, webhook)] == 2 * ["delivered"]


def test_right_answer_during_an_attempt_ends_the_wait_after_it(service, receiver):
    webhook = create(service, receiver.url, types=["your_turn"])
    receiver.answer = lambda _, handler: respond(handler, 500)
    start(service)
    dispatch(service)

    def fail_after_a_test(_received, handler):
        receiver.answer = lambda _, handler: respond(handler, 204)
        service.call("POST", f"/v1/me/webhooks/{webhook['id']}/test", token=PLAYER_KEY)
        respond(handler, 500)

    receiver.answer = fail_after_a_test
    service.clock.advance(RETRIES_S[0] * 2)
    dispatch(service)
    service.clock.advance(2)
    dispatch(service)
    (delivery,) = deliveries(service, webhook)
    assert (delivery["status"], delivery["attempts"]) == ("delivered", 1)


def test_webhook_stays_disabled_while_its_failures_are_stored(service, receiver, monkeypatch):
    webhook = create(service, receiver.url, types=["your_turn"])
    receiver.answer = lambda _, handler: respond(handler, 500)
    start(service)
    dispatch(service)
    service.clock.advance(5 * DAY_S)
    dispatch(service)

    def fail(*_):
        raise Problem("store_unavailable")

    monkeypatch.setattr(ReceiverStore, "close_circuit", fail)
    path = f"/v1/me/webhooks/{webhook['id']}"
    assert service.call("POST", f"{path}/test", token=PLAYER_KEY).status_code == 503
    assert service.get(path, PLAYER_KEY)["status"] == "disabled"
