"""The number of requests to one host at once, of webhooks and bots at URLs."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from urllib.parse import urlsplit

from skye_server.webhooks.targets import DEFAULT_PORTS


def origin_of(url: str) -> str:
    """Return the host and port of a URL, under which requests in progress are counted, in one spelling.

    >>> origin_of("http://127.0.0.1:5000/bot"), origin_of("https://Bots.Example.?1")
    ('127.0.0.1:5000', 'bots.example:443')
    """
    parts = urlsplit(url)
    port = DEFAULT_PORTS[parts.scheme] if parts.port is None else parts.port
    return f"{(parts.hostname or '').removesuffix('.')}:{port}"


class HostSlots:
    """Bounds how many requests of a dispatcher one host handles at once; a slow host fewer.

    Webhooks leave one slot to bots: a decision waits for a limited time, a delivery for any time.
    """

    _MAX, _MAX_SLOW, _SLOW_S = 8, 2, 1.0
    _MAX_SLOW_HOSTS = 1000

    def __init__(self) -> None:
        self._lock = Lock()
        self._used: Counter[tuple[str, bool]] = Counter()
        """The requests in progress, by host and whether they are of webhooks."""

        self._waiting: Counter[str] = Counter()
        self._slow: dict[str, None] = {}
        """The hosts that were slow in their latest request, the latest last."""

    @contextmanager
    def slot(self, origin: str, *, of_webhook: bool = False) -> Iterator[bool]:
        """Hold a slot of a host for the time of a request, and yield whether there was a free one."""
        with self._lock:
            most = self._MAX_SLOW if origin in self._slow else self._MAX
            of_webhooks = self._used[origin, True]
            is_free = self._used[origin, False] + of_webhooks < most
            is_free = is_free and not (of_webhook and of_webhooks >= most - 1)
            if is_free:
                self._used[origin, of_webhook] += 1
            else:
                self._waiting[origin] += 1
        if not is_free:
            yield False
            return
        started = time.monotonic()
        try:
            yield True
        finally:
            with self._lock:
                self._free(origin, of_webhook, is_slow=time.monotonic() - started > self._SLOW_S)

    def _free(self, origin: str, of_webhook: bool, *, is_slow: bool) -> None:
        self._slow.pop(origin, None)
        if is_slow:
            self._slow[origin] = None
            if len(self._slow) > self._MAX_SLOW_HOSTS:
                del self._slow[next(iter(self._slow))]
        self._used[origin, of_webhook] -= 1
        self._waiting.pop(origin, None)
        if not self._used[origin, of_webhook]:
            del self._used[origin, of_webhook]

    def pause_ms(self, origin: str) -> int:
        """Return when to ask for a slot again: the later, the more have asked."""
        return round(random.uniform(0.5, 1.0) * min(100 + 50 * self._waiting[origin], 10_000))  # noqa: S311 - jitter
