"""Messages: what a receiver is sent, an event or a decision, and what has become of it.

The API calls a message to a receiver, with the attempts to send it, a delivery.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal, TypeAlias, TypedDict

import msgspec
from msgspec.structs import replace

from skye.fields import Component, Count, Keywords
from skye.words import Word
from skye_server.games.views.fields import MAX_OPAQUE_LENGTH, GameId, Timestamp
from skye_server.games.views.game import timestamp
from skye_server.outgoing.sender import Reply
from skye_server.players.codec import RecordCodec

NO_GAME: Final = "-"
"""In place of a game's id, for messages about none."""


class MessageStatus(Word):
    """The status of a message."""

    PENDING = "pending", "an attempt is due or in progress."
    DELIVERED = "delivered", "the receiver has accepted it."
    FAILED = "failed", "the last attempt has failed."
    SKIPPED = "skipped", "it was not sent, as it was stale and the format is that of a chat service."


class Message(msgspec.Struct, array_like=True, frozen=True):
    """A message on its way to a receiver, or the record of it.

    :param game: the id of the game, `-` for a message about none; messages about a game are in order.
    :param type: the type of the event, or `decision`.
    :param body: the body of the request; of a decision, which is built for each attempt, its name.
    :param attempt: how many attempts were made.
    :param next_ms: when the next is due; None for none.
    :param http_status: the status of the last response, None without one.
    """

    id: str
    game: str
    type: str
    body: bytes
    created_ms: int
    next_ms: int | None
    status: str = MessageStatus.PENDING
    attempt: int = 0
    at_ms: int | None = None
    http_status: int | None = None
    duration_ms: int | None = None
    error: str = ""

    def skipped(self, now_ms: int) -> Message:
        """Return the message after the decision not to send it."""
        return replace(self, status=MessageStatus.SKIPPED, next_ms=None, at_ms=now_ms, error="")

    def after(self, reply: Reply, now_ms: int, error: str, pause_ms: int | None) -> Message:
        """Return the message after an attempt.

        :param error: why the attempt failed; empty if it did not.
        :param pause_ms: after which time it is repeated; None for never.
        """
        ended = MessageStatus.FAILED if error else MessageStatus.DELIVERED
        return replace(
            self,
            status=ended if pause_ms is None else MessageStatus.PENDING,
            attempt=self.attempt + 1,
            next_ms=None if pause_ms is None else now_ms + pause_ms,
            at_ms=now_ms,
            http_status=reply.status,
            duration_ms=reply.duration_ms,
            error=error,
        )


message_records: Final = RecordCodec(Message, "message")


# How the API shows messages.


ProblemText: TypeAlias = Annotated[str, Keywords(maxLength=200)]
HttpStatus: TypeAlias = Annotated[int, Keywords(minimum=100, maximum=599)]
EventName: TypeAlias = Annotated[str, Component("WebhookEventName")]
DeliveryId: TypeAlias = Annotated[str, Component("DeliveryId")]


class DeliveryView(TypedDict):
    """An event on its way to a receiver, or the record of it."""

    id: Annotated[DeliveryId, "The id of the delivery: the header `webhook-id` of its requests."]
    type: Annotated[EventName, "The type of the event."]
    game_id: Annotated[GameId | None, "The game; null for an event without one."]
    status: Annotated[MessageStatus, "The status."]
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


def delivery_view(message: Message) -> dict[str, Any]:
    """Return a message as the API shows it."""
    return {
        "id": message.id,
        "type": message.type,
        "game_id": None if message.game == NO_GAME else message.game,
        "status": message.status,
        "attempts": message.attempt,
        "http_status": message.http_status,
        "duration_ms": message.duration_ms,
        "problem": message.error or None,
        "created_at": timestamp(message.created_ms),
        "attempted_at": _time(message.at_ms),
        "next_attempt_at": _time(message.next_ms),
    }


# The bodies of requests: what all have, and the challenge.


class MessageBody(TypedDict):
    """What all messages have."""

    timestamp: Annotated[Timestamp, "When the event happened."]


class WebhookChallengeData(TypedDict):
    """A challenge."""

    challenge: Annotated[str, Keywords(maxLength=MAX_OPAQUE_LENGTH), "The text to repeat."]
    webhook_id: Annotated[str, Keywords(maxLength=MAX_OPAQUE_LENGTH), "The webhook."]


class WebhookChallengeMessage(MessageBody):
    """A test whether the receiver wants messages of the server."""

    type: Literal["webhook_challenge"]
    data: Annotated[WebhookChallengeData, "The challenge."]


class WebhookChallengeAnswer(TypedDict):
    """The answer of a receiver to a challenge."""

    challenge: Annotated[str, Keywords(maxLength=MAX_OPAQUE_LENGTH), "The text of the challenge."]
