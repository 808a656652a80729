"""`python -m bench.profile`: draw a flame graph of an action, bench/profile.svg.

py-spy samples a worker of gunicorn while offers are set in several games. py-spy needs the permission to
trace another process: run this as root, or with `kernel.yama.ptrace_scope` at 0.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

from bench.plan import Plan
from bench.subjects import HOT, Subject, act, ours, place_to_measure, stored_copies

PICTURE = Path(__file__).parent / "profile.svg"
RUN_S = 1
"""The duration of a run; the games are restored before each, since their seats may revise so often only."""

_PLAN = Plan(1, RUN_S, 1, 4, HOT, 0, (), (), 0)


def main(arguments: list[str]) -> int:
    """Draw the picture."""
    options = _parser().parse_args(arguments)
    program = shutil.which("py-spy") or Path(sys.executable).parent / "py-spy"
    if not Path(program).exists():
        sys.exit("There is no py-spy here: `pip install py-spy`.")
    with place_to_measure(_PLAN) as place:
        if place is None:
            sys.exit("There is no redis-server or no wrk here.")
        offers = Subject("an offer", stored_copies(place, "profile", HOT), act("set_offer"), changes=True)
        run = ours(place, offers).runner(_PLAN)
        run()  # to warm up
        sampled = ["--pid", str(place.ours.workers[0]), "--rate", "500", "--duration", str(options.seconds)]
        command = [program, "record", *sampled, "--function", "--output", options.to]
        with subprocess.Popen(command) as sampling:
            loads = [run()]
            while sampling.poll() is None:
                loads.append(run())
    each_us = statistics.median(load.cpu for load in loads)
    print(f"{options.to}: an action takes {each_us:.0f} us of CPU in the API")
    return sampling.returncode


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.profile", description=__doc__)
    parser.add_argument("--seconds", type=int, default=20, help="how long py-spy samples")
    parser.add_argument("--to", type=Path, default=PICTURE, help="the file to write")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
