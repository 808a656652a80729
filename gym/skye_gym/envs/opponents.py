"""The opponents of an environment: bots by name, functions, and bots of a league.

An opponent is the name of a bot of `skye_gym.bots.LEAGUE_BOTS`, a function `(game, seat, rng) -> move` (see
`skye.Bot`), or an argument of `skye-arena`: `name=command` or `module:function`, which run in processes of
their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from numbers import Real
from random import Random
from typing import TypeAlias

from skye.bots.registry import Bot, choose_move
from skye.errors import RuleError
from skye.rules.moves import Move
from skye.rules.state import GameState
from skye.rulesets.ruleset import Ruleset, ruleset_of
from skye.tiles.tile_set import DEFAULT_RULESET
from skye_gym.arena.bot_process import MAX_SECONDS, BotFailed, Budget
from skye_gym.arena.entrant_check import check_entrants
from skye_gym.arena.entrants import Decider, decider_for, entrant_from
from skye_gym.arena.match import play_decision

Opponent: TypeAlias = str | Bot


class Opponents:
    """Moves for the opponents of an agent.

    :param opponents: at least one opponent; in the base game at most four.
    :param budget_s: the seconds that a bot in a process of its own has for a decision.
    :param ruleset_id: the ruleset.
    :raises TypeError: when they are not a sequence, one of them is neither a string nor a function, or the
        budget is not a number.
    :raises ValueError: when there are too few or too many, one of them is not known or cannot be
        started, or there is no such ruleset.
    """

    def __init__(
        self, opponents: Sequence[Opponent], budget_s: float = 1.0, ruleset_id: str = DEFAULT_RULESET
    ) -> None:
        ruleset = ruleset_of(ruleset_id)
        fewest, most = ruleset.players[0] - 1, ruleset.players[-1] - 1
        if isinstance(opponents, str) or not isinstance(opponents, Sequence):
            raise TypeError(
                f"opponents={opponents!r}: give a list with one entry for each, such as ['greedy']"
            )
        if not fewest <= len(opponents) <= most:
            raise ValueError(f"{len(opponents)} opponents: there are from {fewest} to {most}")
        if not isinstance(budget_s, Real) or isinstance(budget_s, bool):
            raise TypeError(f"budget_s={budget_s!r}: it must be a number of seconds")
        if not 0 < budget_s <= MAX_SECONDS:
            raise ValueError(f"a budget of {budget_s} s: it is above 0, and at most {MAX_SECONDS}")
        self._names = [
            each if isinstance(each, str) else getattr(each, "__name__", repr(each)) for each in opponents
        ]
        self._deciders: list[Decider] = []
        self._choose = [self._chooser(each, Budget(budget_s), ruleset) for each in opponents]

    def __len__(self) -> int:
        return len(self._choose)

    def _chooser(
        self, opponent: Opponent, budget: Budget, ruleset: Ruleset
    ) -> Callable[[GameState, int, Random], Move]:
        if not isinstance(opponent, str):
            if not callable(opponent):
                raise TypeError(f"the opponent {opponent!r} is neither a string nor a function")
            return partial(choose_move, opponent)
        entrant = entrant_from(opponent)
        decider = decider_for(entrant, budget)
        if decider is None:
            raise ValueError(f"the opponent {opponent!r} is a bot of a server; environments play without one")
        check_entrants([entrant], ruleset.players[0], budget, ruleset.id)
        self._deciders.append(decider)
        return decider.decide

    def play(self, game: GameState, seat: int, index: int, rng: Random) -> GameState:
        """Return the game after the move of an opponent.

        :param index: the index of the opponent.
        :raises BotFailed: when it fails, or its move is illegal.
        """
        try:
            outcome, _ = play_decision(game, seat, self._choose[index], rng)
            return outcome.game
        except (BotFailed, RuleError) as error:
            raise BotFailed(f"the opponent {self._names[index]!r}: {error}") from error

    def close(self) -> None:
        """Stop the processes."""
        for decider in self._deciders:
            decider.close()
