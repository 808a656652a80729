"""Observations of a seat, and determinization."""

import copy
from random import Random

import pytest

from skye import (
    BOTS,
    GameState,
    Phase,
    choose_move,
    count_purses,
    determinize,
    game_view,
    legal_moves,
    observed_game,
    offer_limits,
    play,
    play_out,
)
from tests.engine.playing import for_each_number_of_players, games, games_with_events, seen_events, steps


def known_to(seat: int, game: GameState) -> object:
    """Return all that the interface shows a seat, but for the commitment to the seed."""
    view = game_view(game, seat)
    return view | {"fairness": None}, legal_moves(game, seat), offer_limits(game, seat)


@for_each_number_of_players
def test_determinized_game_agrees_with_all_that_the_seat_can_know(players):
    rng = Random(players)
    for game in games(players, players):
        for seat in range(players):
            for other in (determinize(game, seat, rng), observed_game(game, seat)):
                assert known_to(seat, other) == known_to(seat, game)
                purses = [player.gold + player.stakes for player in game.players]
                assert [player.gold + player.stakes for player in other.players] == purses
                assert game.is_over or other.seed != game.seed


@for_each_number_of_players
def test_determinized_game_gives_the_seat_the_same_events(players):
    rng = Random(players)
    _, played = steps(players, players)
    for before, seat, move, after in played:
        public = after.game.round == before.round and after.game.phase is before.phase
        events = play(determinize(before, seat, rng), seat, move).events
        shown = [seen_events(seat, list(each), before) for each in (events, after.events)]
        # Offers that were sampled are revealed by the last offer, and draws follow the end of a round.
        assert shown[0] == shown[1] if public or before.phase is Phase.BUYING else shown[0][0] == shown[1][0]


@for_each_number_of_players
def test_determinized_game_can_be_played_to_its_end(players):
    rng = Random(players)
    for game in list(games(players, players))[::40]:
        assert play_out(determinize(game, 0, rng), rng=rng).game.is_over


def test_determinized_games_differ_in_what_is_hidden():
    game = next(game for game in games(1, 3) if game.phase is Phase.PRICING and game.players[1].prices)
    rng = Random(1)
    sampled = [determinize(game, 0, rng) for _ in range(20)]
    assert len({other.seed for other in sampled}) == 20
    assert len({other.players[1].prices for other in sampled}) > 5
    assert determinize(game, 0, rng, explicit_chance=True).seed is None


@for_each_number_of_players
def test_observed_game_holds_nothing_that_is_hidden(players):
    rng = Random(players)
    for game in games(players, players):
        assert game.is_over or observed_game(game, 0) == observed_game(determinize(game, 0, rng), 0)


@for_each_number_of_players
def test_purses_follow_from_public_events(players):
    for game, events in games_with_events(players, players):
        counted = count_purses(seen_events(None, events, game), players)
        assert counted == count_purses(events, players)
        staked = game.phase is Phase.PRICING  # the gold on tiles is still secret
        assert counted == tuple(player.gold + player.stakes * staked for player in game.players)


@pytest.mark.parametrize("name", BOTS)
def test_bot_chooses_the_same_from_what_its_seat_may_know(name):
    game = next(iter(games(7, 3)))
    rng = Random(7)
    while not game.is_over:
        seat = rng.choice(game.waiting_for)
        dice = rng.random()
        move = choose_move(BOTS[name], game, seat, Random(dice))
        assert move == BOTS[name](game, seat, Random(dice))
        game = play(game, seat, move).game


def test_bot_is_given_no_seed_and_no_secret_offer():
    received = []

    def curious(game, seat, rng):
        received.append(game)
        return BOTS["random"](game, seat, rng)

    game = next(game for game in games(1, 3) if game.phase is Phase.PRICING and game.players[1].prices)
    choose_move(curious, game, 0, Random(1))
    assert received[0].seed is None
    assert received[0].players[1].prices == (0, 1, 1)


def test_copy_of_a_game_is_the_game_itself():
    for game in list(games(3, 3))[::30]:
        for value in (game, game.players[0], game.players[0].territory):
            assert copy.copy(value) is value
            assert copy.deepcopy(value) is value
