"""Reading games together: what several requests want of the store at once, one of them fetches for all.

A round trip to Redis costs a process about as much as all else that a read does, and hardly more for ten
games than for one. So while a fetch is under way, those who come wait for it to end, and then the first of
them fetches for all. Nobody waits who comes alone, nor for long where the store is slow. What a request is
given is never older than the request: a fetch is joined before it begins, or not at all.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import Final

from service.patience import none_left
from service.problems import Problem
from service.stored import Store

_PATIENCE_S: Final = 0.1
"""How long to wait for others: who has waited in vain asks for itself."""

_MOST: Final = 100
"""For how many requests one fetch is, at most."""


class _Wish:
    """One request's wish for a game.

    Once `told` can be acquired, `found` is what there is of it, unless the fetch has `failed`; or else it
    falls to this request to fetch for its `fellows`, itself among them.
    """

    __slots__ = ("failed", "fellows", "found", "game_id", "told")

    def __init__(self, game_id: str) -> None:
        self.game_id = game_id
        self.told = threading.Lock()
        self.told.acquire()
        self.found: bytes | None = None
        self.failed = True
        self.fellows: list[_Wish] = []


class GatheredReads:
    """Reads tables from a store, in one go for all who come at the same time."""

    def __init__(self, store: Store, patience_s: float = _PATIENCE_S) -> None:
        self._store = store
        self._patience_s = patience_s
        self._lock = threading.Lock()
        self._busy = False
        self._wishes: list[_Wish] = []

    @property
    def waiting(self) -> int:
        """How many requests wait for their turn."""
        return len(self._wishes)

    def load(self, game_id: str) -> bytes | None:
        """Return a stored table, None if there is none.

        :raises Problem: store_unavailable.
        """
        with self._lock:
            wish = _Wish(game_id) if self._busy else None
            self._busy = True
            if wish is not None:
                self._wishes.append(wish)
        if wish is not None:
            return self._granted(wish)
        try:
            return self._store.load(game_id)[0]
        finally:
            self._hand_on()

    def _granted(self, wish: _Wish) -> bytes | None:
        if wish.told.acquire(timeout=self._patience_s) or not self._withdrawn(wish):
            if wish.fellows:
                self._fetch(wish.fellows)
            if not wish.failed:
                return wish.found
        return self._store.load(wish.game_id)[0]

    def _withdrawn(self, wish: _Wish) -> bool:
        """Take a wish back, unless others count on this request by now."""
        with self._lock:
            if wish in self._wishes:
                self._wishes.remove(wish)
            return not wish.fellows

    def _fetch(self, wishes: list[_Wish]) -> None:
        """Fetch for all of them, and tell the others.

        Should it fail, each asks for its own game: of several servers not all may have failed.
        """
        try:
            with suppress(Problem), none_left():
                tables = self._store.load_many([wish.game_id for wish in wishes])
                for wish, table in zip(wishes, tables, strict=True):
                    wish.found, wish.failed = table, False
        finally:
            self._hand_on()
            for fellow in wishes[1:]:
                fellow.told.release()

    def _hand_on(self) -> None:
        """Let the first of those who wait fetch for all."""
        with self._lock:
            wishes, self._wishes = self._wishes[:_MOST], self._wishes[_MOST:]
            self._busy = bool(wishes)
            if wishes:
                wishes[0].fellows = wishes
                wishes[0].told.release()
