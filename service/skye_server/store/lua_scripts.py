"""Lua scripts, which Redis runs atomically (compare-and-set), and WAIT for their replication to replicas."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import redis

from skye_server.store.connection.failures import TooFewReplicas

PUBLISH: Final = """
local function publish(key)
  local channel = key:match('skye:{.*:') .. 'changes'
  local reply = redis.pcall('SPUBLISH', channel, '')
  if type(reply) == 'table' and reply.err then redis.call('PUBLISH', channel, '') end
end
"""
"""Publishes a change of the game, player or shard that a key belongs to; see `store.shards`."""

REPLICATE: Final = """
local function replicate(key)
  key = key .. ':replicate'
  redis.call('DEL', key)
  redis.call('SET', key, '')
  redis.call('DEL', key)
end
"""
"""Writes in a retry that changes nothing: WAIT on a connection without writes has nothing to wait for.

DEL comes first because Redis checks its memory limit only until the first write of a script.
"""

PACK: Final = """
local function pack(key)
  local copy = key .. ':copy'
  if redis.pcall('COPY', key, copy, 'REPLACE') == 1 then redis.call('RENAME', copy, key) end
end
"""
"""Makes a stream that was just created as small as its entries.

Redis allocates 4 KiB for the first entry of a stream; a copy has the size of what it holds, and grows later.
During a reshard COPY may be refused: then the stream stays as it is.
"""

MAX_WAIT_MS: Final = 15_000
"""After how long a dispatcher looks at a shard although nothing of it is known to be due."""

MAX_IDEMPOTENCY_KEYS: Final = 64
"""How many idempotency records a game has.

A commit beyond that deletes the oldest record of the owner of most: nobody replaces those of others.
"""


class MinReplicas(NamedTuple):
    """How many replicas must acknowledge a write (WAIT), and within how many milliseconds."""

    replicas: int
    timeout_ms: int


class Script:
    """A Lua script, which a server caches under its hash after the first run."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._hash = hashlib.sha1(source.encode(), usedforsecurity=False).hexdigest()

    def run(
        self,
        server: redis.Redis,
        keys: Sequence[str],
        arguments: Sequence[Any],
        min_replicas: MinReplicas | None = None,
    ) -> Any:
        """Run the script and return its result.

        :param min_replicas: the replicas that must acknowledge the write, unless the result is 0.
        :raises TooFewReplicas: when they have not in time; the server itself has the write.
        """
        try:
            if min_replicas is None:
                return server.evalsha(self._hash, len(keys), *keys, *arguments)
            return _run_and_wait(server, ("EVALSHA", self._hash, len(keys), *keys, *arguments), min_replicas)
        except redis.exceptions.NoScriptError:  # after a restart, or on a replica that became master
            if min_replicas is None:
                return server.eval(self._source, len(keys), *keys, *arguments)
            return _run_and_wait(server, ("EVAL", self._source, len(keys), *keys, *arguments), min_replicas)


def _run_and_wait(server: redis.Redis, command: tuple[Any, ...], min_replicas: MinReplicas) -> Any:
    """Send a command and WAIT in one pipeline: WAIT covers the writes of its own connection only."""
    pipeline: Any = server.pipeline(transaction=False)
    pipeline.execute_command(*command)
    pipeline.execute_command("WAIT", *min_replicas)
    result, acknowledged = pipeline.execute(raise_on_error=False)
    if isinstance(result, Exception):
        raise result
    if result and isinstance(acknowledged, Exception):
        raise TooFewReplicas(str(acknowledged)) from acknowledged
    if result and acknowledged < min_replicas.replicas:
        raise TooFewReplicas(f"{acknowledged} of {min_replicas.replicas} replicas acknowledged in time")
    return result


