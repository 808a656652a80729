"""The due queue: games, players and other things with the time at which a dispatcher must attend to them.

Of each kind of work, in `SHARDS` shards by a hash of the id, so that a cluster spreads them:

    skye:{due.N}:KIND         zset   ids by the time at which they are due, in milliseconds since 1970
    skye:{due.N}:KIND:leases  zset   ids that a dispatcher handles, by the time at which its lease expires

and of all dispatchers:

    skye:{dispatchers}        zset   the names of dispatchers, by the time at which each was alive

An entry is a hint: what is stored under the id is the truth. So an entry may be lost, repeated or without a
cause. Times of leases are by the clock of Redis, which all dispatchers share. An id that is added while a
dispatcher handles it stays in the queue, and is claimed when that lease ends. An entry that becomes the first
of its shard is published on the channel of that shard (`connection.pubsub`), to wake dispatchers that wait.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import redis

from skye_server.storage.connection.redis_calls import RedisCalls
from skye_server.storage.connection.retry import expect_int
from skye_server.storage.lua_scripts import PUBLISH, Script

KINDS: Final = ("game", "ticket", "webhook", "bot")
"""The kinds of work: `game` has the id of a game, `ticket` that of a player who waits in matchmaking.

`skye_server.webhooks` has those of `webhook` and `bot`, in `dispatching` and `bot_dispatch`.
"""

SHARDS: Final = 16

LEASE_MS: Final = 10_000
"""How long a lease lasts unless it is renewed: after a crash the entry is claimed again."""

_DISPATCHERS: Final = "skye:{dispatchers}"
_ALIVE_MS: Final = 5_000
"""How long after its last heartbeat a dispatcher counts as alive."""

MAX_WAIT_MS: Final = 5_000
"""After how long a shard is claimed from again although nothing of it is known to be due."""

_FAILED_WAIT_MS: Final = 500
"""After how long a shard is claimed from again whose server has failed."""

# KEYS: queue. ARGV: 1 the id, 2 when it is due.
_ADD: Final = Script(
    PUBLISH
    + """
local changed = redis.call('ZADD', KEYS[1], 'LT', 'CH', ARGV[2], ARGV[1])
if changed == 1 and redis.call('ZRANGE', KEYS[1], 0, 0)[1] == ARGV[1] then publish(KEYS[1]) end
"""
)

_CLOCK: Final = """
local time = redis.call('TIME')
local clock = time[1] * 1000 + math.floor(time[2] / 1000)
"""

# KEYS: for each kind its queue and its leases. ARGV: 1 the time in milliseconds since 1970, 2 the duration of
# a lease, 3 the longest wait, then for each kind how many entries to claim. Entries whose lease has expired
# are due again. Returns the expiry of the leases, for each kind the claimed ids, and the milliseconds until
# the next entry is due or the next lease expires, not above 0 if one is due now.
_CLAIM: Final = (
    _CLOCK
    + """
local lease = string.format('%.0f', clock + ARGV[2])
local claimed, wait = {}, tonumber(ARGV[3])
local function wait_for(key, now)
  local first = redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')
  if first[2] then wait = math.min(wait, first[2] - now) end
end
for kind = 1, #KEYS / 2 do
  local queue, leases, limit = KEYS[2 * kind - 1], KEYS[2 * kind], tonumber(ARGV[3 + kind])
  local ids = {}
  if limit > 0 then
    for _, id in ipairs(redis.call('ZRANGEBYSCORE', leases, '-inf', clock)) do
      redis.call('ZREM', leases, id)
      redis.call('ZADD', queue, 'LT', ARGV[1], id)
    end
    local due = redis.call('ZRANGEBYSCORE', queue, '-inf', ARGV[1], 'LIMIT', 0, limit)
    if #due == limit then -- leased ones among them must not hide others
      local most = limit + redis.call('ZCARD', leases)
      due = redis.call('ZRANGEBYSCORE', queue, '-inf', ARGV[1], 'LIMIT', 0, most)
    end
    for _, id in ipairs(due) do
      if #ids < limit and not redis.call('ZSCORE', leases, id) then
        redis.call('ZREM', queue, id)
        redis.call('ZADD', leases, lease, id)
        table.insert(ids, id)
      end
    end
    wait_for(queue, ARGV[1])
    wait_for(leases, clock)
  end
  table.insert(claimed, ids)
end
return {lease, claimed, math.floor(wait)}
"""
)

# KEYS: leases. ARGV: 1 the duration of a lease, then ids and their leases. Returns the expiry of the renewed
# leases; a lease that has expired and was claimed again is not renewed.
_RENEW: Final = Script(
    _CLOCK
    + """
local lease = string.format('%.0f', clock + ARGV[1])
for i = 2, #ARGV, 2 do
  if redis.call('ZSCORE', KEYS[1], ARGV[i]) == ARGV[i + 1] then
    redis.call('ZADD', KEYS[1], lease, ARGV[i])
  end
