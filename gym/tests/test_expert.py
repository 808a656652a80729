"""The expert: sampled offers, sets of tiles, its budget, and wins against the strategist."""

from collections import Counter
from random import Random

import pytest

from skye import BOTS, Options, new_game, offer_limits, play, play_out
from skye.bots import LEAGUE_BOTS, expert
from skye.bots.evaluation import best_plan, evaluation_of, situation_of
from skye.bots.expert import expert_offer
from skye.bots.joint_offers import best_joint_offer, likely_offers
from skye.bots.trained_evaluation import WEIGHTS, TrainedSituationEvaluation, trained_outlook
from skye.rulesets import BASE
from tests.engine.playing import for_each_number_of_players, seats_won
from tests.support.sizes import sampled


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


@for_each_number_of_players
def test_every_round_has_weights(players):
    assert len(WEIGHTS[players]) == len(BASE.rounds(players))
    assert WEIGHTS[players][-1] == (1.0, 1.0, 0.2)


def test_gain_of_two_tiles_is_that_of_their_best_plan():
    game = played_to("pricing", 3)
    situation = situation_of(game)
    evaluation = TrainedSituationEvaluation(situation)
    outlook, territory = trained_outlook(situation, 0), game.players[0].territory
    one, other, _ = game.players[0].tiles_on_offer
    plan = best_plan(outlook, territory, (one, other))
    expected = plan.value - evaluation_of(outlook, territory).value
    assert evaluation.gain_of_set(0, (one, other), together=True) == pytest.approx(expected)
    alone = evaluation.gain(0, one) + evaluation.gain(0, other)
    assert evaluation.gain_of_set(0, (one, other), together=False) == pytest.approx(alone)


def played_to(phase, number):
    """Return a game of greedy bots at the beginning of a phase of a round."""
    game = new_game(BASE.colors[:2], seed="sets").game
    while (game.phase, game.round) != (phase, number):
        seat = game.waiting_for[0]
        game = play(game, seat, BOTS["greedy"](game, seat, Random(1))).game
    return game


def test_expert_plays_a_whole_game_of_five():
    """In test_bots it plays whole games of two, three and four."""
    assert play_out(new_game(5, seed="whole").game, expert(1), Random(1)).game.is_over


@pytest.mark.parametrize("budget", [0, -1, float("nan")])
def test_expert_with_a_budget_that_is_not_positive_is_refused(budget):
    with pytest.raises(ValueError, match="above 0 ms"):
        expert(budget)


def test_larger_budget_tries_more_simulations():
    game = new_game(BASE.colors[:2], seed="budget", options=Options()).game
    limits = offer_limits(game, 0)
    few, many = (Random(7) for _ in range(2))
    expert_offer(game, 0, limits, few, 1)
    expert_offer(game, 0, limits, many, 20)
    assert few.getstate() != many.getstate()
    assert expert(1)(game, 0, Random(7)) == expert_offer(game, 0, limits, Random(7), 1)


def test_expert_plays_in_leagues_but_not_on_servers():
    assert set(LEAGUE_BOTS) - set(BOTS) == {"expert"}


@pytest.mark.parametrize(("players", "at_least"), sampled([(2, 8), (4, 4)], 2))
def test_expert_wins_most_games_against_the_strategist(players, at_least):
    assert seats_won(expert(1), "strategist", players) >= at_least