# All writes of one change, in one step. KEYS: game, log, idempotency record, list of the records, watch
# codes, webhooks, due events of webhooks, unrelayed games, then the key of each due entry. ARGV: 1 how often
# it was sent before, 2 the prefix that the stored game must have (empty: none may exist), 3 the new game, 4
# its TTL in seconds, 5 a record (empty: none), 6 its TTL, 7 whether the entries replace the log, 8 the id of
# the game, 9 the time in milliseconds since 1970, 10 the owner of the record, 11 the version of the game if
# it is to be relayed (empty: nothing is), then for each due entry its id and time, then for each log entry
# its id, data and header. The first due entry is the game itself, whose time is set; an earlier time of
# another entry stays. So does the older version of a game that is not relayed yet.
#
# Returns 1: committed; 0: conflict, nothing written; 3: the log is missing, nothing written. A retry whose
# first attempt was committed finds its last entry in the log under its own id, and returns 1. 2: unknown,
# because the log has been replaced since. A retry that was committed sets a TTL again: WAIT on a connection
# without writes of its own has nothing to wait for.
#
# Redis does not roll back a script that fails. So the types of all keys are checked before the first write,
# and all keys are declared: Redis refuses the whole script while their slot moves to another server.
COMMIT: Final = Script(
    f"local max_records, max_wait = {MAX_IDEMPOTENCY_KEYS}, {MAX_WAIT_MS}\n{PUBLISH}{PACK}"
    """
local expected, now = ARGV[2], tonumber(ARGV[9])
local dues = #KEYS - 8
local first_entry = 12 + 2 * dues
if ARGV[1] ~= '0' then
  local ours = false
  if first_entry > #ARGV then
    ours = redis.call('GET', KEYS[1]) == ARGV[3]
  else
    local id = ARGV[#ARGV - 2]
    local last = redis.call('XRANGE', KEYS[2], id, id)[1]
    ours = last and last[2][2] == ARGV[#ARGV - 1]
    local first = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', 1)[1]
    local number = '^%d+'
    if not ours and first and tonumber(first[1]:match(number)) > tonumber(id:match(number)) then return 2 end
  end
  if ours then
    redis.call('PEXPIRE', KEYS[2], math.max(redis.call('PTTL', KEYS[2]), 1))
    return 1
  end
end
if expected == '' then
  if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
elseif redis.call('GETRANGE', KEYS[1], 0, #expected - 1) ~= expected then
  return 0
end
if ARGV[5] ~= '' and redis.call('EXISTS', KEYS[3]) == 1 then return 0 end
local records = ARGV[5] ~= '' and redis.call('LLEN', KEYS[4]) or 0
local kind = redis.call('TYPE', KEYS[2]).ok
if kind == 'none' then
  if expected ~= '' then return 3 end
elseif kind ~= 'stream' then
  return redis.error_reply('WRONGTYPE of the log')
end
local has_webhooks = redis.call('HLEN', KEYS[6]) > 0
local has_watch_codes = redis.call('HLEN', KEYS[5]) > 0
if has_webhooks then redis.call('ZCARD', KEYS[7]) end
if ARGV[11] ~= '' then redis.call('HLEN', KEYS[8]) end
for at = 9, #KEYS do redis.call('ZCARD', KEYS[at]) end
local function oldest_of_most(entries)
  local numbers, most = {}, 0
  for _, entry in ipairs(entries) do
    local owner = entry:sub(33)
    numbers[owner] = (numbers[owner] or 0) + 1
    most = math.max(most, numbers[owner])
  end
  for _, entry in ipairs(entries) do
    if numbers[entry:sub(33)] == most then return entry end
  end
end
-- Redis checks its memory limit only until the first write of a script, so DEL runs only when there is a log.
if kind == 'stream' and (expected == '' or ARGV[7] == '1') then redis.call('DEL', KEYS[2]) end
for i = first_entry, #ARGV, 3 do
  redis.call('XADD', KEYS[2], ARGV[i], 'c', ARGV[i + 1], 'h', ARGV[i + 2])
end
if kind == 'none' or expected == '' or ARGV[7] == '1' then pack(KEYS[2]) end
redis.call('EXPIRE', KEYS[2], ARGV[4])
redis.call('SET', KEYS[1], ARGV[3], 'EX', ARGV[4])
if has_watch_codes then redis.call('EXPIRE', KEYS[5], ARGV[4]) end
if ARGV[5] ~= '' then
  redis.call('SET', KEYS[3], ARGV[5], 'EX', ARGV[6])
  redis.call('RPUSH', KEYS[4], KEYS[3]:sub(-32) .. ARGV[10])
  redis.call('EXPIRE', KEYS[4], ARGV[6])
  if records == max_records then
    local oldest = oldest_of_most(redis.call('LRANGE', KEYS[4], 0, -1))
    redis.call('LREM', KEYS[4], 1, oldest)
    redis.pcall('DEL', KEYS[3]:sub(1, -33) .. oldest:sub(1, 32))
  end
end
local function set_due(key, id, at, which)
  redis.call('ZADD', key, which, 'CH', at, id)
  -- A later entry is found when a dispatcher looks at the shard anyway.
  if at - now < max_wait and redis.call('ZRANGE', key, 0, 0)[1] == id then publish(key) end
end
if ARGV[11] ~= '' then redis.call('HSETNX', KEYS[8], ARGV[8], ARGV[11]) end
for at = 1, dues do set_due(KEYS[8 + at], ARGV[10 + 2 * at], ARGV[11 + 2 * at], at > 1 and 'LT' or 'CH') end
if has_webhooks then set_due(KEYS[7], ARGV[8] .. '/' .. ARGV[8], ARGV[9], 'LT') end
publish(KEYS[1])
return 1
"""
)

