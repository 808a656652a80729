"""What Redis does in one step: scripts in Lua, and how they are run on a server."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import redis

from service.storage.retry import TooFewReplicas


class MinReplicas(NamedTuple):
    """How many replicas are to have a change, and how long they may take, in milliseconds."""

    replicas: int
    wait_ms: int


class Script:
    """A script, which a server knows by its hash once it has run it."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._hash = hashlib.sha1(source.encode(), usedforsecurity=False).hexdigest()

    def run(self, server: redis.Redis, keys: Sequence[str], arguments: Sequence[Any]) -> Any:
        """Return what it returns."""
        try:
            return server.evalsha(self._hash, len(keys), *keys, *arguments)
        except redis.exceptions.NoScriptError:  # as after a start, or on a replica that has become master
            return server.eval(self._source, len(keys), *keys, *arguments)

    def run_copied(
        self, server: redis.Redis, keys: Sequence[str], arguments: Sequence[Any], copies: MinReplicas
    ) -> Any:
        """Return what it returns; if that is not 0, as many replicas as wanted have what it has written.

        :raises TooFewReplicas: when they have not in time. The server has it.
        """
        done, copied = _piped(server, ("EVALSHA", self._hash, len(keys), *keys, *arguments), copies)
        if isinstance(done, redis.exceptions.NoScriptError):
            done, copied = _piped(server, ("EVAL", self._source, len(keys), *keys, *arguments), copies)
        for result in (done, copied):
            if isinstance(result, Exception):
                raise result
        if done and copied < copies.replicas:
            raise TooFewReplicas(f"{copied} of {copies.replicas} replicas have a change in time")
        return done


def _piped(server: redis.Redis, command: tuple[Any, ...], copies: MinReplicas) -> list[Any]:
    """Send a command and the wait for its copies together: what waits is the connection."""
    pipeline: Any = server.pipeline(transaction=False)
    pipeline.execute_command(*command)
    pipeline.execute_command("WAIT", copies.replicas, copies.wait_ms)
    results: list[Any] = pipeline.execute(raise_on_error=False)
    return results


# KEYS: table, log, answer. ARGV: the header the stored table must have (empty: none may exist), the new
# table, its seconds to live, an answer (empty: none) and its seconds, the message to publish, whether the log
# begins anew, whether this has been sent before, then the entries of the log as id, bytes, id, bytes ...
#
# Returns 1 when all is written, 0 when nothing is, 3 when nothing is because the log is lost. Sent again, it
# may have been written the first time: it has if the log holds our last entry under our own id. 2: that
# cannot be told, for the log has been packed since. What is found written is written once more, if only its
# time to live: a connection that has written nothing has no replica to wait for.
COMMIT: Final = Script("""
local expected = ARGV[1]
if ARGV[8] == '1' then
  local ours = false
  if #ARGV == 8 then
    ours = redis.call('GET', KEYS[1]) == ARGV[2]
  else
    local id = ARGV[#ARGV - 1]
    local last = redis.call('XRANGE', KEYS[2], id, id)[1]
    ours = last and last[2][2] == ARGV[#ARGV]
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
if ARGV[4] ~= '' and redis.call('EXISTS', KEYS[3]) == 1 then return 0 end
local logged = redis.call('EXISTS', KEYS[2]) == 1
if expected ~= '' and not logged then return 3 end
-- The log comes first: a script that fails has no effect undone, and only here could it fail. Redis looks
-- at its memory no more once a script has written, so nothing is deleted that is not there.
if logged and (expected == '' or ARGV[7] == '1') then redis.call('DEL', KEYS[2]) end
for i = 9, #ARGV, 2 do
  redis.call('XADD', KEYS[2], ARGV[i], 'c', ARGV[i + 1])
end
redis.call('EXPIRE', KEYS[2], ARGV[3])
redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
if ARGV[4] ~= '' then redis.call('SET', KEYS[3], ARGV[4], 'EX', ARGV[5]) end
redis.call('PUBLISH', 'skye:changes', ARGV[6])
return 1
""")

# KEYS: an answer. Returns whether it is there, and writes it once more, so that one can wait for replicas.
TOUCH: Final = Script("""
local left = redis.call('PTTL', KEYS[1])
return left > 0 and redis.call('PEXPIRE', KEYS[1], left) or 0
""")

# KEYS: a bucket. ARGV: what to fill in, and how much the bucket holds, in microseconds of its running out.
# Returns whether that has fitted in, and how full the bucket then is. Redis's own clock counts, for all
# instances share it; a bucket far fuller than full is from before it was set back, and counts as empty.
FILL: Final = Script("""
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local amount, capacity = tonumber(ARGV[1]), tonumber(ARGV[2])
local empty_at = tonumber(redis.call('GET', KEYS[1]) or now)
local filled = math.max(empty_at - now, 0)
if filled > 2 * capacity then filled = 0 end
if filled + amount > capacity then return {0, filled} end
filled = filled + amount
redis.call('SET', KEYS[1], string.format('%.0f', now + filled), 'PX', math.ceil(filled / 1000))
return {1, filled}
""")
