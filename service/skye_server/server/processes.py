"""Child processes that end with the process that started them, and the signals of the launcher."""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_GROUP_END_TIMEOUT_S = 5.0


class LaunchError(Exception):
    """The service cannot be started or kept running; the message gives the reason and a remedy."""


def spawn(  # noqa: PLR0913 - what a process has
    arguments: Sequence[str | Path],
    *,
    folder: Path,
    environ: Mapping[str, str] | None = None,
    inherited: Sequence[int] = (),
    umask: int = -1,
    signal_at_our_death: signal.Signals = signal.SIGTERM,
) -> subprocess.Popen[bytes]:
    """Start a child in `folder`, as the leader of a new session and process group.

    In its own session it does not receive a Ctrl-C from the terminal, so the launcher can stop its children
    in order.

    :param inherited: the file descriptors that the child inherits.
    :param umask: the file mode creation mask of the child; -1: that of this process.
    :param signal_at_our_death: the signal that the kernel sends to the child when this process dies.
    :raises OSError: if the program cannot be run.
    """
    parent = os.getpid()
    set_death_signal = death_signal_setter(signal_at_our_death)

    def prepare() -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        set_death_signal(parent)

    return subprocess.Popen(  # noqa: S603 - no shell reads the arguments
        arguments,
        cwd=folder,
        env=environ,
        pass_fds=inherited,
        umask=umask,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=prepare,  # noqa: PLW1509 - this process has no threads that a fork could hurt
    )


def stop(process: subprocess.Popen[bytes], timeout_s: float) -> None:
    """Send a child SIGTERM, kill it if it has not ended within `timeout_s`, and wait for its end."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    try:
        process.wait(timeout_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill the remaining processes of the group of a child that `spawn` started, and wait for their end."""
    deadline = time.monotonic() + _GROUP_END_TIMEOUT_S
    with contextlib.suppress(ProcessLookupError):
        while time.monotonic() < deadline:
            os.killpg(process.pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):  # they are ours only after `adopt_orphans`
                os.waitpid(-process.pid, os.WNOHANG)
            time.sleep(0.005)


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent dies, to be able to wait for their end (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def describe_end(process: subprocess.Popen[bytes]) -> str:
    """Return how a child has ended: by which signal, or with which exit code."""
    code = process.returncode
    if code is not None and code < 0:
        return f"killed by {signal.Signals(-code).name}"
    return f"exit code {code}"


def death_signal_setter(number: signal.Signals) -> Callable[[int], None]:
    """Return a function for a forked child, which asks the kernel for a signal at the death of its parent.

    The function takes the process id of the parent. It exits if the parent has died already.
    """
    # Looked up before the fork: a forked child should do as little as possible.
    prctl = ctypes.CDLL(None).prctl if sys.platform == "linux" else None

    def set_death_signal(parent: int) -> None:
        if prctl:
            prctl(_PR_SET_PDEATHSIG, number)
            if os.getppid() != parent:
                os._exit(1)

    return set_death_signal


STOPPING = {signal.SIGINT, signal.SIGTERM}
if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # nohup ignores it
    STOPPING.add(signal.SIGHUP)
HANDLED: Final = STOPPING | {signal.SIGCHLD}


class StopRequested(Exception):
    """A signal to stop the launcher."""


def block() -> None:
    """Block the handled signals: they stay pending until the launcher waits for them."""
    signal.pthread_sigmask(signal.SIG_BLOCK, HANDLED)


def pause(seconds: float) -> None:
    """Sleep.

    :raises StopRequested: on a signal to stop.
    """
    if signal.sigtimedwait(STOPPING, max(seconds, 0)):
        raise StopRequested


def wait_for_child(timeout_s: float | None) -> None:
    """Wait until a child has ended, or `timeout_s` seconds have passed.

    :raises StopRequested: on a signal to stop.
    """
    received = signal.sigwaitinfo(HANDLED) if timeout_s is None else signal.sigtimedwait(HANDLED, timeout_s)
    if received and received.si_signo in STOPPING:
        raise StopRequested
