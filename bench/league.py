"""Plays the bots of the engine against each other and writes the tables into engine/README.md."""

import json
import sys
import tempfile
from pathlib import Path

from skye.arena.command import main, table
from skye.arena.ratings import standings

README = Path(__file__).parents[1] / "engine" / "README.md"
BEGIN, END = "<!-- league -->", "<!-- /league -->"

LEAGUES = {
    "Two players": ["random", "greedy", "strategist", "--players=2", "--games=300"],
    "Two players, greedy and strategist": ["greedy", "strategist", "--players=2", "--games=1000"],
    "One strategist among three greedy": ["strategist", "greedy", "--players=4", "--games=1000"],
}


def play(title: str, arguments: list[str], folder: Path) -> str:
    """Play a league; return its heading and its table."""
    out = folder / f"{title}.jsonl"
    if main([*arguments, "--seed=held-out", f"--out={out}"]):
        sys.exit(f"{title}: the league was not played")
    results = [json.loads(line) for line in out.read_text().splitlines()[1:]]
    return f"{title}, {len(results)} games:\n\n{table(standings(results))}\n"


def write(tables: list[str]) -> None:
    """Replace what stands between the two marks of the README."""
    before, rest = README.read_text().split(BEGIN)
    after = rest.split(END)[1]
    README.write_text(f"{before}{BEGIN}\n" + "\n".join(tables) + f"{END}{after}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        write([play(title, arguments, Path(folder)) for title, arguments in LEAGUES.items()])
