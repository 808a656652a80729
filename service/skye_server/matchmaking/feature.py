"""What matchmaking adds to a server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Final

from skye_server.features import ErrorCode, Feature, Gauge, Handler

if TYPE_CHECKING:
    from flask import Blueprint

    from skye_server.commands.current_games import Games
    from skye_server.games.due import Due
    from skye_server.store.redis_store import RedisStore


def _blueprints() -> Mapping[Blueprint, str]:
    from skye_server.matchmaking import routes  # noqa: PLC0415 - it depends on what this module adds

    return {routes.blueprint: "Tickets of player keys that wait for opponents."}


def _handlers(games: Games) -> Mapping[str, Handler]:
    from skye_server.matchmaking import tickets  # noqa: PLC0415

    return {"ticket": Handler(partial(tickets.attend_ticket, games), 8)}


def _rebuild(store: RedisStore, _owner: str, kind: str, now_ms: int) -> Iterator[Due]:
    """Yield the due entry of a stored ticket."""
    from skye_server.matchmaking.pools import TicketPools, TicketStatus, ticket_entry  # noqa: PLC0415

    if not kind.startswith("request:"):
        return
    ticket = TicketPools(store.calls).ticket(kind.removeprefix("request:"))
    if ticket is not None and ticket.state in (TicketStatus.WAITING, TicketStatus.MATCHED):
        yield ticket_entry(ticket.id, ticket.expires_ms if ticket.state is TicketStatus.WAITING else now_ms)


def _waiting(games: Games) -> int:
    from skye_server.matchmaking import tickets  # noqa: PLC0415

    return tickets.pools_of(games).waiting(games.now_ms())


FEATURE: Final = Feature(
    name="matchmaking",
    errors={"ticket_not_found": ErrorCode(404, "This player key has no such matchmaking ticket.")},
    pages={"matchmaking": "skye_server.matchmaking"},
    parts={"matchmaking": "leagues"},
    enumerations=("skye_server.matchmaking.routes",),
    parameters={"ticket": ("The id of the ticket.", {"$ref": "#/components/schemas/TicketId"})},
    blueprints=_blueprints,
    due_kinds=("ticket",),
    handlers=_handlers,
    rebuild=_rebuild,
    gauges={"skye_waiting_tickets": Gauge("Matchmaking tickets of all instances that wait.", _waiting)},
)
