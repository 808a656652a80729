"""Observations of environments: all that a seat may see, and nothing more; skipped without NumPy."""

import random

import pytest

pytest.importorskip("numpy", reason="NumPy is not installed: observations are not tested")

import numpy as np

from skye import (
    BOTS,
    Phase,
    Place,
    Territory,
    count_purses,
    determinize,
    game_view,
    new_game,
    play,
)
from skye.rulesets import BASE
from skye.tiles import OBJECTS, ROTATIONS
from skye.tiles.geometry import coordinates_of
from skye.views import event_view
from skye_gym.encoding import EncodedGame
from skye_gym.envs.observation import Observer, flat, shapes
from skye_gym.envs.planes import OwnPlanes, planes_of
from skye_gym.envs.tile_features import TILE_FEATURES, features_of
from tests.engine.playing import for_each_number_of_players

PHASES = [*Phase]
FEATURES, PLANES, LANDSCAPE = features_of(BASE), planes_of(BASE), BASE.tiles.landscape

TILE_OF = {FEATURES[tile, 0]: tile for tile in LANDSCAPE}


def games(players, seed):
    """Yield each encoded game of a random game, and the events so far."""
    rng = random.Random(seed)
    game, events = new_game(players, seed=str(seed))
    encoded, events = EncodedGame(game), list(events)
    while not encoded.game.is_over:
        yield encoded, events
        encoded, new = encoded.play(rng.choice(encoded.legal_actions()))
        events += new
    yield encoded, events


def as_features(numbers):
    return bytes(int(number) for number in numbers)


def seen_seat(row):
    """Return what a row of `seats` says about a seat."""
    slots = row[7:].reshape(3, TILE_FEATURES + 4)
    drawn, hand = [], []
    for *features, on_offer, in_hand, price, discard in slots:
        if on_offer:
            drawn.append((TILE_OF[as_features(features)], round(16 * price), bool(discard)))
        if in_hand:
            hand.append(TILE_OF[as_features(features)])
    return {
        "gold": round(64 * row[0]),
        "score": round(128 * row[1]),
        "tiles": round(19 * row[2]),
        "building_finished": bool(row[3]),
        "offer_set": bool(row[4]),
        "starts": bool(row[5]),
        "waited_for": bool(row[6]),
        "tiles_on_offer": drawn,
        "tiles_to_build": hand,
    }


def seen_territory(planes):
    """Return the tiles of a territory in placing order, as (x, y, features), from its planes."""
    [(castle_row, castle_column)] = np.argwhere(planes[:, :, TILE_FEATURES])
    order = planes[:, :, TILE_FEATURES + 1]
    cells = sorted(np.argwhere(order).tolist(), key=lambda cell: order[tuple(cell)])
    return [
        (column - castle_column, row - castle_row, as_features(planes[row, column, :TILE_FEATURES]))
        for row, column in cells
    ]


def seen_game(numbers):
    """Return what `game` says."""
    rounds = {}
    for tile, flags in zip(sorted(BASE.scoring_tiles), numbers[9:105].reshape(-1, 6), strict=True):
        if flags.any():
            rounds[tile] = (np.flatnonzero(flags) + 1).tolist()
    return {
        "round": int(np.argmax(numbers[:6])) + 1,
        "phase": PHASES[int(np.argmax(numbers[6:9]))] if numbers[6:9].any() else None,
        "scoring_tiles": rounds,
        "bag": round(73 * numbers[151]),
    }


def expected_seat(view, seat, player, gold):
    return {
        "gold": gold if player["gold"] is None else player["gold"],
        "score": player["score"],
        "tiles": len(player["territory"]),
        "building_finished": player["building_finished"],
        "offer_set": player["offer_set"],
        "starts": view["starting_seat"] == seat,
        "waited_for": seat in view["waiting_for"],
        "tiles_on_offer": [
            (t["tile"], t["price"] or 0, bool(t["discard"])) for t in player["tiles_on_offer"]
        ],
        "tiles_to_build": list(player["tiles_to_build"]),
    }


