"""The expert: sets of tiles, its budget, what it knows, and wins against the strategist."""

from dataclasses import replace
from random import Random

import pytest

from skye import BOTS, Options, new_game, offer_limits, play, play_out
from skye.bots.evaluation import (
    best_plan,
    cached_outlook,
    evaluation_of,
    situation_evaluation_of,
    situation_of,
)
from skye.rulesets import BASE
from skye_gym.bots import LEAGUE_BOTS, expert
from skye_gym.bots.expert import expert_offer
from skye_gym.bots.trained_evaluation import (
    WEIGHTS,
    TrainedSituationEvaluation,
    trained_evaluation_of,
    trained_outlook,
    weighted_outlook,
)
from tests.engine.deciding import check_that_hidden_information_changes_no_move, decisions
from tests.engine.playing import for_each_number_of_players, seats_won
from tests.support.second_ruleset import SECOND, registered
from tests.support.sizes import sampled

FEW_SIMULATIONS = expert(40)
"""An expert with more than one simulation for two players."""

FOUR_DRAWN = replace(SECOND, id="four_drawn", tiles_drawn=4, minimum_price=2)


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


def test_expert_is_known_in_leagues_but_not_on_servers():
    assert set(LEAGUE_BOTS) - set(BOTS) == {"expert"}


@pytest.mark.parametrize(("players", "open_gold"), [(4, True), (2, False), (4, False), (2, True)])
def test_choice_of_the_expert_does_not_depend_on_hidden_information(players, open_gold):
    check_that_hidden_information_changes_no_move(FEW_SIMULATIONS, players, open_gold, counts=True)


def test_expert_with_the_same_generator_and_any_cache_makes_the_same_move():
    for decision in decisions([FEW_SIMULATIONS] * 2, "memory"):
        situation_evaluation_of.cache_clear()
        cached_outlook.cache_clear()
        trained_evaluation_of.cache_clear()
        weighted_outlook.cache_clear()
        assert decision.again() == decision.move


@pytest.mark.parametrize("ruleset", [SECOND, FOUR_DRAWN], ids=lambda ruleset: ruleset.id)
def test_expert_plays_a_whole_game_of_other_rulesets(ruleset):
    with registered(ruleset):
        game = new_game(2, seed="second", options=Options(ruleset=ruleset.id)).game
        assert play_out(game, expert(1), Random(1)).game.is_over


@pytest.mark.parametrize(("players", "at_least"), sampled([(2, 8), (4, 4)], 2))
def test_expert_wins_most_games_against_the_strategist(players, at_least):
    assert seats_won(expert(1), "strategist", players) >= at_least
