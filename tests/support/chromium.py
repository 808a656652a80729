"""Headless Chromium, controlled through a pipe: no driver, no other package."""

import contextlib
import fcntl
import json
import os
import shutil
import signal
import threading
import time

import pytest

from tests.support.missing_programs import NO_CHROMIUM
from tests.support.waiting import MAX_RUN_S, MAX_WAIT_S

_QUIET = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic"),
    *("--no-proxy-server", "--remote-debugging-pipe", "--hide-scrollbars", "--window-size=1280,900"),
)


def find_chromium():
    """Return the program, or skip the test."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return next(filter(None, map(shutil.which, names)), None) or pytest.skip(NO_CHROMIUM)


def find_headless_chromium():
    """Return the headless program without windows, or otherwise a whole Chromium.

    The tests of the table took 13 to 60 % less CPU with it.
    """
    names = ("chromium-headless-shell", "chrome-headless-shell")
    return next(filter(None, map(shutil.which, names)), None) or find_chromium()


_NAVIGATING = (
    "Inspected target navigated or closed",
    "Execution context was destroyed.",
    "Cannot find default execution context",
)


class Navigating(Exception):
    """Another page replaced the one in which an expression was being evaluated."""


class Page:
    """One page in one browser."""

    def __init__(self, reader, writer):
        self._reader, self._writer = reader, writer
        self._sent, self._session = 0, None
        self.complaints = []
        """The errors in the console of the page, and uncaught exceptions."""
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.send(f"{domain}.enable")

    def send(self, method, **params):
        """Send a command of the DevTools protocol; return its result."""
        self._sent += 1
        message = {"id": self._sent, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        self._writer.write(json.dumps(message).encode() + b"\0")
        self._writer.flush()
        while (answer := self._read()).get("id") != self._sent:
            self._hear(answer)
        error = answer.get("error", {})
        if error.get("message") in _NAVIGATING:
            raise Navigating
        assert not error, answer
        return answer["result"]

    def _read(self):
        data = bytearray()
        while (byte := self._reader.read(1)) != b"\0":
            assert byte, "chromium has gone away"
            data += byte
        return json.loads(data)

    def _hear(self, received):
        params = received.get("params", {})
        if received.get("method") == "Runtime.exceptionThrown":
            self.complaints.append(params["exceptionDetails"])
        elif received.get("method") == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.complaints.append(params["entry"])
        elif received.get("method") == "Page.javascriptDialogOpening":
            self.complaints.append(params)

    def open(self, url):
        """Go to a page."""
        self.send("Page.navigate", url=url)

    def evaluate(self, expression):
        """Return the value of an expression in the page."""
        received = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in received, received
        return received["result"].get("value")

    def texts(self, selector):
        """Return the texts of all elements that a selector finds."""
        return self.evaluate(f"[...document.querySelectorAll({selector!r})].map((one) => one.textContent)")

    def wait_until(self, expression, seconds=MAX_WAIT_S):
        """Wait until an expression is true in the page; return its value."""
        deadline = time.monotonic() + seconds
        while True:
            with contextlib.suppress(Navigating):
                if value := self.evaluate(expression):
                    return value
            assert time.monotonic() < deadline, (expression, self.evaluate("document.body.innerText"))
            time.sleep(0.02)


@contextlib.contextmanager
def browsing(program, folder):
    """A page in a separate browser, whose profile is in a folder."""
    (to_browser, writing), (reading, from_browser) = _pipe(), _pipe()
    output = (os.POSIX_SPAWN_OPEN, 1, folder / "chromium.log", os.O_WRONLY | os.O_CREAT, 0o600)
    # It reads commands at 3 and answers at 4, each message ended by a NUL.
    pairs = ((1, 2), (to_browser, 3), (from_browser, 4))
    handed = [output, *((os.POSIX_SPAWN_DUP2, ours, theirs) for ours, theirs in pairs)]
    command = [program, *_QUIET, f"--user-data-dir={folder}", "about:blank"]
    pid = os.posix_spawn(program, command, os.environ, file_actions=handed)
    os.close(to_browser)
    os.close(from_browser)
    # One that hangs would never answer.
    watchdog = threading.Timer(MAX_RUN_S, os.kill, (pid, signal.SIGKILL))
    watchdog.start()
    with os.fdopen(reading, "rb") as reader, os.fdopen(writing, "wb") as writer:
        try:
            yield Page(reader, writer)
        finally:
            watchdog.cancel()
            watchdog.join()
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def _pipe():
    """Return both ends of a pipe, numbered beyond those that are handed down as 3 and 4."""
    low = os.pipe()
    ends = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in low]
    for end in low:
        os.close(end)
    return ends
