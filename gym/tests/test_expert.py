"""The experts: sets of tiles, equilibria of offers, what they know, and wins; the first stays as it is."""

import hashlib
from dataclasses import replace
from random import Random

import pytest

from skye import BOTS, Options, choose_move, determinize, new_game, offer_limits, play, play_out
from skye.bots.evaluation import (
    best_plan,
    cached_outlook,
    evaluation_of,
    situation_evaluation_of,
    situation_of,
)
from skye.rulesets import BASE
from skye_gym.bots import LEAGUE_BOTS, expert, expert_1, trained_evaluation
from skye_gym.bots.equilibrium import equilibrium
from skye_gym.bots.expert_1 import evaluation as first_evaluation
from skye_gym.bots.expert_1.search import expert_offer
from skye_gym.bots.offers_of_many import Lot, OffersOfMany, Sample
from skye_gym.bots.offers_of_two import MAX_OFFERS, OffersOfTwo
from skye_gym.bots.trained_evaluation import (
    WEIGHTS,
    TrainedSituationEvaluation,
    trained_outlook,
)
from tests.engine.deciding import check_that_hidden_information_changes_no_move, decisions
from tests.engine.playing import for_each_number_of_players, seats_won
from tests.support.second_ruleset import SECOND, registered
from tests.support.sizes import sampled

FEW_SIMULATIONS = expert_1(40)
"""A first expert with more than one simulation for two players."""

BOTH = pytest.mark.parametrize("bot", [expert, FEW_SIMULATIONS], ids=["expert", "expert@1"])

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


def test_gain_of_three_tiles_is_that_of_their_best_plan():
    game = played_to("pricing", 3)
    evaluation = TrainedSituationEvaluation(situation_of(game))
    outlook, territory = trained_outlook(situation_of(game), 0), game.players[0].territory
    tiles = game.players[0].tiles_on_offer
    expected = best_plan(outlook, territory, tiles).value - evaluation_of(outlook, territory).value
    assert evaluation.exact_gain_of_set(0, tiles[::-1]) == pytest.approx(expected)


def test_equilibrium_of_a_known_game_is_found():
    rock_paper_scissors = [[0.0, -1.0, 2.0], [1.0, 0.0, -1.0], [-2.0, 1.0, 0.0]]
    for mixture in equilibrium(rock_paper_scissors, 2000):
        assert mixture == pytest.approx([0.25, 0.5, 0.25], abs=0.02)
    rows, columns = equilibrium([[3.0, 1.0], [2.0, 0.0]], 50)  # both have a dominant strategy
    assert (rows[0], columns[1]) == pytest.approx((1.0, 1.0), abs=0.01)


def test_payoff_of_offers_that_nobody_can_pay_is_that_of_the_sets():
    game = played_to("pricing", 2)
    seat = 1 - game.starting_seat
    rival = game.starting_seat
    evaluation = TrainedSituationEvaluation(situation_of(game))
    offers = OffersOfTwo(game, seat, offer_limits(game, seat), evaluation)
    dear, cheap = game.players[seat].gold - 1, 1
    purses = [player.gold for player in game.players]
    own = (0, 1, dear, cheap)
    theirs = (0, 1, purses[rival] - 1, 1)
    tiles = [player.tiles_on_offer[:2] for player in game.players]
    sets = [evaluation.exact_gain_of_set(each, tiles[each]) for each in (seat, rival)]
    expected = sets[0] - sets[1]
    expected += evaluation.gold_value * (sum(theirs[2:]) - sum(own[2:]))
    assert offers.payoff(own, theirs) == pytest.approx(expected)


def test_offers_that_stay_are_legal_and_few():
    game = played_to("pricing", 4)
    offers = OffersOfTwo(game, 0, offer_limits(game, 0), TrainedSituationEvaluation(situation_of(game)))
    for seat, strategies in enumerate(offers.strategies()):
        assert 0 < len(strategies) <= MAX_OFFERS
        for one, other, price, price_of_other in strategies:
            assert one < other
            assert min(price, price_of_other) >= 1
            assert price + price_of_other <= game.players[seat].gold


def test_payoff_among_three_that_buy_nothing_is_that_of_their_tiles():
    game = new_game(3, seed="three").game
    seat, evaluation = 0, TrainedSituationEvaluation(situation_of(game))
    market = OffersOfMany(game, seat, 1)
    too_dear = [Lot(rival, tile, 3, [100.0] * 3) for rival in (1, 2) for tile in (0, 1)]
    payoff = market.payoff((0, 1, 3, 1), Sample(too_dear, [(0.0, 0.0)] * 3, [1000.0] * 3))
    tiles = [player.tiles_on_offer[:2] for player in game.players]
    own = evaluation.gain_of_set(0, tiles[0], together=True) + evaluation.gold_value * (5 - 4)
    of_rivals = [
        evaluation.gain_of_set(rival, tiles[rival], together=False) + evaluation.gold_value * (5 - 6)
        for rival in (1, 2)
    ]
    assert payoff == pytest.approx(own - sum(of_rivals) / 2)


