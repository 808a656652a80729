"""PettingZoo: `skye_gym.envs.pettingzoo.env(players=4)`, an AEC environment whose agents are the seats.

An observation is a dictionary: `observation` (see `skye_gym.envs.observation` and `skye_gym.envs.summary`),
and `action_mask`, an int8 vector of shape (actions,) for the actions that `skye_gym.envs.actions` documents.
`infos` has the same mask for the agent whose turn it is. For other agents, and at the end, the mask is 0.
`skye_gym.envs.rewards` documents the rewards. An illegal action ends the game with a reward of its own for
its agent.
"""

from __future__ import annotations

from random import Random
from typing import Any, Final

from skye_gym.envs.extras import missing_extra

try:
    import numpy as np
    from gymnasium import spaces
    from numpy.typing import NDArray
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
    from pettingzoo.utils.env_logger import EnvLogger
except ModuleNotFoundError as error:
    raise missing_extra(error, "pettingzoo") from None

from skye.errors import RuleError
from skye.positions.snapshot import position_view
from skye.positions.text import position_to_text
from skye.rules.state import GameState
from skye.tiles.tile_set import DEFAULT_RULESET
from skye_gym.envs.arguments import checked_action, checked_seed
from skye_gym.envs.drawing import draw
from skye_gym.envs.episodes import DEFAULT_ACTIONS, DEFAULT_OBSERVATION, Episode, Form
from skye_gym.envs.rewards import Reward, illegal_reward
from skye_gym.envs.starts import OPTIONS, check_options, start_game


def env(  # noqa: PLR0913 - the options of the environment
    players: int = 4,
    render_mode: str | None = None,
    *,
    observation: str = DEFAULT_OBSERVATION,
    actions: str = DEFAULT_ACTIONS,
    reward: Reward = "win",
    ruleset: str = DEFAULT_RULESET,
) -> AECEnv[Any, Any, Any]:
    """Return the environment with the checks of PettingZoo's usual wrappers.

    :param players: the number of agents, from 2 to 5 in the base game.
    :param render_mode: "human", "ansi", "rgb_array" or None.
    :param observation: "dict", "flat" or "summary".
    :param actions: "factored", "list", "list+gains" or "grid".
    :param reward: "win", "rank", "points", "difference", or a function `(before, after, seat) -> reward`.
    :param ruleset: the id of the ruleset.
    :raises TypeError: when the number of agents is not a whole number.
    :raises ValueError: when an argument is none of its possible values.
    """
    return CheckedEnv(
        raw_env(
            players, render_mode, observation=observation, actions=actions, reward=reward, ruleset=ruleset
        ),
        illegal_reward(reward),
    )


