"""Actions as numbers: they cover every decision but taking back, and the masks are right."""

import pytest

from gym.tests.playing import encoded_games
from skye import (
    CHANCE,
    Options,
    Phase,
    Place,
    RuleError,
    SetOffer,
    TakeBack,
    legal_moves,
    new_game,
    offer_limits,
    play,
)
from skye.rulesets import BASE
from skye_gym.encoding import EncodedGame, decode_action, encode_move, encoding_of
from tests.engine.playing import for_each_number_of_players, games

ENCODING = encoding_of(BASE)


def test_number_of_actions_is_as_documented():
    assert ENCODING.action_count == 16_491
    assert len(ENCODING.draws) == 94


@for_each_number_of_players
def test_legal_actions_are_exactly_the_encoded_legal_moves(players):
    for game in games(players, players):
        if game.phase not in (Phase.BUYING, Phase.BUILDING):
            continue
        seat = game.waiting_for[0]
        moves = [move for move in legal_moves(game, seat) if not isinstance(move, TakeBack)]
        actions = [encode_move(game, seat, move) for move in moves]
        assert sorted(action for [action] in actions) == EncodedGame(game).legal_actions()
        assert [decode_action(game, seat, action) for [action] in actions] == moves


@for_each_number_of_players
def test_random_actions_play_whole_games(players):
    for encoded, action in encoded_games(players, players):
        mask = encoded.mask()
        assert len(mask) == ENCODING.action_count
        assert [number for number, legal in enumerate(mask) if legal] == encoded.legal_actions()
        assert ENCODING.describe_action(action)


def test_three_decisions_make_every_offer_up_to_the_highest_price():
    game = new_game(2, seed="offers").game
    limits = offer_limits(game, 0)
    a, b, c = limits.tiles
    offers = set()
    first = EncodedGame(game)
    for discard in first.legal_actions():
        second, events = first.play(discard)
        assert events == ()
        for price in second.legal_actions():
            third, _ = second.play(price)
            for last in third.legal_actions():
                after, events = third.play(last)
                assert after.draft == ()
                offer = SetOffer(events[0].discard, events[0].prices)
                assert encode_move(game, 0, offer) == (discard, price, last)
                offers.add(offer)
    prices = [(p, q) for p in range(1, limits.gold) for q in range(1, limits.gold - p + 1)]
    pairs = [(a, b, c), (b, a, c), (c, a, b)]
    assert offers == {SetOffer(d, ((x, p), (y, q))) for d, x, y in pairs for p, q in prices}


@pytest.mark.parametrize(("gold", "highest"), [(5, 4), (51, 50), (200, 50)])
def test_prices_are_capped_by_gold_and_by_the_encoding(gold, highest):
    game = new_game(2, seed="rich").game
    game = game._with_player(0, game.players[0]._replace(gold=gold))
    second, _ = EncodedGame(game).play(0)
    assert second.legal_actions()[-1] - 2 == highest
    third, _ = second.play(2 + highest)
    assert third.legal_actions()[-1] - 2 == min(gold - highest, ENCODING.max_price)


def test_grid_reaches_as_far_as_all_tiles_of_a_seat():
    most_tiles = max(3 * len(BASE.rounds(players)) for players in BASE.players)
    assert most_tiles == ENCODING.reach


@for_each_number_of_players
def test_chance_decisions_are_encoded_too(players):
    drawn = 0
    for encoded, action in encoded_games(players, players, new_game(players, chance_nodes=True).game):
        if encoded.seat == CHANCE:
            drawn += 1
            assert ENCODING.encode_draw(ENCODING.decode_draw(action)) == action
    assert drawn == 5 + 3 * players * len(BASE.rounds(players))


@pytest.mark.parametrize("action", [3, 53, 61, 62, 63, ENCODING.action_count - 1])
def test_action_of_another_phase_is_refused(action):
    with pytest.raises(RuleError):
        EncodedGame(new_game(2, seed="seed").game).play(action)


@pytest.mark.parametrize("phase", [Phase.BUYING, Phase.BUILDING])
def test_every_action_without_a_mask_is_refused(phase):
    encoded = next(each for each, _ in encoded_games(3, 1) if each.game.phase is phase)
    legal = set(encoded.legal_actions())
    for action in range(53, ENCODING.action_count, 7):
        if action not in legal:
            with pytest.raises(RuleError):
                encoded.play(action)


@pytest.mark.parametrize("action", [-1, ENCODING.action_count])
def test_number_of_no_action_is_an_error(action):
    with pytest.raises(ValueError, match=str(action)):
        ENCODING.describe_action(action)
    game = next(each.game for each, _ in encoded_games(2, 1) if each.game.phase is Phase.BUYING)
    with pytest.raises(ValueError, match=str(action)):
        decode_action(game, 0, action)


def test_moves_without_a_number_are_errors():
    game = new_game(2, seed="seed", options=Options(first_seat=0)).game
    a, b, c = game.players[0].tiles_on_offer
    for move in (TakeBack(), Place(a, 19, 0, 0), SetOffer(a, ((b, 51), (c, 1)))):
        with pytest.raises(ValueError, match="number"):
            encode_move(game, 0, move)


def test_sub_decisions_of_an_offer_leave_the_game_unchanged():
    game = new_game(2, seed="seed").game
    encoded, _ = EncodedGame(game).play(1)
    encoded, _ = encoded.play(4)
    assert encoded.game is game
    complete, _ = encoded.play(3)
    a, b, c = game.players[0].tiles_on_offer
    assert complete.game == play(game, 0, SetOffer(b, ((a, 2), (c, 1)))).game
