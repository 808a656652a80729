"""The bots of a benchmark."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from skye_gym.arena.entrants import Entrant, entrant_from

CLONE: Final = "clone"
"""The name of the agent that `examples/training` has trained by behaviour cloning."""

LEARNER: Final = "learner"
"""The name of the agent that `examples/training/ppo` has trained by reinforcement."""

POOL: Final = ("random", "greedy", "strategist", "expert", "expert@1", CLONE, LEARNER)
"""The bots that a benchmark has by default."""

_TRAINING: Final = Path(__file__).parents[2] / "examples" / "training"
_AGENTS: Final = {CLONE: _TRAINING / "agent.py", LEARNER: _TRAINING / "ppo" / "learner.py"}

_SEATS: Final = {LEARNER: (2,)}
"""By name: the numbers of seats of the games that an agent plays, if it does not play all."""


def entrants_of(pool: Sequence[str], bots: Sequence[str]) -> tuple[Entrant, ...]:
    """Return the entrants of a benchmark.

    :param pool: names of `POOL`.
    :param bots: further bots, as arguments of `skye-arena`.
    :raises ValueError: when a bot is unknown, is named twice, or has no CPU time that can be measured.

    >>> [entrant.name for entrant in entrants_of(["greedy"], ["mine=mybot:decide"])]
    ['greedy', 'mine']
    """
    if unknown := [name for name in pool if name not in POOL]:
        raise ValueError(f"--pool has {unknown[0]!r}, which is none of {', '.join(POOL)}")
    entrants = [_agent(name) if name in _AGENTS else entrant_from(name) for name in pool]
    entrants += map(entrant_from, bots)
    if remote := [entrant.name for entrant in entrants if entrant.url is not None]:
        raise ValueError(
            f"{remote[0]!r} is at a URL, where no CPU time can be measured: skye-arena plays with it"
        )
    names = [entrant.name for entrant in entrants]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"{twice[0]!r} is in the benchmark twice: give one another name with name=bot")
    if len(entrants) < 2:
        raise ValueError("a benchmark has at least two bots: name some with --pool or as arguments")
    return tuple(entrants)


def with_seats(entrants: Sequence[Entrant], players: int) -> tuple[Entrant, ...]:
    """Return the entrants that play games of a number of seats.

    :raises ValueError: when there are fewer than two.

    >>> of_two = Entrant("mine", None, ("./mine",), seats=(2,))
    >>> [entrant.name for entrant in with_seats([*entrants_of(["greedy", "random"], []), of_two], 4)]
    ['greedy', 'random']
    """
    able = tuple(each for each in entrants if not each.seats or players in each.seats)
    if len(able) < 2:
        raise ValueError(f"fewer than two of the bots play with {players} seats: name more, or other --seats")
    return able


def require_agents(pool: Sequence[str]) -> None:
    """Check that the trained agents of a pool can play here.

    :raises ValueError: when one cannot.
    """
    for name in pool:
        if name in _AGENTS and (not _AGENTS[name].exists() or find_spec("numpy") is None):
            others = ",".join(each for each in POOL if each not in _AGENTS)
            raise ValueError(f"the {name} needs a checkout and NumPy: leave it out with --pool {others}")


def arguments_by_name(pool: Sequence[str], bots: Sequence[str]) -> dict[str, str]:
    """Return the arguments that name the bots of a benchmark, by their names.

    >>> arguments_by_name(["greedy"], ["mine=mybot:decide"])
    {'greedy': 'greedy', 'mine': 'mine=mybot:decide'}
    """
    return {entrant_from(bot).name if bot not in _AGENTS else bot: bot for bot in (*pool, *bots)}


def _agent(name: str) -> Entrant:
    return Entrant(name, None, (sys.executable, str(_AGENTS[name])), seats=_SEATS.get(name, ()))
