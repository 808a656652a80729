"""The keys of games and players, and the shards of games. No other module builds such a key.

The id of a game names its shard, one of `SHARDS`. All keys that a change of the game writes have the hash tag
of the shard, so a cluster keeps them in one slot, and one script writes all of them or none:

    skye:{sN}:GAME:game        string  the game (see `codec`)
    skye:{sN}:GAME:log         stream  the event log: one entry per commit, or one for all once it is over
    skye:{sN}:GAME:record:KEY  string  the idempotency record of a key (see `commands.attempts`)
    skye:{sN}:GAME:records     list    the names of these records with their owners, oldest first
    skye:{sN}:GAME:watch       hash    the watch codes of the game (see `watch_code_store`)
    skye:{sN}:GAME:webhooks    hash    the webhooks of the game (see `outgoing.receiver_store`)
    skye:{sN}:due.KIND         zset    the due work of all games of the shard (see `due_queue`)
    skye:{sN}:unrelayed        hash    the games of the shard that are to be relayed (see `due_queue`)
    skye:{sN}:leases           zset    the work that dispatchers handle now

Bots at URLs and pools of tickets are in shards too, by their ids. The keys of a player have a hash tag of
their own.

A change is published on the channel that is named like the key that changed, with `changes` in place of its
last part. So each game, each player and each shard has a channel, in the slot of its keys.
"""

from __future__ import annotations

import re
import zlib
from typing import Final

SHARDS: Final = 256
"""The number of shards: enough for an even load of a dozen masters."""

_OWNED: Final = re.compile(r"skye:\{(?:(?P<player>player\.[^}]*)\}|s\d+\}:(?P<owner>[^:]*)):")

UNRELAYED: Final = "unrelayed"
"""The kind of the key of a shard that names its games that are to be relayed."""

PLAYER_OWNER: Final = "player."
"""How the names of players begin among owners of keys; the ids of games have no full stop."""


def player_owner(player: str) -> str:
    """Return the owner of the keys of a player.

    >>> player_owner("abc")
    'player.abc'
    """
    return f"{PLAYER_OWNER}{player}"


def shard_of(name: str) -> int:
    """Return the shard of a game, or of a bot or a pool.

    >>> shard_of("m4pz7wqk2rnc")
    226
    """
    return zlib.crc32(name.encode()) % SHARDS


def key_of(owner: str, kind: str) -> str:
    """Return a key of an owner: of a game, a bot or a pool by its id, or of a player.

    >>> key_of("m4pz7wqk2rnc", "game"), key_of("player.abc", "events")
    ('skye:{s226}:m4pz7wqk2rnc:game', 'skye:{player.abc}:events')
    """
    if owner.startswith(PLAYER_OWNER):
        return f"skye:{{{owner}}}:{kind}"
    return f"skye:{{s{shard_of(owner)}}}:{owner}:{kind}"


def keys_of(owner: str, *kinds: str) -> list[str]:
    """Return several keys of an owner.

    >>> keys_of("m4pz7wqk2rnc", "game", "log")
    ['skye:{s226}:m4pz7wqk2rnc:game', 'skye:{s226}:m4pz7wqk2rnc:log']
    """
    beginning = key_of(owner, "")
    return [beginning + kind for kind in kinds]


def player_key(player: str, kind: str) -> str:
    """Return a key of a player."""
    return key_of(player_owner(player), kind)


def owner_of(key: str) -> tuple[str, str] | None:
    """Return the owner and the kind of a key; None for the key of a shard or of the whole service.

    >>> owner_of("skye:{s226}:m4pz7wqk2rnc:log"), owner_of("skye:{player.abc}:key"), owner_of("skye:{s7}:x")
    (('m4pz7wqk2rnc', 'log'), ('player.abc', 'key'), None)
    """
    found = _OWNED.match(key)
    return None if found is None else (found["player"] or found["owner"], key[found.end() :])


def shard_key(shard: int, kind: str) -> str:
    """Return a key of a shard.

    >>> shard_key(7, "due.game"), shard_key(7, "changes")
    ('skye:{s7}:due.game', 'skye:{s7}:changes')
    """
    return f"skye:{{s{shard}}}:{kind}"
