"""The limit of the CPU time of a decision."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from skye.rules.moves import Move
from skye.rules.state import GameState
from skye_gym.arena.bot_process import BotFailed, BotProcess, BotUnavailable, Budget
from skye_gym.arena.process_cpu import CAN_MEASURE

if TYPE_CHECKING:
    from skye_gym.arena.entrants import Decider


class CpuLimited:
    """A decider that loses its game when a decision takes more CPU time than the budget has.

    What the process of a bot computes between two decisions counts for the second of them, so a bot gains
    nothing by computing while its rivals decide.

    :param decider: the decider; its `clock` measures CPU time.
    :param budget: a budget with `cpu_s`.
    :raises BotUnavailable: when this system does not count the CPU time of commands.
    """

    def __init__(self, decider: Decider, budget: Budget) -> None:
        assert budget.cpu_s is not None, "the budget limits CPU time"
        self._has_process = isinstance(decider, BotProcess)
        if self._has_process and not CAN_MEASURE:
            raise BotUnavailable("needs Linux: only there the CPU time of a command is measured")
        self.clock = decider.clock
        self._decider = decider
        self._cpu_s, self._startup_s = budget.cpu_s, budget.startup_s
        self._counted = 0.0

    @property
    def starting(self) -> bool:
        """Whether the next decision starts the process."""
        return self._decider.starting

    def decide(self, game: GameState, seat: int, rng: Random) -> Move:
        """Return the move of the decider.

        :raises BotFailed: when it fails, or took too much CPU time.
        """
        limit = self._cpu_s + (self._startup_s if self.starting else 0.0)
        begun = self._counted if self._has_process else self.clock()
        try:
            move = self._decider.decide(game, seat, rng)
        finally:
            self._counted = self.clock()
        if self._counted - begun > limit:
            raise BotFailed(f"exceeded its budget of {1000 * self._cpu_s:g} ms of CPU")
        return move

    def close(self) -> None:
        """Stop the bot."""
        self._decider.close()
