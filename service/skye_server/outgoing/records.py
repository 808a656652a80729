"""The records of webhooks and bots at URLs and of their deliveries, and how the API shows deliveries."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Any, Final, TypeAlias, TypedDict

import msgspec
from msgspec.structs import replace

from skye.fields import Component, Count, Keywords
from skye_server.commands.attempts import Command, id_from
from skye_server.games.views.fields import GameId, Timestamp
from skye_server.games.views.game import timestamp
from skye_server.outgoing.account_slots import Account
from skye_server.outgoing.sender import Reply
from skye_server.outgoing.webhook_store import WebhookRef
from skye_server.players.codec import RecordCodec

NO_GAME: Final = "-"
"""In place of a game's id, for events about none."""

STANDARD: Final = "standard"
"""The format of Standard Webhooks 1.0: signed JSON."""


class WebhookStatus(StrEnum):
    """The status of a webhook."""

    UNVERIFIED = "unverified"
    ACTIVE = "active"
    DISABLED = "disabled"


class DeliveryStatus(StrEnum):
    """The status of a delivery."""

    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"
    SKIPPED = "skipped"


class Webhook(msgspec.Struct, array_like=True, frozen=True):
    """A webhook of a player or a game, or a bot at a URL.

    :param owner: `player.ID`, the id of a game, or `bot.ID`.
    :param types: the types of events that it reports.
    :param secret_ms: when `secret` was set.
    :param old_secret: the secret before the last rotation, valid until `old_until_ms`.
    :param problem: why it is not active.
    :param digest: identifies the request with an idempotency key that created it.
    :param rotated_by: the idempotency key of the last rotation, and `rotation` its request.
    :param made_with: the `credential_id` of the token or key that created, changed or tested it last.
    :param account: what its requests count for.
    :param format: the format of its requests.
    """

    id: str
    owner: str
    url: str
    types: tuple[str, ...]
    description: str
    secret: str
    status: str
    created_ms: int
    old_secret: str = ""
    old_until_ms: int = 0
    problem: str = ""
    digest: bytes = b""
    rotated_by: str = ""
    rotation: bytes = b""
    secret_ms: int = 0
    made_with: str = ""
    account: Account = Account()
    format: str = STANDARD

    @property
    def ref(self) -> WebhookRef:
        """What names the webhook."""
        return WebhookRef(self.owner, self.id)

    def delivery_id(self, number: int) -> str:
        """Return the id of a delivery by its number."""
        return f"msg_{self.id.removeprefix('wh_')}_{number:010d}"

    def secrets(self, now_ms: int) -> list[str]:
        """Return the secrets that sign a request at a time."""
        return [self.secret, *([self.old_secret] if now_ms < self.old_until_ms else [])]


class Delivery(msgspec.Struct, array_like=True, frozen=True):
    """An event on its way to a receiver, or the record of it.

    :param game: the id of the game, `-` for an event without one; deliveries of a game are in order.
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
    status: str = DeliveryStatus.PENDING
    attempt: int = 0
    at_ms: int | None = None
    http_status: int | None = None
    duration_ms: int | None = None
    error: str = ""

    def skipped(self, now_ms: int) -> Delivery:
        """Return the delivery after the decision not to send it."""
        return replace(self, status=DeliveryStatus.SKIPPED, next_ms=None, at_ms=now_ms, error="")

    def after(self, reply: Reply, now_ms: int, error: str, pause_ms: int | None) -> Delivery:
        """Return the delivery after an attempt.

        :param error: why the attempt failed; empty if it did not.
        :param pause_ms: after which time it is repeated; None for never.
        """
        ended = DeliveryStatus.FAILED if error else DeliveryStatus.DELIVERED
        return replace(
            self,
            status=ended if pause_ms is None else DeliveryStatus.PENDING,
            attempt=self.attempt + 1,
            next_ms=None if pause_ms is None else now_ms + pause_ms,
            at_ms=now_ms,
            http_status=reply.status,
            duration_ms=reply.duration_ms,
            error=error,
        )


def new_id(command: Command, name: str) -> str:
    """Return the id of what a command creates: by its name and the idempotency key, random without a key."""
    key = command.record_key
    return id_of(secrets.token_bytes(16) if key is None else f"{name}/{key}".encode())


def id_of(seed: bytes) -> str:
    """Return the id of a webhook, or of a bot at a URL, that derives from a seed."""
    return f"wh_{id_from(hashlib.sha256(seed).digest())}"


webhook_records: Final = RecordCodec(Webhook, "webhook")
deliveries: Final = RecordCodec(Delivery, "delivery")


ProblemText: TypeAlias = Annotated[str, Keywords(maxLength=200)]
HttpStatus: TypeAlias = Annotated[int, Keywords(minimum=100, maximum=599)]
EventName: TypeAlias = Annotated[str, Component("WebhookEventName")]
DeliveryId: TypeAlias = Annotated[str, Component("DeliveryId")]


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
