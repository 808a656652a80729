"""A vector environment: many games in one process, which share the arrays of observations and masks.

`gymnasium.make_vec("skye/IsleOfSkye-v1", num_envs=64, opponents=["greedy"])` makes it after importing
`skye_gym.envs.gymnasium`. It takes the arguments of `IsleOfSkye`, and plays the same games as `SyncVectorEnv`
with the same seeds. The `info` has the arrays `action_mask`, of shape (games, actions), and `scores`, of
shape (games, players); they are shared as the observations are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from gymnasium import spaces
from gymnasium.utils.seeding import np_random
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from skye.rules.state import GameState
from skye.tiles.tile_set import DEFAULT_RULESET
from skye_gym.envs.agent import RESET_OPTIONS, AgentEpisode
from skye_gym.envs.arguments import checked_action, checked_seed, whole_number
from skye_gym.envs.episodes import DEFAULT_ACTIONS, DEFAULT_OBSERVATION, Form
from skye_gym.envs.observation import DTYPES, SeatObservation, shapes
from skye_gym.envs.opponents import Opponent, Opponents
from skye_gym.envs.rewards import Reward
from skye_gym.envs.seat_vectors import SeatVectors, vectors_of
from skye_gym.envs.starts import check_options


class IsleOfSkyeVector(VectorEnv[Any, NDArray[np.int64], NDArray[Any]]):
    """Many games of an agent against the same opponents.

    :param num_envs: the number of games.
    :param opponents: at least one opponent, from the agent's left (see `skye_gym.envs.opponents`).
    :param observation: "dict", "flat" or "summary".
    :param actions: "factored", "list", "list+gains" or "grid".
    :param reward: "win", "rank", "points", "difference", or a function `(before, after, seat) -> reward`.
    :param budget_s: the seconds that an opponent in a process of its own has for a decision.
    :param autoreset_mode: when a game that has ended starts again (see Gymnasium).
    :param copy: whether `reset` and `step` return copies of the shared arrays; otherwise the next call
        overwrites what they returned, and observations of the form "dict" are read-only.
    :param render_mode: None; there are no pictures of many games.
    :param ruleset: the id of the ruleset.
    :raises TypeError: when the opponents are not a sequence of strings and functions, or a number is of a
        wrong type.
    :raises ValueError: when an argument is none of its possible values.
    """

    def __init__(  # noqa: PLR0913 - `make_vec` passes them by keyword
        self,
        num_envs: int = 1,
        opponents: Sequence[Opponent] = ("greedy",),
        *,
        observation: str = DEFAULT_OBSERVATION,
        actions: str = DEFAULT_ACTIONS,
        reward: Reward = "win",
        budget_s: float = 1.0,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        render_mode: str | None = None,
        ruleset: str = DEFAULT_RULESET,
    ) -> None:
        num_envs = whole_number("num_envs", num_envs)
        if num_envs < 1:
            raise ValueError(f"num_envs={num_envs}: there is at least one")
        if render_mode is not None:
            raise ValueError(f"render_mode={render_mode!r}: a vector environment has none")
        self._opponents = Opponents(opponents, budget_s, ruleset)
        form = Form(len(self._opponents) + 1, observation, actions, reward, ruleset).checked()
        self._form = form
        self._mode = AutoresetMode(autoreset_mode)
        self._copy = copy
        self.num_envs = num_envs
        self.metadata = {"render_modes": [], "autoreset_mode": self._mode}
        self.single_action_space = spaces.Discrete(form.action_count)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._create_spaces()
        self._episodes = [AgentEpisode(form, self._opponents) for _ in range(num_envs)]
        self._randoms: list[np.random.Generator | None] = [None] * num_envs
        self._over = np.zeros(num_envs, np.bool_)
        self._create_arrays()

    def __getstate__(self) -> dict[str, Any]:
        """Copy and pickle without the arrays and the spaces of observations, which follow from the rest."""
        left_out = {*self._ARRAYS, "single_observation_space", "observation_space"}
        return {name: value for name, value in self.__dict__.items() if name not in left_out}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._create_spaces()
        self._create_arrays()
        for game, episode in enumerate(self._episodes):
            if episode.is_started:
                self._write(game)

    def _create_spaces(self) -> None:
        self.single_observation_space = self._form.observation_space
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)

    _ARRAYS: Final = (
        "_flat",
        "_arrays",
        "_read_only",
        "_observations",
        "_masks",
        "_mask_rows",
        "_scores",
    )
    """What `_create_arrays` sets."""

    def _create_arrays(self) -> None:
        games, form = self.num_envs, self._form
        self._flat: NDArray[np.float32] | None = None
        self._arrays: dict[str, NDArray[Any]] = {}
        self._read_only: dict[str, NDArray[Any]] = {}
        self._observations: list[SeatObservation] = []
        if form.is_vector:
            self._flat = np.zeros((games, *self.single_observation_space.shape), np.float32)
        else:
            self._arrays = {
                name: np.zeros((games, *shape), DTYPES.get(name, np.uint8))
                for name, shape in form.shapes.items()
            }
            # Observations are updated in place, so a change by the caller would stay.
            self._read_only = {name: _read_only(array) for name, array in self._arrays.items()}
            self._create_observations()
        self._masks = np.zeros((games, form.action_count), np.int8)
        self._mask_rows = [memoryview(row.view(np.uint8)) for row in self._masks]
        self._scores = np.zeros((games, form.players), np.int64)

    def _create_observations(self) -> None:
        """Create the observations that write into the arrays."""
        form = self._form
        if form.observation == "dict":
            names, layout = shapes(form.ruleset, form.players), vectors_of(form.ruleset)
            self._observations = [
                SeatObservation(SeatVectors(layout), {name: self._arrays[name][game] for name in names})
                for game in range(self.num_envs)
            ]

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start all games again, or those of the option `reset_mask`; the other options are of `IsleOfSkye`.

        In the info `_action_mask` and `_scores` are true for the games that have started; the arrays
        `action_mask` and `scores` have the present values of all games.

        :param seed: one seed for each game; or one number, to which the index of the game is added.
        :raises TypeError: when a seed is not a whole number, or an option has a wrong type.
        :raises ValueError: when a seed is negative, an option is unknown or invalid, or the number of seeds
            is wrong.
        """
        options = dict(check_options(options, ("reset_mask", *RESET_OPTIONS)))
        chosen = _reset_mask(options.pop("reset_mask", None), self.num_envs)
        for game, of_game in enumerate(self._seeds(seed)):
            if chosen[game]:
                self._reset_game(game, of_game, options)
        return self._results(chosen)

    def reset_each(
        self, seeds: Sequence[int | None], options: Sequence[dict[str, Any]]
    ) -> tuple[Any, dict[str, Any]]:
        """Start all games again, each with its own seed and options."""
        for game, (seed, of_game) in enumerate(zip(seeds, options, strict=True)):
            self._reset_game(game, seed, of_game)
        return self._results()

    def step(
        self, actions: NDArray[np.int64] | Sequence[int]
    ) -> tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Take an action in each game.

        :returns: observations, rewards, terminations, truncations (all false), and info. In the mode
            `SAME_STEP` the info has `final_obs` and `final_info` for the games that have ended.
        :raises ResetNeeded: when a game has not been reset yet.
        :raises TypeError: when an action is not a whole number; no game has moved then.
        :raises ValueError: when the number of actions is wrong, or, in the mode `DISABLED`, a game has ended.
        """
        self._check_started()
        try:
            count = len(actions)
        except TypeError:
            raise TypeError(f"actions={actions!r}: give one for each of the {self.num_envs} games") from None
        if count != self.num_envs:
            raise ValueError(f"{count} actions for {self.num_envs} games")
        chosen = [checked_action(action) for action in actions]
        if self._mode is AutoresetMode.DISABLED and self._over.any():
            raise ValueError("a game has ended: reset it with the option reset_mask")
        rewards = np.zeros(self.num_envs)
        final: dict[str, Any] = {}
        over = self._over.tolist()
        for game, (episode, action) in enumerate(zip(self._episodes, chosen, strict=True)):
            if over[game]:
                self._reset_game(game, None, {})
                over[game] = False
                continue
            rewards[game], over[game] = episode.step(action)
            if over[game] and self._mode is AutoresetMode.SAME_STEP:
                ended_with = {"final_obs": episode.observe(episode.agent), "final_info": episode.info()}
                final = self._add_info(final, ended_with, game)
                self._reset_game(game, None, {})
            else:
                self._write(game)
        ended = np.array(over)
        self._over = ended & (self._mode is not AutoresetMode.SAME_STEP)
        observations, info = self._results()
        return observations, rewards, ended, np.zeros(self.num_envs, np.bool_), info | final

    def game_of(self, game: int, *, full: bool = False) -> GameState:
        """Return a game as its agent may see it.

        :param game: the index of the game.
        :param full: whether to return the true game, with offers, draws and purses that are hidden.
        """
        return self._episodes[game].game_of(self.agent_of(game), full=full)

    def agent_of(self, game: int) -> int:
        """Return the seat of the agent in a game.

        :param game: the index of the game.
        """
        self._episodes[game].check_started()
        return self._episodes[game].agent

    def action_mask_of(self, game: int) -> NDArray[np.bool_]:
        """Return the mask of legal actions of a game, of shape (actions,).

        :param game: the index of the game.
        """
        self._episodes[game].check_started()
        return self._masks[game].view(np.bool_).copy()

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the masks of legal actions, of shape (games, actions)."""
        self._check_started()
        return self._masks.view(np.bool_).copy()

    def close_extras(self, **_kwargs: Any) -> None:
        """Stop the opponents that run in processes of their own."""
        self._opponents.close()

    def _check_started(self) -> None:
        for episode in self._episodes:
            episode.check_started()

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        if isinstance(seed, str) or not isinstance(seed, Sequence | np.ndarray):
            first = checked_seed(seed)
            return [None if first is None else first + game for game in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise ValueError(f"{len(seed)} seeds for {self.num_envs} games")
        return [checked_seed(each) for each in seed]

    def _reset_game(self, game: int, seed: int | None, options: dict[str, Any]) -> None:
        random = self._randoms[game]
        if random is None or seed is not None:
            random, _ = np_random(seed)
            self._randoms[game] = random
        self._episodes[game].reset(random, options)
        self._over[game] = False
        self._write(game)

    def _write(self, game: int) -> None:
        """Write the observation, the mask and the scores of a game to the shared arrays."""
        episode = self._episodes[game]
        if self._flat is not None:
            self._flat[game] = episode.observe(episode.agent)
        elif self._observations:
            episode.show(self._observations[game], episode.agent)
            for name, array in episode.listed(episode.agent).items():
                self._arrays[name][game] = array
        else:
            for name, array in episode.observe(episode.agent).items():
                self._arrays[name][game] = array
        self._mask_rows[game][:] = episode.mask()
        self._scores[game] = episode.scores()

    def _results(self, chosen: NDArray[np.bool_] | None = None) -> tuple[Any, dict[str, Any]]:
        """Return the observations and the info.

        :param chosen: the games that the info is about; by default all.
        """
        every = np.ones(self.num_envs, np.bool_) if chosen is None else chosen.copy()
        observations: Any = self._read_only if self._flat is None else self._flat
        masks, scores = self._masks, self._scores
        if self._copy:
            masks, scores = masks.copy(), scores.copy()
            observations = (
                {name: array.copy() for name, array in self._arrays.items()}
                if self._flat is None
                else self._flat.copy()
            )
        return observations, {
            "action_mask": masks,
            "_action_mask": every,
            "scores": scores,
            "_scores": every.copy(),
        }


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view


def _reset_mask(mask: Any, games: int) -> NDArray[np.bool_]:
    if mask is None:
        return np.ones(games, np.bool_)
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (games,) or not mask.any():
        raise ValueError(f"reset_mask: an array of {games} booleans, at least one of them true")
    return mask
