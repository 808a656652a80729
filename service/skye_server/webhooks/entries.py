"""The entries of the due queue for the messages to webhooks; `games.due` has those for events."""

from __future__ import annotations

from skye_server.games.due import Due
from skye_server.outgoing.messages import NO_GAME
from skye_server.outgoing.receiver_store import ReceiverRef
from skye_server.store.shards import PLAYER_OWNER


def messages_entry(ref: ReceiverRef, game_id: str, due_ms: int) -> Due:
    """Return the entry for queued messages about a game to a webhook.

    :param game_id: the game of the events, or `NO_GAME`.
    """
    place = ref.owner if game_id == NO_GAME else game_id
    return Due("webhook", f"{place}/{ref.owner}/{ref.id}", due_ms)


def game_of(owner: str, place: str) -> str:
    """Return the game of an entry for messages, `NO_GAME` for none."""
    return NO_GAME if place == owner and owner.startswith(PLAYER_OWNER) else place
