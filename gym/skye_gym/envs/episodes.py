"""One episode of an environment: its game, with the chosen forms of observations, actions and rewards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from skye.rules.state import GameState
from skye.rulesets.ruleset import Ruleset, ruleset_of
from skye.tiles.tile_set import DEFAULT_RULESET
from skye.visibility.observation import observed_game
from skye_gym.encoding import EncodedGame
from skye_gym.envs.actions import ENCODINGS, ListedActions
from skye_gym.envs.arguments import whole_number
from skye_gym.envs.observation import DTYPES, Observer, SeatObservation, flat, shapes
from skye_gym.envs.rewards import Reward, Rewards, checked_reward
from skye_gym.envs.seat_vectors import MAX_VALUE
from skye_gym.envs.summary import SummaryObserver, summary_size

OBSERVATIONS: Final = ("dict", "flat", "summary")
"""The forms of observations.

`dict` has the arrays of `skye_gym.envs.observation` by name, and `flat` all of them in one vector; `summary`
is the vector of `skye_gym.envs.summary`. With the actions `list` and `list+gains`, `dict` and `flat` have the
array `actions` too, and `summary` is a dictionary of the arrays `summary` and `actions`.
"""

DEFAULT_OBSERVATION: Final = "dict"
"""The default form: nothing is left out, and the planes take one byte for each number."""

DEFAULT_ACTIONS: Final = "factored"
"""The default encoding of actions: a number has one meaning, and its cells are those of the planes."""


class Form(NamedTuple):
    """The forms of an environment's observations, actions and rewards.

    :param players: the number of seats.
    :param observation: one of `OBSERVATIONS`.
    :param actions: one of `actions.ENCODINGS`; with `list` and `list+gains` observations have the array
        `actions` too.
    :param reward: one of `rewards.SCHEMES`, or a function.
    :param ruleset_id: the id of the ruleset.
    """

    players: int
    observation: str
    actions: str
    reward: Reward
    ruleset_id: str = DEFAULT_RULESET

    def checked(self) -> Form:
        """Return the form, with `players` as an int.

        :raises TypeError: when the number of players is not a whole number.
        :raises ValueError: when a field is none of its possible values.
        """
        possible = self.ruleset.players
        players = whole_number("players", self.players)
        if players not in possible:
            raise ValueError(f"players={self.players!r}: there are from {possible[0]} to {possible[-1]}")
        checked_reward(self.reward)
        known = {"observation": OBSERVATIONS, "actions": tuple(ENCODINGS)}
        for field, values in known.items():
            if getattr(self, field) not in values:
                raise ValueError(f"{field}={getattr(self, field)!r}: there are {', '.join(values)}")
        return self._replace(players=players)

    @property
    def ruleset(self) -> Ruleset:
        """The ruleset.

        :raises ValueError: when there is no such ruleset.
        """
        return ruleset_of(self.ruleset_id)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shapes of the arrays of an observation, by name."""
        encoding = ENCODINGS[self.actions]
        listed = (
            {"actions": encoding.features_shape(self.ruleset)} if issubclass(encoding, ListedActions) else {}
        )
        if self.observation == "summary":
            return {"summary": (summary_size(self.ruleset, self.players),)} | listed
        return shapes(self.ruleset, self.players) | listed

    @property
    def is_vector(self) -> bool:
        """Whether an observation is one vector instead of arrays by name."""
        is_listed = issubclass(ENCODINGS[self.actions], ListedActions)
        return self.observation == "flat" or (self.observation == "summary" and not is_listed)

    @property
    def observation_space(self) -> spaces.Space[Any]:
        """The space of observations."""
        if self.is_vector:
            return spaces.Box(0.0, 255.0 if self.observation == "flat" else MAX_VALUE, self._size, np.float32)
        boxes: dict[str, spaces.Space[Any]] = {
            name: spaces.Box(0.0, MAX_VALUE, shape, np.float32)
            if name in DTYPES
            else spaces.Box(0, 255, shape, np.uint8)
            for name, shape in self.shapes.items()
        }
        return spaces.Dict(boxes)

    @property
    def state_space(self) -> spaces.Box:
        """The space of global states: the observations of all seats, one after another."""
        is_summary = self.observation == "summary"
        [size] = self.shapes["summary"] if is_summary else self._replace(observation="flat")._size
        return spaces.Box(0.0, 255.0, (self.players * size,), np.float32)

    @property
    def _size(self) -> tuple[int]:
        return (sum(int(np.prod(shape)) for shape in self.shapes.values()),)

    @property
    def action_count(self) -> int:
        """The number of actions."""
        return ENCODINGS[self.actions].count(self.ruleset)


