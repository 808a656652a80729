"""The files in which gunicorn's workers keep their metrics, in `prometheus_client`'s multiprocess mode.

The files are in shared memory, or in the folder for temporary files on systems without it: a mapped file on
a full disk would kill the worker that writes it. Each worker has a number. After its death another worker
takes over its number and its files, so no counter ever decreases, and the number of files is bounded.
"""

from __future__ import annotations

import fcntl
import itertools
import os
import shutil
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from prometheus_client import Metric, values
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

FOLDER_VARIABLE: Final = "PROMETHEUS_MULTIPROC_DIR"
"""The variable from which `prometheus_client` reads the folder; `create_folder` sets it."""

_SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - the name of the folder in it is chosen at random
_PREFIX = "skye-metrics-"


def create_folder() -> Path:
    """Create the folder for the workers that this process will fork, and name it in the environment.

    A lock on the folder lasts as long as one of these processes. Folders of servers that were killed have
    no lock and are removed.
    """
    parent = _SHARED_MEMORY if os.access(_SHARED_MEMORY, os.W_OK) else Path(tempfile.gettempdir())
    for left in parent.glob(f"{_PREFIX}*"):
        with suppress(OSError):  # in use, or of another user
            os.close(_lock(left))
            shutil.rmtree(left)
    unlocked = Path(tempfile.mkdtemp(prefix=f".{_PREFIX}", dir=parent))
    _lock(unlocked)
    folder = unlocked.rename(parent / unlocked.name.removeprefix("."))
    os.environ[FOLDER_VARIABLE] = str(folder)
    return folder


def _lock(folder: Path) -> int:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def free_number(taken: Iterable[int]) -> int:
    """Return the lowest number that no living worker has."""
    numbers = set(taken)
    return next(number for number in itertools.count() if number not in numbers)


def count_as(number: int) -> None:
    """Make this process count in the files of a worker number; call this before it creates metrics."""
    values.ValueClass = values.MultiProcessValue(lambda: number)


class WorkerFiles(Collector):
    """The sums of the metrics of all workers.

    :param folder: the one that `create_folder` created.
    """

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)

    def collect(self) -> Iterable[Metric]:
        """Return the metrics.

        A file is empty between its creation and its first use, and remains so if the worker is killed there;
        `MultiProcessCollector` fails at such a file (prometheus/client_python issue 1199).
        """
        files = [str(file) for file in self._folder.glob("*.db") if _has_content(file)]
        metrics: Iterable[Metric] = MultiProcessCollector.merge(files)
        return metrics


def _has_content(file: Path) -> bool:
    try:
        return file.stat().st_size > 0
    except FileNotFoundError:  # the gauges of a worker that has just died
        return False
