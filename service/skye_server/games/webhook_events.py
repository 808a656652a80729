"""The types of events that webhooks report."""

from typing import Final

WEBHOOK_EVENTS: Final = (
    "seat_taken",
    "your_turn",
    "deadline_near",
    "seat_left",
    "game_over",
    "ticket_expired",
    "webhook_disabled",
)

DECISION: Final = "decision"
"""The type of the message that asks a bot at a URL."""
