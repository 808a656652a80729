"""Webhooks: the challenge, secrets, limits, and the rights of callers."""

from contextlib import ExitStack

import pytest
from standardwebhooks import Webhook

from skye_server.error_codes import Problem
from skye_server.games.authorization import hash_player_key
from skye_server.games.events import SeatClock
from skye_server.games.player_events import Turn
from skye_server.http.framework import collaborators
from skye_server.outgoing.account_slots import Account
from skye_server.outgoing.receiver_store import ReceiverStore
from skye_server.outgoing.sender import Sender
from skye_server.outgoing.targets import TargetPolicy
from skye_server.settings import Settings
from skye_server.store.codec import StoredFormatError
from skye_server.store.redis_games import RedisGames
from skye_server.store.redis_store import RedisStore
from skye_server.store.shards import key_of, player_owner
from skye_server.webhooks.feature import FEATURE
from skye_server.webhooks.game_events import GameCursor, decode_cursor, encode_cursor
from tests.support.dispatching import dispatch, entries
from tests.support.endpoints import PLAYER_KEY
from tests.support.local_services import LOCAL, local_service
from tests.support.playing import KEY, limited, problem_code
from tests.support.receiver import Receiver, respond
from tests.webhooks.support import create

OTHER_KEY = "skye_key_" + 22 * "B"
PATH = "/v1/me/webhooks"
OWNER = player_owner(hash_player_key(PLAYER_KEY))


def test_webhook_is_active_when_its_url_repeats_the_signed_challenge(service, receiver):
    webhook = create(service, receiver.url)
    (challenge,) = receiver.received
    message = Webhook(webhook["secret"]).verify(challenge.body, challenge.headers)
    assert message["type"] == "webhook_challenge"
    assert message["data"]["webhook_id"] == webhook["id"]


@pytest.mark.parametrize("body", [b"", b'{"challenge":"\xff"}', 1500 * b"[" + 1500 * b"]"])
def test_url_that_does_not_repeat_the_challenge_gets_nothing_else(service, receiver, body):
    receiver.answers_challenges = False
    receiver.answer = lambda _received, handler: respond(handler, 200, body)
    webhook = service.call("POST", PATH, {"url": receiver.url}, PLAYER_KEY).json
    assert webhook["status"] == "unverified"
    assert webhook["problem"] == "The response does not repeat the challenge."
    service.create_game(2, key=PLAYER_KEY)
    dispatch(service)
    assert len(receiver.received) == 1


@pytest.mark.parametrize(("most", "looked_up", "status"), [(16, 1, 201), (0, 0, 503)])
def test_name_is_looked_up_once_and_among_the_challenges(monkeypatch, most, looked_up, status):
    monkeypatch.setattr("skye_server.outgoing.challenges._MAX_CHALLENGES", most)
    names = []
    policy = TargetPolicy(Settings(**LOCAL), lambda name, _port: names.append(name) or [])
    with local_service() as service:
        collaborators(service.app).challenges.sender = Sender(policy)
        created = service.call("POST", PATH, {"url": "http://slow.example/"}, PLAYER_KEY)
    assert (created.status_code, len(names)) == (status, looked_up)


def test_challenges_of_an_account_leave_the_others_theirs(service, receiver):
    challenges = collaborators(service.app).challenges
    ann = Account(hash_player_key(PLAYER_KEY), "elsewhere")
    with ExitStack() as held:
        while held.enter_context(challenges._slots.slot(ann)):  # noqa: SLF001 - requests of others that wait
            pass
        assert service.call("POST", PATH, {"url": receiver.url}, PLAYER_KEY).json["code"] == "server_busy"
        create(service, receiver.url, token=OTHER_KEY)


def test_test_makes_an_unverified_webhook_active(service, receiver):
    receiver.answers_challenges = False
    webhook = service.call("POST", PATH, {"url": receiver.url}, PLAYER_KEY).json
    failed = service.call("POST", f"{PATH}/{webhook['id']}/test", token=PLAYER_KEY).json
    assert (failed["http_status"], failed["webhook"]["status"]) == (204, "unverified")
    receiver.answers_challenges = True
    tested = service.call("POST", f"{PATH}/{webhook['id']}/test", token=PLAYER_KEY).json
    assert (tested["problem"], tested["webhook"]["status"]) == (None, "active")


def test_new_url_must_answer_a_challenge_again(service, receiver):
    webhook = create(service, receiver.url)
    with Receiver() as other:
        other.answers_challenges = False
        path = f"{PATH}/{webhook['id']}"
        changed = service.call("PATCH", path, {"url": other.url}, PLAYER_KEY).json
    assert (changed["status"], len(other.received)) == ("unverified", 1)


