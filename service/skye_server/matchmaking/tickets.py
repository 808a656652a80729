"""Matchmaking tickets: players with the same criteria wait in a pool, and a game begins when it has enough.

The criteria are the seats and the options of the game. The store forms the group in one step; see
`skye_server.matchmaking.pools`. The game is created after that, under the id that the store gave the
group. When a process crashes in between, a dispatcher creates the game (`attend_ticket`), or the next request
for one of the group's tickets.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from skye_server.commands.attempts import Command, id_from
from skye_server.commands.current_games import Games
from skye_server.error_codes import Problem
from skye_server.features import Pairing, installed
from skye_server.games import autoplay, lobby
from skye_server.games.authorization import TokenSource, seat_of
from skye_server.games.creation import new_seat, requested_game
from skye_server.games.game import Seat, free_name
from skye_server.games.views.game import timestamp
from skye_server.matchmaking.pools import NewTicket, StoredTicket, TicketPools, TicketStatus
from skye_server.players.codec import RecordCodec
from skye_server.store.commit import MAX_ATTEMPTS
from skye_server.store.shards import player_key

MAX_TICKETS: Final = 1000
"""The maximum number of tickets in a list."""

_NAME: Final = "Matched game"

_ADDING_MS: Final = 60_000
"""How long a process may take to add a ticket to a pool after it has recorded it for the player."""

_REPEATED_MS: Final = 10_000
"""For how long after a match a ticket with the same criteria counts as created before the match was known."""

_PAGE_SIZE: Final = 200
"""At how many tickets of its pool a ticket looks at once."""

_POOL_LENGTH: Final = 12
"""The length of the part of a ticket's id that names its pool."""


class TicketData(msgspec.Struct, array_like=True, frozen=True):
    """What a player has asked for with a ticket.

    :param criteria: the seats and options of the game as JSON, the same for all players of a pool.
    :param note: what the pairing of a feature notes of the player.
    """

    name: str
    criteria: bytes
    note: bytes = b""


ticket_data: Final = RecordCodec(TicketData)


def pools_of(games: Games) -> TicketPools:
    """Return the pools of the store of some games."""
    return TicketPools(games.store.calls)


@dataclass(frozen=True, slots=True)
class Ticket:
    """A ticket, as its player sees it.

    :param name: the name of the player.
    :param criteria: `ruleset`, `seats`, `options`, and the fields of features as `more`.
    """

    id: str
    state: TicketStatus
    name: str
    criteria: dict[str, Any]
    expires_ms: int
    game_id: str | None
    seat: int | None

    @property
    def view(self) -> dict[str, Any]:
        """The ticket as the API shows it."""
        return {
            "id": self.id,
            "status": self.state,
            "name": self.name,
            "ruleset": self.criteria["ruleset"],
            "seat_count": self.criteria["seats"],
            "options": {"budget_ms": None} | self.criteria["options"],
            "expires_at": timestamp(self.expires_ms),
            "game_id": self.game_id,
            "seat": self.seat,
            **self.criteria["more"],
        }


def create_ticket(
    games: Games, command: Command, name: str, criteria: dict[str, Any], ttl_ms: int
) -> tuple[Ticket, bool]:
    """Wait for other players with the same criteria; a game begins if there are enough now.

    A ticket repeats an older one of the player in this pool that waits, that was matched after this request
    arrived, or that was matched in the last `_REPEATED_MS` and whose game goes on. So requests that a client
    sends at the same time give one game, in whatever order they are processed.

    :param criteria: `ruleset`, `seats`, `options`, and the fields of features as `more`.
    :returns: the ticket, and whether it is that of this request, or of the one that this request repeats.
    :raises Problem: player_key_required, token_unknown, too_many_games, idempotency_key_reused,
        storage_full, and those of the pairing.
    """
    now_ms, player = games.now_ms(), games.identities.require_player(command.token)
    pairing = _pairing_of(games, criteria)
    encoded = msgspec.json.encode(criteria, order="deterministic")
    ticket_id = _ticket_id(command, encoded)
    found = pools_of(games).ticket(ticket_id)
    last = pools_of(games).last_matched(ticket_id, player)
    is_repeated = bool(last) and _is_recent(games, last, now_ms)
    note = b""
    if found is None and not is_repeated:
        _check_limits(games, player, ticket_id)
        note = b"" if pairing is None else pairing.admit(player, command.address)
    _claim_key(games, player, command)
    if found is None:
        games.store.reserve.check(player_key(player, "seeks"))
        game_id, expires_ms = id_from(secrets.token_bytes(12)), now_ms + ttl_ms
        pools_of(games).announce(player, ticket_id, now_ms, expires_ms)
        games.identities.check_own(player, lambda: pools_of(games).forget(player, [ticket_id]))
        data = ticket_data.encode(TicketData(name, encoded, note))
        settled = "" if is_repeated else last
        seats, look_ms = criteria["seats"], expires_ms
        if pairing is not None:
            seats, look_ms = None, min(expires_ms, now_ms + pairing.look_ms)
        pools_of(games).join(
            NewTicket(ticket_id, now_ms, player, data, expires_ms, seats, game_id, settled, look_ms)
        )
        if pairing is not None:
            _pair(games, ticket_id, pairing, criteria["seats"])
        games.metrics.ticket_created()
    ticket = get_ticket(games, player, ticket_id)
    if ticket.id != ticket_id:
        pools_of(games).forget(player, [ticket_id])
    return ticket, ticket.id == ticket_id


