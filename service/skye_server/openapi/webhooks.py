"""The requests that the server sends: the `webhooks` of the document."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, NamedTuple, TypedDict

from skye.fields import Component, Count, Keywords, Seat
from skye_server.games.views.actions import Actions
from skye_server.games.views.fields import MAX_OPAQUE_LENGTH, Timestamp
from skye_server.games.views.game import GameView
from skye_server.games.views.player_events import PlayerEventView
from skye_server.http.responses import JSON
from skye_server.openapi.conversion import ResponseComponents
from skye_server.openapi.text import Doc, joined
from skye_server.webhooks.records import EventName
from skye_server.webhooks.sender import MAX_SECONDS
from skye_server.webhooks.webhooks import CHALLENGE_SECONDS

_TAG: Final = "Webhooks"


class _Message(TypedDict):
    timestamp: Annotated[Timestamp, "When the event happened."]


class WebhookEventMessage(_Message):
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


class _Sent(NamedTuple):
    """A request that the server sends, and the response that it expects.

    :param answer: the body of the response, or the name of its component; None if any response of the class
        2xx is right.
    :param seconds: the time in which it must arrive.
    """

    name: str
    summary: str
    description: str
    message: type
    answer: type | str | None = None
    seconds: float = MAX_SECONDS


_SENT: Final = (
    _Sent(
        "send_webhook_event",
        "Receive an event",
        """
        An event of a player key or of a game, for its webhooks. The receiver answers with a status 2xx; with
        another, or without an answer, the server repeats the request after 5 seconds, 5 and 30 minutes, 2, 5,
        10, 14, 20 and 24 hours, or as `Retry-After` says, with the same `webhook-id`. The next event of the
        game follows when this one is accepted. 410 deletes the webhook.
        """,
        WebhookEventMessage,
    ),
    _Sent(
        "send_webhook_challenge",
        "Answer a challenge",
        """
        The server sends this to a new URL, and sends nothing else until the response repeats the challenge.
        """,
        WebhookChallengeMessage,
        WebhookChallengeAnswer,
        CHALLENGE_SECONDS,
    ),
    _Sent(
        "send_decision",
        "Decide for a seat",
        """
        The seat of a bot at a URL must decide. The server plays the action of the answer. Without a legal
        action in time it asks again after 5 seconds, or as `Retry-After` says, with the same `webhook-id`,
        and then does what `on_timeout` of the game says, also in a game without a time limit. A bot that
        has failed four times in a row is not asked for some time.
        """,
        DecisionMessage,
        "Action",
    ),
)


def sent_requests(components: ResponseComponents) -> Doc:
    """Return the requests by their names, as the document lists them."""
    return {sent.name: {"post": _operation(sent, components)} for sent in _SENT}


def _operation(sent: _Sent, components: ResponseComponents) -> Doc:
    accepted: Doc = {"description": f"Received, within {sent.seconds:g} seconds."}
    if sent.answer is not None:
        answer = sent.answer
        schema = components.named(answer) if isinstance(answer, str) else components.reference(answer)
        accepted["content"] = {JSON: {"schema": schema}}
    return {
        "tags": [_TAG],
        "x-internal": True,  # openapi-generator would write these over the operations of the same tag
        "operationId": sent.name,
        "summary": sent.summary,
        "description": joined(sent.description),
        "security": [],
        "parameters": [_header(*header) for header in _HEADERS],
        "requestBody": {
            "required": True,
            "description": "The message.",
            "content": {JSON: {"schema": components.reference(sent.message)}},
        },
        "responses": {"200" if sent.answer else "2XX": accepted},
    }


_HEADERS: Final = (
    ("webhook-id", "The id of the message, the same for each attempt.", {"type": "string", "maxLength": 64}),
    (
        "webhook-timestamp",
        "When this attempt was made, in seconds since 1970.",
        {"type": "string", "pattern": "^[0-9]+$", "maxLength": 12},
    ),
    (
        "webhook-signature",
        "Signatures, separated by spaces: `v1,` and the HMAC-SHA256 of `ID.TIMESTAMP.BODY` in base64.",
        {"type": "string", "maxLength": 1024},
    ),
)


def _header(name: str, description: str, schema: dict[str, Any]) -> Doc:
    return {"name": name, "in": "header", "required": True, "description": description, "schema": schema}
