"""Make the judged tasks of the published seed; write them with the values of their moves.

    .venv/bin/python -m bench.judged_tasks gym/skye_gym/evals/judged.json

Then correct the hashes in EVAL.md, which `skye-eval tasks` prints, and make its baselines and the test of
validity again. The file says how much CPU time the values took.
"""

import argparse
import json
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from skye_gym.evals.judged import JUDGED, PUBLISHED_SEED, make_task, stored_task
from skye_gym.evals.questions import canonical
from skye_gym.judge import MEMBERS, VERSION


def made(kind: str, number: int) -> tuple[list[Any], float]:
    """Return a task as the file has it, and the seconds of CPU that it took."""
    begin = time.process_time()
    task = stored_task(*make_task(kind, PUBLISHED_SEED, number))
    return task, time.process_time() - begin


def make(out: Path, kinds: Sequence[str], tasks: int, processes: int) -> None:
    """Make the tasks that a file of this judge does not have yet, and write the file after each."""
    file: dict[str, Any] = {
        "judge": VERSION,
        "members": [*MEMBERS],
        "cpu_seconds": 0,
        "tasks": {kind: [] for kind in JUDGED},
    }
    if out.exists():
        before = json.loads(out.read_text())
        if before.get("judge") == VERSION and before["members"] == file["members"]:
            file = before
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        jobs = [
            (kind, pool.submit(made, kind, number))
            for number in range(tasks)
            for kind in kinds
            if number >= len(file["tasks"][kind])
        ]
        for done, (kind, job) in enumerate(jobs, 1):
            task, seconds = job.result()
            file["tasks"][kind].append(task)
            file["cpu_seconds"] = round(file["cpu_seconds"] + seconds, 1)
            out.write_bytes(canonical(file) + b"\n")
            print(f"{done} of {len(jobs)} tasks: {file['cpu_seconds']:.0f} s of CPU", flush=True)


def main() -> None:
    """Make the tasks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--kinds", nargs="+", choices=JUDGED, default=[*JUDGED])
    parser.add_argument("--tasks", type=int, default=100)
    parser.add_argument("--processes", type=int, default=1)
    options = parser.parse_args()
    make(options.out, options.kinds, options.tasks, options.processes)


if __name__ == "__main__":
    main()
