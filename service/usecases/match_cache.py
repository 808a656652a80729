"""Tables read or written lately, so that what was decoded and worked out is there the next time."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from service.matches import views
from service.matches.match import Match
from service.matches.tokens import Caller
from service.storage.codec import decode_match

_encoder = msgspec.json.Encoder()


class _Known(NamedTuple):
    """A table, the bytes that it is stored as, and its views as far as somebody has asked for them."""

    stored: bytes
    table: Match
    views: dict[Caller, bytes]


class RecentTables:
    """A few tables by id, each with exactly the bytes that it is stored as.

    The store is always asked: a table is found here only when the store still holds the same bytes.
    """

    def __init__(self, most: int = 256) -> None:
        self._most = most
        self._tables: dict[str, _Known] = {}

    def decoded(self, game_id: str, stored: bytes) -> Match:
        """Return the table that is stored as these bytes.

        :raises StoredFormatError: when they are no table that this program can read.
        """
        known = self._tables.get(game_id)
        if known is not None and known.stored == stored:
            return known.table
        table = decode_match(stored)
        self.keep(stored, table)
        return table

    def stored_as(self, table: Match) -> bytes | None:
        """Return the bytes that this table is stored as, None when they are forgotten."""
        known = self._tables.get(table.id)
        return known.stored if known is not None and known.table is table else None

    def view(self, table: Match, caller: Caller) -> bytes:
        """Return the game as a caller may see it, in JSON.

        As long as the table is remembered, so is the view, for this very caller: what another may see is
        another view, though it were the same.
        """
        known = self._tables.get(table.id)
        seen = known.views if known is not None and known.table is table else {}
        body = seen.get(caller)
        if body is None:
            body = seen[caller] = _encoder.encode(views.game_view(table, caller))
        return body

    def keep(self, stored: bytes, table: Match) -> None:
        """Remember a table and the bytes it is stored as; the one remembered longest makes room."""
        self._tables.pop(table.id, None)
        if len(self._tables) >= self._most:
            del self._tables[next(iter(self._tables))]
        self._tables[table.id] = _Known(stored, table, {})
