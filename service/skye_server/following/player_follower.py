"""Follow a player: one long poll or stream over all games of a player key, from an id of the player's events.

It waits for the change notifier like the stream of one game. While it is open, it also maintains the player's
games (see `followed_player`).
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
from skye_server.following.followed_player import FollowedPlayer, FollowedPlayers
from skye_server.following.follower import wait
from skye_server.following.game_feed import HEARTBEAT, OUTAGE_S, STORE_FAILS
from skye_server.following.stream_clock import StreamClock, Timer
from skye_server.following.stream_ends import StreamEnded, stream_ended
from skye_server.following.subscription import Idle
from skye_server.games.views.game import timestamp
from skye_server.players.events import PlayerEvent
from skye_server.players.player_games import PlayerEvents
from skye_server.storage.connection import retry
from skye_server.storage.shards import player_key

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
    players: FollowedPlayers
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
        followed = FollowedPlayer(self.games, player)  # its own: the response must not lack an event
        with self.change_notifier.changes_of(player_key(player, "changes")) as changed:
            while True:
                changed.clear()
                followed.maintain()
                page = self.read(after, limit)
                left = until - time.monotonic()
                if page.events or left <= 0 or self.change_notifier.stopped:
                    return page
                is_woken = wait(changed, min(left, followed.time_to_next()))
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
        followed = self.players.shared(player)
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
                changed, events = {event.game for _, event in events}, []
                try:
                    with retry.without_retries():
                        followed.update(changed)
                        followed.maintain()
                        events = self.read(after, _PAGE).events
                except Problem as problem:
                    if ERROR_CODES[problem.code].status < 500:
                        yield stream_ended(problem.code, after)
                        return
                    yield STORE_FAILS
                    time.sleep(OUTAGE_S)
                    continue
                if events:
                    continue
                if (yield from self._idle(timer, followed.time_to_next())):
                    return

    def _idle(self, timer: Timer, left_s: float) -> Generator[PlayerStreamItem | None, None, bool]:
        """Yield heartbeats until the player's events are to be read; return whether the client is gone."""
        until = time.monotonic() + left_s
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


def event_view(event_id: str, event: PlayerEvent) -> dict[str, Any]:
    """Return an event of a player as the API shows it."""
    view: dict[str, Any] = {"id": event_id, "at": timestamp(event.at_ms), "type": event.type}
    if event.ticket:
        return view | {"ticket_id": event.ticket}
    if event.webhook:
        return view | {"webhook_id": event.webhook}
    view |= {
        "game_id": event.game,
        "seat": event.seat,
        "game_version": event.version,
        "game_last_event": event.last_event,
        "status": event.status,
    }
    if event.turn is not None:
        deadline_ms = event.turn.deadline_ms
        deadline = None if deadline_ms is None else timestamp(deadline_ms)
        view |= {"phase": event.turn.phase, "deadline": deadline}
    return view
