"""Players: the games that they have and may join, and their events.

A player's record of a game is in another slot of a cluster than the game. The game is the source of truth;
the relay writes the record and the events after each commit (`relay.consumers`). Only taking a seat writes
before the commit: it reserves a place among the player's games, which the relay gives up for the record. So
the number of games is limited exactly.

A failover may lose a game, or the seat of a player in it, whose record stays. A read of the list finds
that out, and has the record relayed again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from functools import partial
from typing import Final, NamedTuple

from skye_server.error_codes import Problem
from skye_server.games.authorization import (
    SPECTATOR,
    Caller,
    identify_player,
    players_of,
    resigned_seat_of,
)
from skye_server.games.due import events_entry, relay_entries
from skye_server.games.game import Game, Status
from skye_server.games.player_events import PlayerEvent, ticket_expired, webhook_disabled
from skye_server.players.codec import player_events
from skye_server.players.identities import PlayerIdentities
from skye_server.settings import Settings
from skye_server.store.due_queue import DueQueue
from skye_server.store.game_index import FinishedGames, Place, next_places
from skye_server.store.games import decoded_games
from skye_server.store.redis_players import ACTIVE_SCORE, Reservation, UpdateOutcome
from skye_server.store.redis_store import RedisStore
from skye_server.store.shards import player_owner

_RESERVED_MS: Final = 60_000
"""How long a place is reserved: the commit that the player takes it with is over by then."""


class PlayerEvents(NamedTuple):
    """Events of a player with their ids, and the id of the player's last event."""

    events: list[tuple[str, PlayerEvent]]
    last_event: str


NO_EVENT: Final = "0-0"
"""The id before a player's first event."""


class Players:
    """The games of all players of a store."""

    def __init__(self, store: RedisStore, settings: Settings, now_ms: Callable[[], int]) -> None:
        self._store = store.players
        self._identities = PlayerIdentities(store.players)
        self._due: DueQueue = store.due
        self._now_ms = now_ms
        self._max_active = settings.limit_games_per_key if settings.is_limited else 0
        self._ttl_s = settings.player_ttl_s

    @property
    def max_active(self) -> int | None:
        """How many games that are not over a player may have; None without a limit."""
        return self._max_active or None

    def check_limit(self, player: str, *, waiting: int) -> None:
        """Check that a player may have one more game that is not over.

        :param waiting: for how many games the player waits already; they count as games that are not over.
        :raises Problem: too_many_games.
        """
        if self._max_active and self._store.count_held(player, self._now_ms()) + waiting >= self._max_active:
            raise self._too_many()

    def reserve(self, game_id: str, players: Collection[str], *, limited: bool = True) -> None:
        """Reserve a place for players that a commit is about to give a role in a game.

        :raises Problem: too_many_games; too_much_contention, when a key is being replaced.
        """
        now_ms = self._now_ms()
        for player in players:
            most = self._max_active if limited else 0
            wanted = Reservation(player, game_id, now_ms, now_ms + _RESERVED_MS)
            if not self._store.reserve(wanted, most, self._ttl_s):
                raise self._too_many()
            if limited:
                self._identities.check_own(player, partial(self._store.withdraw, player, game_id))

    def withdraw(self, game_id: str, players: Collection[str]) -> None:
        """Give places up that were reserved for a commit which conflicts with another."""
        with suppress(Problem):  # reservations end by themselves
            for player in players:
                self._store.withdraw(player, game_id)

    def _too_many(self) -> Problem:
        most = self._max_active
        return Problem("too_many_games", f"This key has {most} games that are not over.", have=most)

    def count_games(self, player: str, *, active: bool) -> int:
        """Return how many games the list of a player has.

        :param active: count only those that are not over.
        """
        return self._store.count_games(player, active=active)

    def events_after(self, player: str, after: str, limit: int) -> PlayerEvents:
        """Return up to `limit` events of a player after the one with the id `after`.

        :raises Problem: history_lost, when no event has this id.
        """
        has_event = after != NO_EVENT
        found, last_id = self._store.events(player, after, limit + has_event)
        if has_event and (not found or found[0].id != after):
            raise Problem("history_lost")
        events = [(event_id, player_events.decode(data)) for event_id, data in found[has_event:]]
        return PlayerEvents(events, last_id or NO_EVENT)

    def last_event(self, player: str) -> str:
        """Return the id of the last event of a player."""
        return self._store.events(player, NO_EVENT, 1).last_id or NO_EVENT

    def ticket_expired(self, player: str, ticket_id: str, at_ms: int) -> None:
        """Report, once, that a ticket of a player has expired."""
        event = player_events.encode(ticket_expired(ticket_id, at_ms))
        self._reported(player, self._store.expire_ticket(player, ticket_id, event, self._ttl_s))

    def webhook_disabled(self, player: str, webhook_id: str, at_ms: int) -> None:
        """Report that a webhook of a player is disabled."""
        event = player_events.encode(webhook_disabled(webhook_id, at_ms))
        self._reported(player, self._store.append_event(player, event, self._ttl_s))

    def _reported(self, player: str, outcome: UpdateOutcome) -> None:
        """Make a dispatcher send an event to the player's webhooks."""
        if outcome is UpdateOutcome.DONE_WITH_WEBHOOKS:
            self._due.add(events_entry(player_owner(player), self._now_ms()))


