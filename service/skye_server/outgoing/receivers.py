"""Receivers: the URLs to which the server sends messages, and the form in which they are stored."""

from __future__ import annotations

import hashlib
import secrets
from typing import Any, Final

import msgspec

from skye.words import Word
from skye_server.commands.attempts import Command, id_from
from skye_server.outgoing.account_slots import Account
from skye_server.outgoing.receiver_store import ReceiverRef
from skye_server.players.codec import RecordCodec

_STANDARD: Final = "standard"
"""The format of the requests to bots, one of those to webhooks (`webhooks.formats`)."""


class ReceiverStatus(Word):
    """The status of a receiver."""

    UNVERIFIED = "unverified", "its URL has not answered the challenge, and gets nothing else."
    ACTIVE = "active", "it gets events."
    DISABLED = "disabled", "it has failed for five days; a successful test makes it active again."


class Receiver(msgspec.Struct, frozen=True):
    """A URL that gets messages: the events of a webhook, or the decisions of a bot at a URL.

    :param owner: `player.ID` or the id of a game for a webhook, `bot.ID` for a bot.
    :param old_secret: the secret before the last rotation, valid until `old_until_ms`.
    :param problem: why it is not active.
    :param digest: identifies the request with an idempotency key that created it.
    :param account: what its requests count for.
    """

    id: str
    owner: str
    url: str
    secret: str
    status: str
    created_ms: int
    account: Account
    digest: bytes
    old_secret: str = ""
    old_until_ms: int = 0
    problem: str = ""

    @property
    def ref(self) -> ReceiverRef:
        """What names the receiver in the store."""
        return ReceiverRef(self.owner, self.id)

    def message_id(self, number: int) -> str:
        """Return the id of a message by its number."""
        return f"msg_{self.id.removeprefix('wh_')}_{number:010d}"

    def message_before(self, message: str) -> str | None:
        """Return the id of the message before another, None for the first."""
        number = int(message.rpartition("_")[2])
        return self.message_id(number - 1) if number > 1 else None

    def secrets(self, now_ms: int) -> list[str]:
        """Return the secrets that sign a request at a time."""
        return [self.secret, *([self.old_secret] if now_ms < self.old_until_ms else [])]


class StoredReceiver(msgspec.Struct, array_like=True, frozen=True):
    """A receiver as it is stored, in one array with what only webhooks have: `types` and so on."""

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
    format: str = _STANDARD

    @property
    def receiver(self) -> Receiver:
        """The receiver."""
        return Receiver(**{name: getattr(self, name) for name in Receiver.__struct_fields__})


_stored_receivers: Final = RecordCodec(StoredReceiver, "receiver")


def encode_receiver(
    receiver: Receiver, types: tuple[str, ...] = (), description: str = "", **more: Any
) -> bytes:
    """Return the bytes to store for a receiver and what a webhook has beside it."""
    stored = StoredReceiver(types=types, description=description, **msgspec.structs.asdict(receiver), **more)
    return _stored_receivers.encode(stored)


def decode_receiver(stored: bytes) -> StoredReceiver:
    """Return a receiver as it is stored.

    :raises StoredFormatError: when the bytes are corrupt or of a newer format.
    """
    return _stored_receivers.decode(stored)


def new_id(command: Command, name: str) -> str:
    """Return the id of what a command creates: by its name and the idempotency key, random without a key."""
    key = command.record_key
    return id_of(secrets.token_bytes(16) if key is None else f"{name}/{key}".encode())


def id_of(seed: bytes) -> str:
    """Return the id of a receiver that derives from a seed."""
    return f"wh_{id_from(hashlib.sha256(seed).digest())}"
