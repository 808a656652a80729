"""A bot for leagues: `skye-arena greedy "learner=python gym/examples/training/ppo/learner.py"`."""

import sys
from pathlib import Path
from random import Random

from candidate_network import CandidateNetwork, GameObserver

from skye import Bot
from skye_gym.arena.host import serve
from skye_gym.encoding import EncodedGame, bot_of_policy

WEIGHTS = Path(__file__).parent / "weights.npz"
"""The committed weights."""


def load_agent(weights: Path = WEIGHTS) -> Bot:
    """Return the bot of a checkpoint, for games of two; it always plays the action of the highest score.

    :raises ValueError: when the file has no weights of this agent.
    """
    network, observer = CandidateNetwork.load(weights), GameObserver()

    def policy(encoded: EncodedGame, _rng: Random) -> int:
        legal = encoded.legal_actions()
        return legal[int(network.scores(*observer.observe(encoded)).argmax())]

    return bot_of_policy(policy)


if __name__ == "__main__":
    agent = load_agent(Path(sys.argv[1]) if len(sys.argv) > 1 else WEIGHTS)
    serve(lambda: agent)
