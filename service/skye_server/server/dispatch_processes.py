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
        self._running: dict[int, subprocess.Popen[bytes]] = {}
        self._started_at = float("-inf")

    def start(self) -> float | None:
        """Start those that do not run, at most every few seconds.

        :returns: the seconds after which to call this again; None: when a child has ended.
        """
        ended = [place for place in range(self._number) if not self._is_running(place)]
        left_s = self._started_at + _RESTART_S - time.monotonic()
        if not ended or left_s > 0:
            return left_s if ended else None
        self._started_at = time.monotonic()
        for place in ended:
            command = [sys.executable, "-m", "skye_server.cli", "dispatch", f"--metrics-of=dispatcher{place}"]
            self._running[place] = spawn(command, folder=ROOT, environ=self._environ)
        return None

    def _is_running(self, place: int) -> bool:
        return place in self._running and self._running[place].poll() is None

    def stop(self) -> None:
        """Stop all; what they have not finished is due again when its lease ends."""
        for process in self._running.values():
            process.terminate()
        for process in self._running.values():
            stop(process, _STOP_TIMEOUT_S)
