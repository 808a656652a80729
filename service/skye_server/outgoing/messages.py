"""The messages that the server sends to URLs: what all have, and the challenge."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from skye.fields import Keywords
from skye_server.games.views.fields import MAX_OPAQUE_LENGTH, Timestamp


class Message(TypedDict):
    """What all messages have."""

    timestamp: Annotated[Timestamp, "When the event happened."]


class WebhookChallengeData(TypedDict):
    """A challenge."""

    challenge: Annotated[str, Keywords(maxLength=MAX_OPAQUE_LENGTH), "The text to repeat."]
    webhook_id: Annotated[str, Keywords(maxLength=MAX_OPAQUE_LENGTH), "The webhook."]


class WebhookChallengeMessage(Message):
    """A test whether the receiver wants messages of the server."""

    type: Literal["webhook_challenge"]
    data: Annotated[WebhookChallengeData, "The challenge."]


class WebhookChallengeAnswer(TypedDict):
    """The answer of a receiver to a challenge."""

    challenge: Annotated[str, Keywords(maxLength=MAX_OPAQUE_LENGTH), "The text of the challenge."]
