"""The observation of an OpenSpiel player, as a float32 tensor and as a string, in these pieces.

| piece         | shape              | contents                                                           |
|---------------|--------------------|--------------------------------------------------------------------|
| `player`      | (players,)         | 1 for the observing player                                         |
| `steps`       | (2 * max actions,) | player and action of each step, each plus 2; 0 for future steps    |
| `seats`       | (players, 136)     | the seats, the observing one first (see `skye.envs.observation`)   |
| `game`        | (152,)             | the game (see `skye.envs.observation`)                             |
| `territories` | (players, 18, 41)  | each tile but the castle in placing order: x, y, its features      |
| `private`     | (4,)               | the gold in the purse, and each action of the secret offer plus 1  |

`steps`, or `seats`, `game` and `territories`, are public: with perfect recall there is `steps`, otherwise
the other three. The action of a secret step is -1. The observation is a list of tiles instead of planes,
because OpenSpiel copies tensors to lists. The features are those of `skye.envs.tile_features`, as the tile
is turned. As a string, the public observation is a position as text.
"""

from __future__ import annotations

from typing import Any, Final, Protocol

import numpy as np
import pyspiel

from skye.encoding import EncodedGame
from skye.envs.observation import Observer, shapes
from skye.envs.planes import MAX_TILES
from skye.envs.tile_features import FEATURES, TILE_FEATURES
from skye.positions.snapshot import position_view
from skye.positions.text import position_to_text
from skye.rules.state import TILES_DRAWN


class ObservedState(Protocol):
    """What the observer reads of a state."""

    encoded: EncodedGame

    def public_steps(self) -> list[tuple[int, int]]:
        """Return the player and the action of every step; the action is -1 while it is secret."""

    def secret_actions(self, player: int) -> list[int]:
        """Return the actions of a player's secret offer."""


class IsleOfSkyeObserver:
    """Observes states for one player at a time.

    :param iig_obs_type: the kind of observation, as OpenSpiel defines it.
    :param players: the number of players.
    :param max_actions: the maximum number of steps.
    :raises ValueError: when the private information of all players is requested.
    """

    def __init__(self, iig_obs_type: Any, players: int, max_actions: int) -> None:
        if iig_obs_type.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS:
            raise ValueError("the observer shows the private information of one player at most")
        self._perfect_recall = iig_obs_type.perfect_recall
        self._observer = Observer(players)
        pieces: dict[str, tuple[int, ...]] = {"player": (players,)}
        if iig_obs_type.public_info:
            pieces |= {"steps": (2 * max_actions,)} if self._perfect_recall else _public_pieces(players)
        if iig_obs_type.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER:
            pieces["private"] = (1 + TILES_DRAWN,)
        self.tensor = np.zeros(sum(int(np.prod(shape)) for shape in pieces.values()), np.float32)
        self.dict = {}
        start = 0
        for name, shape in pieces.items():
            end = start + int(np.prod(shape))
            self.dict[name] = self.tensor[start:end].reshape(shape)
            start = end

    def set_from(self, state: ObservedState, player: int) -> None:
        """Write a player's observation to `tensor`, of which `dict` has views by piece."""
        self.tensor.fill(0)
        self.dict["player"][player] = 1
        if "steps" in self.dict:
            for number, (seat, action) in enumerate(state.public_steps()):
                self.dict["steps"][2 * number : 2 * number + 2] = seat + 2, action + 2
        if "seats" in self.dict:
            self._write_public(state, player)
        if "private" in self.dict:
            actions = state.secret_actions(player)
            self.dict["private"][: 1 + len(actions)] = _gold(state, player), *[1 + each for each in actions]

    def string_from(self, state: ObservedState, player: int) -> str:
        """Return a player's observation as a string."""
        pieces = [f"p{player}"]
        if "steps" in self.dict:
            pieces.append(" ".join(f"{seat}:{action}" for seat, action in state.public_steps()))
        if "seats" in self.dict:
            pieces.append(_public_text(state))
        if "private" in self.dict:
            pieces.append(f"gold={_gold(state, player)} offer={state.secret_actions(player)}")
        return " | ".join(pieces)

    def _write_public(self, state: ObservedState, player: int) -> None:
        for name, part in zip(
            ("seats", "game"), self._observer.vectors(state.encoded, player, private=False), strict=True
        ):
            self.dict[name].reshape(-1)[:] = np.frombuffer(part, np.float32)
        players = state.encoded.game.players
        for row, seat in enumerate(players[player:] + players[:player]):
            placed = seat.territory.placed[1:]
            if placed:
                tiles = [_TILES[tile, rotation] for tile, _, _, rotation in placed]
                cells = [(x, y) for _, x, y, _ in placed]
                self.dict["territories"][row, : len(placed)] = np.hstack([cells, tiles])


_TILES: Final = {placed: np.frombuffer(features, np.uint8) for placed, features in FEATURES.items()}


def _public_pieces(players: int) -> dict[str, tuple[int, ...]]:
    vectors = {name: shape for name, shape in shapes(players).items() if name in ("seats", "game")}
    return vectors | {"territories": (players, MAX_TILES - 1, 2 + TILE_FEATURES)}


def _gold(state: ObservedState, player: int) -> int:
    return state.encoded.game.players[player].gold


def _public_text(state: ObservedState) -> str:
    game = state.encoded.game
    if game.starting_seat < 0:
        return str(state)
    return position_to_text(position_view(game, None))
