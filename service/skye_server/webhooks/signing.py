"""Secrets and signatures of Standard Webhooks 1.0 (https://www.standardwebhooks.com)."""

from __future__ import annotations

import hmac
import secrets
from base64 import b64decode, b64encode
from collections.abc import Sequence
from typing import Final

_PREFIX: Final = "whsec_"
_BYTES: Final = 32


def new_secret() -> str:
    """Return a random secret."""
    return _PREFIX + b64encode(secrets.token_bytes(_BYTES)).decode()


def key_of(secret: str) -> bytes:
    """Return the key that a secret holds.

    :raises ValueError: when it is no secret of 24 to 64 bytes.
    """
    key = b64decode(secret.removeprefix(_PREFIX), validate=True)
    if not secret.startswith(_PREFIX) or not 24 <= len(key) <= 64:
        raise ValueError("want whsec_ and 24 to 64 bytes in base64")
    return key


def signed_headers(secrets_of: Sequence[str], message_id: str, at_s: int, body: bytes) -> dict[str, str]:
    """Return the headers that identify and sign a message.

    :param secrets_of: the valid secrets; each gives a signature.
    :param at_s: the time of this attempt, in seconds since 1970.
    """
    signed = b"%s.%d.%s" % (message_id.encode(), at_s, body)
    signatures = [b64encode(hmac.digest(key_of(secret), signed, "sha256")).decode() for secret in secrets_of]
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(at_s),
        "webhook-signature": " ".join(f"v1,{signature}" for signature in signatures),
    }
