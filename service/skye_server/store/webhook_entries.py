"""The owners of webhooks, and the entries of the due queue that make a dispatcher report their events."""

from __future__ import annotations

from typing import Final

from skye_server.games.due import Due
from skye_server.store.shards import PLAYER_OWNER
from skye_server.store.webhook_store import WebhookRef

NO_GAME: Final = "-"
"""In place of a game's id, for events about none."""


def player_owner(player: str) -> str:
    """Return the name under which webhooks of a player are stored.

    >>> player_owner("abc")
    'player.abc'
    """
    return f"{PLAYER_OWNER}{player}"


def bot_owner(url_bot: str) -> str:
    """Return the name under which the deliveries of a bot at a URL are stored.

    >>> bot_owner("wh_abc")
    'bot.wh_abc'
    """
    return f"bot.{url_bot}"


def events_entry(owner: str, due_ms: int) -> Due:
    """Return the entry for events of an owner that are to be queued for its webhooks."""
    return Due("webhook", f"{owner}/{owner}", due_ms)


def delivery_entry(ref: WebhookRef, game_id: str, due_ms: int) -> Due:
    """Return the entry for queued deliveries of a game to a webhook.

    :param game_id: the game of the events, or `NO_GAME`.
    """
    place = ref.owner if game_id == NO_GAME else game_id
    return Due("webhook", f"{place}/{ref.owner}/{ref.id}", due_ms)


def game_of(owner: str, place: str) -> str:
    """Return the game of an entry for deliveries, `NO_GAME` for none."""
    return NO_GAME if place == owner and owner.startswith(PLAYER_OWNER) else place
