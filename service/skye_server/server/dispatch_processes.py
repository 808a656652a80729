"""The dispatchers as children of the launcher, beside the API."""

import os
import subprocess
import sys
import time

from skye_server.server.api_process import ROOT
from skye_server.server.processes import spawn, stop

_RESTART_S = 5.0
_STOP_TIMEOUT_S = 5.0


class DispatchProcesses:
    """Dispatchers on the Redis at a URL. Games go on without them: one that ends is only started again."""

    def __init__(self, redis_url: str, number: int) -> None:
        self._environ = {**os.environ, "SKYE_REDIS_URL": redis_url}
        self._number = number
        self._running: list[subprocess.Popen[bytes]] = []
        self._started_at = float("-inf")

    def start(self) -> float | None:
        """Start those that do not run, at most every few seconds.

        :returns: the seconds after which to call this again; None: when a child has ended.
        """
        self._running = [process for process in self._running if process.poll() is None]
        missing = self._number - len(self._running)
        left_s = self._started_at + _RESTART_S - time.monotonic()
        if not missing or left_s > 0:
            return left_s if missing else None
        self._started_at = time.monotonic()
        command = [sys.executable, "-m", "skye_server.cli", "dispatch"]
        self._running += [spawn(command, folder=ROOT, environ=self._environ) for _ in range(missing)]
        return None

    def stop(self) -> None:
        """Stop all; what they have not finished is due again when its lease ends."""
        for process in self._running:
            process.terminate()
        for process in self._running:
            stop(process, _STOP_TIMEOUT_S)
