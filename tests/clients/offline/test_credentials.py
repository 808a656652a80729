"""Credentials are hostile input: what the Python client sends of them, refuses, and never shows."""

import logging
import time
import traceback

import anyio
import httpx
import pytest

from skye_client import (
    ApiError,
    AsyncSkye,
    ConnectionFailedError,
    InvalidCredentialError,
    RetryPolicy,
    Skye,
    UnexpectedResponseError,
    host,
    webhooks,
)
from tests.support.hostile_credentials import KEY, REFUSED, STRIPPED, shows_credential


def client(answer=lambda _request: httpx.Response(200, json={}), **more):
    """Return a client and the requests that it sends."""
    requests = []

    def answered(request):
        requests.append(request)
        return answer(request)

    return Skye("http://test", http=httpx.Client(transport=httpx.MockTransport(answered)), **more), requests


def assign(thing, **attributes):
    for name, value in attributes.items():
        setattr(thing, name, value)
    return thing


USES = {
    "player": lambda skye, key: skye.player(key).get(),
    "attribute of a player": lambda skye, key: assign(skye.player(), key=key).get(),
    "new key": lambda skye, key: skye.player().replace_key(key),
    "events of a player": lambda skye, key: next(iter(skye.player(key).events())),
    "events after an assignment": lambda skye, key: next(iter(assign(skye.player(), key=key).events())),
    "game": lambda skye, key: skye.game("abc", key).get(),
    "attribute of a game": lambda skye, key: assign(skye.game("abc"), token=key).get(),
    "events of a game": lambda skye, key: next(iter(assign(skye.game("abc"), token=key).events())),
    "option": lambda skye, key: skye.transport.json("GET", "/v1/me", token=key),
    "invitation": lambda skye, key: skye.game("abc").join({"name": "Ann", "invite_code": key}),
    "records": lambda skye, key: next(iter(assign(skye.player(), key=key).leagues.records())),
    "batch": lambda skye, key: assign(skye.player(), key=key).leagues.create([{}]),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_credential_that_cannot_be_one_is_never_sent_or_shown(use, caplog):
    caplog.set_level(logging.DEBUG)
    skye, requests = client()
    for key in REFUSED.values():
        with pytest.raises(InvalidCredentialError) as refused:
            use(skye, key)
        shown = "".join(traceback.format_exception(refused.value)) + repr(refused.value.args) + caplog.text
        assert not shows_credential(shown)
    assert requests == []


@pytest.mark.parametrize("key", STRIPPED.values(), ids=STRIPPED)
def test_white_space_around_a_credential_is_not_sent(key):
    skye, requests = client()
    skye.player(key).get()
    skye.game("abc", key).get()
    assert {request.headers["Authorization"] for request in requests} == {f"Bearer {KEY}"}


@pytest.mark.parametrize("key", REFUSED.values(), ids=REFUSED)
def test_host_with_a_key_that_cannot_be_one_ends_at_once(key):
    with pytest.raises(InvalidCredentialError):
        host(key, lambda _turn: None, url="http://127.0.0.1:9")


def test_asynchronous_client_refuses_the_same_credentials():
    async def ask():
        async with AsyncSkye("http://127.0.0.1:9") as skye:
            for key in REFUSED.values():
                with pytest.raises(InvalidCredentialError):
                    await skye.transport.json("GET", "/v1/me", token=key)

    anyio.run(ask)


def test_errors_show_no_credential_that_a_server_or_proxy_repeats():
    once = RetryPolicy(attempts=1)

    def repeating(request):
        sent = request.headers["Authorization"]
        if request.url.path == "/v1/me":
            return httpx.Response(401, json={"code": "token_unknown", "detail": f"{sent} is unknown"})
        if request.url.path.startswith("/v1/games/"):
            return httpx.Response(200, text=f"You sent {sent}")
        if request.url.path == "/v1/me/games":
            return httpx.Response(502, text=f"<h1>{sent}</h1>")
        raise httpx.LocalProtocolError(f"Illegal header value b'{sent}'")

    skye, _ = client(repeating, retry=once)
    player = skye.player(KEY)
    for error, use in (
        (ApiError, player.get),
        (UnexpectedResponseError, player.game("abc").get),
        (ApiError, player.games.list),
        (ConnectionFailedError, player.tickets),
    ):
        with pytest.raises(error) as raised:
            use()
        assert not shows_credential(str(raised.value))
    with pytest.raises(ValueError, match="is not the address") as raised:
        Skye(KEY)
    assert not shows_credential(str(raised.value))


@pytest.mark.parametrize(
    "secret", [None, 5, b"whsec_c2t5ZQ==", "", "whsec_é", "whsec_c2\u200bt5", "whsec_c2t5Z"]
)
def test_webhook_secret_that_cannot_be_one_is_refused(secret):
    headers = {"webhook-id": "1", "webhook-timestamp": "1", "webhook-signature": "v1,"}
    with pytest.raises(InvalidCredentialError) as refused:
        webhooks.unwrap(b"{}", headers | {"webhook-timestamp": str(int(time.time()))}, secret)
    assert "c2" not in str(refused.value)
