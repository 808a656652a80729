"""The observation of an OpenSpiel player, as a float32 tensor and as a string, in these pieces.

| piece         | shape              | contents                                                           |
|---------------|--------------------|--------------------------------------------------------------------|
| `player`      | (players,)         | 1 for the observing player                                         |
| `steps`       | (2 * max actions,) | player and action of each step, each plus 2; 0 for future steps    |
| `observation` | (`SIZE`,)          | the vector of `features`                                           |
| `private`     | (4,)               | the gold in the purse, and each action of the secret offer plus 1  |

`steps` and `observation` are public: with perfect recall there is `steps`, otherwise `observation`. The
action of a secret step is -1. As a string, `observation` is a position as text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyspiel

from skye.envs.features import SIZE, observe
from skye.positions.snapshot import position_view
from skye.positions.text import position_to_text
from skye.rules.state import TILES_DRAWN

if TYPE_CHECKING:
    from skye.envs.openspiel import IsleOfSkyeState


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
        pieces = {"player": (players,)}
        if iig_obs_type.public_info:
            pieces |= {"steps": (2 * max_actions,)} if self._perfect_recall else {"observation": (SIZE,)}
        if iig_obs_type.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER:
            pieces["private"] = (1 + TILES_DRAWN,)
        self.tensor = np.zeros(sum(int(np.prod(shape)) for shape in pieces.values()), np.float32)
        self.dict = {}
        start = 0
        for name, shape in pieces.items():
            end = start + int(np.prod(shape))
            self.dict[name] = self.tensor[start:end].reshape(shape)
            start = end

    def set_from(self, state: IsleOfSkyeState, player: int) -> None:
        """Write a player's observation to `tensor`, of which `dict` has views by piece."""
        self.tensor.fill(0)
        self.dict["player"][player] = 1
        if "steps" in self.dict:
            for number, (seat, action) in enumerate(state.public_steps()):
                self.dict["steps"][2 * number : 2 * number + 2] = seat + 2, action + 2
        if "observation" in self.dict:
            self.dict["observation"][:] = observe(state.encoded, player, secrets=False)
        if "private" in self.dict:
            actions = state.secret_actions(player)
            self.dict["private"][: 1 + len(actions)] = _gold(state, player), *[1 + each for each in actions]

    def string_from(self, state: IsleOfSkyeState, player: int) -> str:
        """Return a player's observation as a string."""
        pieces = [f"p{player}"]
        if "steps" in self.dict:
            pieces.append(" ".join(f"{seat}:{action}" for seat, action in state.public_steps()))
        if "observation" in self.dict:
            pieces.append(_public_text(state))
        if "private" in self.dict:
            pieces.append(f"gold={_gold(state, player)} offer={state.secret_actions(player)}")
        return " | ".join(pieces)


def _gold(state: IsleOfSkyeState, player: int) -> int:
    return state.encoded.game.players[player].gold


def _public_text(state: IsleOfSkyeState) -> str:
    game = state.encoded.game
    if game.starting_seat < 0:
        return str(state)
    return position_to_text(position_view(game, None))
