"""The Python client verifies requests of webhooks, as Standard Webhooks 1.0 signs them."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from standardwebhooks import Webhook

from skye_client import InvalidWebhookError, webhooks
from skye_server.outgoing.sender import new_secret

SECRET = new_secret()
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


def test_headers_as_lists_of_values_are_read():
    secret = new_secret()
    headers = {name: [value] for name, value in signed(secret).items()}
    headers["Webhook-Signature"].insert(0, "v1,AAAA")
    assert webhooks.unwrap(BODY, headers, secret) == json.loads(BODY)


VALUES = st.one_of(
    st.text(st.characters()), st.lists(st.text(), max_size=3), st.from_regex("[0-9]{1,400}"), st.integers()
)


@settings(max_examples=30)
@given(
    name=st.sampled_from(["Webhook-Id", "Webhook-Timestamp", "Webhook-Signature", "Other"]),
    value=VALUES,
    body=st.one_of(st.text(st.characters()), st.binary()),
)
@example("Webhook-Timestamp", "9" * 309, BODY)
@example("Webhook-Timestamp", "9" * 5000, BODY)
@example("Webhook-Timestamp", "\u0661", BODY)
@example("Webhook-Id", "\ud800", BODY)
@example("Other", "", "\ud800")
@example("Webhook-Signature", ["v1,AAAA", "é"], BODY)
def test_unsigned_request_is_refused_as_such_whatever_it_has(name, value, body):
    with pytest.raises(InvalidWebhookError):
        webhooks.unwrap(body, signed(SECRET, body="another") | {name: value}, SECRET)


@pytest.mark.parametrize("body", ["[", "[]", "5", "null", "[" * 100_000])
def test_signed_body_that_is_no_object_of_json_is_refused(body):
    with pytest.raises(InvalidWebhookError):
        webhooks.unwrap(body, signed(SECRET, body=body), SECRET)


@pytest.mark.parametrize("body", [None, {}, 5, [1]])
def test_body_that_a_framework_has_parsed_is_refused(body):
    with pytest.raises(InvalidWebhookError):
        webhooks.unwrap(body, signed(SECRET), SECRET)


@pytest.mark.parametrize("headers", [None, [], "webhook-id"])
def test_request_without_a_mapping_of_headers_is_refused(headers):
    with pytest.raises(InvalidWebhookError):
        webhooks.unwrap(BODY, headers, SECRET)


def test_secret_without_padding_is_read():
    assert webhooks.unwrap(BODY, signed(SECRET), SECRET.rstrip("=")) == json.loads(BODY)
