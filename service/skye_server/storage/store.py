"""The interface of the store, and the types of its data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from skye_server.storage.connection.pubsub import ChangeSubscriber
from skye_server.storage.due_queue import DueQueue
from skye_server.storage.game_index import GameIndex
from skye_server.storage.hunt_store import HuntMemory, HuntStore
from skye_server.storage.lab_store import LabStore
from skye_server.storage.player_store import PlayerStore
from skye_server.storage.ticket_pools import TicketPools
from skye_server.storage.webhook_store import WebhookStore


class LogEntry(NamedTuple):
    """An entry of a game's event log.

    :param last_event: the number of the last event in the entry.
    :param data: the encoded changes; see `codec`.
    :param header: the stored format number and checksum; None for an entry written before these existed.
    """

    last_event: int
    data: bytes
    header: bytes | None = None


class StoredRecord(NamedTuple):
    """An encoded idempotency record, stored under its key for `ttl_s` seconds."""

    key: str
    data: bytes
    ttl_s: int


@dataclass(frozen=True, slots=True)
class Commit:
    """The writes of one change to a game, all or nothing.

    :param expected_prefix: how the stored game must begin for the commit to succeed; None for a new game.
    :param game: the encoded game.
    :param entries: appended to the event log; with `replaces_log` they replace it.
    """

    game_id: str
    expected_prefix: bytes | None
    game: bytes
    entries: Sequence[LogEntry]
    ttl_s: int
    record: StoredRecord | None = None
    replaces_log: bool = False


class Store(Protocol):
    """The store of all games. Every method raises Problem store_unavailable when it fails."""

    @property
    def players(self) -> PlayerStore:
        """The store of players."""

    @property
    def index(self) -> GameIndex:
        """The index of public games."""

    @property
    def pools(self) -> TicketPools:
        """The pools of matchmaking tickets."""

    @property
    def due(self) -> DueQueue:
        """The due queue."""

    @property
    def webhooks(self) -> WebhookStore:
        """The store of webhooks."""

    @property
    def lab(self) -> LabStore:
        """The store of a server for testers."""

    @property
    def hunts(self) -> HuntStore:
        """The store of the bug hunts of a server for testers."""

    @property
    def hunt_memory(self) -> HuntMemory:
        """What defects of the hunt to which this store belongs keep."""

    def within(self, prefix: str) -> Store:
        """Return a store on the same server whose keys begin with a prefix."""

    def headers(self, game_ids: Sequence[str]) -> list[bytes | None]:
        """Return the first bytes of stored games, which contain their versions; None for each missing one."""

    def load(self, game_id: str, record_key: str | None = None) -> tuple[bytes | None, bytes | None]:
        """Return the stored game and the idempotency record under a key; None for each that is missing."""

    def load_with_log(
        self, game_id: str, after: int = 0, limit: int | None = None
    ) -> tuple[bytes | None, list[LogEntry]]:
        """Return the stored game and its log entries with events after number `after`, at most `limit`.

        The log may be newer than the game, and contain changes that the returned game lacks.
        """

    def load_many(self, game_ids: Sequence[str]) -> list[bytes | None]:
        """Return stored games, None for each that is missing."""

    def commit(self, commit: Commit) -> bool:
        """Write all of a change; return False and write nothing when the game has changed since it was read.

        :raises Problem: data_corrupt, data_newer, when the game's log is missing.
        """

    def delete(self, game_id: str, expected_prefix: bytes, record: StoredRecord | None) -> bool:
        """Delete a game with its log and records; return False when it has changed since it was read.

        :param record: the record of the deletion, which stays.
        """

    def delete_all(self) -> int:
        """Delete all data of the service on a single server; return the number of games."""

    def fill_bucket(self, bucket: str, amount_us: int, capacity_us: int) -> tuple[bool, int]:
        """Add an amount to a leaky bucket unless it would overflow.

        The bucket leaks one microsecond per microsecond.

        :returns: whether the amount was added, and the level in microseconds.
        """

    def ping(self) -> None:
        """Return when the store responds."""

    def warnings(self) -> list[str]:
        """Return what an operator should change, such as an eviction policy or too few replicas."""

    def change_subscriber(self, on_change: Callable[[str], None]) -> ChangeSubscriber:
        """Return a subscriber to changes of games and players, which never raises.

        :param on_change: called with the id of a game, or with `changes_name` of a player, that is watched
            and has changed, or whose change may have been missed.
        """
