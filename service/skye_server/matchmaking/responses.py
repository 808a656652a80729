"""The responses of matchmaking: the tickets of a player."""

from collections.abc import Sequence
from typing import Annotated, Final, TypedDict

from skye.fields import Component, Count, Keywords, RulesetName, Seat
from skye_server.games.views.player_events import TicketId
from skye_server.games.views.types import (
    MAX_TURN_MS,
    GameId,
    PlayerName,
    SeatCount,
    TieBreakRule,
    TimeoutRule,
    Timestamp,
)

MAX_TICKETS: Final = 1000
"""The maximum number of tickets in a list."""


class TicketOptionsView(TypedDict):
    """The options that the players of a game agree on."""

    turn_ms: Annotated[
        Count | None, Keywords(maximum=MAX_TURN_MS), "Milliseconds for each decision; null: no deadline."
    ]
    on_timeout: Annotated[TimeoutRule, "What happens when a seat misses its deadline."]
    tie_break: Annotated[TieBreakRule, "What breaks a tie."]
    open_gold: Annotated[bool, "Whether all gold is public."]


class Ticket(TypedDict):
    """A matchmaking ticket: a player waits for others whose tickets have the same seats and options."""

    id: Annotated[TicketId, "The id of the ticket."]
    status: Annotated[str, Component("TicketStatus"), "The status of the ticket."]
    name: Annotated[PlayerName, "The player's name; in the game, a number may follow it."]
    ruleset: RulesetName
    seat_count: SeatCount
    options: Annotated[TicketOptionsView, "The options of the game."]
    expires_at: Annotated[Timestamp, "When the ticket stops waiting."]
    game_id: Annotated[GameId | None, "The id of the game; null until the ticket is matched."]
    seat: Annotated[Seat | None, "The player's seat in the game; null without one."]


class TicketList(TypedDict):
    """The tickets of a player that wait."""

    tickets: Annotated[Sequence[Ticket], Keywords(maxItems=MAX_TICKETS), "The tickets, the oldest first."]
