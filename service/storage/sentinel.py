"""Topology of Redis behind Sentinels, which monitor the master and promote a replica to master (failover)."""

from __future__ import annotations

import math
import time
from typing import Any, Final, NamedTuple

import redis

from service.storage.redis_clients import LOOKUP_TIMEOUT_S, Address, ClientPool, create_client_at
from service.storage.redis_url import RedisUrl
from service.storage.retry import PROTOCOL_ERRORS, as_redis_error, call_deadline
from service.storage.ttl_cache import TtlCache

_MASTER_TTL_S: Final = 1.0
_SKIP_S: Final = 10.0
"""How long a Sentinel that did not respond is skipped."""


class SentinelTopology:
    """The current master of a service, as the Sentinels report it."""

    def __init__(self, url: RedisUrl, timeout_s: float) -> None:
        options = url.sentinel_options | {"protocol": 2}
        self._lookup_timeout_s = min(timeout_s, LOOKUP_TIMEOUT_S)
        self._sentinels = [
            create_client_at(address, options, self._lookup_timeout_s) for address in url.addresses
        ]
        self._skipped_until: dict[redis.Redis, float] = {}
        self._service = url.service
        self._clients = ClientPool(url.options, timeout_s)
        self._master = TtlCache(self._look_up, _MASTER_TTL_S)
        self._last_known: Address | None = None
        self._epoch = 0

    def connection_for(self, key: str, since: float = -math.inf) -> redis.Redis:  # noqa: ARG002 - all keys
        """See `Topology.connection_for`."""
        return self._clients.client_at(self._master.get(since))

    def invalidate(self, error: redis.RedisError) -> None:  # noqa: ARG002 - any
        """See `Topology.invalidate`."""
        self._master.invalidate()

    def _look_up(self) -> Address:
        """Return the master's address with the highest configuration epoch.

        All Sentinels are queried: one that missed a failover would name the old master. If none responds, the
        last known master stays. An epoch lower than one seen before is accepted only from a majority, as
        after the Sentinels were set up again.

        :raises NoMaster: when the Sentinels do not agree on a master that is up.
        """
        reports, errors = self._query_all()
        if not reports:
            if self._last_known is None:
                raise NoMaster(f"no Sentinel responds for {self._service!r}: {errors[-1]}")
            return self._last_known
        latest = max(report.epoch for report in reports)
        if latest < self._epoch and 2 * len(reports) <= len(self._sentinels):
            raise NoMaster(f"the Sentinels do not report the last failover of {self._service!r}")
        self._epoch = latest
        up = [report.address for report in reports if report.epoch == latest and report.is_up]
        if not up or any(report.is_failing_over for report in reports):
            raise NoMaster(f"the master of {self._service!r} is down, and no other is elected yet")
        self._clients.retain_only(up[:1])
        self._last_known = up[0]
        return up[0]

    def _query_all(self) -> tuple[list[_Report], list[redis.RedisError]]:
        """Return the reports of the Sentinels that respond, and the errors of the others."""
        now = time.monotonic()
        awake = [sentinel for sentinel in self._sentinels if self._skipped_until.get(sentinel, now) <= now]
        reports: list[_Report] = []
        errors: list[redis.RedisError] = []
        for sentinel in awake or self._sentinels:
            try:
                with call_deadline(self._lookup_timeout_s):
                    reports.append(self._query(sentinel))
            except (redis.RedisError, *PROTOCOL_ERRORS) as error:
                errors.append(as_redis_error(error))
                self._skipped_until[sentinel] = time.monotonic() + _SKIP_S
        return reports, errors

    def _query(self, sentinel: redis.Redis) -> _Report:
        pipeline: Any = sentinel.pipeline(transaction=False)
        pipeline.execute_command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", self._service)
        pipeline.execute_command("SENTINEL", "MASTER", self._service)
        named, master = pipeline.execute()
        if named is None:
            raise NoMaster(f"a Sentinel does not monitor {self._service!r}")
        fields: dict[bytes, bytes] = dict(zip(master[::2], master[1::2], strict=True))
        # While the replicas are reconfigured, the elected master is named already but the fields describe
        # the old one.
        is_elected = named != [fields[b"ip"], fields[b"port"]]
        flags = fields[b"flags"].split(b",")
        is_down = b"s_down" in flags or b"o_down" in flags
        is_failing_over = b"failover_in_progress" in flags and not is_elected
        address = named[0].decode(), int(named[1])
        return _Report(int(fields[b"config-epoch"]), address, is_elected or not is_down, is_failing_over)


class _Report(NamedTuple):
    """The report of a Sentinel on the master; of two that differ, the one with the higher epoch is right.

    A Sentinel that is failing over may already have promoted a replica.
    """

    epoch: int
    address: Address
    is_up: bool
    is_failing_over: bool


class NoMaster(redis.ConnectionError):
    """The Sentinels report no master that is up."""
