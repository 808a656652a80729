"""The types of the data of players: their games and their events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple


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


class Reservation(NamedTuple):
    """A place among the games of a player that are not over, until a time in milliseconds since 1970."""

    player: str
    game_id: str
    now_ms: int
    until_ms: int


class UpdateOutcome(IntEnum):
    """The outcome of an update; whether the player has webhooks is known with it."""

    CONFLICT = 0
    DONE = 1
    DONE_WITH_WEBHOOKS = 2


@dataclass(frozen=True, slots=True)
class GameUpdate:
    """The writes of one step of a player's game, all or nothing.

    :param expected: the record as it was read; None if there was none.
    :param record: the new record; None removes the game.
    :param score: the position of the game in the player's list; see `redis_players.ACTIVE_SCORE`.
    :param events: the encoded events to append.
    """

    player: str
    game_id: str
    expected: bytes | None
    record: bytes | None
    score: float
    ttl_s: int
    events: Sequence[bytes] = ()
