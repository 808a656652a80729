"""The dispatcher: claims due entries, handles them in threads, and renews their leases meanwhile.

It waits until the next entry is due, an earlier one is published, or a few seconds have passed, because a
notification may be lost. Any number of processes may run one. No entry is handled by two of them at once,
unless one was suspended for longer than a lease; so every handler is safe to repeat.
"""

from __future__ import annotations

import logging
import secrets
import socket
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Final

from skye_server.commands.current_games import Games
from skye_server.error_codes import ERROR_CODES, Problem
from skye_server.features import Handler
from skye_server.store.connection.calls import without_retries
from skye_server.store.due_queue import LEASE_MS, Claim, Claimed, shard_of_entry
from skye_server.store.lua_scripts import MAX_WAIT_MS
from skye_server.store.shards import SHARDS, shard_key

_POLL_S: Final = 0.2
"""Pause between two looks at a shard with due entries left."""

_GATHER_S: Final = 0.02
"""Pause between a notification and the look at its shard: entries often follow each other."""

_OUTAGE_S: Final = 0.5
_STOP_S: Final = 1.0
"""How long `run` waits at its end for work in progress, such as a request to a receiver that hangs."""

_BEAT_S: Final = 2.0
_RENEW_S: Final = LEASE_MS / 3000

_FINISH_ATTEMPTS: Final = 3
_STOP_POLL_S: Final = 0.05

_RETRY_MS: Final = 1_000
"""When work is tried again after a temporary problem."""

_FAULT_RETRY_MS: Final = 60_000
"""When work is tried again after any other error, such as a corrupt game."""

_log = logging.getLogger(__name__)


