"""The requests that webhooks send."""

from __future__ import annotations

from typing import Annotated

from skye.fields import Component, Keywords
from skye_server.games.views.player_events import PlayerEventView
from skye_server.openapi.sent_requests import Sent, challenge_request
from skye_server.outgoing.messages import EventName, MessageBody
from skye_server.outgoing.sender import MAX_SECONDS

TAG = "Webhooks"


class WebhookEventMessage(MessageBody):
    """An event of a player key or of a game. It has no hidden values: load the game for the rest."""

    type: Annotated[EventName, "The type of the event, as in `data`."]
    href: Annotated[
        str | None, Keywords(maxLength=100), "The path of the game; null for an event without one."
    ]
    data: Annotated[PlayerEventView, Component("PlayerEvent"), "The event."]
    stale: Annotated[
        bool,
        "Whether the decision that `your_turn` or `deadline_near` reports was made, or has ended, before "
        "this attempt. False for other types.",
    ]


def sent_requests() -> tuple[Sent, ...]:
    """Return the requests that webhooks send."""
    event = Sent(
        TAG,
        "send_webhook_event",
        "Receive an event",
        """
        An event of a player key or of a game, for its webhooks. The receiver answers with a status 2xx; with
        another, or without an answer, the server repeats the request after 5 seconds, 5 and 30 minutes, 2, 5,
        10, 14, 20 and 24 hours, or as `Retry-After` says, with the same `webhook-id`. The next event of the
        game follows when this one is accepted. 410 deletes the webhook.
        """,
        WebhookEventMessage,
        MAX_SECONDS,
    )
    return event, challenge_request(TAG)
