"""Reserve TCP ports for servers of tests, across processes that run tests at the same time."""

import contextlib
import fcntl
import os
import random
import socket
import tempfile
from pathlib import Path

CLUSTER_BUS_OFFSET = 10_000
"""A Redis Cluster node also listens at its port plus this number."""

# These and their bus ports are below the range that Linux assigns to outgoing connections.
_PORTS = range(10_000, 20_000)
_FOLDER = Path(tempfile.gettempdir(), f"skye-test-ports-{os.getuid()}")


def free_port():
    """Return a free port of the loopback address, reserved until this process ends.

    A lock on a file keeps other test processes from choosing it before the server under test listens.

    :raises AssertionError: If no port is free.
    """
    _FOLDER.mkdir(exist_ok=True)
    for port in random.SystemRandom().sample(_PORTS, len(_PORTS)):
        lock = os.open(_FOLDER / str(port), os.O_RDWR | os.O_CREAT)
        with contextlib.suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for used in (port, port + CLUSTER_BUS_OFFSET):
                socket.create_server(("127.0.0.1", used)).close()
            return port  # the lock lasts as long as this process
        os.close(lock)
    raise AssertionError("no port is free")


def accepts(port):
    """Return whether a server accepts connections at a port of the loopback address."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False
