"""Numbers that the worker processes of one server count each for itself, and tell together.

A scrape reaches one worker, but must tell of all. So each counts in a block of its own of memory that they
share, and whoever is asked adds the blocks up; nothing is locked or sent for that. Whose a block is, the
kernel knows: its owner holds a lock on it until it dies. The next worker then takes the block over with all
that was counted in it, so that no sum ever falls.
"""

from __future__ import annotations

import fcntl
import math
import mmap
import os
from collections.abc import Iterable

_CELL = 8
SHARED_VARIABLE = "SKYE_TALLY_FD"
"""The variable by which gunicorn's master tells its workers where the shared memory is. It is no setting."""


def share() -> None:
    """Make memory for the workers that will be forked from this process to share."""
    os.environ[SHARED_VARIABLE] = str(os.memfd_create("skye-tally"))


def shared() -> int | None:
    """Return the descriptor of the memory that `share` made in the process that forked this one."""
    inherited = os.environ.get(SHARED_VARIABLE)
    return None if inherited is None else int(inherited)


class Tally:
    """A row of numbers, all 0 at first: `add` counts here, `totals` tells of all processes.

    `descriptor` is that of the shared memory, None where there is none and this process counts alone; every
    process must want the same `size`. The cells in `current` say how things stand, not what has happened:
    they begin at 0 again when the block of a dead process is taken over.
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
        """Count."""
        self._cells[cell] += amount

    def totals(self) -> list[float]:
        """Return each number, summed over the processes."""
        if self._descriptor is None:
            return list(self._cells)
        ends = os.fstat(self._descriptor).st_size
        blocks = [
            memoryview(os.pread(self._descriptor, self._size, start)).cast("d")
            for start in range(0, ends, self._stride)
        ]
        return [math.fsum(cells) for cells in zip(*blocks, strict=True)]

    def _block_of(self, descriptor: int) -> mmap.mmap:
        """Take the first block that no living process owns.

        The lock is the process's: it would go with any descriptor of this memory that is closed, the one that
        the map keeps among them.
        """
        start = 0
        while True:
            try:
                fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, self._stride, start)
                break
            except (BlockingIOError, PermissionError):  # which of the two, the systems do not agree on
                start += self._stride
        os.posix_fallocate(descriptor, start, self._stride)
        return mmap.mmap(descriptor, self._stride, offset=start)
