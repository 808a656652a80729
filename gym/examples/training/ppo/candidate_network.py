"""The network of the learner in NumPy: it scores each legal action by its features and a summary of the game.

It has the shape of `candidate_policy.CandidatePolicy`, which trains it with PyTorch, and reads the weights
that `candidate_policy.export` writes. So leagues and tests need no PyTorch.
"""

from __future__ import annotations

from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from skye.rulesets import BASE
from skye_gym.encoding import EncodedGame
from skye_gym.envs.actions import ListedGains
from skye_gym.envs.summary import SummaryObserver, summary_size

PLAYERS = 2
"""The number of seats for which the network is."""

FEATURES = ListedGains.features_shape(BASE)[1]
"""The number of features of an action."""

SUMMARY = summary_size(BASE, PLAYERS)
"""The number of numbers of the summary."""

SHIFT = np.array([0] * 15 + [10, 10] + [0] * 43 + [128] * 12, np.float32)
"""What is subtracted from the features (see `skye_gym.envs.actions`)."""

SCALE = np.array([1] * 14 + [1 / 8, 1 / 10, 1 / 10] + [1] * 43 + [1 / 8] * 12, np.float32)
"""By what the differences are multiplied."""

LAYERS = ("summary", "action", "context", "hidden", "score")
"""The layers of the policy, each with a matrix and a bias; the value of a game is left out."""


class CandidateNetwork:
    """Scores the legal actions of a game.

    :param weights: by name, `LAYER.weight` of shape (outputs, inputs) and `LAYER.bias`.
    """

    def __init__(self, weights: dict[str, NDArray[np.float32]]) -> None:
        self._weights = weights

    @classmethod
    def load(cls, path: Path) -> CandidateNetwork:
        """Return the network of a file.

        :raises ValueError: when the file has no weights of this network.
        """
        try:
            with np.load(path, allow_pickle=False) as file:
                weights = {name: file[name].astype(np.float32) for name in file.files}
            network = cls(weights)
            network.scores(np.zeros(SUMMARY, np.float32), np.zeros((2, FEATURES), np.uint8))
        except (OSError, EOFError, BadZipFile, ValueError, KeyError) as error:
            raise ValueError(f"{path} has no weights: {error}") from error
        return network

    def scores(self, summary: NDArray[np.float32], actions: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Return the score of each action.

        :param summary: the summary of the game.
        :param actions: the features of the legal actions, in rows.
        """
        rows = (actions - SHIFT) * SCALE
        state = _relu(self._layer("summary", summary))
        embedded = _relu(self._layer("action", rows) + state)
        context = _relu(self._layer("context", np.concatenate([state, embedded.max(axis=0)])))
        hidden = _relu(self._layer("hidden", embedded) + context)
        return self._layer("score", hidden)[:, 0]

    def _layer(self, name: str, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        return inputs @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]


def _relu(values: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.maximum(values, 0)


class GameObserver:
    """Shows games as environments do with `summary` and `list+gains`."""

    def __init__(self) -> None:
        self._summaries = SummaryObserver(BASE, PLAYERS)
        self._actions: ListedGains | None = None

    def observe(self, encoded: EncodedGame) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
        """Return the summary of the seat that decides, and the features of its legal actions.

        :raises ValueError: when the game has more seats than the network is for, or another ruleset.
        """
        game = encoded.game
        if len(game.players) != PLAYERS or game.ruleset is not BASE:
            raise ValueError(f"the agent plays the base game with {PLAYERS} seats only")
        if self._actions is None:
            self._actions = ListedGains(encoded)
        else:
            self._actions.continue_with(encoded)
        rows = np.frombuffer(self._actions.features(), np.uint8).reshape(-1, FEATURES)
        return self._summaries.observe(encoded, encoded.seat), rows[: len(self._actions.legal)]
