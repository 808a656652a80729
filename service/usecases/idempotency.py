"""Safe retries: what a request is known by, and the answer that is kept for when it comes again.

Of tokens nothing is kept that opens them: in a kept answer each stands as its role, and is made anew from a
random nonce together with the idempotency key, which only the client has.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from service.matches.errors import Problem
from service.matches.tokens import TokenSource
from service.storage.store import StoredResponse


@dataclass(frozen=True, slots=True)
class Call:
    """What of a request matters for any use case.

    `fingerprint` stands for method, path and body; `address` is the client's.
    """

    token: str | None = None
    idempotency_key: str | None = None
    fingerprint: str = ""
    address: str = ""
    accepts_version: Callable[[int], bool] = lambda _version: True

    @property
    def answer_key(self) -> str | None:
        """The name of the stored response: the key is scoped to the token, without one to the address.

        A token always has the form that `is_well_formed` checks, so none can equal a scope of an address.
        """
        if self.idempotency_key is None:
            return None
        whose = self.token or f"address:{self.address}"
        return hashlib.sha256(f"{whose}\n{self.idempotency_key}".encode()).hexdigest()[:32]


class Reply(NamedTuple):
    """An answer: status, JSON body, and the version of the game that it shows."""

    status: int
    body: bytes
    version: int
    location: str | None = None


class _Remembered(msgspec.Struct):
    """An answer kept under an idempotency key; tokens in it are replaced by their roles."""

    fingerprint: str
    nonce: bytes
    roles: list[str]
    status: int
    body: bytes
    version: int
    location: str | None


def answer_to_keep(call: Call, reply: Reply, tokens: TokenSource, ttl_s: int) -> StoredResponse | None:
    """Return what to store of an answer for `ttl_s` seconds; None for a call without a key."""
    if call.answer_key is None:
        return None
    body, roles = reply.body, list(tokens.given)
    for role in roles:
        body = body.replace(tokens.token(role).encode(), _placeholder(role))
    kept = _Remembered(
        call.fingerprint, tokens.nonce, roles, reply.status, body, reply.version, reply.location
    )
    return StoredResponse(call.answer_key, msgspec.msgpack.encode(kept), ttl_s)


def answer_again(stored: bytes, call: Call) -> Reply:
    """Return a stored answer as it was given the first time, its tokens too.

    :raises Problem: idempotency_key_reused, when the key came with another request; game_unreadable.
    """
    try:
        kept = msgspec.msgpack.decode(stored, type=_Remembered)
    except (ValueError, msgspec.MsgspecError) as error:
        raise Problem("game_unreadable", f"The stored answer is damaged: {error}.") from error
    if kept.fingerprint != call.fingerprint:
        raise Problem("idempotency_key_reused")
    tokens = TokenSource(call.idempotency_key or "", kept.nonce)
    body = kept.body
    for role in kept.roles:
        body = body.replace(_placeholder(role), tokens.token(role).encode())
    return Reply(kept.status, body, kept.version, kept.location)


def _placeholder(role: str) -> bytes:
    """Return what stands for a token in a kept answer; no JSON has such a byte."""
    return b"\x00%s\x00" % role.encode()
