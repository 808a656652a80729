"""The processes of a launcher, which tests kill."""

import os
import signal
from pathlib import Path

from tests.support.launcher import children, redis_servers
from tests.support.waiting import waited_for


def gunicorn_of(launched):
    """Return the id of gunicorn's master process."""
    (pid,) = {pid for pid, _ in _workers(launched)}
    return pid


def workers_of(launched):
    """Return the ids of gunicorn's workers."""
    return [worker for _, worker in _workers(launched)]


def _workers(launched):
    own = children(launched.process.pid)
    redis = redis_servers(launched.process.pid)
    return [(pid, child) for pid in own if pid not in redis for child in children(pid)]


def dispatchers_of(launched):
    """Return the ids of the dispatchers."""
    return [pid for pid in children(launched.process.pid) if b"dispatch" in _command(pid)]


def _command(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:  # it has ended
        return []


def kill_worker(launched):
    """Kill a worker, once there is one; gunicorn starts another."""
    assert waited_for(lambda: workers_of(launched))
    os.kill(workers_of(launched)[0], signal.SIGKILL)
