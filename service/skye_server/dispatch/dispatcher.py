"""The dispatcher: claims due entries, handles them in threads, and renews their leases meanwhile.

Any number of processes may run one. No entry is handled by two of them at once, unless one was suspended for
longer than a lease; so every handler is safe to repeat.
"""

from __future__ import annotations

import logging
import secrets
import socket
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Final

from skye_server.commands.current_games import Games
from skye_server.dispatch.handlers import Handler
from skye_server.error_codes import ERROR_CODES, Problem
from skye_server.storage.due_queue import LEASE_MS, SHARDS, Claim

POLL_S: Final = 0.2
"""Pause between two looks at the queue when nothing is due, in seconds."""

_OUTAGE_S: Final = 0.5
_BEAT_S: Final = 1.0
_RENEW_S: Final = LEASE_MS / 3000

_FINISH_ATTEMPTS: Final = 3
_FINISH_PAUSE_S: Final = 0.05
"""Pause before a claim is finished with its new lease: it was being renewed."""

_RETRY_MS: Final = 1_000
"""When work is tried again after a temporary problem."""

_FAULT_RETRY_MS: Final = 60_000
"""When work is tried again after any other error, such as a corrupt game."""

_log = logging.getLogger(__name__)


class Dispatcher:
    """Handles due entries of the kinds that have a handler."""

    def __init__(self, games: Games, handlers: Mapping[str, Handler]) -> None:
        self._games = games
        self._queue = games.due.queue
        self._handlers = handlers
        self._name = f"{socket.gethostname()}/{secrets.token_hex(4)}"
        self._lock = threading.Lock()
        self._claims: dict[tuple[str, str], Claim] = {}
        self._free = threading.Event()
        self._stopped = threading.Event()
        self._ended = threading.Event()

    def stop(self) -> None:
        """Claim no more entries; `run` returns when those that were claimed are handled."""
        self._stopped.set()
        self._free.set()

    def run(self) -> None:
        """Handle due entries until `stop` is called."""
        beats = threading.Thread(target=self._maintain, name="dispatcher-leases", daemon=True)
        beats.start()
        pools = {kind: ThreadPoolExecutor(each.parallel, kind) for kind, each in self._handlers.items()}
        while not self._stopped.is_set():
            self._free.clear()
            try:
                claims = self._claim()
            except Problem:
                self._stopped.wait(_OUTAGE_S)
                continue
            for claim in claims:
                pools[claim.kind].submit(self._handle, claim)
            self._free.wait(POLL_S)
        for pool in pools.values():
            pool.shutdown()
        self._ended.set()
        beats.join()

    def run_due(self) -> None:
        """Handle all that is due now in this thread, and return when nothing is.

        :raises Problem: store_unavailable.
        """
        while claims := self._claim():
            for claim in claims:
                self._handle(claim)

    def _claim(self) -> list[Claim]:
        with self._lock:
            held = [kind for kind, _ in self._claims]
        free = {kind: each.parallel - held.count(kind) for kind, each in self._handlers.items()}
        limits = {kind: -(-places // SHARDS) for kind, places in free.items() if places > 0}
        if not limits:
            return []
        claims = self._queue.claim(self._games.now_ms(), limits)
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
        try:
            for _ in range(_FINISH_ATTEMPTS):
                if self._queue.finish(self._claims[claim.kind, claim.id], due_ms):
                    break
                time.sleep(_FINISH_PAUSE_S)
        except Problem:
            _log.warning("%s %s is due again when its lease ends", claim.kind, claim.id)
        with self._lock:
            del self._claims[claim.kind, claim.id]
            held = sum(kind == claim.kind for kind, _ in self._claims)
        if held <= self._handlers[claim.kind].parallel // 2:
            self._free.set()

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
        for claim, renewed in self._queue.renew(claims):
            with self._lock:
                if self._claims.get((claim.kind, claim.id)) is claim:
                    self._claims[claim.kind, claim.id] = renewed
