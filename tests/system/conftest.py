"""The launcher, run as its user runs it."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

PATIENCE_S = 60
"""For so long anything that must happen is waited for, on a machine that has much else to do."""


class Launched:
    """One `serve` under test: a process, what it printed, and the address of its API."""

    def __init__(self, environ, log, cwd=ROOT):
        self.log = log
        with log.open("ab") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "service.cli", "serve"],
                cwd=cwd,
                env=environ,
                stdout=output,
                stderr=output,
                preexec_fn=_minding_hangups,  # noqa: PLW1509 - it takes no lock that a thread may hold
            )

    @property
    def printed(self):
        return self.log.read_text()

    def wait_for(self, pattern, seconds=PATIENCE_S):
        """Wait until it has printed something, and return the match."""
        deadline = time.monotonic() + seconds
        while not (found := re.search(pattern, self.printed)):
            assert time.monotonic() < deadline, f"never said {pattern!r}, only:\n{self.printed}"
            assert self.process.poll() is None, f"ended before it said {pattern!r}:\n{self.printed}"
            time.sleep(0.01)
        return found

    @property
    def url(self):
        return self.wait_for(r"health +(http://\S+)/healthz")[1]

    def read(self, path):
        """Return the body that a GET of `path` is answered with."""
        with urllib.request.urlopen(self.url + path, timeout=30) as answer:
            return answer.read()

    def call(self, method, path, body=None):
        """Return the JSON that the API answers."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.url + path, data, {"Content-Type": "application/json"}, method=method
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)

    def descendants(self):
        """Return the ids of the processes that it started, and of those that these started."""
        found = children(self.process.pid)
        return found + [pid for child in found for pid in children(child)]

    def end(self, with_signal=signal.SIGTERM):
        """Stop it with a signal, and return its exit code."""
        self.process.send_signal(with_signal)
        return self.process.wait(PATIENCE_S)


def _minding_hangups():
    """Let a hangup end the process that begins, though the tests may be run under nohup."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def children(pid):
    """Return the ids of a process's children."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def runs(pid):
    """Whether a process is there and has not ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except FileNotFoundError:
        return False


def gone(pids, seconds=PATIENCE_S):
    """Whether all these processes have ended, soon enough."""
    deadline = time.monotonic() + seconds
    while any(map(runs, pids)) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not any(map(runs, pids))


@contextlib.contextmanager
def launching(folder):
    """Give a function that starts launchers on the games of a folder; end those that are still there."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("SKYE_")}
    launched = []

    def start(**settings):
        own = {"SKYE_BIND": "127.0.0.1:0", "SKYE_DATA_DIR": str(folder / "data"), "SKYE_WORKERS": "1"}
        launched.append(Launched(clean | own | settings, folder / f"launcher-{len(launched)}.log"))
        return launched[-1]

    try:
        yield start
    finally:
        for one in launched:
            if one.process.poll() is None:
                one.end(signal.SIGKILL)


@pytest.fixture
def launch(tmp_path):
    """Start a launcher on the games of this test; settings can be given by name, such as SKYE_WORKERS="1"."""
    with launching(tmp_path) as start:
        yield start


@pytest.fixture(scope="session")
def live(tmp_path_factory):
    """One launcher with two workers, for all tests that only call it."""
    with launching(tmp_path_factory.mktemp("live")) as start:
        yield start(SKYE_WORKERS="2")
