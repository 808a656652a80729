"""The records of webhooks and of their deliveries."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec
from msgspec.structs import replace

from skye_server.players.codec import RecordCodec
from skye_server.store.webhook_store import WebhookRef
from skye_server.webhooks.accounts import Account
from skye_server.webhooks.sender import Reply


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


class Webhook(msgspec.Struct, array_like=True, frozen=True):
    """A webhook of a player or a game.

    :param owner: `player.ID`, or the id of a game.
    :param types: the types of events that it reports.
    :param secret_ms: when `secret` was set.
    :param old_secret: the secret before the last rotation, valid until `old_until_ms`.
    :param problem: why it is not active.
    :param digest: identifies the request with an idempotency key that created it.
    :param rotated_by: the idempotency key of the last rotation, and `rotation` its request.
    :param made_with: the `credential_id` of the token or key that created, changed or tested it last.
    :param account: what its requests count for.
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


webhook_records: Final = RecordCodec(Webhook, "webhook")
deliveries: Final = RecordCodec(Delivery, "delivery")
