"""Run the launcher like `make serve`, and inspect its processes."""

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

from tests.support.waiting import MAX_WAIT_S, waited_for

ROOT = Path(__file__).resolve().parents[2]

COMMAND = ["-m", "skye_server.cli", "serve"]
"""What Python runs."""

PATIENT = {"SKYE_REDIS_TIMEOUT_MS": "60000", "SKYE_REDIS_WAIT_MS": "60000"}
"""Settings of a server whose Redis may stand still for as long as a busy disk or machine holds it up."""

FEW_PROCESSES = {"SKYE_WORKERS": "1", "SKYE_DISPATCHERS": "0"}
"""Settings of a server that starts quickly; a test of what a dispatcher does sets others."""


class Launched:
    """A running launcher: its process, its output and the address of its API.

    :param environ: The environment of the process.
    :param log: The file that its output is appended to.
    """

    def __init__(self, environ, log, cwd=ROOT):
        self.log = log
        with log.open("ab") as output:
            self.process = subprocess.Popen(
                [sys.executable, *COMMAND],
                cwd=cwd,
                env=environ,
                stdout=output,
                stderr=output,
                preexec_fn=_restore_default_sighup,  # noqa: PLW1509 - it takes no lock that a thread may hold
            )

    @property
    def printed(self):
        """The output so far."""
        return self.log.read_text()

    def wait_for(self, pattern, seconds=MAX_WAIT_S):
        """Wait until the output matches a pattern, and return the match."""
        deadline = time.monotonic() + seconds
        while not (found := re.search(pattern, self.printed)):
            assert time.monotonic() < deadline, f"no {pattern!r} in the output:\n{self.printed}"
            assert self.process.poll() is None, f"ended before printing {pattern!r}:\n{self.printed}"
            time.sleep(0.01)
        return found

    @property
    def url(self):
        """The URL of the API, once the launcher has printed it."""
        return self.wait_for(r"health +(http://\S+)/healthz")[1]

    def read(self, path):
        """Return the body that a GET of `path` is answered with."""
        with urllib.request.urlopen(self.url + path, timeout=MAX_WAIT_S) as answer:
            return answer.read()

    def call(self, method, path, body=None):
        """Send a request to the API and return the JSON of the response."""
        return call(self.url, method, path, body)

    def descendants(self):
        """Return the ids of its child processes and of their children."""
        return descendants(self.process.pid)

    def end(self, with_signal=signal.SIGTERM):
        """Stop it with a signal, and return its exit code."""
        self.process.send_signal(with_signal)
        return self.process.wait(MAX_WAIT_S)


def call(url, method, path, body=None, token=None):
    """Send a request to the API at a URL and return the JSON of the response."""
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url + path, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=MAX_WAIT_S) as answer:
        return json.load(answer)


def _restore_default_sighup():
    """Let SIGHUP end the new process also when the tests run under nohup."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def children(pid):
    """Return the ids of a process's children, none if it has ended."""
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []


def descendants(pid):
    """Return the ids of a process's children and of their children."""
    found = children(pid)
    return found + [grandchild for child in found for grandchild in children(child)]


def kill_all(process):
    """Kill a process that this one started, its children and theirs; wait until all have ended."""
    if process.poll() is not None:
        return
    process.send_signal(signal.SIGSTOP)  # so that it starts no child meanwhile
    for pid in children(process.pid):
        _send(pid, signal.SIGSTOP)
    pids = descendants(process.pid)
    for pid in (process.pid, *pids):
        _send(pid, signal.SIGKILL)
    process.wait(MAX_WAIT_S)
    assert all_ended(pids)


def _send(pid, sent):
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, sent)


def redis_servers(pid):
    """Return the ids of a process's children that are Redis or Valkey servers."""
    return [child for child in children(pid) if _name(child).endswith("-server")]


def _name(pid):
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except (FileNotFoundError, ProcessLookupError):  # it has ended
        return ""


def open_files(pid):
    """Return the paths of a process's open files; of a socket, "socket:" and its number."""
    paths = []
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # the process has ended
        for descriptor in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(FileNotFoundError):  # the file has been closed
                paths.append(descriptor.readlink())
    return paths


def runs(pid):
    """Return whether a process exists and is not a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def all_ended(pids, seconds=MAX_WAIT_S):
    """Wait until all processes have ended, and return whether they have."""
    return waited_for(lambda: not any(map(runs, pids)), seconds)


@contextlib.contextmanager
def launching(folder):
    """Yield a function that starts launchers on the data of a folder; kill those left at the end."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("SKYE_")}
    launched = []

    def start(**settings):
        own = {"SKYE_BIND": "127.0.0.1:0", "SKYE_DATA_DIR": str(folder / "data")}
        launched.append(
            Launched(
                clean | PATIENT | own | FEW_PROCESSES | settings, folder / f"launcher-{len(launched)}.log"
            )
        )
        return launched[-1]

    try:
        yield start
    finally:
        for one in launched:
            kill_all(one.process)
