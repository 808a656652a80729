"""The reward of the learner: the change of the lead to come, by the rules alone.

The lead to come is what the seat has above its best rival: the score, the points that the scoring tiles would
still give for the territory as it is, the points of scrolls, and the worth of gold. At the end of the game it
is the lead. So the rewards of a game add up to the final lead, less a constant of the start, and a placement
is rewarded at once (potential-based shaping).
"""

from __future__ import annotations

from functools import lru_cache

from skye.rules.state import GameState
from skye.rulesets.ruleset import RULESETS
from skye.scoring.scoring_tiles import tile_points
from skye.territory.territory import Territory
from skye_gym.envs.gains import scorings_of

SCALE = 10.0
"""The points of lead that make a reward of 1."""

GOLD_AT_END = 0.2
"""The points of one gold at the end of the game, by the rules."""

GOLD_PER_ROUND = 0.1
"""The further points of one gold for each round that is left, in which it can buy."""


def change_of_lead(before: GameState, after: GameState, seat: int) -> float:
    """Return the change of the lead to come between two decisions of a seat."""
    return 0.0 if before is after else (lead_to_come(after, seat) - lead_to_come(before, seat)) / SCALE


change_of_lead.illegal = -10.0  # type: ignore[attr-defined] # see `skye_gym.envs.rewards`


def lead_to_come(game: GameState, seat: int) -> float:
    """Return the lead of a seat, with what its territory and its gold would still give."""
    worths = _worths(game)
    return worths[seat] - max(worths[:seat] + worths[seat + 1 :])


@lru_cache(maxsize=1024)
def _worths(game: GameState) -> list[float]:
    players = game.players
    if game.is_over:
        return [float(player.score) for player in players]
    times = scorings_of(game).all
    gold_value = GOLD_AT_END + GOLD_PER_ROUND * (len(game.ruleset.rounds(len(players))) - game.round)
    golds = [player.gold + player.stakes for player in players]
    by_slot = [_points(player.territory, game.scoring_tiles) for player in players]
    worths = [
        player.score + gold_value * gold + _scroll_points(player.territory)
        for player, gold in zip(players, golds, strict=True)
    ]
    for slot, tile in enumerate(map(game.ruleset.scoring_tile, game.scoring_tiles)):
        if times[slot]:
            points = (
                tile_points(tile, [player.territory.summary for player in players], golds)
                if tile.majority
                else [of_seat[slot] for of_seat in by_slot]
            )
            worths = [worth + times[slot] * each for worth, each in zip(worths, points, strict=True)]
    return worths


@lru_cache(maxsize=1024)
def _points(territory: Territory, scoring_tiles: tuple[str, ...]) -> list[int]:
    """Return the points by slot; 0 for a majority, which depends on all seats."""
    tiles = [RULESETS[territory.ruleset_id].scoring_tile(tile) for tile in scoring_tiles]
    return [0 if tile.majority else tile_points(tile, [territory.summary], [0])[0] for tile in tiles]


@lru_cache(maxsize=1024)
def _scroll_points(territory: Territory) -> int:
    scrolls = RULESETS[territory.ruleset_id].final.score(territory.summary, 0).scrolls
    return sum([scroll.points for scroll in scrolls])