def test_repeated_creation_returns_the_same_webhook(service, receiver):
    key = {"Idempotency-Key": "k1"}
    first = service.call("POST", PATH, {"url": receiver.url}, PLAYER_KEY, key)
    again = service.call("POST", PATH, {"url": receiver.url}, PLAYER_KEY, key)
    assert (again.status_code, again.json) == (201, first.json)
    assert len(receiver.received) == 1
    other = service.call("POST", PATH, {"url": receiver.url, "description": "x"}, PLAYER_KEY, key)
    assert other.json["code"] == "idempotency_key_reused"


@pytest.mark.parametrize("rotates", [False, True])
def test_secret_is_shown_again_for_the_time_of_its_idempotency_key_only(service, receiver, rotates):
    path, body = PATH, {"url": receiver.url}
    if rotates:
        path, body = f"{PATH}/{create(service, receiver.url)['id']}/secret", {}
    first = service.call("POST", path, body, PLAYER_KEY, KEY)
    service.clock.advance(3599)
    again = service.call("POST", path, body, PLAYER_KEY, KEY)
    assert again.json["secret"] == first.json["secret"] is not None
    service.clock.advance(1)
    late = service.call("POST", path, body, PLAYER_KEY, KEY)
    assert (late.json["id"], late.json["secret"]) == (first.json["id"], None)
    assert first.json["secret"] not in late.text


def test_secret_that_was_replaced_is_not_shown_again(service, receiver):
    created = service.call("POST", PATH, {"url": receiver.url}, PLAYER_KEY, KEY).json
    service.call("POST", f"{PATH}/{created['id']}/secret", {}, PLAYER_KEY)
    again = service.call("POST", PATH, {"url": receiver.url}, PLAYER_KEY, KEY)
    assert (again.status_code, again.json["id"], again.json["secret"]) == (201, created["id"], None)
    assert created["secret"] not in again.text


def test_secret_of_a_bot_is_not_shown_again_after_the_time_of_its_key(service, receiver):
    body = {"players": [{"name": "Ann"}, {"bot_url": receiver.url}]}
    first, again = (service.call("POST", "/v1/games", body, headers=KEY).json for _ in range(2))
    assert first["players"][1]["secret"] == again["players"][1]["secret"] is not None
    service.clock.advance(3661)
    service.redis.delete(*service.redis.keys("skye:*:record:*"))  # they expire by the clock of Redis
    later = service.call("POST", "/v1/games", body, headers=KEY).json
    assert later["players"][1]["secret"] not in (None, first["players"][1]["secret"])


def test_both_secrets_sign_until_the_overlap_ends(service, receiver):
    webhook = create(service, receiver.url)
    path = f"{PATH}/{webhook['id']}"
    rotated = service.call("POST", f"{path}/secret", {"overlap_ms": 60_000}, PLAYER_KEY).json
    assert rotated["secret"] != webhook["secret"]
    service.call("POST", f"{path}/test", token=PLAYER_KEY)
    for each in (webhook, rotated):
        Webhook(each["secret"]).verify(receiver.received[-1].body, receiver.received[-1].headers)
    service.clock.advance(60)
    service.call("POST", f"{path}/test", token=PLAYER_KEY)
    assert len(receiver.received[-1].headers["webhook-signature"].split()) == 1
    assert service.get(path, PLAYER_KEY)["old_secret_until"] is None


def test_own_secret_signs(service, receiver):
    secret = "whsec_" + 40 * "A"
    assert create(service, receiver.url, secret=secret)["secret"] == secret
    Webhook(secret).verify(receiver.received[0].body, receiver.received[0].headers)


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"url": 5},
        {"url": ""},
        {"url": "http://a b/"},
        {"url": "https://é.example/"},
        {"url": "https://example.org/" + 2048 * "a"},
        {"url": "http://127.0.0.1:1/", "types": []},
        {"url": "http://127.0.0.1:1/", "types": ["no_event"]},
        {"url": "http://127.0.0.1:1/", "types": ["game_over", "game_over"]},
        {"url": "http://127.0.0.1:1/", "secret": "whsec_short"},
        {"url": "http://127.0.0.1:1/", "secret": "whsec_" + 33 * "A"},
        {"url": "http://127.0.0.1:1/", "description": 101 * "a"},
        {"url": "http://127.0.0.1:1/", "more": 1},
        {"url": "http://[::1/"},
        {"url": "http://a..b/"},
        {"url": f"http://{64 * 'a'}.example/"},
    ],
)
def test_malformed_webhook_is_refused(wrong, service):
    assert service.call("POST", PATH, wrong, PLAYER_KEY).json["code"] == "invalid_body"


def test_webhooks_of_a_key_are_invisible_to_others(service, receiver):
    webhook = create(service, receiver.url)
    path = f"{PATH}/{webhook['id']}"
    assert service.get(PATH, OTHER_KEY)["webhooks"] == []
    for method, rest in (("GET", ""), ("POST", "/test"), ("GET", "/deliveries")):
        assert service.call(method, path + rest, token=OTHER_KEY).json["code"] == "webhook_not_found"
    assert service.call("DELETE", path, token=OTHER_KEY).status_code == 204
    assert service.get(path, PLAYER_KEY)["id"] == webhook["id"]


