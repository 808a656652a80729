"""The Python client verifies requests of webhooks, as Standard Webhooks 1.0 signs them."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from standardwebhooks import Webhook

from skye_client import InvalidWebhookError, webhooks
from skye_server.webhooks.signing import new_secret

BODY = '{"type":"your_turn","data":{"name":"é"}}'


def signed(secret, at=None, message_id="msg_1", body=BODY):
    """Return the headers that the reference implementation makes."""
    at = at or datetime.now(UTC)
    return {
        "Webhook-Id": message_id,
        "Webhook-Timestamp": str(int(at.timestamp())),
        "Webhook-Signature": Webhook(secret).sign(message_id, at, body),
    }


@pytest.mark.parametrize("body", [BODY, BODY.encode()])
def test_message_signed_by_standardwebhooks_is_unwrapped(body):
    secret = new_secret()
    assert webhooks.unwrap(body, signed(secret), secret) == json.loads(BODY)


def test_one_of_several_secrets_and_signatures_is_enough():
    old, new = new_secret(), new_secret()
    headers = signed(new)
    headers["Webhook-Signature"] = f"v2,x v1,!! v1, {headers['Webhook-Signature']}"
    assert webhooks.unwrap(BODY, headers, old, new) == json.loads(BODY)


@pytest.mark.parametrize(
    ("change", "body"),
    [
        ({}, BODY.replace("your_turn", "game_over")),
        ({"Webhook-Id": "msg_2"}, BODY),
        ({"Webhook-Timestamp": "1"}, BODY),
        ({"Webhook-Timestamp": "x"}, BODY),
        ({"Webhook-Signature": ""}, BODY),
        ({"Webhook-Signature": "v1,AAAA"}, BODY),
        ({"Webhook-Signature": "v1a,AAAA é"}, BODY),
    ],
)
def test_altered_request_is_refused(change, body):
    secret = new_secret()
    with pytest.raises(InvalidWebhookError):
        webhooks.unwrap(body, signed(secret) | change, secret)


def test_request_of_another_secret_or_without_headers_is_refused():
    for headers in (signed(new_secret()), {}):
        with pytest.raises(InvalidWebhookError):
            webhooks.unwrap(BODY, headers, new_secret())


@pytest.mark.parametrize("minutes", [-6, 6])
def test_old_or_future_request_is_refused(minutes):
    secret = new_secret()
    with pytest.raises(InvalidWebhookError):
        webhooks.unwrap(BODY, signed(secret, datetime.now(UTC) + timedelta(minutes=minutes)), secret)