def test_sale_among_three_pays_the_price_and_the_own_gold():
    game = new_game(3, seed="three").game
    evaluation = TrainedSituationEvaluation(situation_of(game))
    market = OffersOfMany(game, 0, 1)
    nobody, first = [1000.0] * 3, [-1000.0, -1000.0, 1000.0]
    offer, noise = (0, 1, 2, 1), [(0.0, -1e6)] * 3
    kept = market.payoff(offer, Sample([], noise, nobody))
    sold = market.payoff(offer, Sample([], noise, first))
    tile, other = game.players[0].tiles_on_offer[:2]
    lost = evaluation.gain_of_set(0, (tile, other), together=True) - evaluation.gain(0, other)
    gained = evaluation.gain(1, tile) - 2 * evaluation.gold_value
    assert sold - kept == pytest.approx(2 * 2 * evaluation.gold_value - lost - gained / 2)


def test_offers_among_three_are_legal_in_all_rounds():
    for decision in decisions([BOTS["greedy"]] * 3, "three"):
        limits = offer_limits(decision.game, decision.seat)
        if limits is not None:
            market = OffersOfMany(decision.game, decision.seat, limits.minimum)
            for one, other, price, price_of_other in market.offers_of(decision.seat):
                assert one < other
                assert min(price, price_of_other) >= limits.minimum
                assert price + price_of_other <= limits.gold


def test_expert_mixes_its_offers():
    game = played_to("pricing", 2)
    assert len({expert(game, 0, Random(dice)) for dice in range(12)}) > 1


def test_first_expert_never_changes():
    digest = hashlib.sha256()
    for players in (2, 3):
        for decision in decisions([expert_1(60)] * players, f"first {players}"):
            digest.update(repr(decision.move).encode())
    assert digest.hexdigest() == FIRST_MOVES


FIRST_MOVES = "d183a744a8feabb16f5329b7838114962e9d01b1e37f41fdd11f3299b891b1ca"
"""The digest of the moves of two games of the first expert. If it changes, something that it uses has."""


def test_first_expert_has_its_own_weights():
    assert first_evaluation.WEIGHTS is not WEIGHTS


@pytest.mark.parametrize("bot", [expert, expert_1(1)], ids=["expert", "expert@1"])
def test_expert_plays_a_whole_game_of_five(bot):
    assert play_out(new_game(5, seed="whole").game, bot, Random(1)).game.is_over


@pytest.mark.parametrize("budget", [0, -1, float("nan")])
def test_expert_with_a_budget_that_is_not_positive_is_refused(budget):
    with pytest.raises(ValueError, match="above 0 ms"):
        expert_1(budget)


def test_larger_budget_tries_more_simulations():
    game = new_game(BASE.colors[:2], seed="budget", options=Options()).game
    limits = offer_limits(game, 0)
    few, many = (Random(7) for _ in range(2))
    expert_offer(game, 0, limits, few, 1)
    expert_offer(game, 0, limits, many, 20)
    assert few.getstate() != many.getstate()
    assert expert_1(1)(game, 0, Random(7)) == expert_offer(game, 0, limits, Random(7), 1)


def test_expert_is_known_in_leagues_but_not_on_servers():
    assert set(LEAGUE_BOTS) - set(BOTS) == {"expert", "expert@1"}


@BOTH
@pytest.mark.parametrize(("players", "open_gold"), [(4, True), (2, False), (4, False), (2, True), (3, False)])
def test_choice_of_the_expert_does_not_depend_on_hidden_information(bot, players, open_gold):
    check_that_hidden_information_changes_no_move(bot, players, open_gold, counts=True)


@pytest.mark.parametrize("players", [2, 3])
def test_expert_makes_one_move_for_all_determinizations(players):
    game = new_game(players, seed="determinized").game
    rng = Random(1)
    for decision in range(12):
        seat = game.waiting_for[0]
        move = choose_move(expert, game, seat, Random(decision))
        for _ in range(50 if decision in (0, players) else 2):
            other = determinize(game, seat, rng)
            assert choose_move(expert, other, seat, Random(decision)) == move
        game = play(game, seat, move).game


@BOTH
def test_expert_with_the_same_generator_and_any_cache_makes_the_same_move(bot):
    for decision in decisions([bot] * 2, "memory"):
        situation_evaluation_of.cache_clear()
        cached_outlook.cache_clear()
        for module in (trained_evaluation, first_evaluation):
            module.trained_evaluation_of.cache_clear()
            module.weighted_outlook.cache_clear()
        assert decision.again() == decision.move


@pytest.mark.parametrize("ruleset", [SECOND, FOUR_DRAWN], ids=lambda ruleset: ruleset.id)
def test_expert_plays_a_whole_game_of_other_rulesets(ruleset):
    with registered(ruleset):
        game = new_game(2, seed="second", options=Options(ruleset=ruleset.id)).game
        for bot in (expert, expert_1(1)):
            assert play_out(game, bot, Random(1)).game.is_over


@pytest.mark.parametrize(("players", "at_least"), sampled([(2, 8), (4, 4)], 2))
def test_expert_wins_most_games_against_the_strategist(players, at_least):
    assert seats_won(expert, "strategist", players) >= at_least
