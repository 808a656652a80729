"""Play leagues of all bots; write the tables into gym/README.md.

Arguments are passed to `skye-arena`, for example `--workers=1`.
"""

import json
import sys
from pathlib import Path

from skye_gym.arena.command import main, table
from skye_gym.arena.ratings import standings

README = Path(__file__).parents[1] / "gym" / "README.md"
BEGIN, END = "<!-- league -->", "<!-- /league -->"

FOLDER = Path(__file__).parents[1] / "data" / "league"
"""The folder of the results, from which an interrupted run resumes."""

SEED = "held-out"
"""A seed that was not used to tune bots."""

LEAGUES = {
    "Two players, experts": ["expert", "expert@1", "--players=2", "--games=400"],
    "Two players, expert": ["expert", "strategist", "--players=2", "--games=400"],
    "Four players, three of them strategists": ["expert", "strategist", "--players=4", "--games=400"],
    "Two players": ["strategist", "greedy", "--players=2", "--games=1000"],
    "Four players, three of them greedy": ["strategist", "greedy", "--players=4", "--games=1000"],
    "Three players, two of them greedy": ["strategist", "greedy", "--players=3", "--games=300"],
    "Two players, all bots": ["strategist", "greedy", "random", "--players=2", "--games=300"],
}


def play(title: str, arguments: list[str]) -> str:
    """Play the games of a league that are missing; return its heading and its table."""
    out = FOLDER / f"{title.lower().replace(' ', '-').replace(',', '')}.jsonl"
    if status := main([*arguments, f"--seed={SEED}", f"--out={out}", *sys.argv[1:]]):
        sys.exit(status)
    results = [json.loads(line) for line in out.read_text().splitlines()[1:]]
    return f"{title}, {len(results)} games:\n\n{table(standings(results))}\n"


def write(tables: list[str]) -> None:
    """Replace the text between the two marks of the README."""
    before, rest = README.read_text().split(BEGIN)
    after = rest.split(END)[1]
    README.write_text(f"{before}{BEGIN}\n" + "\n".join(tables) + f"{END}{after}")


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    write([play(title, arguments) for title, arguments in LEAGUES.items()])
