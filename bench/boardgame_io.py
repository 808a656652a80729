"""boardgame.io, a JavaScript framework for the same purpose: moves per second, and CPU time of its server.

Its game (`bench/boardgameio`) has a state of the same size, and 16 matches are played concurrently over
websockets. One process stores matches in memory, or in files with its own storage. It checks neither tokens
nor idempotency keys, and its game has hardly any rules.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from bench.plan import Plan
from bench.servers import cpu_seconds, free_port, wait_for_answer
from skye_server.server.processes import stop
from skye_server.setting_parsers import Address

FOLDER = Path(__file__).parent / "boardgameio"
MATCHES = 16
NAME = "boardgame.io 0.50"


class Moves(NamedTuple):
    """One run: confirmed moves per second, and CPU time of the server for each in microseconds."""

    rate: float
    cpu: float


def not_installed() -> str | None:
    """Return why it cannot be measured; None if it can."""
    installed = shutil.which("node") is not None and (FOLDER / "node_modules").is_dir()
    return None if installed else "node or its packages: not installed"


def move_runners(plan: Plan) -> dict[str, Callable[[], Moves]]:
    """Return functions that run its server once: with matches in memory, then in files."""
    return {
        f"{NAME}, matches in memory": _runner(plan, in_files=False),
        f"{NAME}, matches in files": _runner(plan, in_files=True),
    }


def _runner(plan: Plan, *, in_files: bool) -> Callable[[], Moves]:
    def run() -> Moves:
        with tempfile.TemporaryDirectory() as folder:
            return _played(plan.seconds, [folder] if in_files else [])

    return run


def _played(seconds: float, storage: list[str]) -> Moves:
    """Start a server, play for some seconds, and stop it."""
    address = Address("127.0.0.1", free_port())
    server = subprocess.Popen(["node", "server.js", str(address.port), *storage], cwd=FOLDER)
    try:
        wait_for_answer(address, "/games", server)
        command = ["node", "client.js", f"http://{address}", str(MATCHES), str(seconds)]
        with subprocess.Popen(command, cwd=FOLDER, stdout=subprocess.PIPE, text=True) as client:
            assert client.stdout is not None
            if client.stdout.readline() != "started\n":
                raise RuntimeError("the client of boardgame.io has failed")
            before = cpu_seconds([server.pid])
            moves, lasted_s = client.stdout.readline().split()
            spent = cpu_seconds([server.pid]) - before
    finally:
        stop(server, 10)
    if not int(moves):
        raise RuntimeError("boardgame.io has confirmed no move")
    return Moves(int(moves) / float(lasted_s), 1e6 * spent / int(moves))
