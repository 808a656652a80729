"""Budgets of addresses as leaky buckets, counted by the store or by this worker.

A request fills the bucket by its cost, the bucket drains at a constant rate, and a request that would
overflow it is refused. So all requests of a minute may arrive at once. The store keeps the buckets; while it
cannot count (it is unreachable, read-only or out of memory), each worker counts in its own memory.
"""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

from skye_server.error_codes import Problem
from skye_server.store.redis_store import RedisStore

_OUTAGE_S: Final = 1.0
_MAX_LOCAL_BUCKETS: Final = 100_000


class Budget(NamedTuple):
    """The maximum cost of a kind of requests in `window_s` seconds."""

    kind: str
    limit: int
    window_s: float = 60


class Allowance(NamedTuple):
    """The rest of a budget, and the seconds until the rejected request, and the whole budget, are allowed."""

    budget: Budget
    allowed: bool
    left: int
    wait_s: int
    reset_s: int


_Fill: TypeAlias = Callable[[str, int, int], tuple[bool, int]]


class _LocalBuckets:
    """Buckets in the memory of this worker; see `RedisStore.fill_bucket`."""

    def __init__(self) -> None:
        self._empty_at_us: OrderedDict[str, int] = OrderedDict()

    def fill_bucket(self, bucket: str, amount_us: int, capacity_us: int) -> tuple[bool, int]:
        now_us = time.monotonic_ns() // 1000
        filled_us = max(self._empty_at_us.pop(bucket, now_us) - now_us, 0)
        allowed = filled_us + amount_us <= capacity_us
        filled_us += amount_us if allowed else 0
        self._empty_at_us[bucket] = now_us + filled_us
        if len(self._empty_at_us) > _MAX_LOCAL_BUCKETS:
            self._empty_at_us.popitem(last=False)
        return allowed, filled_us


class RateLimiter:
    """Spends budgets, counted by the store, or by this worker while the store cannot count."""

    def __init__(self, store: RedisStore) -> None:
        self._store = store
        self._local = _LocalBuckets()
        self._store_skipped_until = 0.0

    def spend(self, budget: Budget, address: str, cost: int = 1) -> Allowance:
        """Spend the cost of one request from an address's budget, unless too little is left."""
        return self._spend(self._fill, budget, address, cost)

    def spend_locally(self, budget: Budget, address: str) -> Allowance:
        """Spend one request from an address's budget in this worker."""
        return self._spend(self._local.fill_bucket, budget, address, 1)

    @staticmethod
    def _spend(fill: _Fill, budget: Budget, address: str, cost: int) -> Allowance:
        capacity_us = round(budget.window_s * 1e6)
        unit_us = capacity_us // budget.limit
        amount_us = unit_us * min(cost, budget.limit)
        allowed, filled_us = fill(f"{budget.kind}:{address}", amount_us, capacity_us)
        left_us = capacity_us - filled_us
        wait_s = 0 if allowed else math.ceil((amount_us - left_us) / 1e6)
        return Allowance(budget, allowed, max(left_us // unit_us, 0), wait_s, math.ceil(filled_us / 1e6))

    def overdraw(self, budget: Budget, address: str, cost: int) -> None:
        """Spend the cost of work that is done, up to twice the budget; further requests wait."""
        double = Budget(budget.kind, 2 * budget.limit, 2 * budget.window_s)
        allowance = self.spend(double, address, cost)
        if not allowance.allowed:
            self.spend(double, address, allowance.left)

    def _fill(self, bucket: str, amount_us: int, capacity_us: int) -> tuple[bool, int]:
        if time.monotonic() >= self._store_skipped_until:
            try:
                return self._store.fill_bucket(bucket, amount_us, capacity_us)
            except Problem:
                # The request itself may also wait for the store, and should not wait twice.
                self._store_skipped_until = time.monotonic() + _OUTAGE_S
        return self._local.fill_bucket(bucket, amount_us, capacity_us)
