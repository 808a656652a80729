"""The data folder of `make serve`, and the two locks that keep it to one process at a time."""

import errno
import fcntl
import os
from pathlib import Path

from skye_server.server.processes import LaunchError

_LAUNCHER_LOCK = "launcher.lock"
_FILES_LOCK = "redis.lock"


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
            remedy = "Free space" if error.errno == errno.ENOSPC else "Make it writable"
            raise LaunchError(
                f"The data folder {path} cannot be written: {error.strerror}. "
                f"{remedy}, or set SKYE_DATA_DIR to another folder."
            ) from error
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


def address_of_server(path: Path) -> str | None:
    """Return where the server listens that has the files of a folder open, None without one."""
    try:
        descriptor = os.open(path / _FILES_LOCK, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _read(descriptor)
    finally:
        os.close(descriptor)
    return None


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
