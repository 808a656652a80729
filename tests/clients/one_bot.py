"""A bot of each shape, which the tests enter everywhere."""

from skye.bots import BOTS
from skye.views import action_of_move, what_if_view


def decide(turn):
    """Choose at random, after a look at everything that a turn has."""
    assert turn.view["waiting_for"].count(turn.seat) == 1
    assert turn.view["players"][turn.seat]["gold"] == turn.game.players[turn.seat].gold
    assert turn.game.seed is None
    assert what_if_view(turn.game, turn.seat, [])["placements"] == []
    assert turn.time_left_ms is None or 0 < turn.time_left_ms <= 600_000
    return turn.rng.choice(turn.moves)


def made_of_a_move(turn):
    """Return no request, only the type and body of a move of the engine."""
    return action_of_move(BOTS["greedy"](turn.game, turn.seat, turn.rng))


def of_the_engine(game, seat, rng):
    """Choose in the old shape."""
    return BOTS["random"](game, seat, rng)


def faulty(turn):
    """Fail with an error that the package takes for one of its own otherwise."""
    print("my debugging of round", turn.view["round"])  # noqa: T201 - as users do
    raise ValueError("my strategy")
