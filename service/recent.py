"""Tables read or written lately, so that what was decoded and worked out is there the next time."""

from __future__ import annotations

from service.codec import decode_table
from service.table import Table


class RecentTables:
    """A few tables by id, each with exactly the bytes that it is stored as.

    The store is always asked: a table is found here only when the store still holds the same bytes.
    """

    def __init__(self, most: int = 256) -> None:
        self._most = most
        self._tables: dict[str, tuple[bytes, Table]] = {}

    def decoded(self, game_id: str, stored: bytes) -> Table:
        """Return the table that is stored as these bytes.

        :raises Unreadable: when they are no table that this program can read.
        """
        known = self._tables.get(game_id)
        if known is not None and known[0] == stored:
            return known[1]
        table = decode_table(stored)
        self.keep(stored, table)
        return table

    def stored_as(self, table: Table) -> bytes | None:
        """Return the bytes that this table is stored as, None when they are forgotten."""
        known = self._tables.get(table.id)
        return known[0] if known is not None and known[1] is table else None

    def keep(self, stored: bytes, table: Table) -> None:
        """Remember a table and the bytes it is stored as; the one remembered longest makes room."""
        self._tables.pop(table.id, None)
        if len(self._tables) >= self._most:
            del self._tables[next(iter(self._tables))]
        self._tables[table.id] = (stored, table)
