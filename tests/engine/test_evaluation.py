"""The public evaluation of territories, tiles and gold."""

from random import Random

import pytest

from skye import choose_move, determinize, legal_moves, new_game, play
from skye.bots import BOTS
from skye.evaluation import best_placements, gold_value, placement_values, territory_value, tile_gain


def positions(players, seed):
    """Yield each game of greedy bots before a decision, with its seat."""
    game, rng = new_game(players, seed=seed).game, Random(seed)
    while not game.is_over:
        seat = game.waiting_for[0]
        yield game, seat, rng
        game = play(game, seat, choose_move("greedy", game, seat, rng)).game


@pytest.mark.parametrize("players", [2, 4])
def test_placement_values_cover_the_legal_placements(players):
    for game, seat, _ in positions(players, "placements"):
        for tile in game.players[seat].tiles_to_build:
            values = placement_values(game, seat, tile)
            assert set(values) == set(game.players[seat].territory.legal_places(tile))
            gain = max(values.values()) - territory_value(game, seat) if values else 0.0
            assert tile_gain(game, seat, tile) == pytest.approx(gain)


def test_best_placements_are_those_of_the_greedy_bot():
    for game, seat, rng in positions(2, "plans"):
        if game.phase == "building":
            plan = best_placements(game, seat)
            assert BOTS["greedy"](game, seat, rng) == (plan[0] if plan else legal_moves(game, seat)[0])


def test_evaluation_uses_public_information_only():
    for game, seat, rng in positions(3, "public"):
        sampled = determinize(game, seat, rng)
        for tile in game.players[seat].tiles_on_offer:
            assert tile_gain(game, 1, tile) == tile_gain(sampled, 1, tile)
        assert gold_value(game, seat) == gold_value(sampled, seat) > 0


def test_evaluation_refuses_what_it_cannot_evaluate():
    game = new_game(2, seed="refused").game
    for call in (territory_value, gold_value, best_placements):
        with pytest.raises(ValueError, match="no seat 2"):
            call(game, 2)
    for tile in ("L99", "castle-red"):
        with pytest.raises(ValueError, match="no landscape tile"):
            tile_gain(game, 0, tile)
    *_, (last, seat, rng) = positions(2, "over")
    over = play(last, seat, choose_move("greedy", last, seat, rng)).game
    for unplayable in (over, new_game(2, chance_nodes=True).game):
        with pytest.raises(ValueError, match="no round"):
            territory_value(unplayable, 0)