def list_tickets(games: Games, player: str) -> list[Ticket]:
    """Return the tickets of a player that wait, the oldest first."""
    catch_up(games, player)
    since = pools_of(games).open_tickets(player)
    oldest_first = sorted(since, key=lambda ticket_id: (since[ticket_id], ticket_id))
    stored, now_ms = pools_of(games).tickets(oldest_first), games.now_ms()
    waiting = [ticket for ticket in stored if ticket is not None and _is_waiting(ticket, now_ms)]
    return [_as_seen(ticket, None) for ticket in waiting[:MAX_TICKETS]]


def cancel_ticket(games: Games, command: Command, ticket_id: str) -> Ticket:
    """Cancel a ticket of the caller, unless it is matched; return it.

    :raises Problem: player_key_required, token_unknown, and what `get_ticket` raises.
    """
    player = games.identities.require_player(command.token)
    ticket = get_ticket(games, player, ticket_id)
    pools_of(games).drop_expired(ticket.id, games.now_ms(), cancel=True)
    ticket = get_ticket(games, player, ticket.id)
    pools_of(games).forget(player, [ticket.id])
    return ticket


def catch_up(games: Games, player: str) -> int | None:
    """Report a player's tickets that have expired, and create the games that a crashed process left out.

    :returns: when the next ticket of the player expires, in milliseconds since 1970; None if none waits.
    """
    since, now_ms, over, expire = pools_of(games).open_tickets(player), games.now_ms(), [], []
    tickets = pools_of(games).tickets(list(since))
    for (ticket_id, since_ms), ticket in zip(since.items(), tickets, strict=True):
        if ticket is not None and _is_waiting(ticket, now_ms):
            expire.append(ticket.expires_ms)
        elif ticket is not None:
            get_ticket(games, player, ticket_id)
            over.append(ticket_id)
        elif now_ms - since_ms > _ADDING_MS:
            over.append(ticket_id)
    pools_of(games).forget(player, over)
    return min(expire, default=None)


def attend_ticket(games: Games, entry: str) -> int | None:
    """Report a ticket that has expired, or create the game of its group, if no request has done so.

    :param entry: the pool and the ticket.
    :returns: when the ticket expires, in milliseconds since 1970; None if it does not wait.
    """
    ticket = pools_of(games).ticket(entry.partition("/")[2])
    if ticket is None:
        return None
    now_ms = games.now_ms()
    if not _is_waiting(ticket, now_ms):
        catch_up(games, ticket.player)
        return None
    criteria = msgspec.json.decode(ticket_data.decode(ticket.data).criteria)
    pairing = _pairing_of(games, criteria)
    if pairing is None:
        return ticket.expires_ms
    _pair(games, ticket.id, pairing, criteria["seats"])
    return min(ticket.expires_ms, now_ms + pairing.look_ms)


def _pairing_of(games: Games, criteria: dict[str, Any]) -> Pairing | None:
    """Return how tickets with some criteria are paired; None if the oldest play together."""
    found = (feature.pairing(games, criteria) for feature in installed())
    return next(filter(None, found), None)


def _pair(games: Games, ticket_id: str, pairing: Pairing, seats: int) -> None:
    """Form a group with a ticket, if the waiting tickets allow one, and create its game.

    A look has a bounded cost, and the next one is at other tickets: so nobody holds up a pool with tickets
    that no pairing accepts.
    """
    pools, now_ms = pools_of(games), games.now_ms()
    for _ in range(MAX_ATTEMPTS):
        found = pools.look(ticket_id, now_ms, pairing.look_ms, _PAGE_SIZE)
        waiting = [
            (each.id, each.player, ticket_data.decode(each.data).note, each.since_ms) for each in found
        ]
        chosen = pairing.choose(waiting, seats, now_ms) if len(waiting) >= seats else None
        if chosen is None:
            return
        game_id = id_from(secrets.token_bytes(12))
        if pools.form_group(chosen, game_id, now_ms):
            _create_game(games, game_id, chosen[0])
            return


def _ticket_id(command: Command, criteria: bytes) -> str:
    """Return the id of a ticket: its pool, then a part from the idempotency key, or random without one."""
    key = command.record_key
    digest = secrets.token_bytes(12) if key is None else hashlib.sha256(f"match/{key}".encode()).digest()
    return id_from(hashlib.sha256(criteria).digest()) + id_from(digest)


