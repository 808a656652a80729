"""Signs of life of workers, and the list of outages: time in which no worker could take an action.

Theory of operation. A *sign of life* says that at this time, by the clock of Redis, a worker could commit a
change of any game: it had just written to every master that has shards, and the replicas that a commit needs
had the write. Every worker gives one every two seconds. A gap of more than five seconds between two signs is
an *outage*. The script that finds it appends it to the list and gives the new sign, in one step: two workers
find one gap once, and nothing comes between the two. An outage ends five seconds after the sign that ends it:
clients reconnect meanwhile. Its number is the last number + 1, or the time in milliseconds if that is more:
numbers grow, also after Redis has lost the list. A step of the clock is a gap too, forward or back.

    worker:      write to every master ─▶ script: sign, and outage if there was a gap ─┐
                     │ fails                                                           ▼
    dispatcher: ─────┴─▶ read ─▶ the time of Redis ─▶ `SharedClock`, then the list ─▶ `SignsOfLife.uptime`

Each process reads sign and list in one step, with the time of Redis, and sets its clock first: no process has
a list that is newer than its clock. The same step reads whether the process may use the stored games at all
(`layout`): a worker refuses requests otherwise, and gives no sign. `commands.current_games` adds the outages
that a game has not seen to its times, and nobody is late before a sign that is later than the deadline.

    skye:{clock}:outages  hash  `sign`: the time of the last sign; `last`: the number of the last outage;
                                NUMBER: start and end of an outage; `restoring`: set while a restore goes on

All times are in milliseconds since 1970. What may fail:

- Redis loses the sign, or an outage: the next sign finds a longer gap, with a higher number. A game that has
  seen the lost outage counts its times from the end of that (see `games.outages`).
- One master of a cluster fails: there is no sign, so there is an outage of all games; those of other masters
  can be played on meanwhile.
- A restore goes on: there is no sign, so nobody is late. The list of the backup is restored last, with its
  sign; the next sign finds the gap since the backup.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, NamedTuple

import redis

from skye_server.error_codes import Problem
from skye_server.games.outages import Outage, Uptime
from skye_server.observability.logs import facts
from skye_server.store.connection.batching import read_together
from skye_server.store.connection.calls import RedisCalls
from skye_server.store.layout import KEY as LAYOUT_KEY
from skye_server.store.layout import RESTORE_KEY, UNFINISHED, claim_layout, unusable_layout
from skye_server.store.lua_scripts import Script
from skye_server.store.shards import SHARDS, shard_key
from skye_server.store.shared_clock import SharedClock

KEY: Final = "skye:{clock}:outages"
"""The key of the signs and the list, at the server whose clock is that of the service."""

SIGN_S: Final = 2.0
"""How often a worker gives a sign of life, and every process reads the last one."""

MAX_GAP_MS: Final = 5_000
"""A longer gap between two signs is an outage."""

RECONNECT_MS: Final = 5_000
"""How long an outage lasts after the sign that ends it."""

MAX_OUTAGE_MS: Final = 7 * 86_400_000
"""No outage is longer; nor is a step of the clock."""

MAX_OUTAGES: Final = 500
"""How many outages the list has; one more drops the oldest."""

_LOOK_S: Final = 0.25
_RETRY_S: Final = 0.5

_log = logging.getLogger(__name__)

# KEYS: a key of any shard of the server. Writes like a commit: Redis refuses it when its memory is full.
_REACH: Final = Script("redis.call('SET', KEYS[1], '') redis.call('DEL', KEYS[1]) return 1")

# KEYS: signs and list, the number of the layout, the mark of a restore. ARGV: the longest gap, how long an
# outage lasts after the sign that ends it, its greatest length, how long it is kept, all in milliseconds, and
# how many are kept. Returns the number of the outage that was found, 0 if there was none, the time of Redis,
# all fields of the hash, and the other values.
_SIGN: Final = Script("""
local key = KEYS[1]
local gap, reconnect, longest, kept, most = unpack(ARGV)
local time = redis.call('TIME')
local now, found = time[1] * 1000 + math.floor(time[2] / 1000), 0
local function text(number) return string.format('%.0f', number) end
local function drop_old()
  local fields, numbers = redis.call('HGETALL', key), {}
  for at = 1, #fields, 2 do
    local number, stop = tonumber(fields[at]), tonumber(fields[at + 1]:match(' (%d+)$'))
    if number and stop + kept < now then redis.call('HDEL', key, fields[at])
    elseif number then table.insert(numbers, number) end
  end
  table.sort(numbers)
  for at = 1, #numbers - most do redis.call('HDEL', key, text(numbers[at])) end
