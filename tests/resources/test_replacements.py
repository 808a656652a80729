"""What the replacement of a credential ends: each row of the table in the guide."""

import re

import pytest

from skye_server import docs as guide
from skye_server.games.authorization import hash_player_key, watch_code
from skye_server.http.framework import collaborators
from skye_server.outgoing.receiver_store import ReceiverStore
from skye_server.store.shards import key_of
from skye_server.webhooks.webhooks import Webhooks
from tests.following.test_following import Stream
from tests.support.endpoints import RECEIVER
from tests.support.playing import PAIR, Service, new_key, problem_code
from tests.support.receiver import AnsweringSender

_INVALID = {"token_unknown", "game_not_found", "invitation_over"}
_CHECKS = {}


def rows():
    """Return the entries of the table as (replaced, what depends on it): whether it ends.

    A semicolon separates the entries of a cell; after the colon of one stands how to end it.
    """
    section = guide.source("credentials").split("## Replace a credential that leaked")[1].split("\n## ")[0]
    cells = re.findall(r"^\| ([^|]+) \| `[^|]+` \| ([^|]+) \| ([^|]+) \|$", section, re.MULTILINE)
    return {
        (replaced, entry.split(": ")[0]): ends
        for replaced, *columns in cells
        for ends, entries in zip((True, False), columns, strict=True)
        for entry in entries.split("; ")
    }


def row(replaced, thing):
    """Register a check of a row; it returns whether the thing ends."""

    def register(check):
        _CHECKS[replaced, thing] = check
        return check

    return register


class World:
    """A private game of a player key, with the credentials and webhooks that the key and its tokens make."""

    def __init__(self, service):
        self.service, self.key = service, new_key()
        self.game = service.begin(self.key, visibility="private", **PAIR)

    def call(self, method, rest, body=None, token=None):
        """Send a request about the game, which must succeed; return the JSON of the response."""
        response = self.game.call(method, rest, body, token=token or self.key)
        assert response.status_code < 300, response.text
        return response.json

    def may_read(self, token):
        """Return whether a credential may still read the game."""
        response = self.game.call("GET", token=token)
        assert response.status_code == 200 or problem_code(response) in _INVALID
        return response.status_code == 200

    def invited(self):
        """Make the game a lobby with an invitation; return its code."""
        self.game = self.service.begin(self.key, visibility="private", players=[{"name": "Ann"}])
        return self.call("POST", "invitations")["invitation"]["code"]

    def webhook(self, path, token):
        """Create a webhook; return its path."""
        response = self.service.call("POST", path, {"url": RECEIVER}, token)
        assert response.json["status"] == "active", response.text
        return f"{path}/{response.json['id']}"

    def is_active(self, webhook, token):
        """Return whether a webhook still reports events."""
        return self.service.get(webhook, token)["status"] == "active"

    def replace_key(self, **more):
        """Replace the key; return the old one."""
        old, new = self.key, new_key()
        self.replaced = self.service.call("PUT", "/v1/me/key", {"key": new, **more}, old)
        assert self.replaced.status_code == 200, self.replaced.text
        self.key = new
        return old

    def host_token(self, token=None):
        return self.call("POST", "host-token", token=token)["host_token"]

    def bot(self):
        self.call("PUT", "players/me/bot", {"bot_url": RECEIVER})

    def has_bot(self):
        return self.call("GET", "")["players"][0]["bot"] == "url"

    def stream_ends(self, token, replace):
        with Stream(self.game, token) as stream:
            assert stream.read()["event"] == "stream"
            new = replace()
            self.game.tokens[0] = new
            self.game.act_legally(0)
            return stream.rest()[-1]["data"]["reason"] in _INVALID


@row("player key", "the old key")
def _(its):
    old = its.replace_key()
    assert problem_code(its.service.call("GET", "/v1/me", token=old)) == "token_unknown"
    return not its.may_read(old)


@row("player key", "open streams with it")
def _(its):
    return its.stream_ends(its.key, lambda: its.replace_key() and its.key)


@row("player key", "watch codes that it requested")
def _(its):
    code = its.call("GET", "watch-code")["code"]
    lost = its.service.begin(its.key, visibility="private", **PAIR)
    other = lost.call("GET", "watch-code", token=its.key).json["code"]
    lost.call("POST", "abort", token=its.key)
    assert its.may_read(code)
    assert lost.call("GET", token=other).status_code == 200
    its.replace_key()
    assert lost.call("GET", token=other).status_code == 404  # also of a game that is over
    new = its.call("GET", "watch-code")["code"]
    assert its.may_read(new)
    assert new != code
    return not its.may_read(code)


