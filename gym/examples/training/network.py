"""A small policy network in NumPy: it scores each legal action alone, and a softmax chooses among them."""

from itertools import pairwise
from pathlib import Path
from zipfile import BadZipFile

import numpy as np


class Network:
    """A perceptron with two hidden layers, trained with Adam.

    :param sizes: the sizes of the layers, the first that of the features, the last 1.
    :param seed: the seed of the initial weights.
    """

    def __init__(self, sizes: tuple[int, ...], seed: int = 0):
        rng = np.random.default_rng(seed)
        self.parameters: list[np.ndarray] = []
        for inputs, outputs in pairwise(sizes):
            scale = np.sqrt(2 / inputs) if outputs > 1 else 0.01
            self.parameters.append(rng.normal(0, scale, (inputs, outputs)).astype(np.float32))
            self.parameters.append(np.zeros(outputs, np.float32))
        self._means = [np.zeros_like(each) for each in self.parameters]
        self._squares = [np.zeros_like(each) for each in self.parameters]
        self._updates = 0

    def scores(self, features: np.ndarray) -> np.ndarray:
        """Return the score of each action."""
        return self._forward(features)[-1][:, 0]

    def _forward(self, features: np.ndarray) -> list[np.ndarray]:
        layers = [features]
        for number in range(0, len(self.parameters), 2):
            sums = layers[-1] @ self.parameters[number] + self.parameters[number + 1]
            layers.append(np.maximum(sums, 0) if number + 2 < len(self.parameters) else sums)
        return layers

    def train(self, decisions: list[tuple[np.ndarray, int]], rate: float) -> float:
        """Make the chosen actions more likely; return the mean logarithm of their probability before.

        :param decisions: the features of the legal actions, and the index of the chosen one.
        :param rate: the learning rate.
        """
        counts = np.array([len(features) for features, _ in decisions])
        starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
        layers = self._forward(np.concatenate([features for features, _ in decisions]))
        scores = layers[-1][:, 0]
        scores = scores - np.repeat(np.maximum.reduceat(scores, starts), counts)
        logs = scores - np.repeat(np.log(np.add.reduceat(np.exp(scores), starts)), counts)
        chosen = starts + np.array([index for _, index in decisions])
        slope = np.exp(logs)
        slope[chosen] -= 1
        self._descend(layers, slope[:, None] / len(decisions), rate)
        return float(logs[chosen].mean())

    def _descend(self, layers: list[np.ndarray], slope: np.ndarray, rate: float) -> None:
        gradients: list[np.ndarray] = []
        for number in range(len(self.parameters) - 2, -1, -2):
            inputs = layers[number // 2]
            gradients += [slope.sum(axis=0), inputs.T @ slope]
            if number:
                slope = (slope @ self.parameters[number].T) * (inputs > 0)
        self._updates += 1
        correction = np.sqrt(1 - 0.999**self._updates) / (1 - 0.9**self._updates)
        for number, gradient in enumerate(reversed(gradients)):
            mean, square = self._means[number], self._squares[number]
            mean += 0.1 * (gradient - mean)
            square += 0.001 * (gradient**2 - square)
            self.parameters[number] -= rate * correction * mean / (np.sqrt(square) + 1e-8)

    def save(self, path: Path) -> None:
        """Write the weights to a file."""
        np.savez(path, *self.parameters)

    @classmethod
    def load(cls, path: Path) -> "Network":
        """Return the network of a file.

        :raises ValueError: when the file has no weights of this network.
        """
        try:
            with np.load(path, allow_pickle=False) as file:
                weights = [file[f"arr_{number}"].astype(np.float32) for number in range(len(file.files))]
            sizes = (weights[0].shape[0], *[bias.shape[0] for bias in weights[1::2]])
            network = cls(sizes)
            if [each.shape for each in weights] != [each.shape for each in network.parameters]:
                raise ValueError("the shapes of the layers do not fit together")
        except (OSError, EOFError, BadZipFile, ValueError, KeyError, IndexError) as error:
            raise ValueError(f"{path} has no weights: {error}") from error
        network.parameters = weights
        return network
