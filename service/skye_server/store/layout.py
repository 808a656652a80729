"""The number of the layout: which keys the store has, and what they hold.

    skye:{clock}:layout   string  `NUMBER VERSION`: the layout, and the version of skye-server that began it
    skye:{clock}:restore  string  while a restore goes on: the SHA-256 of its file (see `backup`)

A program reads one layout, and uses no servers with another. The first program that finds servers without
data writes the number there. The number alone decides; only where there is none, one scan looks for data,
which are of a development version then. Servers that lose their data while a process uses them lose the
number too: the process writes it again, since new data may be there before it looks. Both keys are in the
slot of the signs of life, so that each process reads them with these (see `outages`): what a process must not
use, it finds out after seconds too.
"""

from __future__ import annotations

import re
from typing import Final

import redis

from skye_server.error_codes import Problem
from skye_server.store.connection.calls import RedisCalls
from skye_server.store.connection.failures import expect_bytes

LAYOUT: Final = 2
"""The layout that this program reads and writes. Another meaning of a key needs another number."""

VERSION: Final = "1.0.0"
"""The first version of skye-server with this layout."""

KEY: Final = "skye:{clock}:layout"
RESTORE_KEY: Final = "skye:{clock}:restore"

UNFINISHED: Final = (
    "A restore into this server has not finished: it has a part of the games only. If the restore broke off, "
    "repeat it with the same file."
)

_VALUE: Final = f"{LAYOUT} {VERSION}".encode()
_NO_DATA: Final = re.compile(rb"skye:(?:bucket:|\{clock\}|\{dispatchers\}|\{rulesets\})")
"""Keys that a server without games may have."""


def claim_layout(calls: RedisCalls, *, is_ours: bool = False) -> str:
    """Write the number of the layout if there are no data; return why this program must not use them, or "".

    :param is_ours: whether data without a number are of this program: Redis has lost the number since.
    :raises Problem: store_unavailable.
    """
    found = _read(calls)
    if found is None:
        if not is_ours and _has_data(calls):
            return unusable_layout(b"")
        calls.call(KEY, lambda server: server.set(KEY, _VALUE, nx=True), writes=True)
        found = _read(calls)
    return unusable_layout(found)


def layout_refusal(calls: RedisCalls) -> str:
    """Return why this program must not use the data, or ""; writes nothing.

    :raises Problem: store_unavailable.
    """
    found = _read(calls)
    return unusable_layout(b"" if found is None and _has_data(calls) else found)


def unusable_layout(found: bytes | None) -> str:
    """Return why this program must not use data with this number of a layout; "" if it may.

    :param found: the stored value; empty for data without one, None if there are no data.

    >>> unusable_layout(b"2 1.0.0")
    ''
    >>> unusable_layout(b"3 1.4.0")
    'The stored games have layout 3, of skye-server 1.4.0; this program reads layout 2: run that version'
    >>> unusable_layout(b"")
    'The stored games have no number of a layout: a development version wrote them, and only it reads them'
    """
    if found is None or found.split(b" ")[0] == b"%d" % LAYOUT:
        return ""
    if not found:
        return (
            "The stored games have no number of a layout: a development version wrote them, "
            "and only it reads them"
        )
    number, _, version = found.decode(errors="replace").partition(" ")
    return (
        f"The stored games have layout {number[:20]}, of skye-server {version[:20]}; "
        f"this program reads layout {LAYOUT}: run that version"
    )


def _read(calls: RedisCalls) -> bytes | None:
    return calls.call(KEY, lambda server: expect_bytes(server.get(KEY)), retries=False)


def _has_data(calls: RedisCalls) -> bool:
    def scan(server: redis.Redis) -> bool:
        return any(not _NO_DATA.match(key) for key in server.scan_iter(match="skye:*", count=1000))

    found = calls.read_at_masters(scan)
    if not found:
        raise Problem("store_unavailable")
    return any(found)
