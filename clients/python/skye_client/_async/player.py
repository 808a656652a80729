"""A player with a key: the player's games, their events, matchmaking tickets, and the key itself."""

from __future__ import annotations

from typing import Any, Unpack, cast
from urllib.parse import quote

from skye_client import models as m
from skye_client._async.events import events
from skye_client._async.games import AsyncOwnGames
from skye_client._async.iteration import AsyncIteration
from skye_client._async.leagues import AsyncLeagues
from skye_client._async.resources import AsyncGame, AsyncSeat, seats_of
from skye_client._async.transport import AsyncTransport
from skye_client.following import NO_EVENT, SILENCE_S, Follower
from skye_client.keys import checked_credential, new_key
from skye_client.options import CallOptions, ReadOptions, SendOptions, waiting

_TICKETS = "/v1/matchmaking/tickets"
_PROFILE = "/v1/me/profile"


class AsyncPlayer:
    """A player, identified by a player key, which acts for the player's seats in all games.

    :param key: the key; a new random one by default. Keep it: it cannot be recovered.
    :raises InvalidCredentialError: when the key cannot be one.
    """

    def __init__(self, transport: AsyncTransport, key: str | None = None) -> None:
        self.transport = transport
        self.key = new_key() if key is None else checked_credential(key)

    def __repr__(self) -> str:
        """Return the class, without the key."""
        return f"{type(self).__name__}()"

    async def request(
        self, method: str, path: str, body: object = None, **options: Unpack[SendOptions]
    ) -> Any:
        """Send any request with the key, as `AsyncSkye.request` does."""
        options.setdefault("token", self.key)
        return await self.transport.json(method, path, body=body, **options)

    @property
    def leagues(self) -> AsyncLeagues:
        """The resource that creates many games for this player, and exports their records."""
        return AsyncLeagues(self.transport, self.key)

    @property
    def games(self) -> AsyncOwnGames:
        """The player's games."""
        return AsyncOwnGames(self.transport, self.key)

    def game(self, game_id: str) -> AsyncGame:
        """Return one game, for this player."""
        return AsyncGame(self.transport, game_id, self.key)

    def seats(self, created: m.CreatedGame | m.CreatedGameTokens) -> list[AsyncSeat]:
        """Return the seats of a game that the player created, in order; sends no request.

        :param created: what created the game returned. Seats without a token have the player's key.
        """
        return seats_of(self.transport, created, self.key)

    def seat(self, taken: m.TakenSeat) -> AsyncSeat:
        """Return the seat that the player took by joining a game or a rematch; sends no request."""
        return self.game(taken["game"]["id"]).seat(taken["seat"])

    async def get(self, **options: Unpack[ReadOptions]) -> m.OwnPlayer:
        """Return the player's id, and how many games the player has and may have.

        :raises ApiError: `token_unknown`, when the key was replaced.
        """
        return cast("m.OwnPlayer", await self.request("GET", "/v1/me", **options))

    async def statistics(self, **options: Unpack[ReadOptions]) -> m.Statistics:
        """Return statistics of the player's finished games."""
        return cast("m.Statistics", await self.request("GET", "/v1/me/statistics", **options))

    def events(
        self, after: str = NO_EVENT, *, silence_s: float = SILENCE_S, fault: str | None = None
    ) -> AsyncIteration[m.PlayerEvent]:
        """Yield each event of the player's games after the one with the id `after`, once and in order.

        The iterator never ends. It resumes after a lost connection or a restart of the server, replaces a
        stream that is silent for `silence_s` seconds, and uses long polling where a proxy blocks streams.

        :param fault: the fault to inject into the first stream, such as `cut_after=3` (`SKYE_LAB=on`).
        :raises HistoryLostError: when the server does not have the event `after` any more: list the games
            again, and continue from their `last_event`.
        :raises ApiError: when the key was replaced.
        """
        follower = Follower(after, fault)
        return AsyncIteration(events(self.transport, "/v1/me", self.key, follower, silence_s))

    async def event_page(
        self,
        *,
        after: str | None = None,
        limit: int | None = None,
        wait_ms: int | None = None,
        **options: Unpack[ReadOptions],
    ) -> m.PlayerEventList:
        """Return one page of events.

        :param after: the id of the last event that the caller has.
        :param limit: the maximum number of events.
        :param wait_ms: how long to wait for the first event, in milliseconds (long poll).
        """
        query = {"after": after, "limit": limit, "wait_ms": wait_ms}
        options = waiting(options, wait_ms, self.transport.timeout_s)
        return cast("m.PlayerEventList", await self.request("GET", "/v1/me/events", query=query, **options))

    async def create_ticket(self, ticket: m.TicketToCreate, **options: Unpack[CallOptions]) -> m.Ticket:
        """Wait for players whose tickets have the same number of seats and options.

        :param ticket: `name`, `seat_count`, `options` and `ttl_ms`, as in `POST /v1/matchmaking/tickets`.
        """
        return cast("m.Ticket", await self.request("POST", _TICKETS, body=ticket, **options))

    async def tickets(self, **options: Unpack[ReadOptions]) -> list[m.Ticket]:
        """Return the player's tickets that wait, the oldest first."""
        return cast("m.TicketList", await self.request("GET", _TICKETS, **options))["tickets"]

    async def ticket(self, ticket_id: str, **options: Unpack[ReadOptions]) -> m.Ticket:
        """Return a ticket."""
        return cast("m.Ticket", await self.request("GET", _ticket_path(ticket_id), **options))

    async def cancel_ticket(self, ticket_id: str, **options: Unpack[CallOptions]) -> m.Ticket:
        """Cancel a ticket unless it is matched; return it."""
        return cast("m.Ticket", await self.request("DELETE", _ticket_path(ticket_id), **options))

    async def profile(self, **options: Unpack[ReadOptions]) -> m.OwnProfile:
        """Return the player's profile.

        :raises ApiError: `profile_not_found`, when the player has none.
        """
        return cast("m.OwnProfile", await self.request("GET", _PROFILE, **options))

    async def put_profile(self, profile: m.ProfileToPut, **options: Unpack[CallOptions]) -> m.OwnProfile:
        """Create or change the player's profile: the public name, with which rated games begin.

        :param profile: `name`, and if wanted `bot`, `description` and `link`.
        """
        return cast("m.OwnProfile", await self.request("PUT", _PROFILE, body=profile, **options))

    async def delete_profile(self, **options: Unpack[CallOptions]) -> None:
        """Delete the player's profile; rated games and ratings stay, without the name."""
        await self.request("DELETE", _PROFILE, **options)

    async def replace_key(
        self, key: str | None = None, *, keep_webhooks: bool = False, **options: Unpack[CallOptions]
    ) -> str:
        """Replace the key; return the new one, which this object sends from now on.

        After an error this object still has the old key: call the method again with the same `key`.

        :param key: the new key; a random one by default.
        :param keep_webhooks: leave webhooks that were made with the old key active, which are disabled
            otherwise.
        """
        key = new_key() if key is None else checked_credential(key)
        body = {"key": key, "keep_webhooks": keep_webhooks}
        await self.request("PUT", "/v1/me/key", body=body, **options)
        self.key = key
        return key


def _ticket_path(ticket_id: str) -> str:
    return f"{_TICKETS}/{quote(ticket_id, safe='')}"