class Episode:
    """A game and its incomplete decision.

    :param form: the forms of observations, actions and rewards.
    """

    def __init__(self, form: Form) -> None:
        self._form = form
        self._action_count = form.action_count
        self._observer = Observer(form.ruleset, form.players)
        self._summaries = SummaryObserver(form.ruleset, form.players)
        self.is_started = False
        """Whether there is a game: false before the first `start`."""

    def start(
        self, encoded: EncodedGame, reward: Reward | None = None, rewarded: Sequence[int] | None = None
    ) -> None:
        """Start with a game.

        :param reward: another reward for this episode.
        :param rewarded: the seats for which a reward by a function is called; by default all.
        """
        self._actions = ENCODINGS[self._form.actions](encoded)
        self._rewards = Rewards(reward or self._form.reward, encoded.game, rewarded)
        self._rewards.begin(encoded.game, encoded.seat)
        self.is_started = True

    def check_started(self) -> None:
        """Check that there is a game.

        :raises ResetNeeded: before the first `start`.
        """
        if not self.is_started:
            raise ResetNeeded("there is no game yet: call reset first")

    @property
    def game(self) -> GameState:
        """The game."""
        return self._actions.encoded.game

    def game_of(self, seat: int | None, *, full: bool) -> GameState:
        """Return the game as a seat, or with None a spectator, may see it.

        :param full: whether to return the true game, with all that is hidden.
        :raises ResetNeeded: before the first `start`.
        """
        self.check_started()
        return self.game if full else observed_game(self.game, seat)

    @property
    def seat(self) -> int:
        """The seat that decides next."""
        return self._actions.seat

    def play(self, action: int) -> None:
        """Play an action of the seat that decides.

        :raises RuleError: when it is not legal.
        """
        self._actions.play(action)

    def continue_with(self, game: GameState) -> None:
        """Continue with the game after a move."""
        self._actions.continue_with(EncodedGame(game))

    def rewards(self) -> list[float] | None:
        """Return the reward of each seat since the last call; None if all are 0."""
        return self._rewards.since_last(self.game, self._actions.seat)

    def mask(self) -> bytearray:
        """Return one byte for each action: 1 where it is legal now; all 1 when the game is over.

        Then each action is valid, because environments that reset themselves ignore it.
        """
        return bytearray(b"\1" * self._action_count) if self.game.is_over else self._actions.mask()

    def observe(self, seat: int) -> Any:
        """Return the observation of a seat; its arrays belong to the caller."""
        if self._form.observation == "flat":
            return self.observe_flat(seat)
        if self._form.observation == "summary":
            summary = self.summarize(seat)
            return summary if self._form.is_vector else {"summary": summary} | self.listed(seat)
        observed = self._observer.observe(self._actions.encoded, seat, *self._chosen(seat))
        return observed | self.listed(seat)

    def observe_flat(self, seat: int) -> NDArray[np.float32]:
        """Return the observation of a seat in the flat form."""
        observed = self._observer.show(self._actions.encoded, seat, *self._chosen(seat))
        return flat({**observed, **self.listed(seat)})

    def summarize(self, seat: int) -> NDArray[np.float32]:
        """Return the summary of what a seat sees."""
        return self._summaries.observe(self._actions.encoded, seat, *self._chosen(seat))

    def state(self) -> NDArray[np.float32]:
        """Return the global state: the flat observations or the summaries of all seats, one after another."""
        observe = self.summarize if self._form.observation == "summary" else self.observe_flat
        return np.concatenate([observe(seat) for seat in range(self._form.players)])

    def show(self, observation: SeatObservation, seat: int) -> None:
        """Write the observation of a seat, without the listed actions."""
        observation.show(self._actions.encoded, seat, *self._chosen(seat))

    def listed(self, seat: int) -> dict[str, NDArray[np.uint8]]:
        """Return the array `actions`, if observations have it: the legal actions of the seat that decides."""
        if not isinstance(self._actions, ListedActions):
            return {}
        rows, width = self._actions.features_shape(self._form.ruleset)
        features = self._actions.features() if seat == self._actions.seat else bytearray(rows * width)
        return {"actions": np.frombuffer(features, np.uint8).reshape(rows, width)}

    def _chosen(self, seat: int) -> tuple[int | None, int | None]:
        """Return the tile and the cell that a seat has chosen for an incomplete factored placement."""
        actions = self._actions
        return (actions.tile, actions.cell) if seat == actions.seat else (None, None)
