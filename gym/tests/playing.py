"""Whole games for the tests of encodings."""

from collections.abc import Iterator
from random import Random

from skye import GameState, new_game
from skye.rulesets import BASE
from skye_gym.encoding import EncodedGame


def encoded_games(
    players: int, seed: int, begun: GameState | None = None
) -> Iterator[tuple[EncodedGame, int]]:
    """Play a whole game by random actions; yield each encoded game with the action chosen."""
    rng = Random(seed)
    encoded = EncodedGame(begun or new_game(BASE.colors[:players], seed=f"encoded {seed}").game)
    while not encoded.game.is_over:
        action = rng.choice(encoded.legal_actions())
        yield encoded, action
        encoded, _ = encoded.play(action)
