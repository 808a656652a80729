"""Verify and parse the requests that the server sends to webhooks and bots (Standard Webhooks 1.0)."""

from __future__ import annotations

import hmac
import json
import re
import time
from base64 import b64decode
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TypeAlias, cast

from skye_client import models as m
from skye_client.errors import InvalidCredentialError, InvalidWebhookError

WebhookMessage: TypeAlias = "m.WebhookEventMessage | m.WebhookChallengeMessage | m.DecisionMessage"
"""What the server sends; `type` tells which."""

_TOLERANCE_S = 300

_TIMESTAMP = re.compile("[0-9]{1,12}")


def unwrap(body: bytes | str, headers: Mapping[str, str | Sequence[str]], *secrets: str) -> WebhookMessage:
    """Verify the signature and the time of a request, and return its message.

    :param body: the body as it was received: decoded and encoded again it would have another signature.
    :param headers: the headers, in upper or lower case; frameworks may have a list of values for each.
    :param secrets: the secret `whsec_...` of the webhook; several during a rotation.
    :raises InvalidWebhookError: when no secret has signed the request, it is older than five minutes, or
        malformed.
    :raises InvalidCredentialError: when a secret cannot be one.
    """
    keys = [_key_of(secret) for secret in secrets]
    message_id, at, signatures = (
        _header(headers, f"webhook-{name}") for name in ("id", "timestamp", "signature")
    )
    if not (message_id and signatures and _TIMESTAMP.fullmatch(at)):
        raise InvalidWebhookError("The headers of a signed request are missing.")
    if abs(time.time() - int(at)) > _TOLERANCE_S:
        raise InvalidWebhookError("The request is too old, or from the future.")
    if not isinstance(body, str | bytes | bytearray | memoryview):
        raise InvalidWebhookError("The body is neither text nor bytes.")
    try:
        raw = body.encode() if isinstance(body, str) else bytes(body)
        signed = b"%s.%s.%s" % (message_id.encode(), at.encode(), raw)
        found = [_decoded(signature) for signature in signatures.split()]
        expected = [hmac.digest(key, signed, "sha256") for key in keys]
        if any(hmac.compare_digest(each, other) for each in expected for other in found):
            message = json.loads(raw)
            if isinstance(message, dict):
                return cast("WebhookMessage", message)
            raise ValueError("it is no object")
    except (ValueError, RecursionError):  # characters that UTF-8 has not, or a signed body that is no JSON
        raise InvalidWebhookError("The request is malformed.") from None
    raise InvalidWebhookError("No secret matches the signature.")


def _header(headers: Mapping[str, str | Sequence[str]], name: str) -> str:
    """Return the values of a header, separated by spaces; empty without this header."""
    pairs = headers.items() if hasattr(headers, "items") else ()
    values = next((value for key, value in pairs if str(key).lower() == name), "")
    return " ".join(map(str, values)) if isinstance(values, list | tuple) else str(values)


def _key_of(secret: object) -> bytes:
    """Return the key of a secret, which may have white space around it, as from a file, or lack its padding.

    :raises InvalidCredentialError: when it is not `whsec_` and base64.
    """
    if not isinstance(secret, str):
        raise InvalidCredentialError("The secret of the webhook is missing.")
    with suppress(ValueError):
        text = secret.strip().removeprefix("whsec_").encode("ascii").rstrip(b"=")
        key = b64decode(text + b"=" * (-len(text) % 4), validate=True)
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
