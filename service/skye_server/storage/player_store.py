"""The interface of the store of players: their keys, their games and their events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple, Protocol


class StoredEvent(NamedTuple):
    """An encoded event of a player under its id `NUMBER-SALT`; no two histories have the same ids."""

    id: str
    data: bytes


class Page(NamedTuple):
    """Events of a player.

    :param events: those from an id on, the one with the id itself first unless it is missing.
    :param last_id: the id of the player's last event, None if there is none.
    """

    events: list[StoredEvent]
    last_id: str | None


class UpdateOutcome(IntEnum):
    """The outcome of an update."""

    CONFLICT = 0
    DONE = 1
    TOO_MANY_GAMES = 2


@dataclass(frozen=True, slots=True)
class GameUpdate:
    """The writes of one step of a player's game, all or nothing.

    :param expected: the record as it was read; None if there was none.
    :param record: the new record; None removes the game.
    :param score: the position of the game in the player's list; see `redis_players.ACTIVE_SCORE`.
    :param max_active: refuse a new game beyond this many that are not over; 0 for no limit.
    :param events: the encoded events to append.
    """

    player: str
    game_id: str
    expected: bytes | None
    record: bytes | None
    score: float
    ttl_s: int
    max_active: int = 0
    events: Sequence[bytes] = ()


class PlayerStore(Protocol):
    """The stored data of players. Every method raises Problem store_unavailable when it fails."""

    def key_record(self, key_hash: str) -> bytes | None:
        """Return the record of a player key; a key that took part in no rotation has none."""

    def add_key(self, key_hash: str, record: bytes) -> bool:
        """Store the record of a new key; return False if the key is a player's or has another record."""

    def replace_key(self, key_hash: str, expected: bytes | None, record: bytes) -> bool:
        """Replace the record of a key; return False if it is no longer the expected one."""

    def game(self, player: str, game_id: str) -> bytes | None:
        """Return the record of a player's game, None if it is not the player's."""

    def update_game(self, update: GameUpdate) -> UpdateOutcome:
        """Write a step of a player's game, unless its record has changed since it was read."""

    def expire_ticket(self, player: str, ticket_id: str, event: bytes, ttl_s: int) -> None:
        """Remove a ticket from those of a player that may wait, and append an event; if it is there."""

    def append_event(self, player: str, event: bytes, ttl_s: int) -> None:
        """Append an event to those of a player; a retry may append it again."""

    def active_games(self, player: str) -> list[tuple[str, bytes]]:
        """Return ids and records of the player's games that are not over."""

    def count_games(self, player: str, *, active: bool) -> int:
        """Return how many games the player's list has; with `active` only those that are not over."""

    def list_games(self, player: str, highest: float | None, limit: int) -> list[tuple[str, float]]:
        """Return ids and scores of the player's games up to a score, highest first."""

    def events(self, player: str, from_id: str, limit: int) -> Page:
        """Return up to `limit` events from an id on."""
