"""A webhook as it is stored: a receiver, and which events it gets in which format."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import replace

from skye_server.outgoing.receivers import Receiver, decode_receiver, encode_receiver
from skye_server.webhooks.formats import WebhookFormat


class Webhook(msgspec.Struct, frozen=True):
    """A webhook of a player or a game.

    :param receiver: the URL, and what the server knows of it.
    :param types: the types of events that it reports.
    :param rotated_by: the idempotency key of the last rotation of the secret, and `rotation` its request.
    :param secret_ms: when the secret of the receiver was set.
    :param made_with: the `credential_id` of the token or key that created, changed or tested it last.
    :param format: the format of its requests.
    """

    receiver: Receiver
    types: tuple[str, ...]
    description: str
    rotated_by: str = ""
    rotation: bytes = b""
    secret_ms: int = 0
    made_with: str = ""
    format: str = WebhookFormat.STANDARD

    def with_receiver(self, **changes: Any) -> Webhook:
        """Return the webhook after changes of its receiver."""
        return replace(self, receiver=replace(self.receiver, **changes))


_FIELDS = [name for name in Webhook.__struct_fields__ if name != "receiver"]


def encode_webhook(webhook: Webhook) -> bytes:
    """Return the bytes to store for a webhook."""
    return encode_receiver(webhook.receiver, **{name: getattr(webhook, name) for name in _FIELDS})


def decode_webhook(stored: bytes) -> Webhook:
    """Return a stored webhook.

    :raises StoredFormatError: when the bytes are corrupt or of a newer format.
    """
    found = decode_receiver(stored)
    return Webhook(found.receiver, **{name: getattr(found, name) for name in _FIELDS})
