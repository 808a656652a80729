"""Readiness for a service manager, by the protocol of `sd_notify` of systemd (`Type=notify`)."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable


def readiness() -> Callable[[], None]:
    """Return a function that reports this process ready, without effect if no service manager waits for that.

    Processes that this one starts later report nothing.
    """
    address = os.environ.pop("NOTIFY_SOCKET", "")

    def report() -> None:
        if address:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notifying:
                notifying.sendto(b"READY=1", address.replace("@", "\0", 1))  # @: an abstract address

    return report
