"""Write the entries of the due queue again from what is stored: a backup leaves them out."""

from __future__ import annotations

from collections.abc import Iterator

from skye_server.commands.game_repository import EXPIRY_S
from skye_server.error_codes import skip_unreadable
from skye_server.games.due import Due, due_after
from skye_server.storage.codec import decode_game
from skye_server.storage.redis_store import RedisStore
from skye_server.storage.shards import PLAYER_OWNER
from skye_server.storage.ticket_pools import ticket_entry
from skye_server.storage.webhook_store import WebhookRef
from skye_server.webhooks.owners import NO_GAME, delivery_entry, events_entry


def rebuild_due(store: RedisStore) -> None:
    """Queue the due work of all games, webhooks and tickets; work that is queued already stays.

    :raises Problem: store_unavailable.
    """
    now_ms = round(1000 * store.time())
    for owner, kind in store.stored():
        with skip_unreadable():
            for due in _entries(store, owner, kind, now_ms):
                store.due.add(due)


def _entries(store: RedisStore, owner: str, kind: str, now_ms: int) -> Iterator[Due]:
    """Yield the entries for one key of a game, a player or a pool."""
    if kind == "game":
        stored, left_ms = store.load_to_attend(owner)
        if stored is not None:
            yield from due_after(None, decode_game(stored), now_ms, now_ms + left_ms - 1000 * EXPIRY_S)
    elif kind == "webhooks" and (owner.startswith(PLAYER_OWNER) or "." not in owner):  # not that of a bot
        yield events_entry(owner, NO_GAME, now_ms)
        for webhook in store.webhooks.all(owner):
            ref = WebhookRef(owner, webhook)
            yield from (delivery_entry(ref, game, now_ms) for game in store.webhooks.queued_games(ref))
    elif kind.startswith("request:"):
        ticket = store.pools.ticket(kind.removeprefix("request:"))
        if ticket is not None and ticket.state in ("waiting", "matched"):
            yield ticket_entry(ticket.id, ticket.expires_ms if ticket.state == "waiting" else now_ms)
