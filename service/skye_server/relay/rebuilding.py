"""Derive everything again from the games and their logs: after a restore, or when derived data is lost."""

from __future__ import annotations

from collections.abc import Iterator

from skye_server.commands.game_repository import EXPIRY_S
from skye_server.error_codes import skip_unreadable
from skye_server.features import installed
from skye_server.games.due import Due, due_after, relay_entries
from skye_server.relay.lists import ALL_LISTS
from skye_server.store.redis_store import RedisStore
from skye_server.store.shards import PLAYER_OWNER
from skye_server.store.webhook_entries import delivery_entry, events_entry
from skye_server.store.webhook_store import WebhookRef


def rebuild(store: RedisStore) -> int:
    """Make the dispatchers derive everything again; return how many entries are queued.

    The entries of the due queue follow from what is stored; those that are queued already stay. Each game is
    relayed, and so is each that a player's record or a list names, also if it is gone. Requests may go on.

    :raises Problem: store_unavailable.
    """
    now_ms, queued = round(1000 * store.time()), 0
    for owner, kind in store.stored():
        with skip_unreadable():
            for due in _entries(store, owner, kind, now_ms):
                store.due.add(due)
                queued += 1
    for name in ALL_LISTS:
        for game_id in store.index.members(name):
            store.due.add(Due("relay", game_id, now_ms))
            queued += 1
    return queued


def _entries(store: RedisStore, owner: str, kind: str, now_ms: int) -> Iterator[Due]:
    """Yield the entries for one key of a game, a player or a pool."""
    if kind == "game":
        stored, left_ms = store.load_to_attend(owner)
        if stored is not None:
            yield from due_after(
                None, store.rulesets.decoded(stored), now_ms, now_ms + left_ms - 1000 * EXPIRY_S
            )
    elif kind == "games":
        player = frozenset({owner.removeprefix(PLAYER_OWNER)})
        for game_id in store.players.games_of(*player):
            yield from relay_entries(game_id, player, now_ms)
    elif kind == "webhooks" and (owner.startswith(PLAYER_OWNER) or "." not in owner):  # not that of a bot
        yield events_entry(owner, now_ms)
        for webhook in store.webhooks.all(owner):
            ref = WebhookRef(owner, webhook)
            yield from (delivery_entry(ref, game, now_ms) for game in store.webhooks.queued_games(ref))
    for feature in installed():
        yield from feature.rebuild(store, owner, kind, now_ms)
