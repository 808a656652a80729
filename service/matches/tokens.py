"""Tokens: how they are made, what is kept of them, and whom they stand for.

A token has 128 random bits. Only a hash of it is stored; being of a random token, that hash needs no salt
and no slowness. Tokens are compared through their hashes, in constant time.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from base64 import urlsafe_b64encode
from typing import NamedTuple

from service.matches.match import Table

_PREFIX = "skye_"
_BYTES = 16


class Caller(NamedTuple):
    """Who asks: a seat, the host, or neither (a spectator)."""

    seat: int | None = None
    host: bool = False


SPECTATOR = Caller()


class TokenSource:
    """Makes the tokens of one request.

    They follow from `nonce`, which is random, and the request's idempotency key: a repeated request can be
    given its tokens again though neither they nor anything that opens them is stored.
    """

    def __init__(self, idempotency_key: str = "", nonce: bytes | None = None) -> None:
        self.nonce = nonce or secrets.token_bytes(_BYTES)
        self._key = idempotency_key.encode()
        self.given: dict[str, str] = {}

    def token(self, role: str) -> str:
        """Return the token for a role: `host`, or a seat's number."""
        digest = hmac.digest(self.nonce, b"%s/%s" % (role.encode(), self._key), "sha256")
        self.given[role] = _PREFIX + _text(digest[:_BYTES])
        return self.given[role]


def hash_token(token: str) -> str:
    """Return what is stored of a token."""
    return _text(hashlib.sha256(token.encode()).digest()[:_BYTES])


def _text(data: bytes) -> str:
    return urlsafe_b64encode(data).decode().rstrip("=")


def identify(table: Table, token: str) -> Caller | None:
    """Return whom a token stands for at a table, or None when for nobody."""
    hashed = hash_token(token)
    found = None
    if hmac.compare_digest(table.host, hashed):
        found = Caller(host=True)
    for number, seat in enumerate(table.seats):
        if hmac.compare_digest(seat.token, hashed):
            found = Caller(seat=number)
    return found
