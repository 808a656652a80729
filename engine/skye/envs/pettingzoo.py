"""PettingZoo: `skye.envs.pettingzoo.env(players=4)`, an AEC environment whose agents are the seats.

An observation is a dictionary: `observation`, a float32 vector of shape (`SIZE`,) (see `features`), and
`action_mask`, an int8 vector of shape (`ACTION_COUNT`,) for the actions that `skye.encoding`
documents; `infos` has the mask too. The only rewards come at the end: 1 to the winner, -1 to the others,
shared wins in between, so that their sum is constant. An illegal action ends the game with a loss for its
agent.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from skye.encoding import ACTION_COUNT, EncodedGame
from skye.envs.drawing import draw
from skye.envs.features import MAX_VALUE, SIZE, observe
from skye.envs.rewards import rewards
from skye.positions.snapshot import position_view
from skye.positions.text import position_to_text
from skye.rules.setup import new_game
from skye.tiles.catalogue import COLORS

NO_ACTIONS = np.zeros(ACTION_COUNT, np.int8)
NO_ACTIONS.setflags(write=False)


def env(players: int = 4, render_mode: str | None = None) -> AECEnv[Any, Any, Any]:
    """Return the environment with PettingZoo's usual wrappers.

    :param players: the number of agents, from 2 to 5.
    :param render_mode: "human", "ansi", "rgb_array" or None.
    :raises ValueError: when the number of players is out of range.
    """
    wrapped: Any = raw_env(players, render_mode)
    wrapped = wrappers.TerminateIllegalWrapper(wrapped, illegal_reward=-1)
    wrapped = wrappers.AssertOutOfBoundsWrapper(wrapped)
    return wrappers.OrderEnforcingWrapper(wrapped)


class raw_env(AECEnv[str, Any, Any]):  # noqa: N801 - PettingZoo's name
    """The environment without wrappers."""

    metadata = {  # noqa: RUF012 - declared as in PettingZoo
        "name": "isle_of_skye_v1",
        "render_modes": ["human", "ansi", "rgb_array"],
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(self, players: int = 4, render_mode: str | None = None) -> None:
        super().__init__()
        if players not in range(2, len(COLORS) + 1):
            raise ValueError(f"{players} players: there are from 2 to {len(COLORS)}")
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        space = spaces.Dict(
            {
                "observation": spaces.Box(0.0, MAX_VALUE, (SIZE,), np.float32),
                "action_mask": spaces.Box(0, 1, (ACTION_COUNT,), np.int8),
            }
        )
        self.observation_spaces = dict.fromkeys(self.possible_agents, space)
        self.action_spaces = {agent: spaces.Discrete(ACTION_COUNT) for agent in self.possible_agents}
        self._rng = np.random.default_rng()

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002 - the signature of PettingZoo
        """Start another game; the same seed starts the same game."""
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        colors = COLORS[: len(self.possible_agents)]
        self.encoded = EncodedGame(new_game(colors, seed=self._rng.bytes(16).hex()).game)
        self.agents = self.possible_agents.copy()
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._select_agent()

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        """Return an agent's observation and action mask."""
        mask = self._mask if agent == self.agent_selection and not self.encoded.game.is_over else NO_ACTIONS
        return {"observation": observe(self.encoded, self._seats[agent]), "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Take an action of the agent whose turn it is (`agent_selection`).

        :param action: a number that `skye.encoding` documents; None for an agent that has terminated.
        :raises RuleError: when the action is illegal; the wrappers of `env` end the game instead.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        assert action is not None
        self._cumulative_rewards[agent] = 0.0
        self.encoded, _ = self.encoded.play(int(action))
        if self.encoded.game.is_over:
            self.rewards = dict(zip(self.possible_agents, rewards(self.encoded.game), strict=True))
            self.terminations = dict.fromkeys(self.agents, True)
            self.infos = {name: {} for name in self.agents}
            self._accumulate_rewards()
            self._deads_step_first()
        else:
            self._select_agent()
        if self.render_mode == "human":
            self.render()

    def render(self) -> Any:
        """Return the position as text ("ansi") or as a picture ("rgb_array"), or print it ("human")."""
        if self.render_mode == "rgb_array":
            return draw(self.encoded.game)
        text = position_to_text(position_view(self.encoded.game, None))
        if self.render_mode == "human":
            print(text)
            return None
        return text

    def state(self) -> NDArray[Any]:
        """Return the global state: the observations of all seats, of shape (players * `SIZE`,)."""
        return np.concatenate([observe(self.encoded, seat) for seat in self._seats.values()])

    def close(self) -> None:
        """Do nothing, since there is no window."""

    def _select_agent(self) -> None:
        self.agent_selection = self.possible_agents[self.encoded.seat]
        self._mask = np.frombuffer(self.encoded.mask(), np.int8)
        self.infos = {name: {} for name in self.agents}
        self.infos[self.agent_selection] = {"action_mask": self._mask}
