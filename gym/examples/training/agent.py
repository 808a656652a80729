"""A bot for leagues: `skye-arena greedy "trained=python gym/examples/training/agent.py"`."""

import sys
from pathlib import Path
from random import Random

from features import SIZE, action_features
from network import Network

from skye import Bot
from skye_gym.arena.host import serve
from skye_gym.encoding import EncodedGame, bot_of_policy

WEIGHTS = Path(__file__).parent / "weights.npz"
"""The committed weights."""


def load_agent(weights: Path = WEIGHTS) -> Bot:
    """Return the bot of a checkpoint; it always plays the action of the highest score.

    :raises ValueError: when the file has no weights of this agent.
    """
    network = Network.load(weights)
    if len(network.parameters[0]) != SIZE:
        raise ValueError(f"{weights} is for {len(network.parameters[0])} features, not {SIZE}")

    def policy(encoded: EncodedGame, _rng: Random) -> int:
        legal = encoded.legal_actions()
        return legal[int(network.scores(action_features(encoded)).argmax())] if len(legal) > 1 else legal[0]

    return bot_of_policy(policy)


if __name__ == "__main__":
    agent = load_agent(Path(sys.argv[1]) if len(sys.argv) > 1 else WEIGHTS)
    serve(lambda: agent)
