"""The bots of a league, as arguments of the command line.

| argument                         | bot                                                                  |
|----------------------------------|----------------------------------------------------------------------|
| `greedy`                         | a bot of this package, by name                                       |
| `expert@1/100`                   | the first version of the expert, with a time budget of 100 ms        |
| `module:function`                | a Python function `decide(turn) -> action`, in a separate process    |
| `name=command with arguments`    | a command that uses the protocol of PROTOCOL.md                      |
| `name=http://host:port?bot=greedy` | a bot of a server of the HTTP API, which plays the game too        |
| `name=https://host/path`         | a bot at a URL, which gets each decision in a signed request         |

`name=` gives any of them another name: `old=mybots:greedy`.
"""

from __future__ import annotations

import re
import shlex
import sys
import time
from collections.abc import Callable
from random import Random
from typing import Final, NamedTuple, Protocol
from urllib.parse import parse_qs, urlsplit

from skye.bots.registry import choose_move
from skye.rules.moves import Move
from skye.rules.state import GameState
from skye_gym.arena.bot_at_url import BotAtUrl
from skye_gym.arena.bot_process import BotProcess, Budget
from skye_gym.arena.cpu_limit import CpuLimited
from skye_gym.bots import LEAGUE_BOTS, expert_1

_EXPERT_WITH_BUDGET: Final = re.compile(r"expert@1/([1-9]\d{0,7})")  # at most a day


class Entrant(NamedTuple):
    """A bot of a league: a bot of this package, a command, a bot of a server, or one at a URL.

    :param name: its name in the standings.
    :param builtin: the name of a bot of this package, or None.
    :param command: the program and its arguments; empty for the other kinds.
    :param url: the URL of a bot of a server, or of a bot at a URL; or None.
    :param seats: the numbers of seats of the games that it plays; empty if it plays all.
    """

    name: str
    builtin: str | None
    command: tuple[str, ...]
    url: str | None = None
    seats: tuple[int, ...] = ()

    @property
    def is_of_server(self) -> bool:
        """Whether the bot is one of a server: its URL has no path, or names the bot."""
        parts = urlsplit(self.url or "")
        return self.url is not None and (parts.path in ("", "/") or "bot" in parse_qs(parts.query))


class Decider(Protocol):
    """Chooses the moves of an entrant; `clock` measures the time of a decision in seconds."""

    clock: Callable[[], float]

    @property
    def starting(self) -> bool:
        """Whether the next decision also starts the bot's process."""

    def decide(self, game: GameState, seat: int, rng: Random) -> Move:
        """Return a move, or raise `BotFailed`."""

    def close(self) -> None:
        """Stop the bot."""


class _BuiltinBot:
    """A bot of this package; it runs in this process, and gets only its seat's observation."""

    def __init__(self, name: str) -> None:
        self.clock: Callable[[], float] = time.thread_time  # CPU time, so that other processes do not count
        budget = _EXPERT_WITH_BUDGET.fullmatch(name)
        self._bot = LEAGUE_BOTS[name] if budget is None else expert_1(int(budget[1]))

    @property
    def starting(self) -> bool:
        return False

    def decide(self, game: GameState, seat: int, rng: Random) -> Move:
        return choose_move(self._bot, game, seat, rng)

    def close(self) -> None:
        return


def entrant_from(argument: str) -> Entrant:
    """Return the entrant that an argument of the command line names.

    :raises ValueError: when the argument has another format.
    """
    match = re.match(r"([\w.-]+)=(.+)", argument)
    name, bot = match.groups() if match else (argument, argument)
    if bot in LEAGUE_BOTS or _EXPERT_WITH_BUDGET.fullmatch(bot):
        return Entrant(name, bot, ())
    if match is not None and re.match(r"https?://[^/?]", bot):
        return Entrant(name, None, (), bot)
    if re.fullmatch(r"[\w.]+:\w+", bot):
        return Entrant(name, None, (sys.executable, "-m", "skye_gym.arena.host", bot))
    command = tuple(shlex.split(bot))
    if match is None or not command:
        raise ValueError(
            f"{argument!r} is neither of {', '.join(LEAGUE_BOTS)} nor module:function nor name=command"
        )
    return Entrant(name, None, command)


def decider_for(entrant: Entrant, budget: Budget) -> Decider | None:
    """Return the decider of an entrant, or None if a server decides."""
    if entrant.url is not None:
        return None if entrant.is_of_server else BotAtUrl(entrant.url, budget)
    decider: Decider
    if entrant.builtin is not None:
        decider = _BuiltinBot(entrant.builtin)
    else:
        decider = BotProcess(entrant.command, budget, entrant.name)
    return decider if budget.cpu_s is None else CpuLimited(decider, budget)
