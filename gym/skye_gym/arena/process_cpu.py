"""The CPU time of processes, which the system counts (Linux)."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Final

from skye_gym.arena.supervisor import children_of

CAN_MEASURE: bool = sys.platform == "linux" and Path(f"/proc/self/task/{os.getpid()}/children").exists()
"""Whether this system counts the CPU time of another process, and lists the children of one."""

_INTERVAL_S: Final = 0.02
"""The time between two readings of a meter in seconds."""


def cpu_seconds_of(process: int) -> float:
    """Return the CPU time of a process, of its running descendants, and of those that it has waited for.

    :returns: seconds; 0 for a process that has ended. Descendants that have ended count in whole ticks of the
        clock, 10 ms on most machines.
    """
    try:
        return time.clock_gettime(~process << 3 | 2) + cpu_seconds_below(process)  # clock_getcpuclockid(3)
    except OSError:
        return 0.0


def cpu_seconds_below(process: int) -> float:
    """Return the part of `cpu_seconds_of` that is not the process's own."""
    try:
        status = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0.0
    ticks = status.rpartition(")")[2].split()[13:15]  # cutime, cstime
    ended = sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
    return ended + sum(map(cpu_seconds_of, children_of(process)))


class CpuMeter:
    """Counts the CPU time of all processes below a supervisor, by repeated readings.

    The system drops the time of a process whose parent ignores its end (SIGCHLD). A reading is lower then
    than the one before; the meter keeps what it has counted, and misses at most the time since that reading.

    :param supervisor: the id of the process; its own time does not count.
    """

    def __init__(self, supervisor: int) -> None:
        self._supervisor = supervisor
        self._seconds, self._last = 0.0, 0.0
        self._lock, self._stopped = Lock(), Event()
        self._thread = Thread(target=self._repeat, daemon=True)
        self._thread.start()

    def seconds(self) -> float:
        """Return the CPU time until now; it never decreases."""
        with self._lock:
            now = cpu_seconds_below(self._supervisor)
            if now < self._last:  # also when a process ended while its parent and it were read
                now = cpu_seconds_below(self._supervisor)
            self._seconds += max(0.0, now - self._last)
            self._last = now
            return self._seconds

    def stop(self) -> float:
        """Take the last reading, before the supervisor ends, and return it."""
        self._stopped.set()
        self._thread.join()
        return self.seconds()

    def _repeat(self) -> None:
        while not self._stopped.wait(_INTERVAL_S):
            self.seconds()