class CheckedEnv(wrappers.OrderEnforcingWrapper[str, Any, Any]):
    """What PettingZoo's usual wrappers check, in one, since each of them takes as long as an engine step.

    It enforces the order of calls, asserts that actions are in their space, and ends the game at an illegal
    one, as `OrderEnforcingWrapper`, `AssertOutOfBoundsWrapper` and `TerminateIllegalWrapper` do.

    :param env: the environment.
    :param illegal: the reward of an illegal action.
    """

    def __init__(self, env: raw_env, illegal: float) -> None:
        super().__init__(env)
        self._raw = env
        self._illegal = illegal

    def __str__(self) -> str:
        return str(self._raw)

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return the observation, reward and end of the agent whose turn it is, and its info."""
        if not self._has_reset:
            self.observe("")  # raises the error of PettingZoo
        return self._raw.last(observe)

    def step(self, action: int | None) -> None:
        """Take an action.

        :raises TypeError: when it is not a whole number; None for an agent that has terminated.
        :raises AssertionError: when there is no such action.
        """
        raw = self._raw
        if not self._has_reset or not raw.agents:
            super().step(action)
            return
        self._has_updated = True
        agent = raw.agent_selection
        if raw.terminations[agent] or raw.truncations[agent]:
            raw.step(action)
            return
        action = checked_action(action)
        assert 0 <= action < raw.action_count, "action is not in action space"
        try:
            raw.step(action)
        except (RuleError, ValueError):
            EnvLogger.warn_on_illegal_move()
            raw.end_illegally(self._illegal)


_TEST_OPTIONS: Final = {"options": 1}
"""What the tests of PettingZoo pass to `reset` of any environment; it has no meaning."""


class raw_env(AECEnv[str, Any, Any]):  # noqa: N801 - PettingZoo's name
    """The environment without wrappers."""

    metadata = {  # noqa: RUF012 - declared as in PettingZoo
        "name": "isle_of_skye_v1",
        "render_modes": ["human", "ansi", "rgb_array"],
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(  # noqa: PLR0913 - the options of the environment
        self,
        players: int = 4,
        render_mode: str | None = None,
        *,
        observation: str = DEFAULT_OBSERVATION,
        actions: str = DEFAULT_ACTIONS,
        reward: Reward = "win",
        ruleset: str = DEFAULT_RULESET,
    ) -> None:
        super().__init__()
        form = Form(players, observation, actions, reward, ruleset).checked()
        modes = self.metadata["render_modes"]
        if render_mode not in (None, *modes):
            raise ValueError(f"render_mode={render_mode!r}: there are {', '.join(modes)}")
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(form.players)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._no_actions = np.zeros(form.action_count, np.int8)
        self.action_spaces = {agent: spaces.Discrete(form.action_count) for agent in self.possible_agents}
        self._form = form
        self.action_count = form.action_count
        """The number of actions."""
        self._create_spaces()
        self._episode = Episode(form)
        self._players = form.players
        self._ruleset_id = ruleset
        self._rng = Random()

    def _create_spaces(self) -> None:
        form = self._form
        space = spaces.Dict(
            {
                "observation": form.observation_space,
                "action_mask": spaces.Box(0, 1, (form.action_count,), np.int8),
            }
        )
        self.observation_spaces = dict.fromkeys(self.possible_agents, space)
        self.state_space = form.state_space

    def __getstate__(self) -> dict[str, Any]:
        """Copy and pickle without the spaces of observations, which follow from the form."""
        left_out = ("observation_spaces", "state_space")
        return {name: value for name, value in self.__dict__.items() if name not in left_out}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._create_spaces()

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start another game; the same seed and options start the same game.

        :param options: for the start of the game `scoring_tiles` (an id for each slot) and `first_seat`, or a
            `position` (JSON data or a line of text). `{"options": 1}`, which the tests of PettingZoo pass,
            has no meaning.
        :raises TypeError: when the seed is not a whole number, or an option has a wrong type.
        :raises ValueError: when the seed is negative, or an option is unknown or invalid.
        """
        seed = checked_seed(seed)
        chosen = check_options({} if options == _TEST_OPTIONS else options, OPTIONS)
        if seed is not None:
            self._rng = Random(seed)
        self._episode.start(start_game(self._players, self._rng, chosen, self._ruleset_id))
        self.agents = self.possible_agents.copy()
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._rewarded = False
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]
        self._select_agent()

    def observe(self, agent: str) -> dict[str, Any]:
        """Return an agent's observation and action mask."""
        self._episode.check_started()
        mask = self._mask if agent == self.agent_selection else self._no_actions.copy()
        return {"observation": self._episode.observe(self._seats[agent]), "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Take an action of the agent whose turn it is (`agent_selection`).

        :param action: a number that `skye_gym.envs.actions` documents; None for an agent that has terminated.
        :raises ResetNeeded: before the first `reset`.
        :raises RuleError: when the action is illegal; the wrappers of `env` end the game instead.
        :raises TypeError: when the action is not a whole number.
        """
        self._episode.check_started()
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        episode = self._episode
        episode.play(checked_action(action))
        self._cumulative_rewards[agent] = 0.0
        rewards = episode.rewards()
        if rewards is not None:
            self.rewards = dict(zip(self.possible_agents, rewards, strict=True))
            self._accumulate_rewards()
        elif self._rewarded:
            self._clear_rewards()
        self._rewarded = rewards is not None
        if episode.game.is_over:
            self.terminations = dict.fromkeys(self.agents, True)
            self.infos[agent] = {}
            self._mask = self._no_actions.copy()
            self._deads_step_first()
        else:
            self._select_agent()
        if self.render_mode == "human":
            self.render()

    @property
    def game(self) -> GameState:
        """The game as the agent whose turn it is may see it."""
        return self.game_of()

    def game_of(self, agent: str | None = None, *, full: bool = False) -> GameState:
        """Return the game as an agent may see it.

        :param agent: the agent, by default the one whose turn it is.
        :param full: whether to return the true game, with offers, draws and purses that are hidden.
        """
        self._episode.check_started()
        return self._episode.game_of(self._seats[agent or self.agent_selection], full=full)

    def end_illegally(self, reward: float) -> None:
        """End the game because the action of the agent whose turn it is was illegal.

        :param reward: the reward of the agent; the others have 0.
        """
        self._cumulative_rewards[self.agent_selection] = 0
        self.terminations = dict.fromkeys(self.agents, True)
        self.truncations = dict.fromkeys(self.agents, True)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self.rewards[self.agent_selection] = reward
        self._accumulate_rewards()
        self._deads_step_first()

    def render(self) -> Any:
        """Return the position as text ("ansi") or as a picture ("rgb_array"), or print it ("human")."""
        game = self._episode.game_of(None, full=True)
        if self.render_mode == "rgb_array":
            return draw(game)
        text = position_to_text(position_view(game, None))
        if self.render_mode == "human":
            print(text)
            return None
        return text

    def state(self) -> NDArray[np.float32]:
        """Return the global state: the flat observations or the summaries of all seats, one after another."""
        self._episode.check_started()
        return self._episode.state()

    def close(self) -> None:
        """Do nothing, since there is no window."""

    def _select_agent(self) -> None:
        self.infos[self.agent_selection] = {}
        self.agent_selection = self.possible_agents[self._episode.seat]
        self._mask = np.frombuffer(self._episode.mask(), np.int8)
        self.infos[self.agent_selection] = {"action_mask": self._mask}
