"""The embedded Redis or Valkey server: run it on one data folder.

The launcher owns the process. Three things protect the games:

- A process must hold the locks of a data folder to work on it (`DataFolder`).
- The kernel ends the server when its launcher dies (`skye_server.server.processes`).
- The server appends every accepted change to a file in the folder.
"""

import contextlib
import errno
import fcntl
import os
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self
from urllib.parse import quote

from skye_server.server.processes import LaunchError, describe_end, spawn, stop
from skye_server.server.server_programs import MULTI_PART_FOLDER, describe, version_of
from skye_server.setting_parsers import Address

_LAUNCHER_LOCK = "launcher.lock"
_FILES_LOCK = "redis.lock"
_PAGE = 65_536


class DataFolder:
    """A folder that this process alone may use, until it closes it or dies.

    The second lock belongs to the process that has the files open, the embedded server. It inherits the lock,
    which therefore lasts until that server ends, even when the launcher is killed.
    """

    def __init__(self, path: Path) -> None:
        """Create the folder if it is missing, and lock it.

        :raises LaunchError: if it cannot be written, or another launcher uses it.
        """
        self.path = path
        self._launcher = self._files = -1
        try:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._launcher = _open(path / _LAUNCHER_LOCK)
            self._files = _open(self.files_lock)
            if not _lock(self._launcher):
                owner = _read(self._launcher) or "unknown"
                raise LaunchError(
                    f"The games in {path} are being served already, by process {owner}. Stop that first, or "
                    "set SKYE_DATA_DIR and SKYE_BIND to serve others beside it."
                )
            _write(self._launcher, str(os.getpid()))
        except OSError as error:
            self.close()
            raise unusable(path, error) from error
        except LaunchError:
            self.close()
            raise

    def lock_files(self, holder: str) -> int | None:
        """Lock the files, and store the name of the holder in the lock file.

        :returns: the file descriptor to inherit, or None while another process holds the lock.
        """
        if not _lock(self._files):
            return None
        _write(self._files, holder)
        return self._files

    @property
    def files_lock(self) -> Path:
        """The file whose lock the embedded server holds."""
        return self.path / _FILES_LOCK

    def close(self) -> None:
        """Release the folder."""
        for descriptor in (self._launcher, self._files):
            if descriptor >= 0:
                os.close(descriptor)
        self._launcher = self._files = -1


def unusable(path: Path, error: OSError) -> LaunchError:
    """Return the error that a data folder cannot be written."""
    remedy, reason = "Make it writable, or set", error.strerror
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        remedy = "Free space, or set"
    elif error.errno in (errno.ENOTDIR, errno.EEXIST):  # EEXIST: there is a file of this name
        remedy, reason = "Set", os.strerror(errno.ENOTDIR)
    return LaunchError(
        f"The data folder {path} cannot be written: {reason}. {remedy} SKYE_DATA_DIR to another folder."
    )


