"""Run the command of a bot, and end all processes that it has started when it ends (Linux).

`python supervisor.py DESCRIPTOR COMMAND ARGUMENT...` is the parent of the bot's process. Descendants that
lose their parent become its children, whatever their session or process group is. So their CPU time counts
for the bot, and none of them outlives it. The program imports little, since each start of a bot waits for it.

The descriptor is a socket. The supervisor sends an empty line when the bot has started, otherwise the reason
why it has not. It ends the bot when the other end is closed, also by the end of the process that holds it.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import sys
import time
from typing import Final

_PR_SET_CHILD_SUBREAPER: Final = 36
"""The option of prctl(2) by which orphaned descendants become children of this process."""

MAX_ENDING_S: Final = 10.0
"""The time in which the processes of a bot end: one in an uninterruptible system call takes longer."""


def children_of(process: int) -> set[int]:
    """Return the children of all threads of a process; empty if it has ended."""
    found: set[int] = set()
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{process}/task"):  # noqa: PTH208 - pathlib starts slowly
            with (
                contextlib.suppress(OSError),
                open(f"/proc/{process}/task/{thread}/children", encoding="ascii") as file,  # noqa: PTH123
            ):
                found.update(map(int, file.read().split()))
    return found


def kill_descendants(process: int) -> bool:
    """Kill the processes below a process; return whether there was one that this process may kill."""
    killed = False
    for child in children_of(process):
        killed |= kill_descendants(child)
        try:
            os.kill(child, signal.SIGKILL)
            killed = True
        except OSError:
            continue
    return killed


def main() -> None:
    """Run the command of the arguments, until it ends or the socket is closed."""
    control, command = int(sys.argv[1]), sys.argv[2:]
    os.set_inheritable(control, False)
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    woken, wakes = os.pipe()
    os.set_blocking(wakes, False)
    signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    try:
        restored = [signal.SIGPIPE, signal.SIGXFSZ]  # which Python ignores
        bot = os.posix_spawnp(command[0], command, os.environ, setpgroup=0, setsigdef=restored)
    except OSError as error:
        os.write(control, f"{error}\n".encode(errors="replace"))
        return
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)  # only the bot holds the pipes
    os.write(control, b"\n")
    while control not in select.select([control, woken], [], [])[0]:
        os.read(woken, 1024)
        if bot in _reaped():
            break
    _end_descendants()


def _reaped() -> list[int]:
    """Return the children that have ended, which adds their CPU time to that of this process."""
    found = []
    with contextlib.suppress(ChildProcessError):
        while (process := os.waitpid(-1, os.WNOHANG)[0]) != 0:
            found.append(process)
    return found


def _end_descendants() -> None:
    """Kill all processes below this one, also those that start meanwhile."""
    deadline = time.monotonic() + MAX_ENDING_S
    while kill_descendants(os.getpid()) and time.monotonic() < deadline:
        _reaped()
        time.sleep(0.001)


if __name__ == "__main__":
    main()
