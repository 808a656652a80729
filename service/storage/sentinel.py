"""Redis behind Sentinels, who watch it and appoint another master when one fails."""

from __future__ import annotations

import math
import time
from typing import Any, Final, NamedTuple

import redis

from service.storage.call_deadline import within
from service.storage.protocol_errors import PROTOCOL_ERRORS, as_redis_error
from service.storage.redis_url import RedisUrl
from service.storage.topology import LOOKUP_S, Address, Clients, create_client_at
from service.storage.ttl_cache import TtlCache

_FRESH_S: Final = 1.0
_SILENCE_S: Final = 10.0
"""For so long a Sentinel that did not answer is not asked again."""


class SentinelTopology:
    """The master of a service, whichever server that is just now, as Sentinels say."""

    def __init__(self, url: RedisUrl, timeout_s: float) -> None:
        asked = url.sentinel_options | {"protocol": 2}
        self._limit_s = min(timeout_s, LOOKUP_S)
        self._sentinels = [create_client_at(address, asked, self._limit_s) for address in url.addresses]
        self._silent_until: dict[redis.Redis, float] = {}
        self._service = url.service
        self._clients = Clients(url.options, timeout_s)
        self._master = TtlCache(self._look, _FRESH_S)
        self._last_known: Address | None = None
        self._epoch = 0

    def holding(self, key: str, since: float = -math.inf) -> redis.Redis:  # noqa: ARG002 - all of them
        """See `Servers.holding`."""
        return self._clients.at(self._master.value(since))

    def doubt(self, error: redis.RedisError) -> None:  # noqa: ARG002 - any
        """See `Servers.doubt`."""
        self._master.doubt()

    def _look(self) -> Address:
        """Return the address that the Sentinels with the latest news give.

        All are asked: one that has not heard of a failover yet would send us to a master that is none any
        more. If none answers at all, the last one known stays. Older news are believed of many only,
        as when the Sentinels were set up anew.
        """
        now = time.monotonic()
        awake = [sentinel for sentinel in self._sentinels if self._silent_until.get(sentinel, now) <= now]
        answers: list[_Opinion] = []
        errors: list[redis.RedisError] = []
        for sentinel in awake or self._sentinels:
            try:
                with within(self._limit_s):
                    answers.append(self._ask(sentinel))
            except (redis.RedisError, *PROTOCOL_ERRORS) as error:
                errors.append(as_redis_error(error))
                self._silent_until[sentinel] = time.monotonic() + _SILENCE_S
        if not answers:
            if self._last_known is None:
                raise NoMaster(f"no Sentinel answers for {self._service!r}: {errors[-1]}")
            return self._last_known
        latest = max(answer.epoch for answer in answers)
        if latest < self._epoch and 2 * len(answers) <= len(self._sentinels):
            raise NoMaster(f"Sentinels have not heard of the last failover of {self._service!r}")
        self._epoch = latest
        up = [answer.address for answer in answers if answer.epoch == latest and answer.is_up]
        if not up or any(answer.is_replacing for answer in answers):
            raise NoMaster(f"the master of {self._service!r} is down, and no other is elected yet")
        self._clients.keep_only(up[:1])
        self._last_known = up[0]
        return up[0]

    def _ask(self, sentinel: redis.Redis) -> _Opinion:
        pipeline: Any = sentinel.pipeline(transaction=False)
        pipeline.execute_command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", self._service)
        pipeline.execute_command("SENTINEL", "MASTER", self._service)
        named, told = pipeline.execute()
        if named is None:
            raise NoMaster(f"a Sentinel knows no {self._service!r}")
        facts: dict[bytes, bytes] = dict(zip(told[::2], told[1::2], strict=True))
        # While it looks after the replicas the elected one is named already, and the facts are the old one's.
        is_elected = named != [facts[b"ip"], facts[b"port"]]
        flags = facts[b"flags"].split(b",")
        is_down = b"s_down" in flags or b"o_down" in flags
        is_replacing = b"failover_in_progress" in flags and not is_elected
        address = named[0].decode(), int(named[1])
        return _Opinion(int(facts[b"config-epoch"]), address, is_elected or not is_down, is_replacing)


class _Opinion(NamedTuple):
    """What a Sentinel says of the master; of two that differ, the one of the later `epoch` is right.

    Who is replacing it may have told another already that it is the master now.
    """

    epoch: int
    address: Address
    is_up: bool
    is_replacing: bool


class NoMaster(redis.ConnectionError):
    """Sentinels know no master that is up."""
