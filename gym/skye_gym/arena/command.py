"""The command `skye-arena`: plays a league and prints its standings."""

from __future__ import annotations

import argparse
import os
import re
import sys
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from secrets import token_hex
from typing import Final

from skye.rulesets import BASE, RULESETS, ruleset_of
from skye_gym.arena import entrants
from skye_gym.arena.arguments import positive, positive_seconds
from skye_gym.arena.bot_process import Budget
from skye_gym.arena.league import League, check_records, play_league, seed_in, write_records
from skye_gym.arena.ratings import Standing, standings
from skye_gym.arena.server_game import server_of

_MAX_NAME, _MAX_NAMES = 40, 4
"""How much of a name, and how many names of bots, the name of a file has."""


_SEATS: Final = """\
Seats: with as many bots as seats, each game has all of them. With fewer, the last bot takes the seats that
are left: `expert greedy --players 4` is one expert and three greedy bots. With more, each set of `--players`
bots plays. A bot that is named twice takes two seats: `expert strategist strategist greedy --players 4`. Each
set plays one game in every rotation of its seats, all of them on one seed.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Play a league; return the exit status."""
    options = _parser().parse_args(arguments)
    seed, out = options.seed, options.out
    try:
        bots = tuple(entrants.entrant_from(bot) for bot in options.bots)
        if len({bot.name for bot in bots}) < len(set(bots)):
            raise ValueError("two different bots have the same name: give one another with name=bot")
        if len({server_of(bot.url)[0] for bot in bots if bot.url and bot.is_of_server}) > 1:
            raise ValueError("all bots of servers must be on the same server")
        ruleset_of(options.ruleset).rounds(options.players)  # checks the number of players
        seed = options.seed or (seed_in(options.out) if options.out else None) or token_hex(16)
        out = options.out or default_file([bot.name for bot in bots], seed)
        if options.records is not None:
            check_records(out, options.records)
        budget = Budget(options.budget, options.startup)
        if len(bots) < options.players:
            print(f"skye-arena: {_filling(bots[-1].name, len(bots), options.players)}", file=sys.stderr)
        league = League(bots, options.players, options.games, seed, budget, options.ruleset)
        results = play_league(league, out, options.workers, _progress())
        if options.records is not None:
            write_records(out, options.records)
    except (ValueError, OSError) as error:
        print(f"skye-arena: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        resumes = f": the same command with --seed={seed} resumes from {out}" if seed and out else ""
        print(f"\nInterrupted{resumes}.", file=sys.stderr)
        return 130
    print(f"\n{len(results)} games of {league.players} players, seed {league.seed!r}\n")
    print(table(standings(results)))
    return 0


def default_file(bots: Sequence[str], seed: str) -> Path:
    """Return the file of a league that names none.

    >>> default_file(["greedy", "my bot"], "s/1").name
    'league-greedy-my_bot-s_1.jsonl'
    """
    names = (re.sub(r"[^A-Za-z0-9.]+", "_", name)[:_MAX_NAME] for name in (*bots[:_MAX_NAMES], seed))
    return Path(f"league-{'-'.join(names)}.jsonl")


def _filling(last: str, bots: int, players: int) -> str:
    """Return which bot takes the seats that are left.

    >>> _filling("greedy", 1, 2)
    "1 bot for 2 seats: 'greedy' also takes the other seat"
    """
    left = players - bots
    seats = "the other seat" if left == 1 else f"the other {left} seats"
    return f"{bots} {'bot' if bots == 1 else 'bots'} for {players} seats: {last!r} also takes {seats}"


def table(rows: Sequence[Standing]) -> str:
    """Return standings as a Markdown table."""
    lines = [
        "| bot | games | wins | 95 % | rating | 95 % | mean score | failures | p99 of a decision | start |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name, games, wins, rating, score, failures, reason, p99, start in rows:
        why = f": {reason.replace('|', '/')}" if reason else ""
        lines.append(
            f"| {name} | {games} | {wins.value:.1%} | {wins.low:.1%} - {wins.high:.1%} | {rating.value:.0f} "
            f"| {rating.low:.0f} - {rating.high:.0f} | {score:.1f} | {failures}{why} | {p99:.0f} ms "
            f"| {'-' if start is None else f'{start:.0f} ms'} |"
        )
    return "\n".join(lines)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="skye-arena",
        description="Play a league of bots for Isle of Skye on paired seeds with rotated seats.",
        epilog=f"{_SEATS}\n\n{entrants.__doc__}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {version('skye-gym')}")
    parser.add_argument(
        "bots", nargs="+", metavar="BOT", help="name, module:function, name=command or name=URL"
    )
    parser.add_argument(
        "--players", type=int, default=2, help="seats of each game, by default %(default)s; see Seats"
    )
    parser.add_argument(
        "--ruleset", choices=RULESETS, default=BASE.id, help="the ruleset, by default %(default)s"
    )
    parser.add_argument(
        "--games", type=positive(int), default=100, help="number of games; groups of games share a seed"
    )
    parser.add_argument(
        "--seed",
        help="seed from which those of the games are derived; random by default, since bots could guess it",
    )
    parser.add_argument(
        "--workers", type=positive(int), default=os.cpu_count() or 1, help="number of processes"
    )
    parser.add_argument(
        "--budget", type=positive_seconds, default=1.0, help="seconds for each decision of a bot"
    )
    parser.add_argument(
        "--startup", type=positive_seconds, default=20.0, help="additional seconds for its first decision"
    )
    parser.add_argument(
        "--records", type=Path, help="file for the records of all games, one JSON object for each line"
    )
    parser.add_argument(
        "--out",
        type=Path,
        help="file of the results, from which an interrupted league resumes; default: league-BOTS-SEED.jsonl",
    )
    return parser


def _progress() -> Callable[[int, int], None]:
    begun = time.monotonic()

    def report(played: int, left: int) -> None:
        rate = played / (time.monotonic() - begun)
        if sys.stderr.isatty() or played % 50 == 0 or not left:
            line = f"{played} games, {rate:.2f} a second, {left} left: {left / rate:.0f} s"
            print(line, end="\r" if sys.stderr.isatty() else "\n", file=sys.stderr, flush=True)

    return report


if __name__ == "__main__":
    sys.exit(main())
