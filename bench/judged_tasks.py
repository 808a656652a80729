"""Make the judged tasks of the published seed; write them with the values of their moves.

    .venv/bin/python -m bench.judged_tasks gym/skye_gym/evals/judged.json

Then correct the hashes in EVAL.md, which `skye-eval tasks` prints, and make its baselines again. With
`--power` it prints the regrets of transcripts and their paired differences instead.
"""

import argparse
import json
import time
from pathlib import Path

from skye_gym.evals.judged import JUDGED, PUBLISHED_SEED, make_task
from skye_gym.evals.questions import canonical


def make(out: Path, tasks: int) -> None:
    """Make the tasks that a file does not have yet, and write the file after each."""
    made = json.loads(out.read_text()) if out.exists() else {kind: [] for kind in JUDGED}
    for number in range(tasks):
        for kind in JUDGED:
            if number == len(made[kind]):
                at, task = make_task(kind, PUBLISHED_SEED, number)
                made[kind].append([at, task.values])
        out.write_bytes(canonical(made) + b"\n")
        print(f"{number + 1} of {tasks} tasks of each kind: {time.process_time():.0f} s of CPU", flush=True)


def main() -> None:
    """Make the tasks or compare transcripts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--tasks", type=int, default=100)
    options = parser.parse_args()
    make(options.out, options.tasks)


if __name__ == "__main__":
    main()
