"""Player keys: bearer keys that a client makes itself, one identity for any number of games.

A key has the form `skye_key_` and from 22 to 64 characters of base64url, so that 16 random bytes fit and
scanners of secrets recognise it. No token of a seat has this form: those are shorter. A seat stores the id of
the player, never the key. The id is the hash of the player's first key, and stays when the key is replaced.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from base64 import urlsafe_b64encode
from typing import Final

from service.matches.match import Match
from service.matches.tokens import Caller

PLAYER_KEY: Final = r"skye_key_[A-Za-z0-9_-]{22,64}"
"""The form of a player key, as a regular expression."""

MAX_LENGTH: Final = len("skye_key_") + 64
"""The most characters of a player key."""

_WELL_FORMED: Final = re.compile(PLAYER_KEY)
_HASH_BYTES: Final = 16


def is_player_key(token: str) -> bool:
    """Return whether a bearer token has the form of a player key; no token of a seat has it.

    >>> is_player_key("skye_key_" + 22 * "a"), is_player_key("skye_" + 22 * "a")
    (True, False)
    """
    return _WELL_FORMED.fullmatch(token) is not None


def hash_player_key(key: str) -> str:
    """Return the hash of a player key, the only form that is stored."""
    digest = hashlib.sha256(b"player key\n" + key.encode()).digest()[:_HASH_BYTES]
    return urlsafe_b64encode(digest).decode().rstrip("=")


def identify_player(match: Match, player: str) -> Caller | None:
    """Return the caller that a player is in a match, or None if the player has no role there.

    A player may be the host and hold a seat.
    """
    is_host = hmac.compare_digest(match.host_player, player)
    seat = seat_of(match, player)
    return None if seat is None and not is_host else Caller(seat, is_host)


def seat_of(match: Match, player: str) -> int | None:
    """Return the seat of a player in a match, or None."""
    found = None
    for number, seat in enumerate(match.seats):
        if hmac.compare_digest(seat.player, player):
            found = number
    return found


def players_of(match: Match) -> frozenset[str]:
    """Return the ids of the players that have a role in a match."""
    return frozenset(filter(None, (match.host_player, *(seat.player for seat in match.seats))))
