"""The owners of webhooks, and the entries of the due queue that make a dispatcher report their events."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Iterator
from typing import Final

from skye_server.games.authorization import players_of
from skye_server.games.due import Due
from skye_server.games.game import Game
from skye_server.players.events import can_cause_events
from skye_server.storage.redis_store import RedisStore
from skye_server.storage.shards import PLAYER_OWNER
from skye_server.storage.webhook_store import WebhookRef

CACHED_S: Final = 10.0
"""How long a process may take to notice that an owner has its first webhook."""

_MAX_CACHED: Final = 20_000


NO_GAME: Final = "-"
"""In place of a game's id, for events about none."""


def player_owner(player: str) -> str:
    """Return the name under which webhooks of a player are stored.

    >>> player_owner("abc")
    'player.abc'
    """
    return f"{PLAYER_OWNER}{player}"


def events_entry(owner: str, game_id: str, due_ms: int) -> Due:
    """Return the entry for events of an owner that are to be queued for its webhooks.

    :param game_id: the game of the events, `NO_GAME`, or the id of a new webhook.
    """
    return Due("webhook", f"{_place(owner, game_id)}/{owner}", due_ms)


def delivery_entry(ref: WebhookRef, game_id: str, due_ms: int) -> Due:
    """Return the entry for queued deliveries of a game to a webhook.

    :param game_id: the game of the events, or `NO_GAME`.
    """
    return Due("webhook", f"{_place(ref.owner, game_id)}/{ref.owner}/{ref.id}", due_ms)


def _place(owner: str, game_id: str) -> str:
    """Return what names the shard of an entry."""
    return owner if game_id == NO_GAME else game_id


def game_of(owner: str, place: str) -> str:
    """Return the game of an entry, `NO_GAME` for none."""
    return NO_GAME if place == owner and owner.startswith(PLAYER_OWNER) else place


class WebhookOwners:
    """Knows which players have webhooks, with the delay of a cache."""

    def __init__(self, store: RedisStore) -> None:
        self._store = store
        self._known: OrderedDict[str, tuple[float, bool]] = OrderedDict()

    def has_any(self, owner: str) -> bool:
        """Return whether an owner has webhooks.

        :raises Problem: store_unavailable.
        """
        expires, has_any = self._known.get(owner, (0.0, False))
        asked_at = time.monotonic()
        if asked_at >= expires:
            has_any = self._store.webhooks.has_any(owner)
            self._known[owner] = asked_at + CACHED_S, has_any
            self._known.move_to_end(owner)
            if len(self._known) > _MAX_CACHED:
                self._known.popitem(last=False)
        return has_any

    def forget(self, owner: str) -> None:
        """Ask the store again: the webhooks of an owner have changed."""
        self._known.pop(owner, None)

    def due_after(self, before: Game | None, after: Game, now_ms: int) -> Iterator[Due]:
        """Yield the entries for a commit: its events of players who have webhooks.

        The commit itself knows whether the game has webhooks.
        """
        for player in players_of(before) | players_of(after):
            if can_cause_events(before, after, player) and self.has_any(player_owner(player)):
                yield events_entry(player_owner(player), after.id, now_ms)
