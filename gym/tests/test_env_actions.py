"""Encodings of actions in environments, and bots made of policies; skipped without Gymnasium."""

import random

import pytest

pytest.importorskip("gymnasium", reason="Gymnasium is not installed: the encodings of actions are not tested")

import numpy as np

from gym.tests.playing import encoded_games
from skye import BOTS, Buy, Phase, Place, RuleError, legal_moves, new_game, play
from skye.rulesets import BASE
from skye_gym.encoding import EncodedGame, bot_of_policy, decode_move, encode_move
from skye_gym.envs.actions import ENCODINGS, FactoredActions, ListedActions, listed_shape
from skye_gym.envs.planes import planes_of
from skye_gym.envs.tile_features import features_of
from tests.engine.playing import for_each_number_of_players

FEATURES = features_of(BASE)
PLANES = planes_of(BASE)
MAX_LISTED, LISTED_FEATURES = listed_shape(BASE)

for_each_encoding = pytest.mark.parametrize("name", ENCODINGS)


def placements_by(encoded):
    """Return the placements that factored actions lead to."""
    game, seat = encoded.game, encoded.seat
    left, top = PLANES.origin(game.players[seat].territory)
    places = set()

    def explore(*chosen):
        actions = FactoredActions(encoded)
        for action in chosen:
            actions.play(action)
        for action in np.flatnonzero(np.frombuffer(actions.mask(), np.int8)).tolist():
            if len(chosen) < 2:
                explore(*chosen, action)
            else:
                row, column = divmod(chosen[1] - 66, PLANES.window)
                tile = game.players[seat].tiles_to_build[chosen[0] - 63]
                places.add(Place(tile, left + column, top + row, 90 * (action - 507)))

    explore()
    return places


def test_factored_actions_make_exactly_the_legal_placements():
    for number, (encoded, _) in enumerate(encoded_games(2, 4)):
        if encoded.game.phase is Phase.BUILDING and not number % 3:
            moves = legal_moves(encoded.game, encoded.seat)
            places = {move for move in moves if isinstance(move, Place)}
            if places:
                assert placements_by(encoded) == places
            else:
                assert FactoredActions(encoded).mask()[62] == 1


def test_factored_placement_is_played_after_its_third_decision():
    encoded = next(each for each, _ in encoded_games(2, 1) if each.game.phase is Phase.BUILDING)
    actions = FactoredActions(encoded)
    for _ in range(3):
        assert actions.encoded is encoded
        actions.play(actions.mask().index(1))
    [tile] = set(encoded.game.players[encoded.seat].tiles_to_build) - set(
        actions.encoded.game.players[encoded.seat].tiles_to_build
    )
    placed = actions.encoded.game.players[encoded.seat].territory.placed[-1]
    assert placed.tile == tile
    assert (actions.tile, actions.cell) == (None, None)


def test_listed_actions_are_the_legal_ones_in_order():
    for encoded, _ in encoded_games(3, 2):
        actions = ListedActions(encoded)
        legal = encoded.legal_actions()
        assert actions.mask() == bytes([1] * len(legal)) + bytes(MAX_LISTED - len(legal))
        actions.play(len(legal) - 1)
        assert actions.encoded == encoded.play(legal[-1])[0]


@for_each_number_of_players
def test_features_describe_each_listed_action(players):
    for encoded, _ in encoded_games(players, players):
        game, seat, legal = encoded.game, encoded.seat, encoded.legal_actions()
        rows = np.frombuffer(ListedActions(encoded).features(), np.uint8).reshape(-1, LISTED_FEATURES)
        assert not rows[len(legal) :].any()
        assert (rows[: len(legal), :6].sum(axis=1) == 1).all()
        if game.phase is Phase.PRICING:
            drawn = game.players[seat].tiles_on_offer
            for row, action in zip(rows, legal, strict=False):
                tile = drawn[int(np.argmax(row[6:9]))]
                assert row[21:].tobytes() == FEATURES[tile, 0]
                assert row[14] == (action - 2 if encoded.draft else 0)
                assert encoded.draft[:1] != (drawn.index(tile),)
            continue
        left, top = PLANES.origin(game.players[seat].territory)
        for row, action in zip(rows, legal, strict=False):
            match decode_move(game, seat, [action]):
                case Place(tile, x, y, rotation):
                    assert game.players[seat].tiles_to_build[int(np.argmax(row[6:9]))] == tile
                    assert (row[15:17].tolist(), 90 * np.argmax(row[17:21])) == (
                        [y - top, x - left],
                        rotation,
                    )
                    assert row[21:].tobytes() == FEATURES[tile, rotation]
                case Buy(tile):
                    seller = game.players[(seat + 1 + int(np.argmax(row[9:13]))) % players]
                    assert seller.tiles_on_offer[row[13]] == tile
                    assert seller.prices[row[13]] == row[14]
                    assert row[21:].tobytes() == FEATURES[tile, 0]
                case _:
                    assert not row[6:].any()


@for_each_encoding
def test_every_action_without_a_mask_is_refused_by_each_encoding(name):
    encoding, rng = ENCODINGS[name], random.Random(3)
    actions = encoding(EncodedGame(new_game(2, seed="refused").game))
    for _ in range(40):
        mask = actions.mask()
        assert len(mask) == actions.size == encoding.count(BASE)
        legal = [action for action, allowed in enumerate(mask) if allowed]
        for action in {-1, actions.size, *range(0, actions.size, 11)} - set(legal):
            with pytest.raises((RuleError, ValueError)):
                actions.play(action)
        actions.play(rng.choice(legal))


def test_listed_actions_have_room_for_every_frontier():
    tiles, empty_neighbors, rotations = 3, 2 * 16 + 2, 4
    assert tiles * empty_neighbors * rotations == MAX_LISTED


@for_each_number_of_players
def test_decoding_is_the_inverse_of_encoding(players):
    rng = random.Random(players)
    game = new_game(players, seed=str(players)).game
    while not game.is_over:
        seat = rng.choice(game.waiting_for)
        move = BOTS["random"](game, seat, rng)
        decoded = decode_move(game, seat, encode_move(game, seat, move))
        assert play(game, seat, decoded) == play(game, seat, move)
        game = play(game, seat, move).game


@pytest.mark.parametrize("actions", [(), (0,), (0, 3), (3, 3, 3), (0, 0, 3), (0, 3, 53), (61, 61)])
def test_decoding_refuses_what_is_no_move(actions):
    with pytest.raises(ValueError, match=r"action|discard|number"):
        decode_move(new_game(2, seed="no move").game, 0, actions)


@for_each_number_of_players
def test_bot_of_policy_plays_whole_games_in_every_seat(players):
    decided = set()

    def policy(encoded, rng):
        decided.add(encoded.seat)
        return rng.choice(encoded.legal_actions())

    bot, rng = bot_of_policy(policy), random.Random(players)
    game = new_game(players, seed="policy").game
    while not game.is_over:
        seat = game.waiting_for[-1]  # not the seat that an encoded game would choose
        game = play(game, seat, bot(game, seat, rng)).game
    assert decided == set(range(players))