end
return lease
"""
)

# KEYS: queue, leases. ARGV: 1 the id, 2 its lease, 3 when it is due again (empty: never). Does nothing when
# another dispatcher holds the lease.
_FINISH: Final = Script("""
if redis.call('ZSCORE', KEYS[2], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('ZREM', KEYS[2], ARGV[1])
if ARGV[3] ~= '' then redis.call('ZADD', KEYS[1], 'LT', ARGV[3], ARGV[1]) end
return 1
""")


class Due(NamedTuple):
    """An entry: work of a kind on an id, and when it is due, in milliseconds since 1970."""

    kind: str
    id: str
    due_ms: int


class Claim(NamedTuple):
    """An entry that this dispatcher handles; `lease` identifies and limits its right to do so."""

    kind: str
    id: str
    lease: bytes


class Claimed(NamedTuple):
    """What was claimed, and after how many milliseconds to claim from each shard again (0: now)."""

    claims: list[Claim]
    waits_ms: dict[int, int]


class DueQueue:
    """The due queue. Every method raises Problem store_unavailable when the store fails."""

    def __init__(self, calls: RedisCalls) -> None:
        self._calls = calls

    def add(self, due: Due) -> None:
        """Add an entry; an earlier one of the same kind and id stays."""
        key = _key(due.kind, shard_of(due.id))
        self._calls.call(key, _run(_ADD, [key], [due.id, due.due_ms]), writes=True)

    def claim(self, now_ms: int, limits: Mapping[str, int], shards: Iterable[int] = range(SHARDS)) -> Claimed:
        """Claim entries that are due, the earliest first in each shard whose server is reachable.

        :param limits: how many entries of each kind to claim from each shard.
        """
        names = [name for kind in limits for name in (kind, f"{kind}:leases")]
        arguments = (now_ms, LEASE_MS, MAX_WAIT_MS, *limits.values())

        def claim(pipeline: Any, key: str) -> Any:
            return pipeline.eval(_CLAIM, len(names), *[f"{key}{name}" for name in names], *arguments)

        places = list(shards)
        replies = self._calls.write_reachable([_key("", shard) for shard in places], claim)
        found: list[Any] = [reply or (b"", [], _FAILED_WAIT_MS) for reply in replies]
        claims = [
            Claim(kind, member.decode(), lease)
            for lease, claimed, _ in found
            for kind, members in zip(limits, claimed, strict=False)
            for member in members
        ]
        waits = {shard: max(wait_ms, 0) for shard, (*_, wait_ms) in zip(places, found, strict=True)}
        return Claimed(claims, waits)

    def renew(self, claims: Sequence[Claim]) -> list[tuple[Claim, Claim]]:
        """Renew the leases of claims; return each claim, and the claim with its new lease."""
        groups: dict[str, list[Claim]] = {}
        for claim in claims:
            groups.setdefault(_key(claim.kind, shard_of(claim.id)), []).append(claim)
        renewed = []
        for key, group in groups.items():
            arguments = [LEASE_MS, *[part for claim in group for part in (claim.id, claim.lease)]]
            lease = self._calls.call(key, _run(_RENEW, [f"{key}:leases"], arguments), writes=True)
            renewed += [(claim, claim._replace(lease=lease)) for claim in group]
        return renewed

    def finish(self, claim: Claim, due_ms: int | None) -> bool:
        """End a claim; return False if its lease is another one now.

        :param due_ms: when the entry is due again, unless it was added for an earlier time; None drops it.
        """
        key = _key(claim.kind, shard_of(claim.id))
        arguments = [claim.id, claim.lease, "" if due_ms is None else due_ms]
        return bool(self._calls.call(key, _run(_FINISH, [key, f"{key}:leases"], arguments), writes=True))

    def beat(self, dispatcher: str, now_ms: int) -> None:
        """Record that a dispatcher is alive; forget those that have not been for long."""

        def write(server: redis.Redis) -> None:
            pipeline: Any = server.pipeline(transaction=False)
            pipeline.zadd(_DISPATCHERS, {dispatcher: now_ms})
            pipeline.zremrangebyscore(_DISPATCHERS, "-inf", now_ms - 10 * _ALIVE_MS)
            pipeline.execute()

        self._calls.call(_DISPATCHERS, write, writes=True)

    def leave(self, dispatcher: str) -> None:
        """Record that a dispatcher has ended."""
        self._calls.call(_DISPATCHERS, lambda server: server.zrem(_DISPATCHERS, dispatcher), writes=True)

    def dispatchers(self, now_ms: int) -> int:
        """Return how many dispatchers are alive."""
        since_ms = now_ms - _ALIVE_MS
        return self._calls.call(
            _DISPATCHERS,
            lambda server: expect_int(server.zcount(_DISPATCHERS, since_ms, "+inf")),
            retries=False,
        )

    def backlog(self, now_ms: int) -> dict[str, tuple[int, float]]:
        """Return how many entries each kind has, and by how many seconds the first is overdue."""
        keys = [_key(kind, shard) for kind in KINDS for shard in range(SHARDS)]
        sizes = self._calls.call_each(
            keys, lambda server, key: server.zcard(key), lambda size: size or 0, retries=False
        )
        first_ms = self._calls.call_each(
            keys,
            lambda server, key: server.zrange(key, 0, 0, withscores=True),
            lambda found: found[0][1] if found else now_ms,
            retries=False,
        )
        backlog = {}
        for at, kind in zip(range(0, len(keys), SHARDS), KINDS, strict=True):
            delay_ms = max(now_ms - min(first_ms[at : at + SHARDS]), 0)
            backlog[kind] = sum(sizes[at : at + SHARDS]), delay_ms / 1000
        return backlog


def _run(script: Script, keys: list[str], arguments: list[Any]) -> Callable[[redis.Redis], Any]:
    return lambda server: script.run(server, keys, arguments)


def shard_of(member: str) -> int:
    """Return the shard that holds the entries of an id."""
    return zlib.crc32(member.encode()) % SHARDS


def changes_name(shard: int) -> str:
    """Return the name under which changes of a shard are published; no game has it."""
    return f"due.{shard}"


def _key(kind: str, shard: int) -> str:
    return f"skye:{{{changes_name(shard)}}}:{kind}"