@row("player key", "webhooks that it made, of the player and of its games")
def _(its):
    made = [its.webhook("/v1/me/webhooks", its.key), its.webhook(its.game.path("webhooks"), its.key)]
    its.replace_key()
    shown = its.replaced.json["webhooks"]
    assert [(each["game_id"], each["status"]) for each in shown] == [
        (None, "disabled"),
        (its.game.id, "disabled"),
    ]
    assert {each["problem"] for each in shown} == {"The token or key that made it was replaced."}
    ended = [not its.is_active(webhook, its.key) for webhook in made]
    for webhook in made:  # it is that of the new key from now on
        assert (
            its.service.call("POST", f"{webhook}/test", token=its.key).json["webhook"]["status"] == "active"
        )
    return all(ended)


@row("player key", "webhooks that it made, with `keep_webhooks`")
def _(its):
    webhook = its.webhook("/v1/me/webhooks", its.key)
    its.replace_key(keep_webhooks=True)
    assert [each["status"] for each in its.replaced.json["webhooks"]] == ["active"]
    return not its.is_active(webhook, its.key)


@row("player key", "seats, games and matchmaking tickets")
def _(its):
    ticket = {"name": "Ann", "seat_count": 2}
    ticket = its.service.call("POST", "/v1/matchmaking/tickets", ticket, its.key).json
    its.replace_key()
    assert its.call("GET", "")["you"] == {"seat": 0, "roles": ["host", "player"]}
    return not its.service.get(f"/v1/matchmaking/tickets/{ticket['id']}", its.key)


@row("player key", "host tokens that it requested")
def _(its):
    token = its.host_token()
    its.replace_key()
    return not its.may_read(token)


@row("player key", "seat tokens that it requested")
def _(its):
    token = its.call("POST", "players/me/token")["token"]
    its.replace_key()
    return not its.may_read(token)


@row("player key", "invitation codes of its games")
def _(its):
    code = its.invited()
    its.replace_key()
    return not its.may_read(code)


@row("player key", "bots at URLs that play its seats")
def _(its):
    its.bot()
    its.replace_key()
    return not its.has_bot()


@row("host token", "the old token")
def _(its):
    old = its.host_token()
    its.host_token(old)
    return not its.may_read(old)


@row("host token", "watch codes of the game")
def _(its):
    token = its.host_token()
    codes = [its.call("GET", "watch-code", token=each)["code"] for each in (its.key, token)]
    assert all(map(its.may_read, codes))
    its.host_token(token)
    return not any(map(its.may_read, codes))


@row("host token", "webhooks that it made")
def _(its):
    old = its.host_token()
    webhook = its.webhook(its.game.path("webhooks"), old)
    shown = its.call("POST", "host-token", token=old)["webhooks"]
    assert [(each["game_id"], each["status"]) for each in shown] == [(its.game.id, "disabled")]
    return not its.is_active(webhook, its.key)


@row("host token", "webhooks that the host's player key made")
def _(its):
    webhook = its.webhook(its.game.path("webhooks"), its.key)
    assert its.call("POST", "host-token")["webhooks"] == []
    return not its.is_active(webhook, its.key)


@row("host token", "seat tokens")
def _(its):
    its.host_token()
    return not its.may_read(its.game.tokens[1])


@row("host token", "invitation codes")
def _(its):
    code = its.invited()
    its.host_token()
    return not its.may_read(code)


@row("seat token", "the old token")
def _(its):
    old = its.game.tokens[1]
    its.call("POST", "players/1/token", token=old)
    return not its.may_read(old)


@row("seat token", "open streams with it")
def _(its):
    old = its.game.tokens[1]
    return its.stream_ends(old, lambda: its.call("POST", "players/1/token", token=old) and its.key)


@row("seat token", "a bot at a URL that plays the seat")
def _(its):
    its.bot()
    its.call("POST", "players/me/token")
    return not its.has_bot()


@row("invitation code", "the old code")
def _(its):
    code = its.invited()
    (invitation,) = its.call("GET", "invitations")["invitations"]
    its.call("DELETE", f"invitations/{invitation['id']}")
    return not its.may_read(code)


@row("invitation code", "a seat that was taken with it")
def _(its):
    code = its.invited()
    (invitation,) = its.call("GET", "invitations")["invitations"]
    token = its.call("POST", "players", {"name": "Bob"}, token=code)["token"]
    its.game.call("DELETE", f"invitations/{invitation['id']}", token=its.key)
    return not its.may_read(token)


@row("webhook secret", "signatures with it")
def _(its):
    webhook = its.webhook("/v1/me/webhooks", its.key)
    owner, webhook_id = _owner(its), webhook.rpartition("/")[2]
    old = _webhooks(its).get(owner, webhook_id).receiver.secret
    assert its.service.call("POST", f"{webhook}/secret", {"overlap_ms": 60_000}, its.key).status_code == 200
    its.service.clock.advance(61)
    found = _webhooks(its).get(owner, webhook_id)
    return old not in found.receiver.secrets(int(its.service.clock.now * 1000))


