"""Due work of a commit: a command queues it before it commits, so that no crash can lose it.

The entry may precede a commit that fails, or that is slow. So an entry for work that is due at once is
written for a later time first, by which the commit has succeeded or failed, and again after the commit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Final, TypeAlias

from skye_server.error_codes import Problem
from skye_server.games.authorization import players_of
from skye_server.games.game import URL_BOT, Game, Status
from skye_server.players.events import near_at_ms
from skye_server.settings import Settings
from skye_server.storage.connection import retry
from skye_server.storage.due_queue import Due, DueQueue

_COMMIT_MS: Final = 10_000
"""How long after its announcement a commit may succeed; longer with a larger retry budget."""

_REPEAT_INTERVAL: Final = 16
"""A deadline is queued again at each version that is a multiple of this: the queue may have lost it."""

_REPEAT_MS: Final = 30_000
"""How often the reads of a game may queue the requests to its bots again, in each process."""

_MAX_REPEATED: Final = 1_000
"""Of how many games a process knows when it did that; of others it may do so more often."""

Rule: TypeAlias = Callable[[Game | None, Game], Iterable[Due]]
"""Returns the work that a commit makes due: the game before it (None for a new one), and after it."""


class DueWork:
    """The due work of all commits. `rules` may be extended; a commit takes at most `commit_ms`."""

    def __init__(self, queue: DueQueue, now_ms: Callable[[], int], settings: Settings) -> None:
        self.queue = queue
        self._now_ms = now_ms
        self.commit_ms = max(_COMMIT_MS, 2 * settings.redis_wait_ms)
        self.rules: list[Rule] = [deadline, self._bots]
        self._repeated_ms: dict[str, int] = {}

    def _bots(self, _before: Game | None, after: Game) -> Iterable[Due]:
        """Yield the entries for bots at URLs that must decide; each commit repeats them."""
        for number in after.waiting_for:
            seat = after.seats[number]
            if seat.bot == URL_BOT:
                yield Due("bot", f"{after.id}/{seat.url_bot}", self._now_ms())

    def announce(self, before: Game | None, after: Game) -> list[Due]:
        """Queue the work of a commit that is about to be made; return what `confirm` queues again.

        :raises Problem: store_unavailable.
        """
        early = []
        for rule in self.rules:
            for due in rule(before, after):
                safe_ms = max(due.due_ms, self._now_ms() + self.commit_ms)
                self.queue.add(due._replace(due_ms=safe_ms))
                if due.due_ms < safe_ms:
                    early.append(due)
        return early

    def confirm(self, early: list[Due]) -> None:
        """Queue work after the commit, for the time at which it is due."""
        for due in early:
            with suppress(Problem), retry.without_retries():
                self.queue.add(due)

    def repeat(self, game: Game) -> None:
        """Queue the requests to bots at URLs again when a game is read: the queue may have lost them.

        Without a time limit nothing else would, as only such a bot can make the next commit.
        """
        lost = list(self._bots(None, game))
        if not lost or lost[0].due_ms - self._repeated_ms.get(game.id, 0) < _REPEAT_MS:
            return
        self._repeated_ms.pop(game.id, None)
        if len(self._repeated_ms) >= _MAX_REPEATED:
            del self._repeated_ms[next(iter(self._repeated_ms))]
        self._repeated_ms[game.id] = lost[0].due_ms
        self.confirm(lost)


def next_due_ms(game: Game) -> int | None:
    """Return when the dispatcher must attend to a game, in milliseconds since 1970; None for never.

    A game with a manual clock needs no dispatcher: the request that advances the clock applies deadlines.
    """
    if game.deadline_ms is None or game.clock_ms is not None or game.status is not Status.PLAYING:
        return None
    if players_of(game) and game.options.turn_ms is not None:
        return near_at_ms(game.deadline_ms, game.options.turn_ms)
    return game.deadline_ms


def deadline(before: Game | None, after: Game) -> Iterable[Due]:
    """Yield the entry for the next deadline of a game, unless an earlier one is in the queue.

    While a game has had a deadline, an entry for that time or an earlier one is in the queue: the dispatcher
    finds a deadline that was moved, and queues the new one.
    """
    due_ms = next_due_ms(after)
    if due_ms is None:
        return
    queued_ms = None if before is None else next_due_ms(before)
    if queued_ms is None or due_ms < queued_ms or after.version % _REPEAT_INTERVAL == 0:
        yield Due("game", after.id, due_ms)
