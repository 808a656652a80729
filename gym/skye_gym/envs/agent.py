"""An agent's episode against opponents, which the Gymnasium environments share."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from skye.errors import RuleError
from skye_gym.envs.arguments import checked_action, whole_number
from skye_gym.envs.episodes import Episode, Form
from skye_gym.envs.opponents import Opponents
from skye_gym.envs.rewards import checked_reward
from skye_gym.envs.starts import OPTIONS, check_options, start_game

RESET_OPTIONS: Final = ("seat", "reward", *OPTIONS)
"""The options of `reset`: the agent's seat, the reward, and those of `starts.OPTIONS`."""


class AgentEpisode(Episode):
    """A game in which one seat is the agent's, and opponents move the others.

    :param form: the forms of observations, actions and rewards.
    :param opponents: the opponents, from the agent's left.
    """

    def __init__(self, form: Form, opponents: Opponents) -> None:
        super().__init__(form)
        self._opponents = opponents
        self._end: tuple[float, bool] | None = None

    def reset(self, random: np.random.Generator, options: Mapping[str, Any] | None) -> None:
        """Start another game, and let the opponents move until it is the agent's turn.

        :raises TypeError: when an option has a wrong type.
        :raises ValueError: when an option is unknown or invalid.
        :raises InvalidSetup: when the scoring tiles or the starting seat are invalid.
        """
        chosen = check_options(options, RESET_OPTIONS)
        players = self._form.players
        reward, seat = chosen.get("reward"), chosen.get("seat")
        if reward is not None:
            checked_reward(reward)
        if seat is not None and (seat := whole_number("seat", seat)) not in range(players):
            raise ValueError(f"seat={seat!r}: the seats are from 0 to {players - 1}")
        drawn = int(random.integers(players))
        rng = Random(int(random.integers(2**53)))
        game = start_game(players, rng, chosen, self._form.ruleset_id)
        self.agent, self._rng = drawn if seat is None else seat, rng
        self.start(game, reward, (self.agent,))
        self._end = None
        self._let_opponents_move()
        if self.game.is_over:
            raise ValueError("the game of the position ends before the agent's turn")
        self._rewards.begin(self.game, self.agent)

    def step(self, action: int) -> tuple[float, bool]:
        """Take an action, and let the opponents move until it is the agent's turn.

        :returns: the reward, and whether the episode has ended. An illegal action ends it with a reward of
            its own (see `skye_gym.envs.rewards`). After the end all steps return the same.
        :raises TypeError: when the action is not a whole number.
        :raises ResetNeeded: before the first `reset`.
        """
        self.check_started()
        action = checked_action(action)
        if self._end is not None:
            return self._end
        try:
            self.play(action)
        except (RuleError, ValueError):
            self._end = self._rewards.illegal, True
            return self._end
        self._let_opponents_move()
        rewards = self.rewards()
        result = 0.0 if rewards is None else rewards[self.agent], self.game.is_over
        if self.game.is_over:
            self._end = result
        return result

    def mask(self) -> bytearray:
        """Return one byte for each action: 1 where it is legal now; all 1 after the end of the episode."""
        return super().mask() if self._end is None else bytearray(b"\1" * self._action_count)

    def info(self) -> dict[str, Any]:
        """Return the mask of legal actions and the scores."""
        return {"action_mask": np.frombuffer(self.mask(), np.int8), "scores": self.scores()}

    def scores(self) -> NDArray[np.int64]:
        """Return the scores, the agent's first."""
        players = self.game.players
        return np.array([player.score for player in players[self.agent :] + players[: self.agent]])

    def _let_opponents_move(self) -> None:
        game, agent, players = self.game, self.agent, self._form.players
        before = game
        while not game.is_over and (seat := game.waiting_for[0]) != agent:
            game = self._opponents.play(game, seat, (seat - agent) % players - 1, self._rng)
        if game is not before:
            self.continue_with(game)