@for_each_number_of_players
def test_observation_reconstructs_the_view_of_the_seat(players):
    observer = Observer(BASE, players)
    for number, (encoded, events) in enumerate(games(players, players)):
        game, seat = encoded.game, number % players
        view = game_view(game, seat)
        public = [event_view(game, seat, event) for event in events]
        purses = count_purses(public, players)
        observation = observer.observe(encoded, seat)
        order = [(seat + left) % players for left in range(players)]
        assert [seen_seat(row) for row in observation["seats"]] == [
            expected_seat(view, each, view["players"][each], purses[each]) for each in order
        ]
        territories = [observation["own"][:, :, : TILE_FEATURES + 2], *observation["others"]]
        assert [seen_territory(planes) for planes in territories] == [
            [
                (each["x"], each["y"], FEATURES[each["tile"], each["rotation"]])
                for each in view["players"][other]["territory"]
            ]
            for other in order
        ]
        assert seen_game(observation["game"]) == {
            "round": view["round"],
            "phase": view["phase"],
            "scoring_tiles": {each["scoring_tile"]: each["rounds"] for each in view["scoring_tiles"]},
            "bag": view["bag"]["count"],
        }
        left = sum(np.array([*FEATURES[tile, 0]]) for tile in view["bag"]["tiles"])
        total = sum(np.array([*FEATURES[tile, 0]]) for tile in LANDSCAPE)
        assert observation["game"][112:151] == pytest.approx(left / total)


@for_each_number_of_players
def test_observation_contains_no_hidden_information(players):
    rng = random.Random(players)
    for encoded, _ in games(players, players):
        if encoded.game.is_over:
            continue
        for seat in range(players):
            sampled = EncodedGame(determinize(encoded.game, seat, rng), encoded.draft)
            pair = [Observer(BASE, players).observe(each, seat) for each in (encoded, sampled)]
            assert [array.tobytes() for array in pair[0].values()] == [
                array.tobytes() for array in pair[1].values()
            ]


def test_incomplete_offer_is_observed_by_its_seat_alone():
    encoded, _ = EncodedGame(new_game(2, seed="draft").game).play(1)
    encoded, _ = encoded.play(5)
    own, other = (Observer(BASE, 2).observe(encoded, seat)["game"] for seat in (0, 1))
    assert (16 * own[105:109]).tolist() == [0, 16, 0, 3]
    assert not other[105:112].any()


@for_each_number_of_players
def test_observation_has_the_documented_shapes_and_range(players):
    for encoded, _ in games(players, 7):
        observation = Observer(BASE, players).observe(encoded, 0)
        assert {name: array.shape for name, array in observation.items()} == shapes(BASE, players)
        assert all(array.min() >= 0 and array.max() <= 19 for array in observation.values())
        vector = flat(observation)
        assert vector.dtype == np.float32
        assert np.array_equal(vector, np.concatenate([array.ravel() for array in observation.values()]))


def test_features_distinguish_all_tiles_in_all_rotations():
    tiles = {}
    for tile in LANDSCAPE:
        for rotation in ROTATIONS:
            tiles.setdefault(FEATURES[tile, rotation], set()).add(tile)
    assert all(len(same) == 1 for same in tiles.values())
    assert set(range(len(OBJECTS))) == {FEATURES[tile, 0][32:39].find(1) for tile in LANDSCAPE} - {-1}