class Dispatcher:
    """Handles due entries of the kinds that have a handler."""

    def __init__(self, games: Games, handlers: Mapping[str, Handler]) -> None:
        self._games = games
        self._queue = games.store.due
        self._handlers = handlers
        self._name = f"{socket.gethostname()}/{secrets.token_hex(4)}"
        self._lock = threading.Lock()
        self._renewing = threading.Lock()
        """Held from the renewal of leases in the store until `_claims` has them."""

        self._claims: dict[tuple[str, str], Claim] = {}
        self._look_at = [0.0] * SHARDS
        self._left: set[int] = set()
        self._wakes = threading.Event()
        self._stopped = threading.Event()
        self._ended = threading.Event()

    def stop(self) -> None:
        """Claim no more entries; `run` returns soon: what is not handled by then is due again."""
        self._stopped.set()
        self._wakes.set()

    def run(self) -> None:
        """Handle due entries until `stop` is called."""
        beats = threading.Thread(target=self._maintain, name="dispatcher-leases", daemon=True)
        beats.start()
        pools = {kind: ThreadPoolExecutor(each.parallel, kind) for kind, each in self._handlers.items()}
        channels = {shard_key(shard, "changes"): shard for shard in range(SHARDS)}
        subscriber = self._games.store.change_subscriber(
            lambda channel: self._look(channels[channel], time.monotonic() + _GATHER_S)
        )
        for channel in channels:
            subscriber.watch(channel)
        while not self._stopped.is_set():
            if self._games.signs.refusal():
                self._stopped.wait(_OUTAGE_S)
                continue
            now = time.monotonic()
            try:
                claims = self._claim([shard for shard, at in enumerate(self._look_at) if at <= now])
            except Problem:
                self._stopped.wait(_OUTAGE_S)
                self._look_at = [0.0] * SHARDS
                continue
            for claim in claims:
                pools[claim.kind].submit(self._handle, claim)
            self._wakes.wait(max(min(self._look_at) - time.monotonic(), 0))
            self._wakes.clear()  # before the next look: what sets it later is not lost
        subscriber.stop()
        deadline = time.monotonic() + _STOP_S
        while self._claims and time.monotonic() < deadline:
            time.sleep(_STOP_POLL_S)
        for pool in pools.values():
            pool.shutdown(wait=False)
        self._release()
        self._ended.set()
        beats.join(_STOP_S)

    def run_due(self) -> None:
        """Handle all that is due now in this thread, and return when nothing is.

        :raises Problem: store_unavailable.
        """
        while claims := self._claim(range(SHARDS)):
            for claim in claims:
                self._handle(claim)

    def _look(self, shard: int, at: float) -> None:
        """Look at a shard at a time by `time.monotonic`, unless it is looked at earlier."""
        with self._lock:
            is_earlier = at < self._look_at[shard]
            if is_earlier:
                self._look_at[shard] = at
        if is_earlier:
            self._wakes.set()

    def _claim(self, shards: Sequence[int]) -> list[Claim]:
        if not shards:
            return []
        with self._lock:
            held = [kind for kind, _ in self._claims]
        free = {kind: each.parallel - held.count(kind) for kind, each in self._handlers.items()}
        limits = {kind: places for kind, places in free.items() if places > 0}
        now, round_s = time.monotonic(), MAX_WAIT_MS / 1000
        for shard in shards:  # at the same time as others; a notification meanwhile makes it earlier
            self._look_at[shard] = (now // round_s + 1) * round_s
        claims, waits_ms = Claimed([], dict.fromkeys(shards, 0))
        if limits:
            claims, waits_ms = self._queue.claim(self._games.now_ms(), limits, shards)
        now = time.monotonic()
        for shard, wait_ms in waits_ms.items():
            is_left = wait_ms == 0 or len(limits) < len(free)
            (self._left.add if is_left else self._left.discard)(shard)
            self._look(shard, now + (_POLL_S if is_left else wait_ms / 1000))
        with self._lock:
            # This process handles some of them already if it was suspended for longer than their leases.
            new = [claim for claim in claims if (claim.kind, claim.id) not in self._claims]
            self._claims |= {(claim.kind, claim.id): claim for claim in claims}
        return new

    def _handle(self, claim: Claim) -> None:
        try:
            due_ms = self._handlers[claim.kind].handle(claim.id)
        except Problem as problem:
            is_temporary = ERROR_CODES[problem.code].status == 503
            due_ms = self._games.now_ms() + (_RETRY_MS if is_temporary else _FAULT_RETRY_MS)
        except Exception:  # noqa: BLE001 - one failure must not end the others
            _log.exception("work on %s %s has failed", claim.kind, claim.id)
            due_ms = self._games.now_ms() + _FAULT_RETRY_MS
        finished = claim
        try:
            for _ in range(_FINISH_ATTEMPTS):
                finished = self._claims[claim.kind, claim.id]
                if self._queue.finish(finished, due_ms):
                    break
                with self._renewing:  # until its new lease is known
                    pass
        except Problem:
            _log.warning("%s %s is due again when its lease ends", claim.kind, claim.id)
        with self._lock:
            last = self._claims.pop((claim.kind, claim.id))
            held = sum(kind == claim.kind for kind, _ in self._claims)
        if last is not finished:  # it was claimed again before the reply to `finish` arrived
            due_ms = self._games.now_ms()
            with suppress(Problem):
                self._queue.finish(last, due_ms)
        if due_ms is not None:
            wait_s = max((due_ms - self._games.now_ms()) / 1000, _GATHER_S)
            self._look(shard_of_entry(claim.id), time.monotonic() + wait_s)
        if held <= self._handlers[claim.kind].parallel // 2:
            for shard in list(self._left):
                self._look(shard, 0)

    def _release(self) -> None:
        """Make the entries due that are still handled, for another dispatcher."""
        with self._lock:
            claims = list(self._claims.values())
        with suppress(Problem), without_retries():
            for claim in claims:
                self._queue.finish(claim, self._games.now_ms())

    def _maintain(self) -> None:
        """Renew leases, and report that this dispatcher is alive."""
        renewed_at = time.monotonic()
        is_last = False
        while not is_last:
            with suppress(Problem):
                self._queue.beat(self._name, self._games.now_ms())
                if time.monotonic() - renewed_at >= _RENEW_S:
                    renewed_at = time.monotonic()
                    self._renew()
            is_last = self._ended.wait(_BEAT_S)
        with suppress(Problem):
            self._queue.leave(self._name)

    def _renew(self) -> None:
        with self._lock:
            claims = list(self._claims.values())
        with self._renewing:
            for claim, renewed in self._queue.renew(claims):
                with self._lock:
                    if self._claims.get((claim.kind, claim.id)) is claim:
                        self._claims[claim.kind, claim.id] = renewed
