"""Gains of placements: those of the rules, and the features of `list+gains` that show them."""

from random import Random

import pytest

pytest.importorskip("numpy", reason="NumPy is not installed: features are not tested")

import numpy as np

from skye import Options, Phase, Place, new_game
from skye.rulesets import BASE
from skye.views import placement_gains_view
from skye_gym.encoding import EncodedGame, decode_move
from skye_gym.envs.actions import ListedActions, ListedGains, listed_shape
from skye_gym.envs.gains import scorings_of, territory_gains
from tests.engine.playing import for_each_number_of_players

SCORING = (
    ("squares", "completed_areas", "sheep", "large_completed_areas"),
    ("brochs_in_mountains", "building_sets", "most_whisky", "most_ships"),
    ("animals_near_farms", "most_gold", "connected_cattle", "ships_and_lighthouses"),
    ("connected_tiles", "vertical_lines", "largest_lake", "completed_mountains"),
)
WIDTH = listed_shape(BASE)[1]


def random_games(players, seed, scoring_tiles=None):
    """Yield the encoded games before each decision of a game of random actions."""
    rng = Random(seed)
    encoded = EncodedGame(new_game(players, seed=str(seed), options=Options(scoring_tiles)).game)
    while not encoded.game.is_over:
        yield encoded
        encoded, _ = encoded.play(rng.choice(encoded.legal_actions()))


@pytest.mark.parametrize("scoring_tiles", SCORING)
def test_gains_are_those_of_the_rules(scoring_tiles):
    compared = 0
    for encoded in random_games(3, 5, scoring_tiles):
        game, seat = encoded.game, encoded.seat
        if game.phase is not Phase.BUILDING:
            continue
        for tile in game.players[seat].tiles_to_build:
            gains = territory_gains(game, seat).gains(tile)
            views = placement_gains_view(game, seat, tile)
            assert len(views) == len(gains)
            for view in views:
                gain = gains[Place(tile, view["x"], view["y"], view["rotation"])]
                assert list(gain.slots) == [each["points"] or 0 for each in view["gains"]]
                assert gain.scrolls == view["scroll_points"]
                assert gain.whisky * BASE.whisky_income == view["whisky_income"]
                compared += 1
    assert compared > 100


@pytest.mark.parametrize("scoring_tiles", SCORING)
def test_gains_that_continue_those_of_a_smaller_territory_are_equal(scoring_tiles):
    last = [None, None]
    for encoded in random_games(2, 6, scoring_tiles):
        game = encoded.game
        tiles = game.players[encoded.seat].tiles_to_build or game.players[encoded.seat].tiles_on_offer
        for seat in range(2):
            last[seat] = territory_gains(game, seat, last[seat])
            for tile in tiles:
                assert last[seat].gains(tile) == territory_gains(game, seat).gains(tile)


@for_each_number_of_players
def test_gain_columns_show_what_each_action_gains(players):
    for encoded in random_games(players, players):
        game, seat, legal = encoded.game, encoded.seat, encoded.legal_actions()
        rows = np.frombuffer(ListedGains(encoded).features(), np.uint8).reshape(-1, WIDTH + 12)
        plain = np.frombuffer(ListedActions(encoded).features(), np.uint8).reshape(-1, WIDTH)
        assert (rows[:, :WIDTH] == plain).all()
        assert not rows[len(legal) :].any()
        columns = rows[: len(legal), WIDTH:].astype(int) - 128
        scorings = scorings_of(game)
        for row, action in zip(columns, legal, strict=True):
            slots = row[:4] + row[4:8]
            if game.phase is not Phase.BUILDING:
                if row.any():
                    assert slots.sum() + row[9] == row[10]
                continue
            move = decode_move(game, seat, [action])
            if isinstance(move, Place):
                gain = territory_gains(game, seat).gains(move.tile)[move]
                now = [times * points for times, points in zip(scorings.now, gain.slots, strict=True)]
                assert row[:4].tolist() == now
                assert slots.sum() + row[9] == scorings.points(gain) <= row[10]
                assert (row[8], row[9]) == (gain.whisky, gain.scrolls)
            else:
                assert not row.any()


def test_gain_of_a_rival_is_that_of_the_rival_who_gains_most():
    for encoded in random_games(4, 9):
        game, seat = encoded.game, encoded.seat
        if game.phase is not Phase.PRICING or encoded.draft:
            continue
        rows = np.frombuffer(ListedGains(encoded).features(), np.uint8).reshape(-1, WIDTH + 12)
        scorings = scorings_of(game)
        for row, tile in zip(rows, game.players[seat].tiles_on_offer, strict=False):
            of_rivals = [
                max(map(scorings.points, territory_gains(game, other).gains(tile).values()), default=0)
                for other in range(4)
                if other != seat
            ]
            assert row[-1] - 128 == max(of_rivals)
