"""The signals of the launcher: blocked, and handled only while it waits."""

import signal
from typing import Final

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
