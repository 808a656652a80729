"""What is stored, and what the service asks of a store."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol


class LogEntry(NamedTuple):
    """An entry of a game's log: the number of its last event, and its bytes."""

    last_event: int
    stored: bytes


class StoredResponse(NamedTuple):
    """An answer to remember under an idempotency key for `ttl_s` seconds."""

    key: str
    stored: bytes
    ttl_s: int


@dataclass(frozen=True, slots=True)
class Commit:
    """What one change of a game writes, all or nothing.

    `expected` is how the stored table must begin for the write to happen; None for a new game. `entries` are
    added to the log, or with `replaces_log` are all of it from now on.
    """

    game_id: str
    expected: bytes | None
    table: bytes
    entries: Sequence[LogEntry]
    ttl_s: int
    answer: StoredResponse | None = None
    replaces_log: bool = False


class Store(Protocol):
    """What the service asks of a store. Every method raises Problem store_unavailable when it fails."""

    def load(self, game_id: str, response_key: str | None = None) -> tuple[bytes | None, bytes | None]:
        """Return the stored table and the answer under an idempotency key, each None if there is none."""

    def load_with_log(
        self, game_id: str, after: int = 0, limit: int | None = None
    ) -> tuple[bytes | None, list[LogEntry]]:
        """Return the stored table and the entries of its log that hold events beyond number `after`.

        With `limit` no more entries than that are read, each of which holds at least one event.

        The log may be of a moment later, and hold what has happened to the table since.
        """

    def load_many(self, game_ids: Sequence[str]) -> list[bytes | None]:
        """Return stored tables, None where there is none."""

    def commit(self, commit: Commit) -> bool:
        """Write all of a change, or nothing when the table is no longer the one expected.

        :raises Problem: game_unreadable, when there is no log to add to.
        """

    def add_to_index(self, status: str, game_id: str, score: float) -> None:
        """List a public game under a status."""

    def remove_from_index(self, status: str, game_ids: Sequence[str]) -> None:
        """List public games under a status no more."""

    def list_index(self, status: str, below: float | None, limit: int) -> list[tuple[str, float]]:
        """Return the newest public games of a status with a score below the one given, newest first."""

    def sample_index(self, status: str, number: int) -> list[tuple[str, float]]:
        """Return some public games of a status with their scores, chosen at random: `number` if there are."""

    def index_sizes(self, statuses: Sequence[str]) -> list[int]:
        """Return how many games are listed under each status."""

    def fill_bucket(self, bucket: str, amount_us: int, capacity_us: int) -> tuple[bool, int]:
        """Fill a bucket, which runs out in time, by so many microseconds, unless it would spill over.

        Return whether that was done, and after how many microseconds it will be empty.
        """

    def ping(self) -> None:
        """Do nothing if the store is there."""

    def subscribe_to_changes(self, stopped: threading.Event) -> Iterator[str | None]:
        """Yield the id of each game that is committed, as it happens; None when some may have been missed.

        It ends when `stopped` is set, or with the Problem store_unavailable.
        """
