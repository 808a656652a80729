"""Bearer tokens of seats and hosts, and invitation codes: derivation, hashing and identification.

A token has 128 random bits, so its stored hash needs neither salt nor a slow hash function. Tokens are
compared by their hashes in constant time.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from base64 import urlsafe_b64encode
from typing import Final, NamedTuple

from service.matches.match import Match

_PREFIX = "skye_"
_BYTES = 16

INVITE_ROLE: Final = "invite"
"""The role of an invitation code in `TokenSource`, before its number."""

FORM: Final = r"skye_[A-Za-z0-9_-]{22}"
"""The form of a token and of an invitation code, as a regular expression."""

LENGTH: Final = len(_PREFIX) + 22
"""How many characters a token and an invitation code have."""

_WELL_FORMED = re.compile(FORM)


class Caller(NamedTuple):
    """The caller's role: a seat, the host, the holder of an unused invitation code, or none (a spectator)."""

    seat: int | None = None
    host: bool = False
    invited: bool = False


SPECTATOR = Caller()


class TokenSource:
    """Derives the tokens that one request issues.

    They derive from a random `nonce` and the request's idempotency key: a retried request gets the same
    tokens, although the store holds neither the tokens nor the key.
    """

    def __init__(self, idempotency_key: str = "", nonce: bytes | None = None) -> None:
        self.nonce = nonce or secrets.token_bytes(_BYTES)
        self._key = idempotency_key.encode()
        self.given: dict[str, str] = {}

    def token(self, role: str) -> str:
        """Return the token for a role: `host`, a seat's number, or `invite` and a number."""
        digest = hmac.digest(self.nonce, b"%s/%s" % (role.encode(), self._key), "sha256")
        self.given[role] = _PREFIX + _text(digest[:_BYTES])
        return self.given[role]

    @property
    def invites(self) -> list[str]:
        """The invitation codes among the tokens that were issued."""
        return [token for role, token in self.given.items() if role.startswith(INVITE_ROLE)]


def is_well_formed(token: str) -> bool:
    """Return whether a string has the form of a token; no address or other name has it.

    >>> is_well_formed(TokenSource().token("host")), is_well_formed("192.0.2.1")
    (True, False)
    """
    return _WELL_FORMED.fullmatch(token) is not None


def hash_token(token: str) -> str:
    """Return the hash of a token, the only form that is stored."""
    return _text(hashlib.sha256(token.encode()).digest()[:_BYTES])


def _text(data: bytes) -> str:
    return urlsafe_b64encode(data).decode().rstrip("=")


def identify(match: Match, token: str) -> Caller | None:
    """Return the caller that a token identifies in a match, or None if it is unknown there."""
    hashed = hash_token(token)
    found = None
    if hmac.compare_digest(match.host, hashed):
        found = Caller(host=True)
    for invite in match.invites:
        if hmac.compare_digest(invite, hashed):
            found = Caller(invited=True)
    for number, seat in enumerate(match.seats):
        if hmac.compare_digest(seat.token, hashed):
            found = Caller(seat=number)
    return found
