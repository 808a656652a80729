"""Offers of the strategist: their inputs, and wins against greedy offers."""

from collections import Counter
from random import Random

import pytest

from skye import new_game, offer_limits, play
from skye.bots.greedy import greedy_offer
from skye.bots.joint_offers import LotEvaluator, _Market, best_joint_offer, likely_offers
from skye.rulesets import BASE
from tests.engine.playing import for_each_number_of_players, seats_won
from tests.support.sizes import sampled


@for_each_number_of_players
def test_joint_offer_expects_the_offers_that_greedy_rivals_make(players):
    game = new_game(BASE.colors[:players], seed="expected").game
    market = _Market(game, 0)
    expected = market.greedy_offers(game, Random(1))
    rng = Random(1)
    for seat in range(players):
        made = greedy_offer(game, seat, offer_limits(game, seat), rng)
        lots = [market.lots[lot] for lot in expected[seat]]
        assert {(lot.seller, lot.tile, lot.price) for lot in lots} == {
            (seat, *priced) for priced in made.prices
        }


@for_each_number_of_players
def test_joint_offer_is_legal(players):
    game = new_game(BASE.colors[:players], seed="legal").game
    for seat in range(players):
        game = play(game, seat, best_joint_offer(game, seat, Random(seat))).game
    assert game.phase == "buying"


def test_first_likely_offer_is_that_of_the_strategist():
    game = new_game(BASE.colors[:3], seed="likely").game
    different = 0
    for seat in range(3):
        first, *others = likely_offers(game, seat, Random(seat), 50)
        assert first == best_joint_offer(game, seat, Random(seat))
        assert all(play(game, seat, offer) for offer in others)
        different += len({first, *others}) - 1
    assert different > 0


def test_likely_offers_are_mostly_good_ones():
    game = new_game(BASE.colors[:2], seed="softmax").game
    best = [likely_offers(game, 0, Random(dice), 1)[0] for dice in range(5)]
    counted = Counter(likely_offers(game, 0, Random(1), 400))
    assert max(counted, key=counted.__getitem__) in best
    assert len(counted) < 200


def test_lot_evaluator_values_own_gold_less_than_that_of_rivals():
    game = new_game(BASE.colors[:3], seed="gold").game
    own, other = (LotEvaluator(game, seat).lot(0, game.players[0].tiles_on_offer[0], 3) for seat in (0, 1))
    assert 0 < own.sold < other.sold


@pytest.mark.parametrize(("players", "at_least"), sampled([(2, 8), (4, 5)], 2))
def test_strategist_wins_most_games_against_greedy(players, at_least):
    assert seats_won("strategist", "greedy", players) >= at_least
