"""Gymnasium: `gymnasium.make("skye/IsleOfSkye-v1", opponents=["greedy"])` after importing this module.

The agent plays one seat, which the seed determines, against opponents. `make_vec` makes many games in one
process (`skye_gym.envs.vector`). `skye_gym.envs.observation` documents the observations,
`skye_gym.envs.actions` the actions, `skye_gym.envs.rewards` the rewards.

The `info` has `action_mask`, an int8 array of shape (actions,) for
`action_space.sample(info["action_mask"])`, and `scores`, the agent's own first. MaskablePPO of sb3-contrib
calls `action_masks()`. An illegal action ends the episode (see `skye_gym.envs.rewards`); later steps return
the same until `reset`. When the episode has ended, the mask is 1 for all actions: environments that reset
themselves ignore the next action, so loops that sample from the mask need no special case.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from skye_gym.envs.extras import missing_extra

try:
    import gymnasium
    import numpy as np
    from gymnasium import spaces
    from numpy.typing import NDArray
except ModuleNotFoundError as error:
    raise missing_extra(error, "gymnasium") from None

from skye.positions.snapshot import position_view
from skye.positions.text import position_to_text
from skye.rules.state import GameState
from skye.tiles.tile_set import DEFAULT_RULESET
from skye_gym.envs.agent import AgentEpisode
from skye_gym.envs.arguments import checked_seed
from skye_gym.envs.drawing import draw
from skye_gym.envs.episodes import DEFAULT_ACTIONS, DEFAULT_OBSERVATION, Form
from skye_gym.envs.opponents import Opponent, Opponents
from skye_gym.envs.rewards import Reward


class IsleOfSkye(gymnasium.Env[Any, int]):
    """One seat of a game against opponents.

    The options of `reset` are `seat` (of the agent), `reward` (for this episode), and for the start of the
    game `scoring_tiles` (an id for each slot) and `first_seat`, or a `position` (JSON data or a line of
    text).

    :param opponents: at least one opponent, from the agent's left (see `skye_gym.envs.opponents`).
    :param observation: "dict", "flat" or "summary".
    :param actions: "factored", "list", "list+gains" or "grid".
    :param reward: "win", "rank", "points", "difference", or a function `(before, after, seat) -> reward`.
    :param budget_s: the seconds that an opponent in a process of its own has for a decision.
    :param render_mode: "ansi", "rgb_array" or None.
    :param ruleset: the id of the ruleset.
    :raises TypeError: when the opponents are not a sequence of strings and functions.
    :raises ValueError: when an argument is none of its possible values.
    """

    metadata = {"render_modes": ["ansi", "rgb_array"], "render_fps": 2}  # noqa: RUF012 - declared as in Gymnasium

    def __init__(  # noqa: PLR0913 - `make` passes them by keyword
        self,
        opponents: Sequence[Opponent] = ("greedy",),
        *,
        observation: str = DEFAULT_OBSERVATION,
        actions: str = DEFAULT_ACTIONS,
        reward: Reward = "win",
        budget_s: float = 1.0,
        render_mode: str | None = None,
        ruleset: str = DEFAULT_RULESET,
    ) -> None:
        modes = self.metadata["render_modes"]
        if render_mode not in (None, *modes):
            raise ValueError(f"render_mode={render_mode!r}: there are {', '.join(modes)}")
        self._opponents = Opponents(opponents, budget_s, ruleset)
        form = Form(len(self._opponents) + 1, observation, actions, reward, ruleset).checked()
        self._episode = AgentEpisode(form, self._opponents)
        self.render_mode = render_mode
        self._form = form
        self.observation_space = form.observation_space
        self.action_space = spaces.Discrete(form.action_count)

    def __getstate__(self) -> dict[str, Any]:
        """Copy and pickle without the space of observations, which follows from the form."""
        return {name: value for name, value in self.__dict__.items() if name != "observation_space"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.observation_space = self._form.observation_space

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start another game; the same seed and options start the same game.

        :returns: the first observation of the agent, and its info.
        :raises TypeError: when the seed is not a whole number, or an option has a wrong type.
        :raises ValueError: when the seed is negative, or an option is unknown or invalid.
        """
        super().reset(seed=checked_seed(seed))
        self._episode.reset(self.np_random, options)
        return self._observation(), self._episode.info()

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take an action, and let the opponents move until it is the agent's turn again.

        :returns: observation, reward, terminated, truncated (always false), and info.
        :raises BotFailed: when an opponent fails.
        :raises ResetNeeded: before the first `reset`, as do `agent`, `game`, `action_masks` and `render`.
        :raises TypeError: when the action is not a whole number.
        """
        reward, over = self._episode.step(action)
        return self._observation(), reward, over, False, self._episode.info()

    @property
    def agent(self) -> int:
        """The agent's seat in this episode."""
        self._episode.check_started()
        return self._episode.agent

    @property
    def game(self) -> GameState:
        """The game as the agent may see it."""
        return self.game_of()

    def game_of(self, *, full: bool = False) -> GameState:
        """Return the game as the agent may see it.

        :param full: whether to return the true game, with offers, draws and purses that are hidden.
        """
        return self._episode.game_of(self.agent, full=full)

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the mask of legal actions, of shape (actions,)."""
        self._episode.check_started()
        return np.frombuffer(self._episode.mask(), np.bool_)

    def render(self) -> Any:
        """Return the position as text ("ansi") or as a picture ("rgb_array")."""
        self._episode.check_started()
        game = self._episode.game
        if self.render_mode == "rgb_array":
            return draw(game)
        return position_to_text(position_view(game, self.agent))

    def close(self) -> None:
        """Stop the opponents that run in processes of their own."""
        self._opponents.close()

    def _observation(self) -> Any:
        return self._episode.observe(self.agent)


gymnasium.register(
    "skye/IsleOfSkye-v1",
    entry_point="skye_gym.envs.gymnasium:IsleOfSkye",
    vector_entry_point="skye_gym.envs.vector:IsleOfSkyeVector",
)
