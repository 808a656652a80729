"""Whole games for the tests of encodings and of trained agents."""

from collections.abc import Iterator
from random import Random

from skye import GameState, new_game, play_out
from skye.rulesets import BASE
from skye_gym.encoding import EncodedGame

MAX_WEIGHTS = 1_000_000
"""The bytes that committed weights may have."""


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


def check_wins_against_random_bots(agent):
    """Check that the committed weights of an agent are small, and that it wins six games of two."""
    assert agent.WEIGHTS.stat().st_size <= MAX_WEIGHTS
    bot = agent.load_agent()
    for number in range(6):
        seat = number % 2
        bots = [bot, "random"] if seat == 0 else ["random", bot]
        game = play_out(new_game(2, seed=f"weights/{number}").game, bots, Random(number)).game
        assert game.winners == (seat,)
