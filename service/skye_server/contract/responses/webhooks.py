"""The responses about webhooks, and the messages that the server sends to them."""

from collections.abc import Sequence
from typing import Annotated, Literal, TypeAlias, TypedDict

from skye.fields import Component, Count, Keywords, Seat
from skye_server.contract.fields import MAX_OPAQUE_LENGTH
from skye_server.contract.requests.webhooks import MAX_URL_LENGTH
from skye_server.contract.responses.actions import Actions
from skye_server.contract.responses.me import PlayerEventView
from skye_server.games.views.fields import GameId, Timestamp
from skye_server.games.views.types import GameView

_Problem: TypeAlias = Annotated[str, Keywords(maxLength=200)]
_Status: TypeAlias = Annotated[int, Keywords(minimum=100, maximum=599)]
_Name: TypeAlias = Annotated[str, Component("WebhookEventName")]
_Secret: TypeAlias = Annotated[
    Annotated[str, Keywords(maxLength=MAX_OPAQUE_LENGTH)] | None,
    "The secret that signs requests. The server shows it only here. A repeated request with the same "
    "`Idempotency-Key` gets null after the secret was replaced, or an hour after it was set.",
]
WebhookId: TypeAlias = Annotated[str, Component("WebhookId")]
DeliveryId: TypeAlias = Annotated[str, Component("DeliveryId")]


class WebhookView(TypedDict):
    """A webhook: a URL to which the server sends events."""

    id: Annotated[WebhookId, "The id of the webhook."]
    url: Annotated[str, Keywords(maxLength=MAX_URL_LENGTH), "Where the server sends events."]
    types: Annotated[
        Sequence[Annotated[_Name, "A type."]], Keywords(maxItems=64), "The types of the events to send."
    ]
    description: Annotated[str, Keywords(maxLength=100), "The description by the owner."]
    status: Annotated[str, Component("WebhookStatus"), "The status."]
    problem: Annotated[_Problem | None, "Why the webhook is not active; null if it is."]
    created_at: Annotated[Timestamp, "When it was created."]
    old_secret_until: Annotated[
        Timestamp | None, "Until when the replaced secret signs requests too; null for a single secret."
    ]


class CreatedWebhook(WebhookView):
    """A new webhook, or one with a new secret."""

    secret: _Secret


class ReplacedWebhook(WebhookView):
    """A webhook that was made with a token or key that is replaced."""

    game_id: Annotated[GameId | None, "The game that it reports; null for one of a player key."]


class ReplacedPlayerKey(TypedDict):
    """The replacement of a player key."""

    replaced: Annotated[bool, "Always true: from now on only the new key is valid."]
    webhooks: Annotated[
        Sequence[ReplacedWebhook],
        Keywords(maxItems=10_000),
        "The webhooks that were made with the old key, of the player and of games that the player hosts: "
        "disabled now unless the request keeps them.",
    ]


class WebhookList(TypedDict):
    """The webhooks of a player key or a game."""

    webhooks: Annotated[Sequence[WebhookView], Keywords(maxItems=100), "The webhooks, the oldest first."]


class WebhookTestResult(TypedDict):
    """The result of a test."""

    webhook: Annotated[WebhookView, "The webhook after the test."]
    http_status: Annotated[_Status | None, "The status of the response; null without one."]
    duration_ms: Annotated[Count, "How long the request took, in milliseconds."]
    problem: Annotated[_Problem | None, "Why the test failed; null if it succeeded."]


class DeliveryView(TypedDict):
    """An event on its way to a receiver, or the record of it."""

    id: Annotated[DeliveryId, "The id of the delivery: the header `webhook-id` of its requests."]
    type: Annotated[_Name, "The type of the event."]
    game_id: Annotated[GameId | None, "The game; null for an event without one."]
    status: Annotated[str, Component("DeliveryStatus"), "The status."]
    attempts: Annotated[Count, "How many attempts were made."]
    http_status: Annotated[_Status | None, "The status of the last response; null without one."]
    duration_ms: Annotated[Count | None, "How long the last attempt took, in milliseconds; null before it."]
    problem: Annotated[_Problem | None, "Why the last attempt failed; null if it did not."]
    created_at: Annotated[Timestamp, "When the delivery was queued."]
    attempted_at: Annotated[Timestamp | None, "When the last attempt ended; null before it."]
    next_attempt_at: Annotated[Timestamp | None, "When the next attempt is due; null if there is none."]


class DeliveryList(TypedDict):
    """The latest deliveries of a webhook."""

    deliveries: Annotated[Sequence[DeliveryView], Keywords(maxItems=100), "The deliveries, the latest first."]


class _Message(TypedDict):
    timestamp: Annotated[Timestamp, "When the event happened."]


class WebhookEventMessage(_Message):
    """An event of a player key or of a game. It has no hidden values: load the game for the rest."""

    type: Annotated[_Name, "The type of the event, as in `data`."]
    href: Annotated[
        str | None, Keywords(maxLength=100), "The path of the game; null for an event without one."
    ]
    data: Annotated[PlayerEventView, Component("PlayerEvent"), "The event."]


class DecisionData(TypedDict):
    """What a bot at a URL needs to decide."""

    seat: Annotated[Seat, "The seat that must decide."]
    time_left_ms: Annotated[Count, "For how many milliseconds the server waits for the answer."]
    game: Annotated[GameView, "The game as the seat sees it."]
    actions: Annotated[
        Actions, "The legal actions. The bot answers with one of them, in an offer with other values."
    ]


class DecisionMessage(_Message):
    """A decision that the seat of a bot at a URL must make."""

    type: Literal["decision"]
    href: Annotated[str, Keywords(maxLength=100), "The path of the game."]
    data: Annotated[DecisionData, "The decision."]


class WebhookChallengeData(TypedDict):
    """A challenge."""

    challenge: Annotated[str, Keywords(maxLength=MAX_OPAQUE_LENGTH), "The text to repeat."]
    webhook_id: Annotated[str, Keywords(maxLength=MAX_OPAQUE_LENGTH), "The webhook."]


class WebhookChallengeMessage(_Message):
    """A test whether the receiver wants messages of the server."""

    type: Literal["webhook_challenge"]
    data: Annotated[WebhookChallengeData, "The challenge."]


class WebhookChallengeAnswer(TypedDict):
    """The answer of a receiver to a challenge."""

    challenge: Annotated[str, Keywords(maxLength=MAX_OPAQUE_LENGTH), "The text of the challenge."]