def _check_limits(games: Games, player: str, ticket_id: str) -> None:
    """Check that a player may wait for one more game; a ticket of the same pool would be repeated.

    :raises Problem: too_many_games.
    """
    catch_up(games, player)
    pools = {other[:_POOL_LENGTH] for other in pools_of(games).open_tickets(player)}
    games.players.check_limit(player, waiting=len(pools - {ticket_id[:_POOL_LENGTH]}))


def _claim_key(games: Games, player: str, command: Command) -> None:
    """Bind the idempotency key of a command, if it has one, to its ticket.

    :raises Problem: idempotency_key_reused.
    """
    key = command.record_key
    if key is not None and not pools_of(games).claim_key(player, key, command.digest):
        raise Problem("idempotency_key_reused")


def _is_recent(games: Games, ticket_id: str, now_ms: int) -> bool:
    """Return whether a ticket was matched a short time ago, and its game goes on."""
    ticket = pools_of(games).ticket(ticket_id)
    if ticket is None or ticket.game is None or now_ms - ticket.matched_ms >= _REPEATED_MS:
        return False
    game = games.stored.find(ticket.game)
    if game is None:
        return True  # it is about to be created
    return not game.is_over and seat_of(game, ticket.player) is not None


def _is_waiting(ticket: StoredTicket, now_ms: int) -> bool:
    return ticket.state is TicketStatus.WAITING and now_ms < ticket.expires_ms


def get_ticket(games: Games, player: str, ticket_id: str) -> Ticket:
    """Return a ticket of a player; first report it if it has expired, or create its game if it is matched.

    :raises Problem: ticket_not_found.
    """
    ticket, now_ms = pools_of(games).ticket(ticket_id), games.now_ms()
    if ticket is not None and ticket.state is TicketStatus.WAITING and not _is_waiting(ticket, now_ms):
        pools_of(games).drop_expired(ticket.id, now_ms)
        ticket = pools_of(games).ticket(ticket_id)
    if ticket is None or ticket.player != player:
        raise Problem("ticket_not_found")
    if ticket.state is TicketStatus.EXPIRED:
        games.players.ticket_expired(player, ticket.id, ticket.expires_ms)
    return _as_seen(ticket, None if ticket.game is None else _seat_in(games, ticket.game, ticket))


def _as_seen(ticket: StoredTicket, seat: int | None) -> Ticket:
    """Return a ticket as its player sees it."""
    data = ticket_data.decode(ticket.data)
    criteria = msgspec.json.decode(data.criteria)
    return Ticket(ticket.id, ticket.state, data.name, criteria, ticket.expires_ms, ticket.game, seat)


def _seat_in(games: Games, game_id: str, ticket: StoredTicket) -> int | None:
    """Return the player's seat in the game of a group; first create the game if it does not exist."""
    _create_game(games, game_id, ticket.id)
    game = games.stored.find(game_id)
    return None if game is None else seat_of(game, ticket.player)  # None: the game has expired


def _create_game(games: Games, game_id: str, ticket_id: str) -> None:
    """Create the game of a group, unless it exists.

    :param ticket_id: the id of one of the tickets.
    """
    group = pools_of(games).group(game_id, ticket_id)
    if group:
        _create(games, game_id, group)
        pools_of(games).game_created(game_id, group)


def _create(games: Games, game_id: str, group: list[StoredTicket]) -> None:
    """Create the game of a group, in seats drawn at random and without a host, unless another process has."""
    waiting = [(ticket.player, ticket_data.decode(ticket.data)) for ticket in group]
    secrets.SystemRandom().shuffle(waiting)
    criteria = msgspec.json.decode(waiting[0][1].criteria)
    chosen = {"ruleset": criteria["ruleset"], "options": criteria["options"]}
    body = {"players": waiting, "name": _NAME, "visibility": "public", "auto_start": True} | chosen
    tokens, now_ms = TokenSource(), games.now_ms()
    game = requested_game(body, game_id, "", now_ms)
    names: Sequence[str] = [data.name for _, data in waiting]
    pairing = _pairing_of(games, criteria)
    if pairing is not None:
        names, fields = pairing.begin([(player, data.note) for player, data in waiting])
        game = replace(game, **fields)
    seats: tuple[Seat, ...] = ()
    for (player, _), chosen_name in zip(waiting, names, strict=True):
        name = free_name(chosen_name, [seat.name for seat in seats])
        seats += (new_seat({"name": name}, tokens, len(seats), (), player),)
    transition = games.new(autoplay.play_bots(lobby.open_game(game, seats, now_ms), now_ms))
    if games.stored.save(None, transition, limited=False):
        games.metrics.game_matched()
