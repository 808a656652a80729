"""`python -m bench.profile`: where the time of one action goes, as a picture: bench/profile-action.svg.

A worker of gunicorn is watched by py-spy while offers are set at several games at once. py-spy must be
allowed to look into another process: run this as root, or with `kernel.yama.ptrace_scope` at 0.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable
from pathlib import Path

from bench.client import drive
from bench.flames import Flame, Frame, drawn
from bench.plan import Plan
from bench.servers import cpu_seconds
from bench.subjects import HOT, Place, act, hot, place_to_measure

PICTURE = Path(__file__).parent / "profile-action.svg"
SECONDS = 20
_RATE = 500
_PLAN = Plan(1, SECONDS, 1, 4, HOT, 0, (), (), 0, 0)
_FIRST = "AsyncWorker.handle"
"""The function of gunicorn's worker beneath which all of a request is."""

_WAITING = "Hub.run"
"""That of gevent in which a worker waits for any of its connections, and turns to the next."""


def main() -> int:
    """Draw the picture."""
    program = shutil.which("py-spy") or Path(sys.executable).parent / "py-spy"
    if not Path(program).exists():
        sys.exit("There is no py-spy here: `pip install py-spy`.")
    with place_to_measure(_PLAN) as place:
        if place is None:
            sys.exit("There is no redis-server here.")
        stacks, microseconds = _watched(place, Path(program))
    flame = flame_of(stacks)
    title = f"Setting an offer, 4 players, round 4: {microseconds:.0f} us of CPU in the API"
    PICTURE.write_text(drawn(flame, title), encoding="utf-8")
    print(f"{PICTURE}: {flame.samples} samples, {microseconds:.0f} us of CPU for each request")
    return 0


def _watched(place: Place, program: Path) -> tuple[list[str], float]:
    """Return py-spy's lines, `frame;frame;... samples`, and the CPU time of a request in microseconds."""
    asks = hot(place, "profile", 4, "set_offer").asks(act("set_offer"))
    drive(place.ours.base, asks, 2)  # to warm up
    workers = place.ours.workers
    with tempfile.NamedTemporaryFile(suffix=".txt") as file:
        options = ["--pid", str(workers[0]), "--rate", str(_RATE), "--duration", str(SECONDS)]
        command = [program, "record", *options, "--function", "--format", "raw", "--output", file.name]
        watching = threading.Thread(target=subprocess.run, args=(command,), kwargs={"check": True})
        before = cpu_seconds(workers)
        watching.start()
        number = len(drive(place.ours.base, asks, SECONDS + 1))
        took = cpu_seconds(workers) - before
        watching.join()
        lines = Path(file.name).read_text(encoding="utf-8").splitlines()
    return lines, 1e6 * took / number


def flame_of(lines: Iterable[str]) -> Flame:
    """Return what py-spy's lines tell of requests, from gunicorn's handling of a connection down."""
    flame = Flame(Frame("a request", ""))
    for line in lines:
        stack, _, samples = line.rpartition(" ")
        frames = [_frame(received) for received in stack.split(";")]
        starts = [at for at, frame in enumerate(frames) if frame.name in (_FIRST, _WAITING)]
        if starts:
            flame.add(frames[starts[0] :], int(samples))
    return flame


def _frame(received: str) -> Frame:
    """Read `Class.function (file:line)`; where on this machine the file is does not matter."""
    name, _, place = received.partition(" (")
    file = "/".join(Path(place.rpartition(":")[0]).parts[-3:])
    return Frame(name.replace("<locals>.", ""), file)


if __name__ == "__main__":
    sys.exit(main())
