"""The list of public games, newest first, by status."""

from __future__ import annotations

import base64
import binascii
import heapq
from contextlib import nullcontext, suppress

from service.codec import Unreadable, decode_table
from service.problems import FieldError, Problem
from service.store import Store
from service.table import Status, Table

LISTED = (Status.LOBBY, Status.PLAYING, Status.FINISHED)
"""The statuses that are listed; aborted games are not."""


class Listing:
    """The index of public games, kept beside the games and mended when it lags behind them."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def follow(self, before: Table | None, after: Table) -> None:
        """Bring the index up to what has happened to a table; a private one is never in it.

        A new table is listed before it is stored. Of an older one the change is already stored, so it
        stands even if the index cannot be reached: `page` mends that.
        """
        if after.private or (before is not None and before.status is after.status):
            return
        with nullcontext() if before is None else suppress(Problem):
            if after.status in LISTED:
                self._store.index(after.status, after.id, _score(after))
            if before is not None:
                self._store.unindex(before.status, [after.id])

    def page(self, status: Status | None, limit: int, cursor: str | None) -> tuple[list[Table], str | None]:
        """Return up to `limit` public games, newest first, and the cursor of the next page if there is one.

        :raises Problem: invalid_parameter, when the cursor is not one of ours.
        """
        below = None if cursor is None else _read_cursor(cursor)
        tables: list[Table] = []
        while True:
            wanted = limit + 1 - len(tables)
            found = self._newest(LISTED if status is None else (status,), below, wanted)
            tables += self._tables([(kind, game_id) for _, kind, game_id in found])
            if len(tables) > limit:
                return tables[:limit], _write_cursor(_score(tables[limit - 1]))
            if len(found) < wanted:
                return tables, None
            below = found[-1][0]

    def _newest(
        self, statuses: tuple[Status, ...], below: float | None, limit: int
    ) -> list[tuple[float, Status, str]]:
        found = [
            (score, status, game_id)
            for status in statuses
            for game_id, score in self._store.indexed(status, below, limit)
        ]
        return heapq.nlargest(limit, found)

    def _tables(self, listed: list[tuple[Status, str]]) -> list[Table]:
        """Load listed games, and mend the index where it does not say what they are."""
        tables = []
        stored = self._store.load_many([game_id for _, game_id in listed])
        for (status, game_id), of_game in zip(listed, stored, strict=True):
            try:
                table = decode_table(of_game) if of_game is not None else None
            except Unreadable:
                continue
            if table is not None and table.status is status:
                tables.append(table)
                continue
            if table is not None and table.status in LISTED:
                self._store.index(table.status, game_id, _score(table))
            self._store.unindex(status, [game_id])
        return tables


def _score(table: Table) -> float:
    """Order games by creation; what follows the milliseconds tells two of the same one apart."""
    return table.created_ms * 1000 + int.from_bytes(table.id[-4:].encode(), "big") % 1000


def _write_cursor(score: float) -> str:
    return base64.urlsafe_b64encode(str(int(score)).encode()).decode().rstrip("=")


def _read_cursor(cursor: str) -> float:
    try:
        return float(int(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))))
    except (ValueError, binascii.Error, OverflowError):
        detail = "This is no cursor of an earlier page."
        raise Problem("invalid_parameter", errors=[FieldError("cursor", detail)]) from None
