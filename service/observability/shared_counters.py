"""Shared-memory counters of the worker processes of one server.

A scrape reaches one worker, but must report the sums of all. Each worker counts in its own block of shared
memory, and the worker that is scraped adds up the blocks, without locks or messages. The owner of a block
holds a file lock on it until it dies. Then the next worker takes over the block with its counts, so that no
counter ever decreases.
"""

from __future__ import annotations

import fcntl
import math
import mmap
import os
from collections.abc import Iterable

_CELL = 8
SHARED_VARIABLE = "SKYE_TALLY_FD"
"""The environment variable in which gunicorn's master passes the descriptor to its workers; not a setting."""


def share() -> None:
    """Allocate memory that the workers forked from this process share."""
    os.environ[SHARED_VARIABLE] = str(os.memfd_create("skye-tally"))


def shared() -> int | None:
    """Return the descriptor of the memory that `share` allocated in the parent process."""
    inherited = os.environ.get(SHARED_VARIABLE)
    return None if inherited is None else int(inherited)


class Tally:
    """An array of counters, initially 0: `add` counts in this process, `totals` sums over all processes.

    :param size: the number of counters, the same in every process.
    :param descriptor: that of the shared memory; None to count in this process alone.
    :param current: the counters that are gauges: they are reset to 0 when a worker takes over a block.
    """

    def __init__(self, size: int, descriptor: int | None = None, current: Iterable[int] = ()) -> None:
        self._size = size * _CELL
        self._descriptor = descriptor
        self._stride = -self._size // mmap.PAGESIZE * -mmap.PAGESIZE
        memory = bytearray(self._size) if descriptor is None else self._block_of(descriptor)
        self._cells = memoryview(memory)[: self._size].cast("d")
        for cell in current:
            self._cells[cell] = 0.0

    def add(self, cell: int, amount: float = 1.0) -> None:
        """Add to a counter."""
        self._cells[cell] += amount

    def totals(self) -> list[float]:
        """Return the counters, summed over the processes."""
        if self._descriptor is None:
            return list(self._cells)
        ends = os.fstat(self._descriptor).st_size
        blocks = [
            memoryview(os.pread(self._descriptor, self._size, start)).cast("d")
            for start in range(0, ends, self._stride)
        ]
        return [math.fsum(cells) for cells in zip(*blocks, strict=True)]

    def _block_of(self, descriptor: int) -> mmap.mmap:
        """Return the first block that no living process owns.

        The lock belongs to the process: closing any descriptor of this memory, also the one that the map
        keeps, would release it.
        """
        start = 0
        while True:
            try:
                fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, self._stride, start)
                break
            except (BlockingIOError, PermissionError):  # which of the two depends on the system
                start += self._stride
        os.posix_fallocate(descriptor, start, self._stride)
        return mmap.mmap(descriptor, self._stride, offset=start)
