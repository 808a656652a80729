"""The folder of the files in which the processes of a server keep their metrics; see `worker_metrics`.

The files are in shared memory, or in the folder for temporary files on systems without it: a mapped file on
a full disk would kill the process that writes it.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

FOLDER_VARIABLE: Final = "PROMETHEUS_MULTIPROC_DIR"
"""The variable from which `prometheus_client` reads the folder; `create_folder` sets it."""

_SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - the name of the folder in it is chosen at random
_PREFIX = "skye-metrics-"


def create_folder() -> Path:
    """Create the folder for the processes that this one will start, and name it in the environment.

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