class OwnGame(NamedTuple):
    """A game of a player, and the player's role in it.

    :param resigned_seat: the seat from which the player has resigned.
    """

    game: Game
    caller: Caller
    resigned_seat: int | None = None


class PlayerListing:
    """The lists of the games of all players of a store."""

    def __init__(self, store: RedisStore, now_ms: Callable[[], int]) -> None:
        self._games = store
        self._store = store.players
        self._now_ms = now_ms

    def page(self, player: str, limit: int, after: Place | None) -> tuple[list[OwnGame], Place | None]:
        """Return up to `limit` games of a player, and the place of the last one if there are more.

        Those that wait for the player come first, the earliest deadline first; then those in play and in the
        lobby, and those that are over, each by their last change.
        """
        own: list[OwnGame] = []
        while True:
            found = next_places(partial(self._store.list_games, player), limit + 1, after)
            for place, game in zip(found, self._load(player, found), strict=True):
                if len(own) == limit:
                    return own, after
                after = place
                if game is not None:
                    own.append(game)
            if len(found) <= limit:
                return own, None

    def finished(self, player: str, ruleset: str) -> FinishedGames:
        """Return the finished games of a player with a ruleset."""

        def load(places: Sequence[Place]) -> list[Game | None]:
            games = [None if own is None else own.game for own in self._load(player, places)]
            return [
                game if game and game.status is Status.FINISHED and game.options.ruleset == ruleset else None
                for game in games
            ]

        return FinishedGames(partial(self._store.list_games, player), load, ACTIVE_SCORE)

    def _load(self, player: str, places: Sequence[Place]) -> list[OwnGame | None]:
        found = self._games.games.load_many([game_id for _, game_id in places])
        games = decoded_games(self._games, found)
        for (_, game_id), stored, game in zip(places, found, games, strict=True):
            if stored is None or (game is not None and player not in players_of(game)):
                self._relay_again(player, game_id)
        return [None if game is None else _own_game(game, player) for game in games]

    def _relay_again(self, player: str, game_id: str) -> None:
        """Have a dispatcher remove the record of a game that the player has no role in."""
        with suppress(Problem):  # the next reader finds it too
            for due in relay_entries(game_id, frozenset({player}), self._now_ms())[1:]:
                self._games.due.add(due)


def _own_game(game: Game, player: str) -> OwnGame | None:
    """Return a game with the player's role, None if there is none."""
    caller, resigned = identify_player(game, player), resigned_seat_of(game, player)
    if player in game.hidden_from or (caller is None and resigned is None):
        return None
    return OwnGame(game, (caller or SPECTATOR).in_game(game), resigned)