def address_of_server(path: Path) -> str | None:
    """Return where the server listens that has the files of a folder open, None without one.

    :raises LaunchError: if the folder cannot be used.
    """
    try:
        descriptor = os.open(path / _FILES_LOCK, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise unusable(path, error) from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _read(descriptor)
    finally:
        os.close(descriptor)
    return None


def has_space(path: Path) -> bool:
    """Return whether a folder can hold one more page, by writing it."""
    page = path / f"space-check-{os.getpid()}"
    try:
        page.write_bytes(bytes(_PAGE))
    except OSError as error:
        return error.errno not in (errno.ENOSPC, errno.EDQUOT)
    finally:
        page.unlink(missing_ok=True)
    return True


def _open(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _read(descriptor: int) -> str:
    return os.pread(descriptor, 4096, 0).decode(errors="replace").strip()


def _write(descriptor: int, text: str) -> None:
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, f"{text}\n".encode(), 0)


LOG_NAME = "redis.log"

_MULTI_PART_SINCE = 7
_TRUNCATED = ("short read while loading", "Truncating the AOF", "AOF loaded anyway")
"""Log texts of a server that truncates an append-only file because it ends in the middle of a command."""

_POLL_S = 0.005
_FIRST_REPLY_TIMEOUT_S = 60.0
_LOADING_TIMEOUT_S = 600.0
_ORPHAN_TIMEOUT_S = 30.0
_STOP_TIMEOUT_S = 10.0

Pause = Callable[[float], object]
"""A function that sleeps for some seconds; the launcher's also handles its signals."""


def lock_files(folder: DataFolder, socket_path: Path, pause: Pause = time.sleep) -> int:
    """Lock the files of a data folder for the server that will listen at `socket_path`.

    A server whose launcher was killed may still be writing its data: wait for its end.

    :returns: the file descriptor that holds the lock, for the server to inherit.
    :raises LaunchError: if that server does not end.
    """
    started = time.monotonic()
    while (lock := folder.lock_files(str(socket_path))) is None:
        if time.monotonic() - started > _ORPHAN_TIMEOUT_S:
            raise LaunchError(
                f"A Redis left over from an earlier start still holds the games in {folder.path}, and does "
                f"not end. Stop it, then start again: `fuser {folder.files_lock}` shows its process."
            )
        pause(_POLL_S)
    return lock


@dataclass(slots=True)
class RedisServer:
    """A server process on the append-only file in `folder`. A `with` block starts and stops it.

    :param address: the path of a Unix socket, or a host and port.
    :param inherited: file descriptors that the process keeps open.
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
        """The URL at which a client connects."""
        return url_of(self.address)

    @property
    def running(self) -> bool:
        """Whether the process has been started and has not ended."""
        return self.process is not None and self.process.poll() is None

    def start(self) -> None:
        """Start the process without waiting for it.

        :raises LaunchError: if the program cannot run, or must not run on the files in the folder.
        """
        self._check_files()
        self._hide_files()
        log = self.folder / LOG_NAME
        self._log_start = log.stat().st_size if log.exists() else 0
        try:
            self.process = spawn(
                [self.program, *self._arguments()],
                folder=self.folder,
                inherited=self.inherited,
                umask=0o077,  # the folder may be one that others can read
            )
        except OSError as error:
            raise LaunchError(f"{self.program} does not run: {error.strerror}") from error

    def wait_until_ready(self, pause: Pause = time.sleep) -> None:
        """Wait until the server has loaded its file and replies.

        :raises LaunchError: if it ends, or does not reply in time.
        """
        started = time.monotonic()
        while not (reply := _send_command(self.address, b"PING\r\n")).startswith(b"+PONG"):
            timeout = _LOADING_TIMEOUT_S if reply.startswith(b"-LOADING") else _FIRST_REPLY_TIMEOUT_S
            if not self.running or time.monotonic() > started + timeout:
                raise LaunchError(
                    f"Redis did not start on {self.folder}: {self.failure()}. Its log is {LOG_NAME} in that "
                    "folder. If a newer server wrote the files, put that one on the path."
                )
            pause(_POLL_S)

    def stop(self) -> None:
        """Stop the server, which writes its data first, and wait for its end."""
        if self.process is not None:
            stop(self.process, _STOP_TIMEOUT_S)

    def failure(self) -> str:
        """Return why the server ended: the last warning in its log, or its exit code or signal."""
        if self.process is None or self.running:
            return "it does not respond"
        warnings = [line for line in self._logged_warnings() if not line.startswith("WARNING")]
        was_killed = self.process.returncode < 0
        return warnings[-1] if warnings and not was_killed else describe_end(self.process)

    def truncation(self) -> str | None:
        """Return what the server logged about a truncated append-only file, None if the file was whole."""
        lines = [line.strip("! ") for line in self._logged_warnings() if any(t in line for t in _TRUNCATED)]
        return "; ".join(lines) or None

    def _logged_warnings(self) -> list[str]:
        """Return the warnings in the log since the last start.

        A line reads `1234:M 20 Nov 2026 11:30:00.000 # text`; `*` and `-` mark lesser levels.
        """
        try:
            with (self.folder / LOG_NAME).open(errors="replace") as log:
                log.seek(self._log_start)
                texts = [line.partition(" # ")[2].strip() for line in log]
        except OSError:
            return []
        return [text for text in texts if text]

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

    def _check_files(self) -> None:
        """Refuse files that the server would ignore: it would start without games, or overwrite them.

        :raises LaunchError: if there are such files.
        """
        folder = self.folder / MULTI_PART_FOLDER
        if not folder.exists():
            return
        if version_of(self.program)[0] < _MULTI_PART_SINCE:
            raise LaunchError(
                f"The games in {self.folder} were written by Redis {_MULTI_PART_SINCE} or newer, but "
                f"{self.program} is {describe(self.program)}. Put a newer redis-server on the path."
            )
        if any(folder.glob("*.aof.*")) and not any(folder.glob("*.manifest")):
            raise LaunchError(
                f"{folder} holds append-only files but no manifest, which lists them. Without it the server "
                "would start with no games. Restore the manifest from a backup, or move the folder away to "
                "start empty."
            )

    def _hide_files(self) -> None:
        """Take the rights of others to files that an earlier server has written with them."""
        parts = self.folder / MULTI_PART_FOLDER
        files = [self.folder / LOG_NAME, self.folder / "appendonly.aof", *parts.glob("*")]
        with contextlib.suppress(PermissionError):  # the files of another user
            for path, mode in [(parts, 0o700), *((file, 0o600) for file in files)]:
                if path.exists():
                    path.chmod(mode)


def url_of(address: Path | Address) -> str:
    """Return the URL of a server at a Unix socket, or at a host and port."""
    return f"unix://{quote(str(address))}" if isinstance(address, Path) else f"redis://{address}/0"


def has_files(folder: Path) -> bool:
    """Return whether a server has stored anything in a folder; before Redis 7 that was one file."""
    return any((folder / name).exists() for name in (MULTI_PART_FOLDER, "appendonly.aof"))


@contextlib.contextmanager
def socket_location(folder: Path) -> Iterator[Path]:
    """Yield a path for a Unix socket: in `folder`, or in a private temporary folder.

    A socket needs a path of at most about 100 bytes, and a file system that supports sockets.
    """
    path = folder / "redis.sock"
    path.unlink(missing_ok=True)
    try:
        with socket.socket(socket.AF_UNIX) as trial:
            trial.bind(str(path))
    except OSError:
        with tempfile.TemporaryDirectory(prefix="skye-", ignore_cleanup_errors=True) as private:
            yield Path(private) / "redis.sock"
    else:
        path.unlink()
        yield path
        path.unlink(missing_ok=True)


def _send_command(address: Path | Address, command: bytes) -> bytes:
    """Send one command to a server.

    :returns: the beginning of the reply, empty when there is none.
    """
    family = socket.AF_INET if isinstance(address, Address) else socket.AF_UNIX
    try:
        with socket.socket(family) as connection:
            connection.settimeout(1.0)
            connection.connect(address if isinstance(address, Address) else str(address))
            connection.sendall(command)
            return connection.recv(64)
    except OSError:
        return b""
