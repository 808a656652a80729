"""Stable-Baselines3: `vec_env(64, ["greedy"])`, a `VecEnv` of many games in one process.

It takes the arguments of `skye_gym.envs.vector`, whose games it plays. A game that ends starts again in the
same step: the observation of the step is the first of the next game, and `infos` has the last one as
`terminal_observation`. `MaskablePPO` of sb3-contrib finds the masks by `action_masks`. Wrap it in
`VecMonitor` for the statistics of episodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from skye_gym.envs.extras import missing_extra

try:
    import numpy as np
    from gymnasium.vector import AutoresetMode
    from numpy.typing import NDArray
    from stable_baselines3.common.vec_env import VecEnv
except ModuleNotFoundError as error:
    raise missing_extra(error, "stable-baselines3") from None

from skye.rules.state import GameState
from skye_gym.envs.arguments import checked_seed
from skye_gym.envs.opponents import Opponent
from skye_gym.envs.vector import IsleOfSkyeVector


class SingleGame:
    """What `get_attr` and `env_method` find of one game.

    :param envs: the games.
    :param index: the index of the game.
    """

    render_mode = None

    def __init__(self, envs: IsleOfSkyeVector, index: int) -> None:
        self._envs = envs
        self._index = index

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the mask of legal actions."""
        return self._envs.action_mask_of(self._index)

    @property
    def game(self) -> GameState:
        """The game as the agent may see it."""
        return self.game_of()

    def game_of(self, *, full: bool = False) -> GameState:
        """Return the game as the agent may see it, or the true one."""
        return self._envs.game_of(self._index, full=full)

    @property
    def agent(self) -> int:
        """The seat of the agent."""
        return self._envs.agent_of(self._index)


class IsleOfSkyeVecEnv(VecEnv):
    """Many games of an agent against the same opponents.

    :param num_envs: the number of games.
    :param opponents: at least one opponent, from the agent's left (see `skye_gym.envs.opponents`).
    :param arguments: further arguments of `IsleOfSkyeVector`.
    """

    def __init__(self, num_envs: int, opponents: Sequence[Opponent] = ("greedy",), **arguments: Any) -> None:
        self._envs = IsleOfSkyeVector(
            num_envs, opponents, autoreset_mode=AutoresetMode.SAME_STEP, **arguments
        )
        num_envs = self._envs.num_envs
        self._games = [SingleGame(self._envs, index) for index in range(num_envs)]
        self._actions: NDArray[np.int64] | None = None
        super().__init__(num_envs, self._envs.single_observation_space, self._envs.single_action_space)

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Set the seeds of the next `reset`: the index of each game is added to the seed.

        :raises TypeError: when the seed is not a whole number.
        :raises ValueError: when it is negative.
        """
        return super().seed(checked_seed(seed))

    def reset(self) -> Any:
        """Start all games again, with the seeds of `seed` and the options of `set_options`."""
        observations, info = self._envs.reset_each(
            [checked_seed(seed) for seed in self._seeds], self._options
        )
        self.reset_infos = [{"scores": scores} for scores in info["scores"]]
        self._reset_seeds()
        self._reset_options()
        return observations

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Take the actions of the next `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[Any, NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Step all games.

        :returns: observations, rewards, whether each game has ended, and the infos.
        """
        assert self._actions is not None, "step_async comes first"
        observations, rewards, ended, _, info = self._envs.step(self._actions)
        infos: list[dict[str, Any]] = [{"scores": scores} for scores in info["scores"]]
        for game in np.flatnonzero(ended):
            infos[game] = {
                "scores": info["final_info"]["scores"][game],
                "terminal_observation": info["final_obs"][game],
                "TimeLimit.truncated": False,
            }
        return observations, rewards.astype(np.float32), ended, infos

    def close(self) -> None:
        """Stop the opponents that run in processes of their own."""
        self._envs.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute of each game (see `SingleGame`).

        :raises AttributeError: when there is none.
        """
        return [getattr(self._games[index], attr_name) for index in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute of each game, which has no effect on its play."""
        for index in self._get_indices(indices):
            setattr(self._games[index], attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method of each game (see `SingleGame`)."""
        return [
            getattr(self._games[index], method_name)(*method_args, **method_kwargs)
            for index in self._get_indices(indices)
        ]

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:  # noqa: ARG002 - of `VecEnv`
        """Return false for each game: none has wrappers."""
        return [False for _ in self._get_indices(indices)]


vec_env = IsleOfSkyeVecEnv
