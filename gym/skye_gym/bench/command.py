"""The command `skye-bench`: commits to a seed, plays the benchmark, and checks a result."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from secrets import token_hex
from typing import Final

from skye.rulesets import ruleset_of
from skye_gym.arena.bot_process import Budget
from skye_gym.arena.entrants import Entrant
from skye_gym.arena.league import play_league
from skye_gym.bench.arguments import WAITING_FACTOR, add_arguments_of_play, command_of
from skye_gym.bench.check import check_result
from skye_gym.bench.pool import arguments_by_name, entrants_of, require_agents, with_seats
from skye_gym.bench.result import BENCH, commitment_of, league_of, page_of, result_of, table_of

_SEED_FILE: Final = "seed.txt"
_LEAGUE_FILE: Final = "league-{}.jsonl"

_ARGUMENTS: Final = {
    "entrants": "--pool and the further bots",
    "bots": "--pool and the further bots",
    "seed": "--seed",
    "cpu_s": "--budget-ms",
    "startup_s": "--startup-ms",
    "ruleset": "--ruleset",
}
"""By field of the header of a league, the argument that sets it."""

_MIN_WAITING_S: Final = 10.0
"""The least limit by the clock of a decision in seconds."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit status."""
    options = _parser().parse_args(arguments)
    try:
        options.function(options)
    except (ValueError, OSError) as error:
        print(f"skye-bench: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nInterrupted: the same command resumes.", file=sys.stderr)
        return 130
    return 0


def commit(options: argparse.Namespace) -> None:
    """Write a random seed, and print its commitment."""
    print(commitment_of(_seed_in(options.out, new=True)))


def play(options: argparse.Namespace) -> None:
    """Play what is missing in the folder, then write the result."""
    entrants = entrants_of(options.pool, options.bots)
    require_agents(options.pool)
    for players in options.seats:
        ruleset_of(options.ruleset).rounds(players)  # checks the number of players
        with_seats(entrants, players)
    options.out.mkdir(parents=True, exist_ok=True)
    is_new = not options.seed and not (options.out / _SEED_FILE).exists()
    seed = options.seed or _seed_in(options.out)
    try:
        _play(options, entrants, seed)
    except ValueError:
        if is_new and not any(options.out.glob(_LEAGUE_FILE.format("*"))):
            (options.out / _SEED_FILE).unlink()  # `commit` writes a seed where none has been used
        raise


def _play(options: argparse.Namespace, entrants: tuple[Entrant, ...], seed: str) -> None:
    """Play what is missing for a seed, then write the result."""
    print(f"{BENCH}, the seed has the commitment {commitment_of(seed)}", file=sys.stderr, flush=True)
    cpu_s = options.budget_ms / 1000
    waiting_s = max(_MIN_WAITING_S, WAITING_FACTOR * cpu_s)
    budget = Budget(waiting_s, options.startup_ms / 1000, cpu_s)
    tables = []
    for players in options.seats:
        league = league_of(
            with_seats(entrants, players),
            players,
            options.games,
            seed,
            budget=budget,
            ruleset_id=options.ruleset,
        )
        file = options.out / _LEAGUE_FILE.format(players)
        results = play_league(league, file, options.workers, _progress(players), _ARGUMENTS)
        tables.append(table_of(league, results))
    result = result_of(
        seed=seed,
        command=command_of(options, seed),
        bots=arguments_by_name(options.pool, options.bots),
        ruleset_id=options.ruleset,
        budget_ms=options.budget_ms,
        startup_ms=options.startup_ms,
        tables=tables,
    )
    page = page_of(result)
    (options.out / "result.json").write_text(json.dumps(result) + "\n", encoding="utf-8")
    (options.out / "result.md").write_text(page, encoding="utf-8")
    print(page)


def check(options: argparse.Namespace) -> None:
    """Check a result."""
    try:
        result = json.loads(options.result.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        raise ValueError(f"{options.result} is no result of skye-bench: it is no JSON") from None
    try:
        check_result(result)
    except (KeyError, TypeError, IndexError, AttributeError, ArithmeticError) as error:
        raise ValueError(f"{options.result} is no result of skye-bench: {error!r:.100}") from None
    print(f"{options.result}: the tables follow from the command and the games.")
    print(f"Commitment: {result['commitment']}")


def _seed_in(folder: Path, *, new: bool = False) -> str:
    """Return the seed in a folder, where a random one is written if there is none.

    :param new: refuse a folder that has a seed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / _SEED_FILE
    try:
        file = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:
        if new:
            raise ValueError(f"{path} has a seed: name another folder with --out") from None
        seed = path.read_text(encoding="utf-8").strip()
        if not seed:
            raise ValueError(f"{path} is empty: delete it, or write a seed into it") from None
        return seed
    seed = token_hex(16)
    with os.fdopen(file, "w", encoding="utf-8") as opened:
        opened.write(f"{seed}\n")
    return seed


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="skye-bench",
        description="Measure bots for Isle of Skye against a fixed pool, on seeds that were committed to.",
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {version('skye-gym')}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    parts: dict[str, argparse.ArgumentParser] = {}
    functions: dict[str, Callable[[argparse.Namespace], None]] = {
        "commit": commit,
        "play": play,
        "check": check,
    }
    for name, function in functions.items():
        parts[name] = commands.add_parser(name, help=function.__doc__, description=function.__doc__)
        parts[name].set_defaults(function=function)
    for name in ("commit", "play"):
        parts[name].add_argument(
            "--out",
            type=Path,
            default=Path("skye-bench"),
            metavar="FOLDER",
            help="folder of the seed, the games and the result, by default %(default)s",
        )
    parts["check"].add_argument("result", type=Path, metavar="RESULT", help="result.json of a benchmark")
    add_arguments_of_play(parts["play"])
    return parser


def _progress(players: int) -> Callable[[int, int], None]:
    def report(played: int, left: int) -> None:
        if sys.stderr.isatty() or played % 50 == 0 or not left:
            end = "\r" if sys.stderr.isatty() else "\n"
            print(f"{players} seats: {played} games, {left} left", end=end, file=sys.stderr, flush=True)

    return report


if __name__ == "__main__":
    sys.exit(main())
