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
from bench.rows import Row, in_turn, row
from bench.servers import cpu_seconds, free_port, wait_for_answer
from skye_server.server.processes import stop
from skye_server.setting_parsers import Address

FOLDER = Path(__file__).parent / "boardgameio"
MATCHES = 16
NAME = "boardgame.io 0.50"


class _Moves(NamedTuple):
    """One run: confirmed moves per second, and CPU time of the server for each in microseconds."""

    rate: float
    cpu: float


def boardgame_io_rows(plan: Plan) -> list[Row]:
    """Measure its server, with matches in memory and in files, in turn."""
    if shutil.which("node") is None or not (FOLDER / "node_modules").is_dir():
        return [Row(f"{NAME}: a move", None, "moves/s", "node or its packages: not installed")]
    storages = {"matches in memory": False, "matches in files": True}
    contenders = {name: _runner(plan, in_files=in_files) for name, in_files in storages.items()}
    rows = []
    for storage, seen in in_turn(contenders, plan.runs).items():
        rows.append(row(f"{NAME}, {storage}: moves", [each.rate for each in seen], "moves/s"))
        rows.append(row(f"{NAME}, {storage}: CPU of its server", [each.cpu for each in seen], "us/move"))
    return rows


def _runner(plan: Plan, *, in_files: bool) -> Callable[[], _Moves]:
    def run() -> _Moves:
        with tempfile.TemporaryDirectory() as folder:
            return _played(plan.seconds, [folder] if in_files else [])

    return run


def _played(seconds: float, storage: list[str]) -> _Moves:
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
    return _Moves(int(moves) / float(lasted_s), 1e6 * spent / int(moves))
