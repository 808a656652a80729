"""Explicit chance: the same games as seeded ones, draw by draw."""

import math
from random import Random

import pytest

from skye import (
    CHANCE,
    Draw,
    GameState,
    Options,
    Pass,
    RuleError,
    SetOffer,
    chance_outcomes,
    game_view,
    legal_moves,
    new_game,
    offer_limits,
    play,
)
from skye.events import Event, GameFinished
from skye.rulesets import BASE
from tests.engine.playing import for_each_number_of_players, steps


def drawn_like(game: GameState, seeded: GameState) -> tuple[GameState, list[Event]]:
    """Make all pending draws as they came in a game with a seed."""
    events: list[Event] = []
    while game.is_chance_node:
        game, more = play(game, CHANCE, Draw(next_draw(game, seeded)))
        events += more
    return game, events


def next_draw(game: GameState, seeded: GameState) -> str:
    if len(game.scoring_tiles) < 4:
        return seeded.scoring_tiles[len(game.scoring_tiles)]
    if game.starting_seat < 0:
        return str(seeded.starting_seat)
    seat = next(seat for seat, player in enumerate(game.players) if len(player.tiles_on_offer) < 3)
    return seeded.players[seat].tiles_on_offer[len(game.players[seat].tiles_on_offer)]


def without_seed(game: GameState) -> GameState:
    return game._replace(seed=None)


def without_seed_in(events: list[Event]) -> list[Event]:
    return [event._replace(seed=None) if isinstance(event, GameFinished) else event for event in events]


@for_each_number_of_players
def test_game_played_by_chance_decisions_equals_the_seeded_game(players):
    begun, played = steps(players, players)
    seeded, expected = begun.outcome()
    game, events = new_game(begun.colors, chance_nodes=True, options=begun.options)
    game, more = drawn_like(game, seeded)
    assert (game, [*events, *more]) == (without_seed(seeded), list(expected))
    for step in played:
        game, events = play(game, step.seat, step.move)
        game, more = drawn_like(game, step.after.game)
        assert game == without_seed(step.after.game)
        assert [*events, *more] == without_seed_in(list(step.after.events))


@for_each_number_of_players
def test_chance_outcomes_are_all_legal_and_their_probabilities_sum_to_one(players):
    rng = Random(players)
    game = new_game(BASE.colors[:players], chance_nodes=True).game
    sizes = []
    while game.is_chance_node:
        outcomes = chance_outcomes(game)
        sizes.append(len(outcomes))
        assert math.isclose(sum(probability for _, probability in outcomes), 1)
        assert game.waiting_for == ()
        assert all(play(game, CHANCE, draw).game != game for draw, _ in outcomes)
        game = play(game, CHANCE, rng.choice(outcomes)[0]).game
    assert sizes == [16, 15, 14, 13, players, *range(73, 73 - 3 * players, -1)]
    assert chance_outcomes(game) == []


def test_options_leave_only_the_other_draws_to_chance():
    options = Options(scoring_tiles=tuple(BASE.scoring_tiles)[:4], first_seat=1)
    game, events = new_game(BASE.colors[:2], chance_nodes=True, options=options)
    assert game.round == 1
    assert len(events) == 2
    assert len(chance_outcomes(game)) == 73


def test_seats_cannot_act_before_the_draws_are_made():
    game = new_game(BASE.colors[:2], chance_nodes=True).game
    for _ in range(4 + 1 + 4):
        game = play(game, CHANCE, chance_outcomes(game)[0][0]).game
    a, b, c = game.players[0].tiles_on_offer
    assert offer_limits(game, 0) is None
    assert legal_moves(game, 0) == []
    assert game_view(game, 0)["waiting_for"] == ()
    with pytest.raises(RuleError, match="before any seat"):
        play(game, 0, SetOffer(a, ((b, 1), (c, 1))))


@pytest.mark.parametrize("item", ["L99", "castle-red", "0", "squares"])
def test_draw_of_what_is_not_there_is_refused(item):
    game = new_game(
        BASE.colors[:2], chance_nodes=True, options=Options(tuple(BASE.scoring_tiles)[:4], 0)
    ).game
    with pytest.raises(RuleError, match="cannot be drawn"):
        play(game, CHANCE, Draw(item))


def test_draw_in_a_game_with_a_seed_is_refused():
    game = new_game(BASE.colors[:2], seed="seed").game
    with pytest.raises(RuleError, match="Nothing is to be drawn"):
        play(game, CHANCE, Draw(game.bag[0]))
    with pytest.raises(RuleError, match="chance decisions"):
        play(game, 0, Draw(game.bag[0]))
    with pytest.raises(ValueError, match="no seat"):
        play(game, CHANCE, Pass())


@pytest.mark.parametrize("given", [(), ("squares",)])
def test_view_during_the_setup_shows_the_scoring_tiles_drawn_so_far(given):
    game = new_game(BASE.colors[:2], chance_nodes=True).game
    for item in given:
        game = play(game, CHANCE, Draw(item)).game
    assert [tile["scoring_tile"] for tile in game_view(game, None)["scoring_tiles"]] == list(given)
