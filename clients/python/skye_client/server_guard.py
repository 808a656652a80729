"""Run a command until standard input closes; then stop it, and delete its folder.

    python -I server_guard.py FOLDER COMMAND ...

The pytest plugin holds the other end of the pipe, which closes when pytest ends, also when it is killed. This
program imports the standard library only, to start fast.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import threading
from typing import Final

STOP_TIMEOUT_S: Final = 20.0
"""How long the command may take to end, before it is killed."""


def main(folder: str, *command: str) -> int:
    """Run the command; return its exit code."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for pytest, which then closes the pipe
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL)  # noqa: S603 - of the plugin

    def stop() -> None:
        sys.stdin.buffer.read()
        process.terminate()
        try:
            process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()

    watching = threading.Thread(target=stop, daemon=True)
    watching.start()
    code = process.wait()
    watching.join(timeout=1)  # the command may have ended on its own: then the plugin reads its output
    if not watching.is_alive():
        shutil.rmtree(folder, ignore_errors=True)
    return code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
