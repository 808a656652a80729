"""Play games of bots, and write their decisions as the columns of gym/skye_gym/arena/DATASET.md.

The first argument is the number of games, the others are those of `skye-arena`. The same arguments give the
same games.
"""

import sys
from pathlib import Path

from skye_gym.arena.columns import write_parquet
from skye_gym.arena.command import main

FOLDER = Path(__file__).parents[1] / "data" / "dataset"
BOTS = ("expert", "strategist", "greedy")
SEED = "dataset"


def write(games: int, *arguments: str) -> None:
    """Play the games that are missing, and write all decisions."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    league, records, target = (
        FOLDER / f"{name}-{games}.{end}"
        for name, end in (("league", "jsonl"), ("records", "ndjson"), ("decisions", "parquet"))
    )
    options = [f"--games={games}", f"--seed={SEED}", f"--out={league}", f"--records={records}"]
    if status := main([*options, *(arguments or BOTS)]):
        sys.exit(status)
    decisions = write_parquet(records, target)
    print(f"{decisions} decisions of {games} games, {target.stat().st_size} bytes: {target}")


if __name__ == "__main__":
    write(int(sys.argv[1]), *sys.argv[2:])
