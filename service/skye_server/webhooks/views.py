"""Webhooks and deliveries as the API shows them."""

from collections.abc import Sequence
from typing import Annotated, Any, TypeAlias, TypedDict, cast

from skye.fields import Component, Count, Keywords
from skye_server.contract.fields import MAX_URL_LENGTH
from skye_server.games.views.game import timestamp
from skye_server.games.views.types import GameId, Timestamp
from skye_server.store.shards import PLAYER_OWNER
from skye_server.store.webhook_entries import NO_GAME
from skye_server.webhooks.records import Delivery, Webhook

ProblemText: TypeAlias = Annotated[str, Keywords(maxLength=200)]
HttpStatus: TypeAlias = Annotated[int, Keywords(minimum=100, maximum=599)]
EventName: TypeAlias = Annotated[str, Component("WebhookEventName")]
WebhookId: TypeAlias = Annotated[str, Component("WebhookId")]
DeliveryId: TypeAlias = Annotated[str, Component("DeliveryId")]


class WebhookView(TypedDict):
    """A webhook: a URL to which the server sends events."""

    id: Annotated[WebhookId, "The id of the webhook."]
    url: Annotated[str, Keywords(maxLength=MAX_URL_LENGTH), "Where the server sends events."]
    types: Annotated[
        Sequence[Annotated[EventName, "A type."]], Keywords(maxItems=64), "The types of the events to send."
    ]
    description: Annotated[str, Keywords(maxLength=100), "The description by the owner."]
    status: Annotated[str, Component("WebhookStatus"), "The status."]
    problem: Annotated[ProblemText | None, "Why the webhook is not active; null if it is."]
    created_at: Annotated[Timestamp, "When it was created."]
    old_secret_until: Annotated[
        Timestamp | None, "Until when the replaced secret signs requests too; null for a single secret."
    ]


class ReplacedWebhook(WebhookView):
    """A webhook that was made with a token or key that is replaced."""

    game_id: Annotated[GameId | None, "The game that it reports; null for one of a player key."]


class DeliveryView(TypedDict):
    """An event on its way to a receiver, or the record of it."""

    id: Annotated[DeliveryId, "The id of the delivery: the header `webhook-id` of its requests."]
    type: Annotated[EventName, "The type of the event."]
    game_id: Annotated[GameId | None, "The game; null for an event without one."]
    status: Annotated[str, Component("DeliveryStatus"), "The status."]
    attempts: Annotated[Count, "How many attempts were made."]
    http_status: Annotated[HttpStatus | None, "The status of the last response; null without one."]
    duration_ms: Annotated[Count | None, "How long the last attempt took, in milliseconds; null before it."]
    problem: Annotated[ProblemText | None, "Why the last attempt failed; null if it did not."]
    created_at: Annotated[Timestamp, "When the delivery was queued."]
    attempted_at: Annotated[Timestamp | None, "When the last attempt ended; null before it."]
    next_attempt_at: Annotated[Timestamp | None, "When the next attempt is due; null if there is none."]


class DeliveryList(TypedDict):
    """The latest deliveries of a webhook."""

    deliveries: Annotated[Sequence[DeliveryView], Keywords(maxItems=100), "The deliveries, the latest first."]


def _time(ms: int | None) -> str | None:
    return None if ms is None else timestamp(ms)


def webhook_view(webhook: Webhook, now_ms: int) -> dict[str, Any]:
    """Return a webhook as the API shows it, without its secret."""
    is_rotating = now_ms < webhook.old_until_ms
    return {
        "id": webhook.id,
        "url": webhook.url,
        "types": webhook.types,
        "description": webhook.description,
        "status": webhook.status,
        "problem": webhook.problem or None,
        "created_at": timestamp(webhook.created_ms),
        "old_secret_until": timestamp(webhook.old_until_ms) if is_rotating else None,
    }


def replaced_view(webhook: Webhook, now_ms: int) -> ReplacedWebhook:
    """Return a webhook that was made with a replaced credential as the API shows it."""
    game = None if webhook.owner.startswith(PLAYER_OWNER) else webhook.owner
    return cast("ReplacedWebhook", webhook_view(webhook, now_ms) | {"game_id": game})


def delivery_view(delivery: Delivery) -> dict[str, Any]:
    """Return a delivery as the API shows it."""
    return {
        "id": delivery.id,
        "type": delivery.type,
        "game_id": None if delivery.game == NO_GAME else delivery.game,
        "status": delivery.status,
        "attempts": delivery.attempt,
        "http_status": delivery.http_status,
        "duration_ms": delivery.duration_ms,
        "problem": delivery.error or None,
        "created_at": timestamp(delivery.created_ms),
        "attempted_at": _time(delivery.at_ms),
        "next_attempt_at": _time(delivery.next_ms),
    }
