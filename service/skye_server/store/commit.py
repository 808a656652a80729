"""The data of a commit, and its bounded retries (optimistic concurrency)."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from skye_server.games.due import Due


class LogEntry(NamedTuple):
    """An entry of a game's event log.

    :param last_event: the number of the last event in the entry.
    :param data: the encoded changes; see `codec`.
    :param header: the stored format number and checksum; empty in an entry that is to be written.
    """

    last_event: int
    data: bytes
    header: bytes = b""


class StoredRecord(NamedTuple):
    """An encoded idempotency record, stored under its key for `ttl_s` seconds.

    :param key: 32 hexadecimal digits.
    :param owner: the role of the caller; of two owners, the one with more records in a game loses one first.
    """

    key: str
    data: bytes
    ttl_s: int
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Commit:
    """The writes of one change to a game, all or nothing.

    :param expected_prefix: how the stored game must begin for the commit to succeed; None for a new game.
    :param game: the encoded game.
    :param entries: appended to the event log; with `replaces_log` they replace it.
    :param due: the entries of the due queue that the change moves, all about the game.
    :param now_ms: the time, in milliseconds since 1970.
    :param relayed_version: the version of the game if the entries relay it.
    """

    game_id: str
    expected_prefix: bytes | None
    game: bytes
    entries: Sequence[LogEntry]
    ttl_s: int
    record: StoredRecord | None = None
    replaces_log: bool = False
    due: Sequence[Due] = ()
    now_ms: int = 0
    relayed_version: int | None = None


MAX_ATTEMPTS: Final = 20
"""How often a change is attempted when other requests keep changing the game first."""


def back_off(attempt: int) -> None:
    """Sleep for a random time that grows with the attempts, so that contenders do not meet again."""
    time.sleep(random.uniform(0, 0.002 * 1.5 ** min(attempt, 10)))  # noqa: S311 - jitter, not secrets