def test_derived_planes_agree_with_the_engine():
    observer = Observer(BASE, 3)
    for encoded, _ in games(3, 5):
        player = encoded.game.players[0]
        territory = player.territory
        own = observer.observe(encoded, 0)["own"]
        left, top = PLANES.origin(territory)

        def cells(plane, left=left, top=top, own=own):
            return {(column + left, row + top) for row, column in np.argwhere(own[:, :, plane])}

        assert cells(41) == {coordinates_of(cell) for cell in territory.summary.connected}
        completed = [part for area in territory.summary.areas if area.completed for part in area.parts]
        for side in range(4):
            assert cells(42 + side) == {coordinates_of(c) for c, region in completed if side in region.sides}
        assert cells(46) == {coordinates_of(cell) for cell, region in completed if region.center}
        assert cells(59) == {coordinates_of(cell) for cell in territory.frontier}
        for cell, constraint in territory.frontier.items():
            x, y = coordinates_of(cell)
            required = own[y - top, x - left, 47:59].reshape(4, 3)
            terrains = [int(np.argmax(row)) + 1 if row.any() else 0 for row in required]
            assert terrains == [constraint >> 2 * side & 3 for side in range(4)]
        for slot, tile in enumerate(player.tiles_on_offer + player.tiles_to_build):
            for quarter, rotation in enumerate(ROTATIONS):
                places = [place for place in territory.legal_places(tile) if place.rotation == rotation]
                assert cells(60 + 4 * slot + quarter) == {(place.x, place.y) for place in places}


@pytest.mark.parametrize("step", [(1, 0), (-1, 0), (0, 1), (0, -1)])
def test_window_contains_the_longest_territory_and_its_frontier(step):
    castle = Place("castle-red", 0, 0, 0)
    tiles = [Place(LANDSCAPE[n], n * step[0], n * step[1], 0) for n in range(1, 19)]
    territory = Territory((castle, *tiles))
    left, top = PLANES.origin(territory)
    for cell in territory.frontier:
        x, y = coordinates_of(cell)
        assert x - left in range(PLANES.window)
        assert y - top in range(PLANES.window)
    planes = np.zeros((PLANES.window, PLANES.window, PLANES.own_planes), np.uint8)
    OwnPlanes(PLANES, memoryview(planes.reshape(-1))).show_own(territory, ())
    assert planes[..., 59].any()


@for_each_number_of_players
def test_observation_kept_in_memory_is_equal_to_a_new_one(players):
    rng, observer = random.Random(players), Observer(BASE, players)
    for seed in (1, 2):
        for encoded, _ in games(players, seed):
            for seat in rng.sample(range(players), rng.randint(1, players)):  # so that some lag behind
                tile = rng.choice([None, 0, 1, 2])
                cell = None if tile is None else rng.choice([None, rng.randrange(PLANES.window**2)])
                new = Observer(BASE, players).observe(encoded, seat, tile, cell)
                kept = observer.observe(encoded, seat, tile, cell)
                shown = observer.show(encoded, seat, tile, cell)
                assert {name: array.tobytes() for name, array in new.items()} == {
                    name: array.tobytes() for name, array in kept.items()
                }
                assert all((shown[name] == kept[name]).all() for name in kept)


def test_change_of_an_observation_by_its_owner_does_not_last():
    encoded, observer = EncodedGame(new_game(2, seed="owner").game), Observer(BASE, 2)
    before = observer.observe(encoded, 0)
    expected = {name: array.copy() for name, array in before.items()}
    for array in before.values():
        array.fill(1)
    after = observer.observe(encoded, 0)
    assert all((after[name] == expected[name]).all() for name in expected)


def test_observer_can_change_between_games():
    observer = Observer(BASE, 2)
    rng = random.Random(1)
    for seed in range(40):
        game = new_game(2, seed=str(seed)).game
        for _ in range(rng.randrange(30)):
            seat = game.waiting_for[0]
            game = play(game, seat, BOTS["random"](game, seat, rng)).game
            if game.is_over:
                break
        encoded = EncodedGame(game)
        for seat in (0, 1):
            fresh = Observer(BASE, 2).observe(encoded, seat)
            assert all((observer.observe(encoded, seat)[name] == fresh[name]).all() for name in fresh)