def test_host_manages_webhooks_of_a_game(service, receiver):
    game = service.create_game(2)
    path = game.path("webhooks")
    webhook = create(service, receiver.url, path, game.host)
    assert game.tokens[0] not in str(webhook)
    assert service.call("DELETE", f"{path}/{webhook['id']}", token=game.host).status_code == 204
    assert service.get(path, game.host)["webhooks"] == []


def test_deletion_of_a_game_that_failed_once_deletes_its_webhooks(service, receiver, monkeypatch):
    game = service.create_game(2, bots={1: "random"})
    create(service, receiver.url, game.path("webhooks"), game.host)
    game.abort()

    def fail(*_):
        raise Problem("store_unavailable")

    with monkeypatch.context() as patched:
        patched.setattr(RedisGames, "delete", fail)
        assert game.call("DELETE", token=game.host, headers=KEY).status_code == 503
    assert game.call("DELETE", token=game.host, headers=KEY).status_code == 204
    assert service.redis.keys(key_of(game.id, "webhook*")) == []


def test_secrets_are_shown_only_when_they_are_made(service, receiver):
    webhook = create(service, receiver.url)
    assert webhook["secret"] not in service.call("GET", PATH, token=PLAYER_KEY).text


def test_key_with_a_webhook_cannot_become_the_key_of_another(service, receiver):
    create(service, receiver.url)
    response = service.call("PUT", "/v1/me/key", {"key": PLAYER_KEY}, OTHER_KEY)
    assert response.json["code"] == "key_taken"


@pytest.mark.usefixtures("stopped_clock")
def test_address_has_a_limit_of_requests_to_urls():
    service = limited(**LOCAL)
    with service, Receiver() as receiver:
        webhook = create(service, receiver.url)
        path = f"{PATH}/{webhook['id']}/test"
        responses = [service.call("POST", path, token=PLAYER_KEY).status_code for _ in range(200)]
    assert responses.count(429) == 1


def test_gone_receiver_of_a_test_keeps_the_webhook(service, receiver):
    webhook = create(service, receiver.url)
    receiver.answers_challenges = False
    receiver.answer = lambda _, handler: respond(handler, 410)
    tested = service.call("POST", f"{PATH}/{webhook['id']}/test", token=PLAYER_KEY).json
    assert (tested["http_status"], tested["webhook"]["status"]) == (410, "active")


def test_change_of_a_game_asks_for_its_webhooks_in_its_commit(service, monkeypatch):
    game = service.create_game(2)
    monkeypatch.setattr(ReceiverStore, "has_any", None)  # a round trip of its own
    assert game.offer(0, 1, 1).status_code == 200


def test_event_of_a_player_asks_for_its_webhooks_in_its_write(service, receiver, monkeypatch):
    webhook = create(service, receiver.url)
    dispatch(service)
    with monkeypatch.context() as patched:
        patched.setattr(ReceiverStore, "has_any", None)  # a round trip of its own
        service.create_game(2, key=PLAYER_KEY)
        service.create_game(2, key=OTHER_KEY)
    assert [entry for entry in entries(service, "webhook") if webhook["id"] not in entry] == [
        f"{OWNER}/{OWNER}"
    ]


def test_cursor_of_a_webhook_of_another_format_is_refused():
    cursor = GameCursor(7, {1: Turn("building", 5, SeatClock(4, 5))}, {1: 4})
    assert decode_cursor(encode_cursor(cursor)) == cursor
    for text, code in (("2:{}", "data_newer"), ("1:{}", "data_corrupt"), ("x", "data_corrupt")):
        with pytest.raises(StoredFormatError) as raised:
            decode_cursor(text)
        assert raised.value.code == code


def test_player_is_authenticated_before_the_query_is_read(service):
    path = f"{PATH}?unknown=1"
    assert problem_code(service.call("GET", path)) == "player_key_required"
    assert problem_code(service.call("GET", path, token=PLAYER_KEY)) == "invalid_parameter"


def test_repeated_replacement_of_a_key_without_webhooks_lists_none(service):
    for _ in range(2):
        answer = service.call("PUT", "/v1/me/key", {"key": OTHER_KEY}, PLAYER_KEY)
        assert answer.json == {"replaced": True, "webhooks": []}


def test_webhooks_of_a_player_are_counted_and_deleted_for_the_operator(service, receiver):
    create(service, receiver.url)
    store, player = RedisStore(service.redis), hash_player_key(PLAYER_KEY)
    assert FEATURE.counts_of_player(store, player) == {"webhooks": 1}
    FEATURE.player_deleted(store, player)
    assert FEATURE.counts_of_player(store, player) == {"webhooks": 0}
    assert service.get(PATH, PLAYER_KEY) == {"webhooks": []}
