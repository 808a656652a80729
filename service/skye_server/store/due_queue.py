"""The due queue: what a dispatcher must attend to, and when.

Each shard (see `shards`) has for each kind of work, and for all kinds:

    skye:{sN}:due.KIND  zset  ids by the time at which they are due, in milliseconds since 1970
    skye:{sN}:leases    zset  `KIND/ID` of what a dispatcher handles, by the time at which its lease expires
    skye:{sN}:unrelayed hash  the oldest version of each game that is not relayed; 0: all may be missing

and all dispatchers have:

    skye:{dispatchers}  zset  their names, by the time at which each was alive

The kinds have zsets of their own, so that work which waits for slow hosts never hides a deadline. The part of
an id before its first slash names its shard. So an entry about a game is in the shard of the game, and the
commit of a change writes it. It is claimed by one script for all shards of a server, and then in `leases`
only; an id that is added while it is handled is claimed when that lease ends. Leases are by the clock of
Redis, which all dispatchers share.

An entry that becomes the first of its shard is published on the channel of the shard, to wake dispatchers.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import index
from typing import Any, Final, NamedTuple

import redis

from skye_server.features import installed
from skye_server.games.due import Due
from skye_server.store.connection.calls import RedisCalls
from skye_server.store.lua_scripts import MAX_WAIT_MS, PUBLISH, Script
from skye_server.store.shards import SHARDS, UNRELAYED, shard_key, shard_of

_OF_FEATURES: Final = tuple(kind for feature in installed() for kind in feature.due_kinds)
KINDS: Final = ("game", "relay", "parked", *_OF_FEATURES)
"""The kinds of work: `game` has the id of a game, `relay` also that of a player who lost the role in it,
`parked` those of a relay that has failed and how often; the others are of features.
"""

LEASE_MS: Final = 10_000
"""How long a lease lasts unless it is renewed: after a crash the entry is claimed again."""

_DISPATCHERS: Final = "skye:{dispatchers}"
_ALIVE_MS: Final = 5_000
"""How long after its last heartbeat a dispatcher counts as alive."""

_FAILED_WAIT_MS: Final = 500
"""After how long a shard is claimed from again whose server has failed."""

# KEYS: due entries of a kind, and of a game that is to be relayed the unrelayed games. ARGV: 1 the id, 2 when
# it is due. An earlier time of the same id stays.
_ADD: Final = Script(
    PUBLISH
    + """
if KEYS[2] then redis.call('HSET', KEYS[2], ARGV[1], 0) end
local changed = redis.call('ZADD', KEYS[1], 'LT', 'CH', ARGV[2], ARGV[1])
if changed == 1 and redis.call('ZRANGE', KEYS[1], 0, 0)[1] == ARGV[1] then publish(KEYS[1]) end
"""
)

_CLOCK: Final = """
local time = redis.call('TIME')
local clock = time[1] * 1000 + math.floor(time[2] / 1000)
"""

# ARGV: 1 the time in milliseconds since 1970, 2 the duration of a lease, 3 the longest wait, 4 the number of
# kinds, then each kind and how many of its entries to claim, then the beginnings of the keys of shards.
# Claims from all these shards, which are on one server but in many slots; so it declares no keys.
#
# Returns the expiry of the leases, for each kind the claimed ids, and for each shard the milliseconds until
# its next entry is due or its next lease expires, not above 0 if one is due now; nil for a shard that this
# server does not hold, or no longer. Entries whose lease has expired are due again.
_CLAIM: Final = Script(
    _CLOCK
    + """
local now, longest, kinds = tonumber(ARGV[1]), tonumber(ARGV[3]), tonumber(ARGV[4])
local lease = string.format('%.0f', clock + ARGV[2])
local claimed, waits, limits = {}, {}, {}
for kind = 1, kinds do
  claimed[kind] = {}
  limits[kind] = tonumber(ARGV[4 + 2 * kind])
end
local function end_leases(shard, leases)
  for _, entry in ipairs(redis.call('ZRANGEBYSCORE', leases, '-inf', clock)) do
    local kind, id = entry:match('^(%a+)/(.*)$')
    redis.call('ZREM', leases, entry)
    redis.call('ZADD', shard .. 'due.' .. kind, 'LT', ARGV[1], id)
  end
end
local function claim(queue, leases, name, kind)
  local due = redis.call('ZRANGEBYSCORE', queue, '-inf', ARGV[1], 'LIMIT', 0, limits[kind])
  if #due == limits[kind] then -- leased ones among them must not hide others
    local most = limits[kind] + redis.call('ZCARD', leases)
    due = redis.call('ZRANGEBYSCORE', queue, '-inf', ARGV[1], 'LIMIT', 0, most)
  end
  for _, id in ipairs(due) do
    local entry = name .. '/' .. id
    if limits[kind] > 0 and not redis.call('ZSCORE', leases, entry) then
      redis.call('ZREM', queue, id)
      redis.call('ZADD', leases, lease, entry)
      limits[kind] = limits[kind] - 1
      table.insert(claimed[kind], id)
    end
  end
