"""The incremental evaluation of a placement equals the evaluation of the larger territory."""

from random import Random

import pytest

from skye.bots.evaluation import cached_outlook
from skye.bots.territory_evaluation import TerritoryEvaluation
from skye.rulesets import BASE
from skye.territory.territory import Territory
from tests.reference.chance import grown_territory, with_holes


def random_outlook(rng):
    tiles = rng.sample(sorted(BASE.scoring_tiles), 4)
    rounds = rng.randint(1, 6)
    to_score = tuple(tuple(rng.sample(tiles, rng.randint(1, 3))) for _ in range(rounds))
    majorities = {tile for tiles in to_score for tile in tiles if BASE.scoring_tiles[tile].majority}
    rivals = tuple((tile, tuple(rng.choices(range(6), k=2))) for tile in sorted(majorities))
    return cached_outlook(BASE, to_score, rivals)


@pytest.mark.parametrize("seed", range(120))
def test_evaluation_of_a_placement_equals_that_of_the_larger_territory(seed):
    rng = Random(seed)
    territory = with_holes(rng, grown_territory(rng, rng.randint(0, 40)), rng.randint(0, 3))
    left = sorted(set(BASE.tiles.landscape) - {placed.tile for placed in territory.placed})
    outlook = random_outlook(rng)
    evaluation = TerritoryEvaluation(outlook, territory)
    tile, other = rng.sample(left, 2)
    for place, value in evaluation.values(tile).items():
        larger = territory.place(*place)
        assert value == TerritoryEvaluation(outlook, Territory(larger.placed)).value
        assert evaluation.has_place_with(place, other) is larger.has_place(other)
