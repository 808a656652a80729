"""How the API shows webhooks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, TypeAlias, TypedDict, cast

from skye.fields import Component, Keywords
from skye_server.contract.fields import MAX_URL_LENGTH
from skye_server.games.views.fields import GameId, Timestamp
from skye_server.games.views.game import timestamp
from skye_server.outgoing.messages import EventName, ProblemText
from skye_server.outgoing.receivers import ReceiverStatus
from skye_server.store.shards import PLAYER_OWNER
from skye_server.webhooks.formats import WebhookFormat
from skye_server.webhooks.webhook_record import Webhook

WebhookId: TypeAlias = Annotated[str, Component("WebhookId")]


class WebhookView(TypedDict):
    """A webhook: a URL to which the server sends events."""

    id: Annotated[WebhookId, "The id of the webhook."]
    url: Annotated[str, Keywords(maxLength=MAX_URL_LENGTH), "Where the server sends events."]
    types: Annotated[
        Sequence[Annotated[EventName, "A type."]], Keywords(maxItems=64), "The types of the events to send."
    ]
    description: Annotated[str, Keywords(maxLength=100), "The description by the owner."]
    format: Annotated[WebhookFormat, "The format of the requests."]
    status: Annotated[ReceiverStatus, "The status."]
    problem: Annotated[ProblemText | None, "Why the webhook is not active; null if it is."]
    created_at: Annotated[Timestamp, "When it was created."]
    old_secret_until: Annotated[
        Timestamp | None, "Until when the replaced secret signs requests too; null for a single secret."
    ]


class ReplacedWebhook(WebhookView):
    """A webhook that was made with a token or key that is replaced."""

    game_id: Annotated[GameId | None, "The game that it reports; null for one of a player key."]


def webhook_view(webhook: Webhook, now_ms: int) -> dict[str, Any]:
    """Return a webhook as the API shows it, without its secret."""
    receiver = webhook.receiver
    is_rotating = now_ms < receiver.old_until_ms
    return {
        "id": receiver.id,
        "url": receiver.url,
        "types": webhook.types,
        "description": webhook.description,
        "format": webhook.format,
        "status": receiver.status,
        "problem": receiver.problem or None,
        "created_at": timestamp(receiver.created_ms),
        "old_secret_until": timestamp(receiver.old_until_ms) if is_rotating else None,
    }


def replaced_view(webhook: Webhook, now_ms: int) -> ReplacedWebhook:
    """Return a webhook that was made with a replaced credential as the API shows it."""
    owner = webhook.receiver.owner
    game = None if owner.startswith(PLAYER_OWNER) else owner
    return cast("ReplacedWebhook", webhook_view(webhook, now_ms) | {"game_id": game})
