"""`python -m bench.profile`: draw the profile of one action, bench/profile.svg.

py-spy samples a worker of gunicorn while offers are set in several games. py-spy needs the permission to
trace another process: run this as root, or with `kernel.yama.ptrace_scope` at 0.
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

PICTURE = Path(__file__).parent / "profile.svg"
SECONDS = 20
_RATE = 500
_PLAN = Plan(1, SECONDS, 1, 4, HOT, 0, (), (), 0, 0)
_FIRST = "AsyncWorker.handle"
"""The function of gunicorn's worker that handles a request."""

_WAITING = "Hub.run"
"""The function of gevent's event loop."""


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
    """Return the lines of py-spy, `frame;frame;... samples`, and the CPU microseconds of a request."""
    requests = hot(place, "profile", 4, "set_offer").requests(act("set_offer"))
    drive(place.ours.base, requests, 2)  # to warm up
    workers = place.ours.workers
    with tempfile.NamedTemporaryFile(suffix=".txt") as file:
        options = ["--pid", str(workers[0]), "--rate", str(_RATE), "--duration", str(SECONDS)]
        command = [program, "record", *options, "--function", "--format", "raw", "--output", file.name]
        watching = threading.Thread(target=subprocess.run, args=(command,), kwargs={"check": True})
        before = cpu_seconds(workers)
        watching.start()
        number = len(drive(place.ours.base, requests, SECONDS + 1))
        took = cpu_seconds(workers) - before
        watching.join()
        lines = Path(file.name).read_text(encoding="utf-8").splitlines()
    return lines, 1e6 * took / number


def flame_of(lines: Iterable[str]) -> Flame:
    """Return the samples of requests, from the function of gunicorn that handles a connection."""
    flame = Flame(Frame("a request", ""))
    for line in lines:
        stack, _, samples = line.rpartition(" ")
        frames = [_frame(received) for received in stack.split(";")]
        starts = [at for at, frame in enumerate(frames) if frame.name in (_FIRST, _WAITING)]
        if starts:
            flame.add(frames[starts[0] :], int(samples))
    return flame


def _frame(received: str) -> Frame:
    """Parse `Class.function (file:line)`; keep the last four parts of the path."""
    name, _, place = received.partition(" (")
    file = "/".join(Path(place.rpartition(":")[0]).parts[-4:])
    return Frame(name.replace("<locals>.", ""), file)


if __name__ == "__main__":
    sys.exit(main())