@row("webhook secret", "deliveries that are queued")
def _(its):
    webhook = its.webhook("/v1/me/webhooks", its.key)
    webhooks, owner, webhook_id = _webhooks(its), _owner(its), webhook.rpartition("/")[2]
    store = ReceiverStore(collaborators(its.service.app).games.store.calls)
    ref = webhooks.get(owner, webhook_id).receiver.ref
    store.queue(ref, store.progress(ref), "1-1", [(its.game.id, "msg_1", b"data")], 100)
    its.service.call("POST", f"{webhook}/secret", {}, its.key)
    return its.game.id not in store.queued_games(ref)


def _webhooks(its) -> Webhooks:
    return collaborators(its.service.app).features["webhooks"]


def _owner(its):
    player = collaborators(its.service.app).games.identities.require_player(its.key)
    return f"player.{player}"


@pytest.fixture
def service():
    with Service() as service:
        collaborators(service.app).challenges.sender = AnsweringSender()
        yield service


def test_replacement_ends_what_the_guide_says(service):
    table = rows()
    assert table.keys() == _CHECKS.keys()
    found = {named: check(World(service)) for named, check in _CHECKS.items()}
    assert found == table


def test_watch_code_follows_from_no_old_key_and_no_stored_value(service):
    its = World(service)
    first = its.key
    its.replace_key()
    its.game = service.begin(its.key, visibility="private", **PAIR)
    code = its.call("GET", "watch-code")["code"]
    stored = service.stored()
    values = [
        each for value in stored.values() for each in (value.values() if isinstance(value, dict) else [value])
    ]
    known = {text.decode() for value in values for text in re.findall(rb"[\w.-]+", repr(value).encode())}
    fields = {
        name.decode(): value.decode() for name, value in stored[key_of(its.game.id, "watch").encode()].items()
    }
    assert fields["secret"] in known
    secret = bytes.fromhex(fields["secret"])
    known |= {first, hash_player_key(first), hash_player_key(its.key), ""}
    assert code not in {watch_code(secret, "", each) for each in known}
    assert not any(code.removeprefix("skye_watch_") in each for each in known)
    assert code == watch_code(secret, "", its.key)


@pytest.mark.parametrize("path", ["/v1/me/webhooks", "webhooks"])
def test_webhook_made_while_its_key_is_replaced_is_refused(service, path):
    its = World(service)
    path, old, new = path if path.startswith("/") else its.game.path(path), its.key, new_key()

    class Replacing(AnsweringSender):
        """The receiver is slow to answer: meanwhile the key is replaced."""

        def _sent(self, *request):
            assert service.beside().call("PUT", "/v1/me/key", {"key": new}, old).status_code == 200
            return super()._sent(*request)

    collaborators(service.app).challenges.sender = Replacing()
    assert problem_code(service.call("POST", path, {"url": RECEIVER}, old)) == "token_unknown"
    assert service.get(path, new)["webhooks"] == []


_CHANGES = {
    "test": ("POST", "/test", None),
    "url": ("PATCH", "", {"url": f"{RECEIVER}/other"}),
    "types": ("PATCH", "", {"types": ["game_over"]}),
    "secret": ("POST", "/secret", {}),
}


@pytest.mark.parametrize("keeps", [False, True])
@pytest.mark.parametrize("is_disabled", [False, True])
@pytest.mark.parametrize("credential", ["key", "host token"])
@pytest.mark.parametrize("change", _CHANGES)
def test_request_of_a_replaced_credential_changes_no_webhook(
    service, monkeypatch, change, credential, is_disabled, keeps
):
    its, get = World(service), Webhooks.get
    is_key = credential == "key"
    token = its.key if is_key else its.host_token()
    webhook = its.webhook("/v1/me/webhooks" if is_key else its.game.path("webhooks"), token)
    more = {"keep_webhooks": True} if is_key and keeps else {}

    def replaced():
        """Replace the credential; return the new one."""
        if not is_key:
            return its.host_token()
        its.replace_key(**more)
        return its.key

    if is_disabled:  # the next replacement finds nothing to change
        its.replace_key() if is_key else its.host_token()
        token = its.key if is_key else its.host_token()
    seen = []

    def get_then_replace(webhooks, owner, webhook_id):
        found = get(webhooks, owner, webhook_id)
        if not seen:
            seen.append(found)
            seen.append(replaced())
        return found

    method, path, body = _CHANGES[change]
    with monkeypatch.context() as patched:
        patched.setattr(Webhooks, "get", get_then_replace)
        answer = service.call(method, webhook + path, body, token)
    before, new = seen
    assert problem_code(answer) in {*_INVALID, "too_much_contention"}, answer.text
    its.key = new if is_key else its.key
    after = get(_webhooks(its), before.receiver.owner, before.receiver.id)
    is_kept = is_disabled or bool(more)
    assert after == before if is_kept else after.receiver.status == "disabled"
    assert (after.receiver.url, after.receiver.secret) == (before.receiver.url, before.receiver.secret)
