"""The active games and tickets of a player that is followed: what is due is applied, missing events relayed.

There may be no other request that would do so in time.
"""

from __future__ import annotations

import time
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final
from weakref import WeakValueDictionary

import msgspec

from skye_server.commands.current_games import Games
from skye_server.error_codes import Problem
from skye_server.following import game_feed
from skye_server.matchmaking import tickets
from skye_server.players.events import FollowedGame

_RETRY_MS: Final = 1000
"""The time after which a deadline that could not be applied is tried again."""


@dataclass(slots=True, weakref_slot=True)
class FollowedPlayer:
    """A player with an open stream or long poll, and the states of the player's active games."""

    games: Games
    player: str
    _states: dict[str, FollowedGame] = field(default_factory=dict)
    _ticket_expires_ms: int | None = None
    _checked_at: float = float("-inf")

    def maintain(self) -> None:
        """Apply what is due: deadlines, near deadlines, expired tickets; sometimes relay missing events.

        :raises Problem: too_much_contention, store_unavailable.
        """
        players, now_ms = self.games.players, self.games.now_ms()
        for game_id, state in list(self._states.items()):
            if state.deadline_ms is not None and state.deadline_ms <= now_ms:
                self._apply_deadline(game_id, now_ms)
            elif state.near_at_ms is not None and state.near_at_ms <= now_ms:
                self._states[game_id] = players.report_near(self.player, game_id, state)
        if self._ticket_expires_ms is not None and self._ticket_expires_ms <= now_ms:
            self._ticket_expires_ms = tickets.catch_up(self.games, self.player)
        if time.monotonic() - self._checked_at >= game_feed.CHECK_S:
            self._checked_at = time.monotonic()  # now, so that the player's other streams do not check too
            try:
                self._ticket_expires_ms = tickets.catch_up(self.games, self.player)
                self._states = players.catch_up(self.player)
            except Problem:
                self._checked_at = float("-inf")
                raise

    def update(self, game_ids: Collection[str]) -> None:
        """Read the states of games that had events; after a failure the next `maintain` reads those of all.

        :raises Problem: store_unavailable.
        """
        try:
            self._states |= self.games.players.states(self.player, game_ids)
        except Problem:
            self._checked_at = float("-inf")
            raise

    def time_to_next(self) -> float:
        """Return the seconds to the next check, deadline, near deadline, or expiry of a ticket."""
        moments = [
            at_ms
            for state in self._states.values()
            for at_ms in (state.deadline_ms, state.near_at_ms)
            if at_ms is not None
        ]
        if self._ticket_expires_ms is not None:
            moments.append(self._ticket_expires_ms)
        left_s = self._checked_at + game_feed.CHECK_S - time.monotonic()
        if moments:
            left_s = min(left_s, (min(moments) - self.games.now_ms()) / 1000 + 0.01)
        return max(left_s, 0.01)

    def _apply_deadline(self, game_id: str, now_ms: int) -> None:
        """Apply the deadline of a game if it has passed, and note the next one.

        The actions of other players move the deadline to a later time without an event of this player. A game
        that is read at each known deadline is therefore never read too late.
        """
        state = self._states.pop(game_id, None)
        if state is None:  # another stream of the player is applying it
            return
        try:
            self.games.apply_deadlines(self.games.repository.current(game_id))
            current = self.games.players.relay(self.player, game_id)
        except Problem:  # another request may apply it too
            current = msgspec.structs.replace(state, deadline_ms=now_ms + _RETRY_MS)
        if current is not None and current.deadline_ms is not None and current.deadline_ms > now_ms:
            self._states[game_id] = current


class FollowedPlayers:
    """The players of the streams of this process: all streams of a player share one `FollowedPlayer`."""

    def __init__(self, games: Games) -> None:
        self._games = games
        self._players: WeakValueDictionary[str, FollowedPlayer] = WeakValueDictionary()

    def shared(self, player: str) -> FollowedPlayer:
        """Return the player's `FollowedPlayer`, which lasts as long as a stream holds it."""
        return self._players.setdefault(player, FollowedPlayer(self._games, player))
