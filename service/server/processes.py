"""Child processes that do not outlive the process that started them."""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

_PR_SET_PDEATHSIG = 1


class LaunchError(Exception):
    """Something needed to serve cannot be had; the message says why and what to do, in a line or two."""


def spawn(
    arguments: Sequence[str | Path],
    *,
    folder: Path,
    environ: Mapping[str, str] | None = None,
    inherited: Sequence[int] = (),
    signal_at_our_death: signal.Signals = signal.SIGTERM,
) -> subprocess.Popen[bytes]:
    """Start a child in `folder`, that inherits the file descriptors named and is sent a signal when we die.

    It has a session of its own, so that a Ctrl-C in the terminal reaches us alone and we can stop our
    children in order.

    Raises:
        OSError: if the program cannot be run.
    """
    return subprocess.Popen(  # noqa: S603 - the programs are ours, no shell reads the arguments
        arguments,
        cwd=folder,
        env=environ,
        pass_fds=inherited,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=_dying_with(os.getpid(), signal_at_our_death),  # noqa: PLW1509 - we have no threads that a fork could hurt
    )


def stop(process: subprocess.Popen[bytes], patience_s: float) -> None:
    """Ask a child to end, kill it if it does not within `patience_s`, and wait for its end."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    try:
        process.wait(patience_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def describe_end(process: subprocess.Popen[bytes]) -> str:
    """Return in words how a child that has ended did so."""
    code = process.returncode
    if code is not None and code < 0:
        return f"killed by {signal.Signals(-code).name}"
    return f"exit code {code}"


def _dying_with(parent: int, last_signal: signal.Signals) -> Callable[[], None]:
    """Return what a child of `parent` does before it runs its program."""
    # Looked up here, before the fork: a forked child should do as little as it can.
    prctl = ctypes.CDLL(None).prctl if sys.platform == "linux" else None

    def prepare() -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        if prctl:
            prctl(_PR_SET_PDEATHSIG, last_signal)
            if os.getppid() != parent:  # it died before the kernel was told to watch it
                os._exit(1)

    return prepare
