"""Sentences for chat services, and events whose decision was made before they are sent."""

import json

import pytest

from skye_server.outgoing import sender
from skye_server.outgoing.sender import Reply
from skye_server.outgoing.targets import TargetError
from skye_server.webhooks.formats import CHAT_SERVICES
from tests.support.dispatching import dispatch
from tests.support.endpoints import PLAYER_KEY
from tests.support.receiver import respond
from tests.webhooks.support import create, deliveries

DISCORD = "https://discord.com/api/webhooks/123/abc_-DEF"
SLACK = "https://hooks.slack.com/services/T0/B0/x1"


class Chat:
    """The chat services: records what is posted to them instead of sending it."""

    def __init__(self):
        self.posted, self.status = [], 204

    def sent(self, target, _headers, body, _deadline):
        self.posted.append((target.host, json.loads(body)))
        return Reply(self.status)


@pytest.fixture
def chat(monkeypatch):
    chat = Chat()
    monkeypatch.setattr(sender.Sender, "_sent", chat.sent)
    return chat


def start(service):
    return service.create_game(2, key=PLAYER_KEY, options={"first_seat": 0})


@pytest.mark.parametrize(
    ("form", "url", "field"), [("discord", DISCORD, "content"), ("slack", SLACK, "text")]
)
def test_chat_service_gets_sentences_and_no_challenge(form, url, field, service, chat):
    webhook = create(service, url, format=form)
    assert (webhook["format"], chat.posted) == (form, [])
    game = start(service)
    of_game = create(service, url, game.path("webhooks"), game.host, format=form, types=["game_over"])
    dispatch(service)
    assert [body[field] for _, body in chat.posted] == [
        f"Isle of Skye, game {game.id}: you have seat 0.",
        f"Isle of Skye, game {game.id}: it is your turn (pricing).",
    ]
    game.abort()
    dispatch(service)
    assert [body[field] for _, body in chat.posted[2:]] == 2 * [
        f"Isle of Skye, game {game.id}: the game is aborted."
    ]
    assert {host for host, _ in chat.posted} == {url.split("/")[2]}
    tested = service.call("POST", game.path(f"webhooks/{of_game['id']}/test"), token=game.host).json
    assert (tested["problem"], chat.posted[-1][1][field][:12]) == (None, "Isle of Skye")


def test_proposal_is_a_sentence_for_the_player_and_for_the_host(service, chat):
    create(service, DISCORD, format="discord", types=["proposal_opened"])
    game = start(service)
    create(service, SLACK, game.path("webhooks"), game.host, format="slack", types=["proposal_opened"])
    game.call("POST", "abort", token=game.tokens[1])
    dispatch(service)
    sentences = [body.get("content") or body["text"] for _, body in chat.posted]
    name, proposed = f"Isle of Skye, game {game.id}", "end the game without a result"
    assert sorted(sentences) == [
        f"{name}: another player, or the host, proposes to {proposed}: accept or refuse.",
        f"{name}: seat 0 is asked to agree to {proposed}.",
    ]


REFUSED = [
    "http://discord.com/api/webhooks/1/a",
    "https://discord.com/api/users/1",
    "https://discord.com:8443/api/webhooks/1/a",
    "https://discord.com.example.org/api/webhooks/1/a",
    "https://x@discord.com/api/webhooks/1/a",
    "https://discord.com/api/webhooks/../users/1",
    "https://discord.com/api/webhooks/%2e%2e/users",
    SLACK,
    "https://discord.com/api/webhooks/1/a#b",
    "https://127.0.0.1/api/webhooks/1/a",
    "https://evildiscord.com/api/webhooks/1/a",
    "https://discord.com\\@example.org/api/webhooks/1/a",
]


@pytest.mark.parametrize("url", REFUSED)
def test_url_that_the_chat_service_has_not_given_out_is_refused(url):
    with pytest.raises(TargetError):
        CHAT_SERVICES["discord"].check(url)


def test_webhook_of_a_chat_service_keeps_to_the_hosts_of_the_service(service, chat):
    body = {"url": "https://example.org/hook", "format": "slack"}
    refused = service.call("POST", "/v1/me/webhooks", body, PLAYER_KEY)
    assert (refused.status_code, refused.json["errors"][0]["pointer"]) == (422, "/url")
    webhook = create(service, SLACK, format="slack")
    path = f"/v1/me/webhooks/{webhook['id']}"
    assert service.call("PATCH", path, {"url": DISCORD}, PLAYER_KEY).status_code == 422
    changed = service.call("PATCH", path, {"url": f"{SLACK}y"}, PLAYER_KEY).json
    assert (changed["status"], changed["url"], chat.posted) == ("active", f"{SLACK}y", [])


def test_url_that_the_chat_service_has_revoked_deletes_its_webhook(service, chat):
    create(service, DISCORD, format="discord")
    chat.status = 404
    start(service)
    dispatch(service)
    assert service.get("/v1/me/webhooks", PLAYER_KEY)["webhooks"] == []


def after_an_outage(service, act):
    """Let a decision be made while the receiver fails, and the receiver return."""
    game = start(service)
    dispatch(service)
    act(game)
    service.clock.advance(10)
    return game


@pytest.mark.parametrize("act", ["offer", "abort", "delete"])
def test_your_turn_is_stale_once_the_decision_is_made(act, service, receiver):
    create(service, receiver.url, types=["your_turn"])
    receiver.answer = lambda _, handler: respond(handler, 503)

    def acts(game):
        receiver.answer = lambda _, handler: respond(handler, 204)
        if act == "offer":
            assert game.offer(0, 1, 1).status_code == 200
            return
        assert game.abort().status_code == 200
        if act == "delete":
            assert game.call("DELETE", "", token=game.host).status_code == 204

    game = after_an_outage(service, acts)
    dispatch(service)
    assert [each.message["stale"] for each in receiver.events] == [False, True]
    if act == "offer":
        game.offer(1, 1, 1)
        dispatch(service)
        assert receiver.events[-1].message["stale"] is False


def test_your_turn_is_not_stale_while_others_act(service, receiver):
    create(service, receiver.url, types=["your_turn"])
    receiver.answer = lambda _, handler: respond(handler, 503)
    after_an_outage(service, lambda game: game.offer(1, 1, 1))
    dispatch(service)
    assert [each.message["stale"] for each in receiver.events] == [False, False]


def test_stale_event_is_not_shown_to_people(service, chat):
    webhook = create(service, SLACK, format="slack", types=["your_turn"])
    chat.status = 503
    after_an_outage(service, lambda game: game.offer(0, 1, 1))
    chat.status = 200
    dispatch(service)
    assert len(chat.posted) == 1
    assert [each["status"] for each in deliveries(service, webhook)] == ["skipped"]