end
local function first_of(key) return tonumber(redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')[2]) end
local function visit(shard)
  local wait, leases, keys = longest, shard .. 'leases', {}
  for kind = 1, kinds do keys[kind] = shard .. 'due.' .. ARGV[3 + 2 * kind] end
  -- Most shards have nothing, or only games that are due later: one or two commands for each.
  local number = redis.call('EXISTS', leases, unpack(keys))
  if number == 0 then return wait end
  local first = first_of(keys[1])
  local is_alone = first and number == 1
  local expires = not is_alone and first_of(leases)
  if expires and expires <= clock then
    end_leases(shard, leases)
    expires, first = first_of(leases), first_of(keys[1])
  end
  if expires then wait = math.min(wait, expires - clock) end
  for kind = 1, is_alone and 1 or kinds do
    local queue = keys[kind]
    if kind > 1 then first = first_of(queue) end
    if first and first <= now and limits[kind] > 0 then
      claim(queue, leases, ARGV[3 + 2 * kind], kind)
      first = first_of(queue)
    end
    if first then wait = math.min(wait, first - now) end
  end
  return math.floor(wait)
end
for at = 5 + 2 * kinds, #ARGV do
  local is_done, result = pcall(visit, ARGV[at])
  if not is_done then
    local fault = tostring(type(result) == 'table' and result.err or result)
    result = fault:find('WRONGTYPE') and longest or false
  end
  table.insert(waits, result)
end
return {lease, claimed, waits}
"""
)

# ARGV: 1 the duration of a lease, then for each claim the leases of its shard, its entry and its lease. The
# shards are on one server. Returns the expiry of the renewed leases; a lease that has expired and was claimed
# again is not renewed.
_RENEW: Final = Script(
    _CLOCK
    + """
local lease = string.format('%.0f', clock + ARGV[1])
for at = 2, #ARGV, 3 do
  if redis.pcall('ZSCORE', ARGV[at], ARGV[at + 1]) == ARGV[at + 2] then
    redis.call('ZADD', ARGV[at], lease, ARGV[at + 1])
  end
end
return lease
"""
)

# KEYS: due entries of the kind, leases. ARGV: 1 the id, 2 its kind, 3 its lease, 4 when it is due again
# (empty: never). Does nothing when another dispatcher holds the lease.
_FINISH: Final = Script("""
local entry = ARGV[2] .. '/' .. ARGV[1]
if redis.call('ZSCORE', KEYS[2], entry) ~= ARGV[3] then return 0 end
redis.call('ZREM', KEYS[2], entry)
if ARGV[4] ~= '' then redis.call('ZADD', KEYS[1], 'LT', ARGV[4], ARGV[1]) end
return 1
""")


class Claim(NamedTuple):
    """An entry that this dispatcher handles; `lease` identifies and limits its right to do so."""

    kind: str
    id: str
    lease: bytes

    @property
    def entry(self) -> str:
        """What names it among the leases of its shard."""
        return f"{self.kind}/{self.id}"


class Claimed(NamedTuple):
    """What was claimed, and after how many milliseconds to claim from each shard again (0: now)."""

    claims: list[Claim]
    waits_ms: dict[int, int]


class DueQueue:
    """The due queue. Every method raises Problem store_unavailable when the store fails."""

    def __init__(self, calls: RedisCalls) -> None:
        self._calls = calls

    def add(self, due: Due) -> None:
        """Add an entry; an earlier one of the same kind and id stays.

        The commit of a game that is to be relayed has not relayed all of it then.
        """
        keys = [_due_key(due.kind, due.id)]
        if due.kind == "relay" and "/" not in due.id:
            keys.append(shard_key(shard_of(due.id), UNRELAYED))
        self._calls.call(keys[0], _run(_ADD, keys, [due.id, due.due_ms]), writes=True)

    def claim(self, now_ms: int, limits: Mapping[str, int], shards: Iterable[int] = range(SHARDS)) -> Claimed:
        """Claim entries that are due from shards whose server is reachable.

        :param limits: how many entries of each kind to claim; in a cluster its masters share the number.
        """
        places = list(shards)
        random.shuffle(places)  # otherwise the first would always come first
        prefixes = [shard_key(shard, "") for shard in places]
        claims: list[Claim] = []
        waits = dict.fromkeys(places, _FAILED_WAIT_MS)

        def claim(server: redis.Redis, part: list[int], servers: int) -> Any:
            sizes = [size for kind, most in limits.items() for size in (kind, -(-most // servers))]
            arguments = [now_ms, LEASE_MS, MAX_WAIT_MS, len(limits), *sizes]
            return _CLAIM.run(server, [], [*arguments, *(prefixes[at] for at in part)])

        for part, (lease, claimed, waits_ms) in self._calls.write_at_servers(prefixes, claim):
            for kind, members in zip(limits, claimed, strict=True):
                claims += [Claim(kind, member.decode(), lease) for member in members]
            for at, wait_ms in zip(part, waits_ms, strict=True):
                if wait_ms is None:
                    self._calls.invalidate()
                else:
                    waits[places[at]] = max(wait_ms, 0)
        return Claimed(claims, waits)

    def renew(self, claims: Sequence[Claim]) -> list[tuple[Claim, Claim]]:
        """Renew the leases of claims; return each claim, and the claim with its new lease."""
        keys = [_leases_key(claim.id) for claim in claims]

        def renew(server: redis.Redis, part: list[int], _servers: int) -> Any:
            of_claims = [(keys[at], claims[at].entry, claims[at].lease) for at in part]
            return _RENEW.run(server, [], [LEASE_MS, *(each for of_claim in of_claims for each in of_claim)])

        replies = self._calls.write_at_servers(keys, renew) if claims else []
        return [(claims[at], claims[at]._replace(lease=lease)) for part, lease in replies for at in part]

    def finish(self, claim: Claim, due_ms: int | None) -> bool:
        """End a claim; return False if its lease is another one now.

        :param due_ms: when the entry is due again, unless it was added for an earlier time; None drops it.
        """
        keys = [_due_key(claim.kind, claim.id), _leases_key(claim.id)]
        arguments = [claim.id, claim.kind, claim.lease, "" if due_ms is None else due_ms]
        return bool(self._calls.call(keys[0], _run(_FINISH, keys, arguments), writes=True))

    def beat(self, dispatcher: str, now_ms: int) -> None:
        """Record that a dispatcher is alive; forget those that have not been for long."""

        def write(server: redis.Redis) -> None:
            pipeline: Any = server.pipeline(transaction=False)
            pipeline.zadd(_DISPATCHERS, {dispatcher: now_ms})
            pipeline.zremrangebyscore(_DISPATCHERS, "-inf", now_ms - 10 * _ALIVE_MS)
            pipeline.pexpire(_DISPATCHERS, 10 * _ALIVE_MS)
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
            lambda server: index(server.zcount(_DISPATCHERS, since_ms, "+inf")),
            retries=False,
        )

    def backlog(self, now_ms: int) -> dict[str, tuple[int, float]]:
        """Return how many entries each kind has, and by how many seconds the first is overdue.

        What dispatchers handle are entries as well: after a crash they are due again.
        """
        keys = [shard_key(shard, f"due.{kind}") for kind in KINDS for shard in range(SHARDS)]
        sizes = self._calls.call_each(
            keys, lambda server, key: server.zcard(key), lambda size: size or 0, retries=False
        )
        used = [(key, size) for key, size in zip(keys, sizes, strict=True) if size]
        first = self._calls.call_each(
            [key for key, _ in used],
            lambda server, key: server.zrange(key, 0, 0, withscores=True),
            lambda found: found[0][1] if found else now_ms,
            retries=False,
        )
        entries, delays_s = self.claimed(), dict.fromkeys(KINDS, 0.0)
        for (key, size), first_ms in zip(used, first, strict=True):
            kind = key.rpartition(".")[2]
            entries[kind] += size
            delays_s[kind] = max(delays_s[kind], (now_ms - first_ms) / 1000)
        return {kind: (entries[kind], delay_s) for kind, delay_s in delays_s.items()}

    def claimed(self) -> Counter[str]:
        """Return how many entries of each kind dispatchers handle, or handled when they crashed."""
        found = self._calls.call_each(
            [shard_key(shard, "leases") for shard in range(SHARDS)],
            lambda server, key: server.zrange(key, 0, -1),
            lambda members: members or [],
            retries=False,
        )
        return Counter(entry.partition(b"/")[0].decode() for members in found for entry in members)


def _run(script: Script, keys: list[str], arguments: list[Any]) -> Callable[[redis.Redis], Any]:
    return lambda server: script.run(server, keys, arguments)


def shard_of_entry(entry: str) -> int:
    """Return the shard that holds the entries of an id."""
    return shard_of(entry.partition("/")[0])


def _due_key(kind: str, entry: str) -> str:
    return shard_key(shard_of_entry(entry), f"due.{kind}")


def _leases_key(entry: str) -> str:
    return shard_key(shard_of_entry(entry), "leases")
