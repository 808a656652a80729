"""The arguments of `skye-bench play`, and the command that plays the same games."""

from __future__ import annotations

import argparse
import os
import shlex
from typing import Any, Final, NoReturn

from skye.rulesets import BASE, RULESETS
from skye_gym.arena.arguments import positive
from skye_gym.arena.bot_process import MAX_SECONDS
from skye_gym.bench.pool import POOL

WAITING_FACTOR: Final = 20
"""The limit by the clock of a decision is this multiple of its budget of CPU, since machines are busy."""

_PROGRAM: Final = ["skye-bench", "play"]


def add_arguments_of_play(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that say which games are played, and by which bots."""
    add = parser.add_argument
    milliseconds: Any = positive(float, 1000 * MAX_SECONDS / WAITING_FACTOR)
    add("bots", nargs="*", metavar="BOT", help="a further bot: MODULE:FUNCTION, or another one of skye-arena")
    add("--seed", help="the revealed seed of a result, to play its games again; default: that of the folder")
    add("--pool", type=_names, default=POOL, help=f"bots of the pool, by default {','.join(POOL)}")
    add("--seats", type=_numbers, default=(2, 4), help="numbers of seats, by default 2,4")
    add(
        "--games", type=positive(int), default=420, help="games of each number of seats, default: %(default)s"
    )
    add(
        "--budget-ms",
        type=milliseconds,
        default=1000.0,
        help="ms of CPU for a decision, default: %(default)g",
    )
    add(
        "--startup-ms",
        type=milliseconds,
        default=20_000.0,
        help="more ms of CPU for the first decision of a process, default: %(default)g",
    )
    add("--ruleset", choices=RULESETS, default=BASE.id, help="the ruleset, by default %(default)s")
    add("--workers", type=positive(int), default=os.cpu_count() or 1, help="number of processes")


def command_of(options: argparse.Namespace, seed: str) -> str:
    """Return the command that plays the same games, with each argument that matters."""
    names = ("pool", "seats")
    lists = [f"--{name}={','.join(map(str, getattr(options, name)))}" for name in names]
    numbers = [f"--games={options.games}", f"--budget-ms={_number(options.budget_ms)}"]
    numbers += [f"--startup-ms={_number(options.startup_ms)}", f"--ruleset={options.ruleset}"]
    return shlex.join([*_PROGRAM, *options.bots, f"--seed={seed}", *lists, *numbers])


def arguments_in(command: str) -> argparse.Namespace:
    """Return the arguments of a command of `command_of`.

    :raises ValueError: when it is no such command.

    >>> arguments_in("skye-bench play --seed=s --games=12").games
    12
    """
    words = shlex.split(command)
    if words[:2] != _PROGRAM:
        raise ValueError(f"the command is not `{' '.join(_PROGRAM)}`: {command!r:.100}")
    parser = _RaisingParser(add_help=False, allow_abbrev=False)
    add_arguments_of_play(parser)
    return parser.parse_args(words[2:])


class _RaisingParser(argparse.ArgumentParser):
    """A parser that ends no process."""

    def error(self, message: str) -> NoReturn:
        raise ValueError(f"the command has wrong arguments: {message}")


def _number(value: float) -> str:
    """Return a number as text that has all its digits.

    >>> _number(1000.0), _number(1234567.5)
    ('1000', '1234567.5')
    """
    short = f"{value:g}"
    return short if float(short) == value else repr(value)


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split(",")) if text else ()


def _numbers(text: str) -> tuple[int, ...]:
    try:
        numbers = tuple(map(int, text.split(",")))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r:.40} is no list of numbers such as 2,4") from None
    if len(set(numbers)) < len(numbers):
        raise argparse.ArgumentTypeError(f"{text!r:.40} has a number twice")
    return numbers
