"""Gymnasium: `gymnasium.make("skye/IsleOfSkye-v1", opponents=["greedy"])` after importing this module.

The agent plays one seat, which the seed determines, against bots of `skye.BOTS`. Observations are the vectors
of `features`. The only reward comes at the end: 1 for winning alone, -1 for losing, shared wins in between.
The `info` has `action_mask` and the `scores`, the agent's own first; MaskablePPO of sb3-contrib calls
`action_masks()`. An illegal action ends the game with a loss.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from skye.bots.registry import BOTS, choose_move
from skye.encoding import ACTION_COUNT, EncodedGame
from skye.envs.drawing import draw
from skye.envs.features import MAX_VALUE, SIZE, observe
from skye.envs.rewards import rewards
from skye.positions.snapshot import position_view
from skye.positions.text import position_to_text
from skye.rules.play import play
from skye.rules.setup import new_game
from skye.tiles.catalogue import COLORS


class IsleOfSkye(gymnasium.Env[NDArray[np.float32], int]):
    """One seat of a game against bots.

    :param opponents: the names of one to four bots, in order from the agent's left.
    :param render_mode: "ansi", "rgb_array" or None.
    :raises KeyError: when there is no bot of a name.
    :raises ValueError: when there are too few or too many opponents.
    """

    metadata = {"render_modes": ["ansi", "rgb_array"], "render_fps": 2}  # noqa: RUF012 - declared as in Gymnasium

    def __init__(self, opponents: Sequence[str] = ("greedy",), render_mode: str | None = None) -> None:
        if not 1 <= len(opponents) < len(COLORS):
            raise ValueError(f"{len(opponents)} opponents: there are from 1 to {len(COLORS) - 1}")
        self._bots = [BOTS[name] for name in opponents]
        self.render_mode = render_mode
        self.observation_space = spaces.Box(0.0, MAX_VALUE, (SIZE,), np.float32)
        self.action_space = spaces.Discrete(ACTION_COUNT)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Start another game; the same seed starts the same game.

        :returns: the first observation of the agent, and its info.
        """
        super().reset(seed=seed, options=options)
        players = len(self._bots) + 1
        self.seat = int(self.np_random.integers(players))
        self._rng = Random(int(self.np_random.integers(2**53)))
        self._encoded = EncodedGame(
            new_game(COLORS[:players], seed=f"{self._rng.getrandbits(128):032x}").game
        )
        self._let_bots_play()
        return self._observation(), self._info()

    def step(self, action: int) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Take an action, and let the bots act until it is the agent's turn again.

        :param action: a number that `skye.encoding` documents.
        :returns: observation, reward, terminated, truncated (always false), and info.
        """
        if self._encoded.game.is_over or not self.action_masks()[action]:
            return self._observation(), -1.0, True, False, self._info()
        self._encoded, _ = self._encoded.play(int(action))
        self._let_bots_play()
        over = self._encoded.game.is_over
        return (
            self._observation(),
            rewards(self._encoded.game)[self.seat] if over else 0.0,
            over,
            False,
            self._info(),
        )

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the mask of legal actions, of shape (`ACTION_COUNT`,)."""
        if self._encoded.game.is_over:
            return np.zeros(ACTION_COUNT, np.bool_)
        return np.frombuffer(self._encoded.mask(), np.bool_)

    def render(self) -> Any:
        """Return the position as text ("ansi") or as a picture ("rgb_array")."""
        game = self._encoded.game
        return (
            draw(game)
            if self.render_mode == "rgb_array"
            else position_to_text(position_view(game, self.seat))
        )

    def _let_bots_play(self) -> None:
        while not self._encoded.game.is_over and self._encoded.seat != self.seat:
            game, seat = self._encoded.game, self._encoded.seat
            bot = self._bots[(seat - self.seat) % len(game.players) - 1]
            self._encoded = EncodedGame(play(game, seat, choose_move(bot, game, seat, self._rng)).game)

    def _observation(self) -> NDArray[np.float32]:
        return observe(self._encoded, self.seat)

    def _info(self) -> dict[str, Any]:
        players = self._encoded.game.players
        scores = [player.score for player in players[self.seat :] + players[: self.seat]]
        return {"action_mask": self.action_masks(), "scores": scores}


gymnasium.register("skye/IsleOfSkye-v1", entry_point="skye.envs.gymnasium:IsleOfSkye")
