"""Bots play whole games, use only the information of their seat, and greedy beats random."""

from random import Random

import pytest

from skye import (
    BOTS,
    GameState,
    Phase,
    SetOffer,
    TakeBack,
    Territory,
    legal_moves,
    new_game,
    offer_limits,
)
from skye.bots.evaluation import (
    Situation,
    best_plan,
    cached_outlook,
    outlook_of,
    situation_evaluation_of,
    situation_of,
)
from skye.rulesets import BASE
from skye.scoring.scoring_tiles import tile_points
from skye.territory import castle_alone
from tests.engine.deciding import SCORING, check_that_hidden_information_changes_no_move, decisions, disguised
from tests.engine.playing import for_each_number_of_players

COUNTING = ("strategist",)
"""The bots that count purses from public events."""

for_each_bot = pytest.mark.parametrize("name", BOTS)


def end_of(names: list[str], seed: str) -> GameState:
    *_, last = decisions([BOTS[name] for name in names], seed)
    return last.after


@for_each_number_of_players
def test_bots_play_whole_games_without_a_step_back(players: int):
    names = ["greedy", "random", "greedy", "random", "greedy"][:players]
    made = list(decisions([BOTS[name] for name in names], "whole"))
    most_in_a_round = players * (1 + 1 + 3 + 1)  # an offer, a purchase, three tiles, the declaration
    assert made[-1].after.is_over
    assert len(made) <= made[0].game.rounds * most_in_a_round
    assert all(decision.after != decision.game for decision in made)
    assert not any(isinstance(decision.move, TakeBack) for decision in made)


@for_each_bot
@pytest.mark.parametrize(("players", "open_gold"), [(4, True), (2, False), (4, False), (2, True)])
def test_choice_of_a_bot_does_not_depend_on_hidden_information(name: str, players: int, open_gold: bool):
    check_that_hidden_information_changes_no_move(BOTS[name], players, open_gold, counts=name in COUNTING)


def test_situation_contains_no_hidden_information():
    for decision in decisions([BOTS["random"]] * 3, "situation"):
        other = disguised(decision.game, decision.seat, Random(decision.dice))
        assert situation_of(other) == situation_of(decision.game)


@for_each_bot
def test_bot_with_the_same_generator_and_any_cache_makes_the_same_move(name: str):
    for decision in decisions([BOTS[name]] * 2, "memory"):
        situation_evaluation_of.cache_clear()
        cached_outlook.cache_clear()
        assert decision.again() == decision.move


def test_random_buys_any_tile_that_it_can_or_none():
    for decision in decisions([BOTS["random"]] * 3, "any"):
        if decision.game.phase is Phase.BUYING:
            choose, game, seat = BOTS["random"], decision.game, decision.seat
            chosen = {choose(game, seat, Random(dice)) for dice in range(150)}
            assert chosen == set(legal_moves(game, seat))


def offers(name: str, seed: str) -> list[tuple[int, list[int]]]:
    """Return the gold at hand and the prices, for all offers of a game."""
    return [
        (offer_limits(decision.game, decision.seat).gold, [gold for _, gold in decision.move.prices])
        for decision in decisions([BOTS[name]] * 4, seed)
        if isinstance(decision.move, SetOffer)
    ]


def test_random_sets_moderate_prices():
    assert all(
        1 <= price <= min(10, gold // 2) for gold, prices in offers("random", "ask") for price in prices
    )


def test_greedy_keeps_gold_to_buy_with():
    assert all(gold - sum(prices) >= min(4, gold // 2 - 1) for gold, prices in offers("greedy", "keep"))


def test_greedy_beats_random_wherever_it_sits():
    line_ups = [["greedy", "random"], ["random", "greedy"]] * 5
    games = [end_of(names, f"match {number}") for number, names in enumerate(line_ups)]
    assert [[names[seat] for seat in game.winners] for names, game in zip(line_ups, games, strict=True)] == [
        ["greedy"]
    ] * 10


def test_strategist_offer_is_within_the_limits():
    game = new_game(BASE.colors[:2], seed="market").game
    offer = BOTS["strategist"](game, 0, Random(1))
    assert isinstance(offer, SetOffer)
    assert all(price >= 1 for _, price in offer.prices)
    assert sum(price for _, price in offer.prices) <= offer_limits(game, 0).gold


def test_four_greedy_players_score_well():
    scores = [player.score for number in range(3) for player in end_of(["greedy"] * 4, f"{number}").players]
    assert sum(scores) / len(scores) > 45


def outlook_for(notation: str, scoring_tiles: tuple[str, ...] = SCORING, number: int = 1):
    territory = Territory.parse(notation)
    rival = castle_alone("blue")
    return outlook_of(Situation((territory, rival), scoring_tiles, number), 0), territory


def test_tile_that_has_no_place_yet_waits_for_one_that_makes_it():
    outlook, territory = outlook_for("castle-red L16@-1,0/270 L52@0,-1 L09@1,-1/270")
    assert not territory.has_place("L08")
    plan = best_plan(outlook, territory, ("L08", "L06"))
    assert [placed.tile for placed in plan.placements] == ["L06", "L08"]


def test_points_are_forgone_for_a_place_for_each_tile():
    scoring_tiles = ("squares", "sheep", "completed_areas", "vertical_lines")
    outlook, territory = outlook_for("castle-red L17@0,1 L57@0,-1/180 L65@1,0/270", scoring_tiles, 3)
    alone = territory.place(*best_plan(outlook, territory, ("L41",)).placements[0])
    assert not alone.has_place("L28")
    assert best_plan(outlook, territory, ("L28", "L41")).tiles == 2


def test_tile_without_any_place_is_left_over():
    outlook, territory = outlook_for("castle-red L16@-1,0/270 L52@0,-1 L09@1,-1/270")
    assert best_plan(outlook, territory, ("L08",)) == (0, 0.0, ())
    assert (
        situation_evaluation_of(Situation((territory, castle_alone("blue")), SCORING, 1)).gain(0, "L08") == 0
    )


@pytest.mark.parametrize("tile", ["L02", "L09", "L16", "L30", "L44"])
def test_tile_in_the_last_round_is_worth_its_points_at_the_best_place(tile: str):
    scoring_tiles = ("sheep", "squares", "connected_tiles", "completed_areas")
    territory = Territory.parse("castle-red L17@0,1 L57@0,-1/180 L65@1,0/270")

    def points(grown: Territory) -> int:
        summary = grown.summary
        scrolls = BASE.final.score(summary, 0).scroll_points
        return scrolls + sum(
            tile_points(BASE.scoring_tiles[scored], [summary], [0])[0] for scored in scoring_tiles[1:]
        )

    best = max(points(territory.place(*placed)) for placed in territory.legal_places(tile))
    evaluation = situation_evaluation_of(Situation((territory, castle_alone("blue")), scoring_tiles, 6))
    assert evaluation.gain(0, tile) == best - points(territory)
