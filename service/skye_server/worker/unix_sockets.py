"""Unix sockets that clients find only when a worker can serve.

gunicorn listens before its workers have loaded the application. The kernel accepts connections from then on,
and a proxy would wait for responses: a request that it must not send twice could not go to another instance.
So gunicorn binds `PATH.bound`, and the first worker that can serve creates the symbolic link PATH to it.
"""

from __future__ import annotations

import contextlib
import stat
from pathlib import Path
from typing import Final

_PREFIX: Final = "unix:"
_SUFFIX: Final = ".bound"


def address_to_bind(address: str) -> str:
    """Return the address to bind for one that clients connect to; remove the file of a stopped server there.

    :param address: in the form of gunicorn; only `unix:PATH` changes.
    """
    if not address.startswith(_PREFIX):
        return address
    path = Path(address.removeprefix(_PREFIX))
    with contextlib.suppress(FileNotFoundError):
        if stat.S_ISLNK(path.lstat().st_mode) or path.is_socket():
            path.unlink()
    return f"{_PREFIX}{path}{_SUFFIX}"


def publish(name: object) -> None:
    """Create the path that clients connect to.

    :param name: the name of a listening socket; that of a TCP socket is a tuple.
    """
    if isinstance(name, str) and name.endswith(_SUFFIX):
        path = Path(name.removesuffix(_SUFFIX))
        with contextlib.suppress(FileExistsError):  # another worker was first
            path.symlink_to(Path(name).name)
