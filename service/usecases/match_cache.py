"""Decoded-game cache: an LRU cache of decoded matches and of their rendered views."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from service.matches import views
from service.matches.authorization import Caller
from service.matches.match import Match
from service.storage.codec import decode_match

_encoder = msgspec.json.Encoder()


class _Cached(NamedTuple):
    """A match, the bytes that it is stored as, and its rendered views by caller."""

    stored: bytes
    match: Match
    views: dict[Caller, bytes]


class MatchCache:
    """Matches by id, each with exactly the bytes that it is stored as.

    The store is always read: a cached match is used only when the store still holds the same bytes.
    """

    def __init__(self, max_size: int = 256) -> None:
        self._max_size = max_size
        self._cached: dict[str, _Cached] = {}

    def decoded(self, game_id: str, stored: bytes) -> Match:
        """Return the match that is stored as these bytes.

        :raises StoredFormatError: when they are corrupt or of an unsupported format.
        """
        cached = self._cached.get(game_id)
        if cached is not None and cached.stored == stored:
            return cached.match
        match = decode_match(stored)
        self.put(stored, match)
        return match

    def stored_as(self, match: Match) -> bytes | None:
        """Return the bytes that a match is stored as, None when it is not cached."""
        cached = self._cached.get(match.id)
        return cached.stored if cached is not None and cached.match is match else None

    def view(self, match: Match, caller: Caller) -> bytes:
        """Return the game as a caller may see it, in JSON.

        A rendered view is cached with its match, for this caller only: callers never share one.
        """
        cached = self._cached.get(match.id)
        rendered = cached.views if cached is not None and cached.match is match else {}
        body = rendered.get(caller)
        if body is None:
            body = rendered[caller] = _encoder.encode(views.game_view(match, caller))
        return body

    def put(self, stored: bytes, match: Match) -> None:
        """Cache a match and the bytes it is stored as; the oldest entry is evicted when the cache is full."""
        self._cached.pop(match.id, None)
        if len(self._cached) >= self._max_size:
            del self._cached[next(iter(self._cached))]
        self._cached[match.id] = _Cached(stored, match, {})
