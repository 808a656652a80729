"""The owners of webhooks, and the entries of the due queue that make a dispatcher report their events."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Final

from skye_server.games.authorization import players_of
from skye_server.games.game import Game
from skye_server.players.events import can_cause_events
from skye_server.storage.due_queue import Due
from skye_server.storage.redis_store import RedisStore

CACHED_S: Final = 10.0
"""How long a process may take to notice that an owner has its first webhook."""

_MAX_CACHED: Final = 20_000


PLAYER_OWNER: Final = "player."
"""How the names of players begin among owners; the ids of games have no full stop."""

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
    return Due("webhook", f"{owner}/{game_id}", due_ms)


class WebhookOwners:
    """Knows which players and games have webhooks, with the delay of a cache."""

    def __init__(self, store: RedisStore, now_ms: Callable[[], int]) -> None:
        self._store = store
        self._now_ms = now_ms
        self._known: OrderedDict[str, tuple[float, bool]] = OrderedDict()

    def has_any(self, owner: str) -> bool:
        """Return whether an owner has webhooks.

        :raises Problem: store_unavailable.
        """
        has_any = self.known(owner)
        if has_any is None:
            asked_at = time.monotonic()
            has_any = self._store.webhooks.has_any(owner)
            self.remember(owner, asked_at, has_any=has_any)
        return has_any

    def known(self, owner: str) -> bool | None:
        """Return what `has_any` does without asking the store, None if that is necessary."""
        expires, has_any = self._known.get(owner, (0.0, False))
        return has_any if time.monotonic() < expires else None

    def remember(self, owner: str, asked_at: float, *, has_any: bool) -> None:
        """Remember whether an owner has webhooks, for `CACHED_S` seconds after the store was asked."""
        self._known[owner] = asked_at + CACHED_S, has_any
        self._known.move_to_end(owner)
        if len(self._known) > _MAX_CACHED:
            self._known.popitem(last=False)

    def forget(self, owner: str) -> None:
        """Ask the store again: the webhooks of an owner have changed."""
        self._known.pop(owner, None)

    def due_after(self, before: Game | None, after: Game) -> Iterator[Due]:
        """Yield the entries for a commit: see `DueWork.rules`."""
        if before is not None and self.has_any(after.id):
            yield events_entry(after.id, after.id, self._now_ms())
        for player in players_of(before) | players_of(after):
            if can_cause_events(before, after, player) and self.has_any(player_owner(player)):
                yield events_entry(player_owner(player), after.id, self._now_ms())
