"""Enumerations of matchmaking."""

from __future__ import annotations

from skye_server.contract.fields import StringEnum


class TicketStatus(StringEnum):
    """The status of a ticket.

    `waiting`: there are not enough players yet. `matched`: the game has begun. `cancelled`: the player
    cancelled the ticket. `expired`: there were not enough players before `expires_at`.

    There may be new ones.
    """

    extensible = True
    choices = ("waiting", "matched", "cancelled", "expired")
