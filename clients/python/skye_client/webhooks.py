"""Verify and parse the requests that the server sends to webhooks and bots (Standard Webhooks 1.0)."""

from __future__ import annotations

import hmac
import json
import time
from base64 import b64decode
from collections.abc import Mapping
from contextlib import suppress
from typing import TypeAlias, cast

from skye_client import models as m
from skye_client.errors import InvalidCredentialError, InvalidWebhookError

WebhookMessage: TypeAlias = "m.WebhookEventMessage | m.WebhookChallengeMessage | m.DecisionMessage"
"""What the server sends; `type` tells which."""

_TOLERANCE_S = 300


def unwrap(body: bytes | str, headers: Mapping[str, str], *secrets: str) -> WebhookMessage:
    """Verify the signature and the time of a request, and return its message.

    :param body: the body as it was received: decoded and encoded again it would have another signature.
    :param headers: the headers, in upper or lower case.
    :param secrets: the secret `whsec_...` of the webhook; several during a rotation.
    :raises InvalidWebhookError: when no secret has signed the request, or it is older than five minutes.
    :raises InvalidCredentialError: when a secret cannot be one.
    """
    raw = body.encode() if isinstance(body, str) else body
    named = {name.lower(): value for name, value in headers.items()}
    try:
        message_id, at = named["webhook-id"], int(named["webhook-timestamp"])
        signatures = named["webhook-signature"].split()
    except (KeyError, ValueError):
        raise InvalidWebhookError("The headers of a signed request are missing.") from None
    if abs(time.time() - at) > _TOLERANCE_S:
        raise InvalidWebhookError("The request is too old, or from the future.")
    signed = b"%s.%d.%s" % (message_id.encode(), at, raw)
    expected = [hmac.digest(_key_of(secret), signed, "sha256") for secret in secrets]
    if not any(hmac.compare_digest(each, found) for each in expected for found in map(_decoded, signatures)):
        raise InvalidWebhookError("No secret matches the signature.")
    return cast("WebhookMessage", json.loads(raw))


def _key_of(secret: str) -> bytes:
    """Return the key of a secret, which may have white space around it, as from a file.

    :raises InvalidCredentialError: when it is not `whsec_` and base64.
    """
    with suppress(ValueError):
        key = b64decode(secret.strip().removeprefix("whsec_").encode("ascii"), validate=True)
        if key:  # anybody can sign with an empty one
            return key
    raise InvalidCredentialError("The secret of the webhook is not whsec_ and base64.")


def _decoded(signature: str) -> bytes:
    """Return the bytes of a signature; none if it has another version or is malformed."""
    version, _, text = signature.partition(",")
    try:
        return b64decode(text, validate=True) if version == "v1" else b""
    except ValueError:
        return b""
