"""Resolve the names of URLs in the event loop, within a deadline, and remember the names that failed.

The host of Redis is looked up by the resolver of the system, which gevent calls in ten threads: a look-up
that its caller has given up occupies its thread for up to 30 seconds. Names that users choose must not be
looked up there. c-ares, which gevent contains, reads /etc/hosts and asks the servers of /etc/resolv.conf from
the event loop; the environment variables `GEVENTARES_SERVERS` and `GEVENTARES_UDP_PORT` name others.
"""

from __future__ import annotations

import socket
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final, TypeAlias

import gevent
from gevent.monkey import is_module_patched
from gevent.resolver.ares import Resolver

RESOLVE_SECONDS: Final = 2.5
"""The time for a look-up, of all servers and attempts together."""

_ATTEMPT_S: Final = 1.0
_ATTEMPTS: Final = 4
"""How c-ares repeats a question. It waits less for a server that is usually fast: then all attempts fit."""

_FAILED_S: Final = 4.0
"""How long a name that has failed is not looked up: less than the pause before a bot is asked again. It is
twice as long after each further failure."""

_MAX_FAILED_S: Final = 300.0
_MAX_FAILED_NAMES: Final = 10_000

LookUp: TypeAlias = Callable[[str, int], list[str]]
"""Returns the addresses of a name; raises OSError, or UnicodeError for what is none."""


def look_up(host: str, port: int) -> list[str]:
    """Return the addresses of a name, or the address that it spells.

    :raises OSError: when it has none, or the look-up takes too long.
    :raises UnicodeError: when it is no name of a host.
    """
    if is_module_patched("socket"):
        return _look_up_in_event_loop(host, port)
    return _addresses(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))  # in this thread


def _look_up_in_event_loop(host: str, port: int) -> list[str]:
    resolver = _resolver()
    stream = (0, socket.SOCK_STREAM, 0)
    try:  # in every spelling of the C library, such as 0x7f.1; c-ares would ask for that as a name
        return _addresses(resolver.getaddrinfo(host, port, *stream, socket.AI_NUMERICHOST))
    except socket.gaierror:
        pass
    late = socket.gaierror(socket.EAI_AGAIN, "the look-up took too long")
    with gevent.Timeout(RESOLVE_SECONDS, late):
        return _addresses(resolver.getaddrinfo(host, port, *stream))


def _addresses(found: Sequence[tuple[Any, ...]]) -> list[str]:
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


@cache
def _resolver() -> Resolver:
    return Resolver(timeout=_ATTEMPT_S, tries=_ATTEMPTS)


class NameResolver:
    """Looks up names, except those that have failed recently (negative cache)."""

    def __init__(self, look_up: LookUp = look_up) -> None:
        self._look_up = look_up
        self._lock = threading.Lock()
        self._failed: OrderedDict[str, tuple[float, float, OSError]] = OrderedDict()
        """Of each name that has failed: until when it is not looked up, for how long, and why."""

    def __call__(self, host: str, port: int) -> list[str]:
        """Return the addresses of a name.

        :raises OSError: when it has none, or the look-up takes too long, now or recently.
        :raises UnicodeError: when it is no name of a host.
        """
        until, _, error = self._failed.get(host, (0.0, 0.0, OSError()))
        if time.monotonic() < until:
            raise type(error)(*error.args)
        try:
            found = self._look_up(host, port)
        except OSError as failed:
            self._remember(host, failed)
            raise
        with self._lock:
            self._failed.pop(host, None)
        return found

    def _remember(self, host: str, error: OSError) -> None:
        now = time.monotonic()
        with self._lock:
            until, pause_s, _ = self._failed.pop(host, (0.0, 0.0, error))
            if until <= now:  # otherwise look-ups at the same time have failed
                pause_s = min(2 * pause_s, _MAX_FAILED_S) if pause_s else _FAILED_S
                until = now + pause_s
            self._failed[host] = until, pause_s, error
            if len(self._failed) > _MAX_FAILED_NAMES:
                self._failed.popitem(last=False)