# KEYS: game, log, list of the idempotency records, idempotency record of the deletion, watch codes, webhooks,
# due entries of games, due entries of the relay, unrelayed games. ARGV: 1 how often it was sent before, 2 the
# prefix that the stored game must have, 3 a record of the deletion (empty: none), 4 its TTL, 5 the id of the
# game, 6 when the relay is due, then the ids of its entries: they stay until all have seen that the game is
# gone.
#
# Returns 1: deleted; 0: conflict, nothing deleted. A retry whose first attempt deleted the game finds none,
# and sets the record again, or replicates.
DELETE: Final = Script(
    PUBLISH
    + REPLICATE
    + """
if redis.call('EXISTS', KEYS[1]) == 0 then
  if ARGV[1] == '0' then return 0 end
elseif redis.call('GETRANGE', KEYS[1], 0, #ARGV[2] - 1) ~= ARGV[2] then
  return 0
end
local records, webhooks = redis.call('LRANGE', KEYS[3], 0, -1), redis.call('HKEYS', KEYS[6])
redis.call('ZCARD', KEYS[7])
redis.call('ZCARD', KEYS[8])
redis.call('HLEN', KEYS[9])
for _, entry in ipairs(records) do redis.pcall('DEL', KEYS[3]:sub(1, -2) .. ':' .. entry:sub(1, 32)) end
for _, webhook in ipairs(webhooks) do
  for _, part in ipairs({'', ':order', ':queue', ':done', ':ended'}) do
    redis.pcall('DEL', KEYS[6]:sub(1, -2) .. ':' .. webhook .. part)
  end
end
for at = 1, 6 do if at ~= 4 then redis.call('DEL', KEYS[at]) end end
-- After DEL, so that a server whose memory is full deletes games too.
redis.call('HSET', KEYS[9], ARGV[5], 0)
for at = 7, #ARGV do redis.call('ZADD', KEYS[8], 'LT', ARGV[6], ARGV[at]) end
redis.call('ZREM', KEYS[7], ARGV[5])
if ARGV[3] ~= '' then redis.call('SET', KEYS[4], ARGV[3], 'EX', ARGV[4]) else replicate(KEYS[1]) end
publish(KEYS[1])
return 1
"""
)

# After a relay. KEYS: game, due entries of the relay, unrelayed games. ARGV: 1 the prefix of the game that
# was relayed (empty: there is none), 2 its id, 3 when the relay is due again (empty: never), 4 the version of
# the commit that was relayed (empty: all that is stored), then the ids of further entries that are done.
# Returns whether the stored game is still the one that was relayed, and no older version waits; otherwise all
# entries stay. The time of an entry shows neither: commits of several processes have the times of several
# clocks, and a deadline that is to be reported as near has the same entry.
SETTLE: Final = Script("""
local stored = redis.call('GETRANGE', KEYS[1], 0, math.max(#ARGV[1], 1) - 1)
if stored ~= ARGV[1] then return 0 end
local oldest = redis.call('HGET', KEYS[3], ARGV[2])
if oldest and ARGV[4] ~= '' and oldest ~= ARGV[4] then return 0 end
redis.call('HDEL', KEYS[3], ARGV[2])
for at = 5, #ARGV do redis.call('ZREM', KEYS[2], ARGV[at]) end
if ARGV[3] == '' then redis.call('ZREM', KEYS[2], ARGV[2])
else redis.call('ZADD', KEYS[2], ARGV[3], ARGV[2]) end
return 1
""")

# KEYS: an idempotency record. Returns whether it exists; sets its TTL again, as a write that WAIT waits for.
TOUCH: Final = Script("""
local left = redis.call('PTTL', KEYS[1])
return left > 0 and redis.call('PEXPIRE', KEYS[1], left) or 0
""")

# KEYS: a bucket. ARGV: the amount to add and the capacity, in microseconds. Returns whether the amount was
# added, and the level. The value is the time at which the bucket will be empty, by the clock of Redis, which
# all instances share. A level far above the capacity comes from a clock that was set back, and a value that
# is not a number, or of another Redis type, is corrupt: both count as empty.
FILL: Final = Script("""
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local amount, capacity = tonumber(ARGV[1]), tonumber(ARGV[2])
local empty_at = tonumber(redis.pcall('GET', KEYS[1]) or now) or now
local filled = math.max(empty_at - now, 0)
if filled > 2 * capacity then filled = 0 end
if filled + amount > capacity then return {0, filled} end
filled = filled + amount
redis.call('SET', KEYS[1], string.format('%.0f', now + filled), 'PX', math.ceil(filled / 1000))
return {1, filled}
""")
