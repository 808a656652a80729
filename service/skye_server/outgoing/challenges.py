"""Challenges: a URL gets requests only after it has repeated a text that the server sends."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Final

import msgspec
from msgspec.structs import replace

from skye_server.commands.current_games import Games
from skye_server.contract.objects import json_or_none
from skye_server.error_codes import FieldError, Problem
from skye_server.games.views.game import timestamp
from skye_server.outgoing.account_slots import AccountSlots
from skye_server.outgoing.receivers import Receiver, ReceiverStatus
from skye_server.outgoing.sender import Reply, Sender

CHALLENGE: Final = "webhook_challenge"
"""The type of the message that a receiver must answer before it gets others."""

CHALLENGE_SECONDS: Final = 3.0
"""The time for the response to a challenge: the client's request waits for it."""

_MAX_CHALLENGES: Final = 64
"""How many challenges a process sends at once."""


def challenge(sender: Sender, receiver: Receiver, now_ms: int) -> Reply:
    """Send a challenge; the reply has an error if it does not repeat the challenge."""
    text = secrets.token_urlsafe(24)
    message = {
        "type": CHALLENGE,
        "timestamp": timestamp(now_ms),
        "data": {"challenge": text, "webhook_id": receiver.id},
    }
    body = msgspec.json.encode(message)
    reply = sender.post(receiver.url, receiver.secrets(now_ms), new_message_id(), body, CHALLENGE_SECONDS)
    if reply.is_ok and not _repeats(reply.body, text):
        return reply._replace(error="The response does not repeat the challenge.")
    return reply


class Challenges:
    """The challenges that a process sends, a limited number at once."""

    def __init__(self, games: Games, sender: Sender) -> None:
        self._games = games
        self.sender = sender
        self._slots = AccountSlots(_MAX_CHALLENGES, queues=False)

    def send(
        self,
        receiver: Receiver,
        pointer: str = "/url",
        ask: Callable[[Sender, Receiver, int], Reply] = challenge,
    ) -> tuple[Receiver, Reply]:
        """Send a challenge; return the receiver with its new status.

        :param pointer: the place of the URL in the body of the request.
        :param ask: sends the challenge, or another test.
        :raises Problem: invalid_body, if the server does not send to the URL; server_busy.
        """
        with self._slots.slot(receiver.account) as is_granted:
            if not is_granted:
                raise Problem("server_busy")
            reply = ask(self.sender, receiver, self._games.now_ms())
        if reply.is_forbidden:
            raise Problem("invalid_body", errors=[FieldError(pointer, reply.error)])
        if reply.is_ok:
            return replace(receiver, status=ReceiverStatus.ACTIVE, problem=""), reply
        return replace(receiver, problem=reply.problem), reply


def new_message_id() -> str:
    """Return a new id of a message."""
    return f"msg_{secrets.token_hex(12)}"


def _repeats(body: bytes, text: str) -> bool:
    found = json_or_none(body)
    return isinstance(found, dict) and found.get("challenge") == text
