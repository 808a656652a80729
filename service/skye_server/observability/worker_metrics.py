"""The files in which workers and dispatchers keep their metrics, in `prometheus_client`'s multiprocess mode.

Each worker has a number. After its death another worker takes over its number and its files, so no counter
ever decreases, and the number of files is bounded. A dispatcher that `serve` starts has a name instead.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from pathlib import Path

from prometheus_client import Metric, values
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector


def free_number(taken: Iterable[int]) -> int:
    """Return the lowest number that no living worker has."""
    numbers = set(taken)
    return next(number for number in itertools.count() if number not in numbers)


def count_as(owner: int | str) -> None:
    """Make this process count in the files of a worker, by its number, or of a dispatcher, by its name.

    Call this before the process creates metrics.
    """
    values.ValueClass = values.MultiProcessValue(lambda: owner)


class WorkerFiles(Collector):
    """The sums of the metrics of all workers and dispatchers of a server.

    :param folder: the one that `metrics_folder.create_folder` created.
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
