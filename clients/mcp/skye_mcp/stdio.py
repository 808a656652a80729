"""The MCP server on standard input and output, which ends when its user or its client does.

The SDK waits for standard input in a thread, which neither an exception nor a cancellation ends: without this
module Ctrl-C has no effect, and a process whose client has died lives until its input closes too.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
from contextlib import suppress
from io import UnsupportedOperation
from typing import Any

from mcp.server.mcpserver import MCPServer


def run_on_stdio(server: MCPServer[Any]) -> None:
    """Serve until standard input or output closes, or Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(select, "poll"):  # not on Windows
        with suppress(UnsupportedOperation):  # an output in memory has no reader that may be gone
            output = os.dup(sys.stdout.fileno())  # the SDK lets the descriptor itself lead elsewhere
            threading.Thread(target=_end_without_reader, args=(output,), daemon=True).start()
    try:
        server.run("stdio")
    except* (BrokenPipeError, ConnectionResetError):
        os._exit(0)


def _end_without_reader(output: int) -> None:
    """End the process when nobody can read a descriptor any more."""
    closed = select.poll()
    closed.register(output, 0)  # POLLERR and POLLHUP are always reported
    closed.poll()
    os._exit(0)
