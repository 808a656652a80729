"""Follow a player: one long poll or stream over all games of a player key, from an id of the player's events.

It waits for the change notifier like the stream of one game. The relay writes the events.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeAlias

from skye_server.commands.current_games import Games
from skye_server.cooperative_yield import has_disconnected
from skye_server.error_codes import ERROR_CODES, Problem
from skye_server.following import game_feed
from skye_server.following.change_notifier import ChangeNotifier
from skye_server.following.follower import StreamEnded, stream_ended, wait
from skye_server.following.game_feed import HEARTBEAT, OUTAGE_S, STORE_FAILS
from skye_server.following.streams import StreamClock, Timer
from skye_server.following.subscription import Idle
from skye_server.games.views.game import timestamp
from skye_server.games.views.player_events import event_view
from skye_server.players.player_games import PlayerEvents
from skye_server.store.connection.calls import without_retries
from skye_server.store.shards import player_key

_PAGE: Final = 100
"""How many events a stream reads at once."""


class PlayerStreamStarted(NamedTuple):
    """The beginning of a stream, after the event with the id `after`."""

    after: str
    last_event: str
    now: str


class PlayerStreamEvents(NamedTuple):
    """New events."""

    views: list[dict[str, Any]]


PlayerStreamItem: TypeAlias = PlayerStreamStarted | PlayerStreamEvents | Idle | StreamEnded
"""What a stream sends; `skye_server.http` frames it as server-sent events."""


@dataclass(slots=True)
class PlayerFollower:
    """One client that follows the games of one player key."""

    games: Games
    change_notifier: ChangeNotifier
    clock: StreamClock
    token: str | None
    _player: str = ""

    def read(self, after: str, limit: int) -> PlayerEvents:
        """Return up to `limit` events after the one with the id `after`.

        :raises Problem: player_key_required, token_unknown, history_lost, data_corrupt, data_newer,
            store_unavailable.
        """
        self._player = self.games.identities.require_player(self.token)
        return self.games.players.events_after(self._player, after, limit)

    def long_poll(self, after: str, wait_s: float, limit: int) -> PlayerEvents:
        """Return what `read` does, but wait up to `wait_s` seconds for new events.

        :raises Problem: what `read` raises; too_much_contention.
        """
        until = time.monotonic() + wait_s
        player = self.games.identities.require_player(self.token)
        with self.change_notifier.changes_of(player_key(player, "changes")) as changed:
            while True:
                changed.clear()
                page = self.read(after, limit)
                left = until - time.monotonic()
                if page.events or left <= 0 or self.change_notifier.stopped:
                    return page
                is_woken = wait(changed, min(left, game_feed.CHECK_S))
                if not is_woken and has_disconnected():
                    return page

    def stream(
        self, first: PlayerEvents, after: str, wake: Callable[[], None]
    ) -> Generator[PlayerStreamItem | None]:
        """Yield the events after the one with the id `after` as they happen, None until `wake` is called.

        The stream ends when the key is replaced, when the process shuts down, and when the store has lost
        events that were sent. A client that reconnects continues after the last event that it has received.

        :param first: what `read` returned when the stream was opened.
        """
        events, player = first.events, self._player
        with (
            self.clock.timer(wake) as timer,
            self.change_notifier.calling(player_key(player, "changes"), timer.notify),
        ):
            yield PlayerStreamStarted(after, first.last_event, timestamp(self.games.now_ms()))
            while True:
                if events:
                    after = events[-1][0]
                    yield PlayerStreamEvents([event_view(*event) for event in events])
                if self.change_notifier.stopped:
                    yield stream_ended("restart", after)
                    return
                timer.is_changed = False
                try:
                    with without_retries():
                        events = self.read(after, _PAGE).events
                except Problem as problem:
                    if ERROR_CODES[problem.code].status < 500:
                        yield stream_ended(problem.code, after)
                        return
                    yield STORE_FAILS
                    time.sleep(OUTAGE_S)
                    events = []
                    continue
                if events:
                    continue
                if (yield from self._idle(timer)):
                    return

    def _idle(self, timer: Timer) -> Generator[PlayerStreamItem | None, None, bool]:
        """Yield heartbeats until the player's events are to be read; return whether the client is gone."""
        until, left_s = time.monotonic() + game_feed.CHECK_S, game_feed.CHECK_S
        while left_s > 0:
            timer.due_at = time.monotonic() + min(left_s, game_feed.HEARTBEAT_S)
            self.clock.update(timer)
            while not (timer.is_changed or timer.is_due):
                yield None
                if timer.has_disconnected():
                    return True
            if timer.is_changed:
                break
            yield HEARTBEAT
            left_s = until - time.monotonic()
        return False
