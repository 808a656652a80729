"""The summary observation: what it counts, its size, nothing hidden in it; skipped without Gymnasium."""

import random

import pytest

pytest.importorskip("gymnasium", reason="Gymnasium is not installed: observations are not tested")

import numpy as np

from gym.tests.playing import encoded_games
from skye import Phase, determinize, game_view
from skye.rulesets import BASE
from skye.scoring.scoring_tiles import tile_points
from skye.tiles import OBJECTS
from skye_gym.encoding import EncodedGame
from skye_gym.envs.episodes import Form
from skye_gym.envs.gymnasium import IsleOfSkye
from skye_gym.envs.observation import Observer
from skye_gym.envs.summary import SummaryObserver, summary_size
from tests.engine.playing import for_each_number_of_players

OF_SEAT, OF_GAME, OF_TERRITORY = 136, 152, 33


def territories_of(vector, players):
    """Return the rows of the territories."""
    return vector[players * OF_SEAT + OF_GAME + 2 :].reshape(players, OF_TERRITORY)


@for_each_number_of_players
def test_summary_has_at_most_1000_numbers_from_0_to_16(players):
    space = Form(players, "summary", "factored", "win").checked().observation_space
    assert space.shape == (summary_size(BASE, players),)
    assert space.shape[0] <= 1000
    observer = SummaryObserver(BASE, players)
    for encoded, _ in encoded_games(players, players):
        assert space.contains(observer.observe(encoded, encoded.seat))


@for_each_number_of_players
def test_summary_counts_what_the_view_shows(players):
    observer, planes = SummaryObserver(BASE, players), Observer(BASE, players)
    for number, (encoded, _) in enumerate(encoded_games(players, players)):
        game, seat = encoded.game, number % players
        vector, shown = observer.observe(encoded, seat), planes.observe(encoded, seat)
        assert np.array_equal(vector[: players * OF_SEAT], shown["seats"].ravel())
        assert np.array_equal(vector[players * OF_SEAT :][:OF_GAME], shown["game"])
        view = game_view(game, seat)
        order = [(seat + left) % players for left in range(players)]
        for row, other in zip(territories_of(vector, players), order, strict=True):
            placed = [BASE.tiles.by_id[each["tile"]] for each in view["players"][other]["territory"]]
            counts = [sum(tile.counts[thing] for tile in placed) for thing in range(len(OBJECTS))]
            assert (8 * row[:7]).tolist() == counts
            assert (row[7:14] <= row[:7]).all()
            assert 8 * row[20:22].sum() == pytest.approx(sum(tile.scroll is not None for tile in placed))
            xs = [each["x"] for each in view["players"][other]["territory"]]
            assert 8 * row[25] == max(xs) - min(xs) + 1
            assert 8 * row[24] == len(game.players[other].territory.frontier)


def test_summary_has_the_points_of_the_scoring_tiles_now():
    observer = SummaryObserver(BASE, 3)
    for encoded, _ in encoded_games(3, 8):
        game = encoded.game
        if game.phase is Phase.PRICING:
            continue
        rows = territories_of(observer.observe(encoded, 0), 3)
        summaries, golds = [p.territory.summary for p in game.players], [p.gold for p in game.players]
        for slot, tile in enumerate(game.scoring_tiles):
            points = tile_points(BASE.scoring_tile(tile), summaries, golds)
            assert (16 * rows[:, 27 + slot]).tolist() == [min(each, 256) for each in points]


@for_each_number_of_players
def test_summary_contains_no_hidden_information(players):
    rng = random.Random(players)
    for encoded, _ in encoded_games(players, players):
        for seat in range(players):
            sampled = EncodedGame(determinize(encoded.game, seat, rng), encoded.draft)
            pair = [SummaryObserver(BASE, players).observe(each, seat) for each in (encoded, sampled)]
            assert pair[0].tobytes() == pair[1].tobytes()


def test_summary_shows_the_chosen_tile_and_cell():
    encoded = next(each for each, _ in encoded_games(2, 1) if each.game.phase is Phase.BUILDING)
    observer, start = SummaryObserver(BASE, 2), 2 * OF_SEAT + OF_GAME
    nothing, tile, cell = (observer.observe(encoded, encoded.seat, *chosen) for chosen in ((), (1,), (1, 22)))
    assert (nothing[start : start + 2] == 0).all()
    assert (21 * cell[start : start + 2]).tolist() == pytest.approx([2, 2])
    assert (nothing != tile).any()


def test_summary_with_listed_actions_has_their_features():
    env = IsleOfSkye(["random"], observation="summary", actions="list")
    observation, _ = env.reset(seed=1)
    assert {name: array.shape for name, array in observation.items()} == {
        "summary": (492,),
        "actions": (408, 60),
    }
    assert env.observation_space.contains(observation)
