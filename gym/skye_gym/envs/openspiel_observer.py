"""The observation of an OpenSpiel player, as a float32 tensor and as a string, in these pieces.

| piece         | shape              | contents                                                          |
|---------------|--------------------|-------------------------------------------------------------------|
| `player`      | (players,)         | 1 for the observing player                                        |
| `steps`       | (2 * max actions,) | player and action of each step, each plus 2; 0 for future steps   |
| `seats`       | (players, 136)     | the seats, the observing one first: `skye_gym.envs.observation`   |
| `game`        | (152,)             | the game (see `skye_gym.envs.observation`)                        |
| `territories` | (players, 18, 41)  | each tile but the castle in placing order: x, y, its features     |
| `placement`   | (3,)               | an incomplete factored placement: tile, row, column, each plus 1  |
| `private`     | (4,)               | the gold in the purse, and each action of the secret offer plus 1 |

`steps`, or `seats`, `game`, `territories` and `placement`, are public: with perfect recall there is `steps`,
otherwise the other four. The action of a secret step is -1. The observation is a list of tiles instead of
planes, because OpenSpiel copies tensors to lists. The features are those of `skye_gym.envs.tile_features`, as
the tile is turned. As a string, the public observation is a position as text. The sizes follow from the
ruleset; those here are of the base game.
"""

from __future__ import annotations

from struct import Struct
from typing import Any, Final, Protocol

import numpy as np
import pyspiel

from skye.positions.snapshot import position_view
from skye.positions.text import position_to_text
from skye.rules.state import GameState
from skye.rulesets.ruleset import Ruleset
from skye.territory.territory import Territory
from skye_gym.encoding import EncodedGame
from skye_gym.envs.observation import shapes
from skye_gym.envs.planes import planes_of
from skye_gym.envs.seat_vectors import SeatVectors, vectors_of
from skye_gym.envs.tile_features import TILE_FEATURES, features_of


class ObservedState(Protocol):
    """What the observer reads of a state."""

    encoded: EncodedGame

    @property
    def chosen(self) -> tuple[int | None, int | None]:
        """The index of the tile and the number of the cell that are chosen in an incomplete placement."""

    def public_steps(self) -> list[tuple[int, int]]:
        """Return the player and the action of every step; the action is -1 while it is secret."""

    def secret_actions(self, player: int) -> list[int]:
        """Return the actions of a player's secret offer."""


class IsleOfSkyeObserver:
    """Observes states for one player at a time.

    :param iig_obs_type: the kind of observation, as OpenSpiel defines it.
    :param ruleset: the ruleset of the states.
    :param players: the number of players.
    :param max_actions: the maximum number of steps.
    :raises ValueError: when the private information of all players is requested.
    """

    def __init__(self, iig_obs_type: Any, ruleset: Ruleset, players: int, max_actions: int) -> None:
        if iig_obs_type.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS:
            raise ValueError("the observer shows the private information of one player at most")
        self._perfect_recall = iig_obs_type.perfect_recall
        self._vectors = SeatVectors(vectors_of(ruleset))
        self._window = planes_of(ruleset).window
        self._territory_size = (planes_of(ruleset).max_tiles - 1) * (2 + TILE_FEATURES)
        self._tiles = {
            placed: np.array([*features], np.float32).tobytes()
            for placed, features in features_of(ruleset).items()
        }
        self._recent: dict[tuple[int, int], tuple[GameState, bytes]] = {}
        pieces: dict[str, tuple[int, ...]] = {"player": (players,)}
        if iig_obs_type.public_info:
            pieces |= (
                {"steps": (2 * max_actions,)} if self._perfect_recall else _public_pieces(ruleset, players)
            )
        if iig_obs_type.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER:
            pieces["private"] = (1 + ruleset.tiles_drawn,)
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
        parts = np.frombuffer(self._public(state.encoded, player), np.float32)
        start = self.dict["player"].size
        self.tensor[start : start + parts.size] = parts
        tile, cell = state.chosen
        if tile is not None:
            row, column = (-1, -1) if cell is None else divmod(cell, self._window)
            self.dict["placement"][:] = tile + 1, row + 1, column + 1

    def _public(self, encoded: EncodedGame, player: int) -> bytes:
        """Return the bytes of the public pieces; OpenSpiel asks for those of the initial state each time."""
        key = id(encoded.game), player
        game, pieces = self._recent.get(key, (None, b""))
        if game is not encoded.game:
            rows = self._vectors.rows(encoded.game, player, private=False)
            about_game = self._vectors.about_game(encoded.game, rows)
            players = encoded.game.players
            territories = [self._tiles_bytes(seat.territory) for seat in players[player:] + players[:player]]
            pieces = b"".join([*[row.numbers for row in rows], about_game, *territories])
            if len(self._recent) >= _MAX_CACHED:
                self._recent.clear()
            self._recent[key] = encoded.game, pieces
        return pieces

    def _tiles_bytes(self, territory: Territory) -> bytes:
        tiles = self._tiles
        rows = [_CELL.pack(x, y) + tiles[tile, rotation] for tile, x, y, rotation in territory.placed[1:]]
        return b"".join(rows).ljust(4 * self._territory_size, b"\0")


_MAX_CACHED: Final = 64

_CELL: Final = Struct("2f")


def _public_pieces(ruleset: Ruleset, players: int) -> dict[str, tuple[int, ...]]:
    vectors = {name: shape for name, shape in shapes(ruleset, players).items() if name in ("seats", "game")}
    territories = (players, planes_of(ruleset).max_tiles - 1, 2 + TILE_FEATURES)
    return vectors | {"territories": territories, "placement": (3,)}


def _gold(state: ObservedState, player: int) -> int:
    return state.encoded.game.players[player].gold


def _public_text(state: ObservedState) -> str:
    game = state.encoded.game
    if game.starting_seat < 0:
        return str(state)
    return position_to_text(position_view(game, None)) + chosen_text(state.chosen)


def chosen_text(chosen: tuple[int | None, int | None]) -> str:
    """Return the tile and the cell chosen in an incomplete placement as text, "" when there is none."""
    tile, cell = chosen
    return "" if tile is None else f" tile={tile}" if cell is None else f" tile={tile} cell={cell}"