end
if redis.call('HEXISTS', key, 'restoring') == 0 then
  local sign = tonumber(redis.call('HGET', key, 'sign') or now)
  if math.abs(now - sign) > tonumber(gap) then
    local start = math.max(math.min(sign, now + longest), now - longest)
    found = math.max(tonumber(redis.call('HGET', key, 'last') or 0) + 1, now)
    redis.call('HSET', key, text(found), text(start) .. ' ' .. text(now + reconnect), 'last', text(found))
    drop_old()
  end
  redis.call('HSET', key, 'sign', text(now))
end
return {text(found), time, redis.call('HGETALL', key), redis.call('MGET', KEYS[2], KEYS[3])}
""")


class Reading(NamedTuple):
    """What a process has read.

    :param now_s: the time of Redis, in seconds since 1970.
    :param found: the outage that this sign has ended, if any.
    :param layout: the number of the layout as it is stored, None if there is none.
    :param is_restoring: whether a restore has not finished.
    """

    now_s: float
    uptime: Uptime
    found: Outage | None = None
    layout: bytes | None = None
    is_restoring: bool = False


class OutageStore:
    """The signs of life and the list of outages. Every method raises Problem store_unavailable."""

    def __init__(self, calls: RedisCalls) -> None:
        self._calls = calls

    def reach_masters(self) -> None:
        """Write to every server that has shards, as a commit does."""
        keys = [shard_key(shard, "sign") for shard in range(SHARDS)]

        def write(server: redis.Redis, places: list[int], number: int) -> int:
            _REACH.run(server, [keys[places[0]]], (), self._calls.min_replicas)
            return number

        replies = self._calls.write_at_servers(keys, write)
        if len(replies) < replies[0][1]:
            raise Problem("store_unavailable")

    def sign(self, kept_ms: int) -> Reading:
        """Give a sign of life, and append an outage to the list if there was a gap.

        :param kept_ms: how long an outage is kept after its end.
        """
        keys = [KEY, LAYOUT_KEY, RESTORE_KEY]
        arguments = (MAX_GAP_MS, RECONNECT_MS, MAX_OUTAGE_MS, kept_ms, MAX_OUTAGES)

        def run(server: redis.Redis) -> Reading:
            found, at, fields, (layout, restoring) = _SIGN.run(
                server, keys, arguments, self._calls.min_replicas
            )
            uptime = _uptime(dict(zip(fields[::2], fields[1::2], strict=True)))
            ended = next((outage for outage in uptime.outages if outage.number == int(found)), None)
            return Reading(_seconds(at), uptime, ended, layout, restoring is not None)

        return self._calls.call(KEY, run, writes=True, retries=False)

    def read(self) -> Reading:
        """Return the last sign of life and the list."""

        def run(server: redis.Redis) -> Reading:
            asked = [("HGETALL", KEY), ("TIME",), ("MGET", LAYOUT_KEY, RESTORE_KEY)]
            fields, at, (layout, restoring) = read_together(server, asked)
            return Reading(_seconds(at), _uptime(fields), None, layout, restoring is not None)

        return self._calls.call(KEY, run, retries=False)

    def claim_layout(self, *, is_ours: bool) -> str:
        """See `layout.claim_layout`."""
        return claim_layout(self._calls, is_ours=is_ours)

    def begin_restore(self) -> bool:
        """Let no worker give a sign until the list is restored; return whether a worker gave one before."""

        def run(server: redis.Redis) -> bool:
            pipeline: Any = server.pipeline(transaction=True)
            pipeline.hexists(KEY, "sign").delete(KEY).hset(KEY, "restoring", 1)
            return bool(pipeline.execute()[0])

        return self._calls.call(KEY, run, writes=True)

    def finish_restore(self) -> None:
        """Let workers give signs again, if the backup had no list."""
        self._calls.call(KEY, lambda server: server.hdel(KEY, "restoring"), writes=True)


def _uptime(fields: dict[bytes, bytes]) -> Uptime:
    outages = [
        Outage(int(field), *map(int, value.split())) for field, value in fields.items() if field.isdigit()
    ]
    return Uptime(int(fields.get(b"sign", 0)), tuple(sorted(outages)))


def _seconds(at: tuple[Any, Any]) -> float:
    return float(at[0]) + float(at[1]) / 1_000_000


class SignsOfLife:
    """What a process knows of signs of life and outages, and the thread that reads them, and gives signs.

    :param clock: set by each reading, if it is the clock of Redis.
    :param kept_ms: how long an outage is kept after its end: as long as games that are played.
    """

    def __init__(self, store: OutageStore, clock: Callable[[], float], kept_ms: int) -> None:
        self.uptime: Uptime | None = None
        """What was read last; None in a process that was not started, for which nobody was ever absent."""

        self._refusal = ""
        self._is_started = self._has_read = False
        self.clock = clock
        self._store = store
        self._kept_ms = kept_ms
        self._lock = threading.Lock()
        self._looking = threading.Lock()
        self._look_at = 0.0
        self._has_signed = False
        self._stopped = threading.Event()

    def start(self, *, gives_signs: bool) -> None:
        """Read regularly from now on; nobody is late before the first reading.

        :param gives_signs: whether this process serves actions.
        """
        self.uptime, self._is_started = Uptime(0), True
        run = threading.Thread(target=self._run, args=(gives_signs,), name="signs-of-life", daemon=True)
        run.start()

    def refusal(self) -> str:
        """Return why this process must not use the stored games now, or "": see `layout`."""
        if self._is_started and not self._has_read:
            self.look()
        return self._refusal

    def stop(self) -> None:
        """Give no signs from now on, and read no more: the process serves no more actions."""
        self._stopped.set()

    def look(self) -> None:
        """Read again, unless this process has just done so; without Redis the last reading stays."""
        with self._looking:
            if self.uptime is not None and time.monotonic() >= self._look_at:
                is_read = self.read()
                self._look_at = time.monotonic() + (_LOOK_S if is_read else SIGN_S)

    def read(self) -> bool:
        """Read the last sign and the list; return whether that succeeded."""
        with suppress(Problem), self._lock:
            self._take(self._store.read)
            return True
        return False

    def _run(self, gives_signs: bool) -> None:
        while not self._stopped.is_set():
            began = time.monotonic()
            is_done = self.turn(gives_signs=gives_signs)
            self._stopped.wait(max(SIGN_S - (time.monotonic() - began), 0) if is_done else _RETRY_S)

    def turn(self, *, gives_signs: bool) -> bool:
        """Read, or give a sign if the stored games can be used; return whether the next turn may wait."""
        is_usable = (self._has_read or self.read()) and not self._refusal
        if gives_signs and is_usable and self.sign():
            return True
        return self.read() and not gives_signs

    def sign(self) -> bool:
        """Give a sign of life; return whether it succeeded."""
        began = time.monotonic()
        try:
            self._store.reach_masters()
            if time.monotonic() - began > SIGN_S or self._stopped.is_set():
                return False  # this process may have been suspended since
            with self._lock:
                found = self._take(lambda: self._store.sign(self._kept_ms))
        except Problem:
            return False
        if found is not None:
            seconds = (found.end_ms - RECONNECT_MS - found.start_ms) / 1000
            known = facts(outage=found.number, seconds=seconds)
            level = logging.WARNING if self._has_signed else logging.INFO  # a start may have been planned
            _log.log(level, "no worker could act: the times of games move", extra=known)
        self._has_signed = True
        return True

    def _take(self, read: Callable[[], Reading]) -> Outage | None:
        readings: list[Reading] = []

        def time_of_redis() -> float:
            readings.append(read())
            return readings[0].now_s

        # The clock first: no game gets the time of an outage while this process has the time before it.
        if isinstance(self.clock, SharedClock):
            self.clock.read_by(time_of_redis)
        else:
            time_of_redis()
        reading = readings[0]
        # If Redis has lost the number since this process used the games, such processes wrote what is there.
        is_ours = self._has_read and not self._refusal
        refusal = (
            unusable_layout(reading.layout) if reading.layout else self._store.claim_layout(is_ours=is_ours)
        )
        self.uptime, self._has_read = reading.uptime, True
        if (refusal := refusal or (UNFINISHED if reading.is_restoring else "")) != self._refusal:
            self._refusal = refusal
            _log.warning(refusal or "the stored games can be used again")
        return reading.found
