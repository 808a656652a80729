"""The store on Redis, which holds all state of the service: its connections, and its parts.

Of rate limits, `skye:bucket:KIND:ADDRESS`: the time, in microseconds since 1970, at which a leaky bucket will
be empty. Buckets and indexes have no format number: a new format would get another key.

Other modules describe other keys: `shards` and `redis_games` those of games, `redis_players` and
`history_store` those of players, `game_index` those of the list of public games, `due_queue` those of due
work, `ruleset_store` that of rulesets, `outages` that of outages, `layout` its own number. Features have
stores of their own, on the same `calls`.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Final

import redis

from skye_server.error_codes import Problem
from skye_server.redis_url import MEMORY_URL, parse
from skye_server.settings import Settings
from skye_server.store import outages, redis_deletion
from skye_server.store.backup import (
    Counts,
    finish_restore,
    restore_backup,
    stored_keys,
    unfinished_restore,
    write_backup,
)
from skye_server.store.connection.calls import RedisCalls, RetryPolicy
from skye_server.store.connection.failures import PROTOCOL_ERRORS, call_deadline
from skye_server.store.connection.prefixed import PrefixedTopology
from skye_server.store.connection.pubsub import ChangeSubscriber
from skye_server.store.connection.server_warnings import is_too_old, server_warnings
from skye_server.store.connection.topology import SingleServer, Topology, topology_of
from skye_server.store.due_queue import DueQueue
from skye_server.store.game_index import GameIndex
from skye_server.store.history_store import HistoryStore
from skye_server.store.key_sizes import KindSize, largest_kinds
from skye_server.store.layout import claim_layout, layout_refusal
from skye_server.store.lua_scripts import FILL, MinReplicas
from skye_server.store.memory_reserve import MemoryReserve
from skye_server.store.redis_games import RedisGames
from skye_server.store.redis_players import RedisPlayers
from skye_server.store.ruleset_store import RulesetStore

_PING_TIMEOUT_S: Final = 0.5
"""The deadline of a health check: shorter than that of other calls, because a probe is repeated anyway."""


_PROXY_KEY: Final = "skye:{clock}:proxy"
_NOTE_S: Final = 60.0


class RedisStore:
    """The store on a Redis server, or on a server that speaks its protocol.

    Every method raises Problem store_unavailable when the store fails.

    :param retry_policy: for all calls except those whose reply is useless later.
    :param min_replicas: the replicas that must acknowledge each commit. With all replicas, any server that is
        elected master has the commit (see `deploy/durability.md`).
    :param timeout_s: the deadline of each attempt of a call.
    """

    def __init__(
        self,
        topology: Topology | redis.Redis,
        retry_policy: RetryPolicy | None = None,
        min_replicas: MinReplicas | None = None,
        timeout_s: float | None = None,
    ) -> None:
        self._topology = SingleServer(topology) if isinstance(topology, redis.Redis) else topology
        self._retry_policy = retry_policy or RetryPolicy(0)
        self._timeout_s = timeout_s
        self._calls = RedisCalls(self._topology, self._retry_policy, timeout_s, min_replicas)
        self.games = RedisGames(self._calls)
        self.index = GameIndex(self._calls)
        self.players = RedisPlayers(self._calls)
        self.history = HistoryStore(self._calls)
        self.due = DueQueue(self._calls)
        self.rulesets = RulesetStore(self._calls)
        self.outages = outages.OutageStore(self._calls)
        self.reserve = MemoryReserve(self._calls, self._topology)
        self._note_at = 0.0
        # At random, so that processes do not all ping the same node of a cluster.
        self._ping_key = f"skye:{secrets.token_hex(8)}"

    @property
    def calls(self) -> RedisCalls:
        """The calls of this store: for the stores of features."""
        return self._calls

    @classmethod
    def from_settings(cls, settings: Settings) -> RedisStore:
        """Return the store that the settings name; it connects at the first call."""
        if settings.redis_url is None or settings.redis_url == MEMORY_URL:
            return cls(_in_memory())
        timeout_s = settings.redis_timeout_ms / 1000
        topology = topology_of(parse(settings.redis_url), timeout_s)
        retry_policy = RetryPolicy(settings.redis_wait_ms / 1000)
        min_replicas = MinReplicas(settings.redis_replicas, max(1, settings.redis_timeout_ms // 2))
        store = cls(topology, retry_policy, min_replicas if min_replicas.replicas else None, timeout_s)
        percent, warns = settings.redis_reserve_percent, settings.is_limited
        store.reserve = MemoryReserve(store.calls, topology, percent, warns=warns)
        return store

    def within(self, prefix: str) -> RedisStore:
        """Return a store on the same server of a lab, whose keys begin with a prefix: it shares no data."""
        topology = PrefixedTopology(self._topology, prefix)
        return RedisStore(topology, self._retry_policy, timeout_s=self._timeout_s)

    def delete_all(self) -> int:
        """Delete all data of the service on a single server; return the number of games."""
        return redis_deletion.delete_all(self._calls, self._ping_key)

    def backup(self, file: IO[bytes]) -> Counts:
        """See `write_backup`."""
        return write_backup(self._topology, self._calls, file)

    def restore(self, path: Path) -> Counts:
        """See `restore_backup`."""
        return restore_backup(self._topology, self._calls, self.outages, path)

    def claim_layout(self) -> str:
        """See `layout.claim_layout`."""
        return claim_layout(self._calls)

    def layout_refusal(self) -> str:
        """See `layout.layout_refusal`."""
        return layout_refusal(self._calls)

    def unfinished_restore(self) -> str | None:
        """See `backup.unfinished_restore`."""
        return unfinished_restore(self._calls)

    def finish_restore(self) -> None:
        """See `backup.finish_restore`."""
        self.outages.finish_restore()
        finish_restore(self._calls)

    def stored(self) -> Iterator[tuple[str, str]]:
        """Yield owner and kind of each key of games, players and pools; see `shards`."""
        yield from stored_keys(self._topology)

    def fill_bucket(self, bucket: str, amount_us: int, capacity_us: int) -> tuple[bool, int]:
        """Add an amount to a leaky bucket unless it would overflow.

        The bucket leaks one microsecond per microsecond.

        :returns: whether the amount was added, and the level in microseconds.
        """
        key = f"skye:bucket:{bucket}"

        def run(server: redis.Redis) -> tuple[bool, int]:
            done, filled_us = FILL.run(server, [key], [amount_us, capacity_us])
            return bool(done), int(filled_us)

        return self._calls.call(key, run, writes=True, retries=False)

    def note_proxy(self) -> None:
        """Remember for an hour that there is a proxy which the settings do not name, if Redis responds.

        A process writes it once a minute at most.
        """
        if (now := time.monotonic()) >= self._note_at:
            self._note_at = now + _NOTE_S
            with suppress(Problem):
                self._calls.call(
                    _PROXY_KEY, lambda server: server.set(_PROXY_KEY, "", ex=3600), writes=True, retries=False
                )

    def has_noted_proxy(self) -> bool:
        """Return whether `note_proxy` was called in the last hour."""
        return bool(self._calls.call(_PROXY_KEY, lambda server: server.exists(_PROXY_KEY), retries=False))

    def ping(self) -> None:
        """Return when the store responds."""

        def ping(server: redis.Redis) -> None:
            # Not around the lookup: if interrupted, it would never detect a Sentinel that does not respond.
            with call_deadline(_PING_TIMEOUT_S, Problem("store_unavailable")):
                if not server.ping():
                    raise ValueError("no PONG")

        self._calls.call(self._ping_key, ping, retries=False)

    def time(self) -> float:
        """Return the time of the Redis server that all processes of a service ask, in seconds since 1970.

        In a cluster it is the master of one slot.
        """

        def read(server: redis.Redis) -> float:
            with call_deadline(_PING_TIMEOUT_S, Problem("store_unavailable")):
                seconds, microseconds = server.time()
                return float(seconds) + float(microseconds) / 1_000_000

        return self._calls.call(outages.KEY, read, retries=False)

    def warnings(self) -> list[str]:
        """Return what an operator should change, such as an eviction policy or too few replicas."""
        return [*server_warnings(self._calls), *self._replicas_warnings(), *self.reserve.warnings()]

    def largest_kinds(self, number: int) -> list[KindSize]:
        """See `key_sizes.largest_kinds`."""
        return largest_kinds(self._calls, number)

    def too_old(self) -> str | None:
        """Return what the operator must change if Redis lacks commands that this store calls."""
        return next(filter(is_too_old, self.warnings()), None)

    def _replicas_warnings(self) -> list[str]:
        required = self._calls.min_replicas.replicas if self._calls.min_replicas else 0
        try:
            with call_deadline(_PING_TIMEOUT_S):
                found = self._topology.replicas()
        except (redis.RedisError, *PROTOCOL_ERRORS):
            return []  # Redis is unavailable, which the health check reports, or does not say it
        if found <= required:
            return []
        fault = f"SKYE_REDIS_REPLICAS is {required}, less than the number of replicas of a master"
        return [f"{fault}: a failover may lose acknowledged changes; set it to {found}"]

    def change_subscriber(self, on_change: Callable[[str], None]) -> ChangeSubscriber:
        """Return a subscriber to channels of changes, which never raises.

        :param on_change: called with each watched channel on which a change was published or may have been
            missed.
        """
        return ChangeSubscriber(self._topology, on_change)


def _in_memory() -> redis.Redis:
    """Return a Redis in the memory of this process."""
    import fakeredis  # noqa: PLC0415 - only where there is no Redis

    memory: redis.Redis = fakeredis.FakeRedis()
    return memory
