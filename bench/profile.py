"""`python -m bench.profile`: draw a flame graph of an action, bench/profile.svg.

py-spy samples a worker of gunicorn while offers are set in several games. py-spy needs the permission to
trace another process: run this as root, or with `kernel.yama.ptrace_scope` at 0.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from bench.load import at_full_speed
from bench.plan import Plan
from bench.servers import cpu_seconds
from bench.subjects import HOT, act, place_to_measure, stored_copies

PICTURE = Path(__file__).parent / "profile.svg"
SECONDS = 20
_PLAN = Plan(1, SECONDS, 1, 4, HOT, 0, (), (), 0)


def main() -> int:
    """Draw the picture."""
    program = shutil.which("py-spy") or Path(sys.executable).parent / "py-spy"
    if not Path(program).exists():
        sys.exit("There is no py-spy here: `pip install py-spy`.")
    with place_to_measure(_PLAN) as place:
        if place is None:
            sys.exit("There is no redis-server or no wrk here.")
        requests = stored_copies(place, "profile", HOT).requests(act("set_offer"))
        at_full_speed(place.ours.base, requests, 2)  # to warm up
        workers = place.ours.workers
        options = ["--pid", str(workers[0]), "--rate", "500", "--duration", str(SECONDS), "--function"]
        sampling = subprocess.Popen([program, "record", *options, "--output", PICTURE])
        before = cpu_seconds(workers)
        rate, _, _ = at_full_speed(place.ours.base, requests, SECONDS + 1)
        each_us = 1e6 * (cpu_seconds(workers) - before) / (rate * (SECONDS + 1))
        status = sampling.wait(60)
    print(f"{PICTURE}: an action takes {each_us:.0f} us of CPU in the API")
    return status


if __name__ == "__main__":
    sys.exit(main())
