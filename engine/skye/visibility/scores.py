"""Reports on scores: points so far with reasons, projected points, and the effect of placements."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from skye.errors import RuleError, TileNotYours
from skye.rules.state import GameState, Phase, check_scoring_tiles, check_seat
from skye.rulesets.ruleset import Ruleset
from skye.scoring.final import FinalScore
from skye.scoring.kinds import MajorityRule
from skye.scoring.scoring_tiles import Award, ScoringTile, awards, tile_points
from skye.territory.areas import Area
from skye.territory.summary import TerritorySummary
from skye.territory.territory import Territory
from skye.tiles.geometry import SIDE_NAMES, coordinates_of
from skye.tiles.tile import OBJECTS
from skye.tiles.tile_set import TILE_SETS, Place
from skye.visibility.game_views import territory_tiles_view, visible_gold
from skye.visibility.types.reports import (
    AreaCellView,
    AreaView,
    AwardView,
    ScoredTerritoriesView,
    ScoresView,
    ScoringTileView,
    ScrollView,
    SeatScoresView,
    SlotScoreView,
    TerritoryScoreView,
    TerritoryView,
    TriedPlacementView,
    WhatIfView,
)


def scores_view(game: GameState, viewer: int | None) -> ScoresView:
    """Return the points of each seat by round and scoring tile, and those that final scoring would give now.

    Values that depend on a purse hidden from the viewer are None.

    >>> import skye
    >>> view = scores_view(skye.new_game(2, seed="scores").game, 0)
    >>> [seat["projected_score"] for seat in view["players"]]
    [1, None]

    :param viewer: a seat, or None for a spectator.
    :raises ValueError: when there is no such seat.
    """
    check_seat(game, viewer, spectator=True)
    by_round = [_awards_in(game, number) for number in range(1, len(game.players[0].points) + 1)]
    return {"players": [_seat_scores(game, viewer, seat, by_round) for seat in range(len(game.players))]}


def _seat_scores(
    game: GameState, viewer: int | None, seat: int, by_round: list[list[list[SlotScoreView]]]
) -> SeatScoresView:
    player = game.players[seat]
    gold = visible_gold(game, viewer, seat)
    final = game.ruleset.final.score(player.territory.summary, gold or 0)
    before = player.score - (sum(player.final) if player.final else 0)
    return {
        "seat": seat,
        "score": player.score,
        "rounds": [{"round": n, "scoring_tiles": seats[seat]} for n, seats in enumerate(by_round, 1)],
        "final": {
            "scrolls": scroll_views(player.territory, final),
            "scroll_points": final.scroll_points,
            "gold": gold,
            "gold_points": None if gold is None else final.gold_points,
            "leftover_gold": None if gold is None else final.leftover_gold,
        },
        "projected_score": None if gold is None else before + final.total,
    }


def _awards_in(game: GameState, number: int) -> list[list[SlotScoreView]]:
    """Return, by seat and slot of a round that was scored, the points and what earned them."""
    then = [
        Territory(player.territory.placed[: player.territory_sizes[number - 1]], game.ruleset_id)
        for player in game.players
    ]
    summaries = [territory.summary for territory in then]
    return [
        [
            {
                "slot": slot,
                "scoring_tile": game.scoring_tile(slot),
                "points": points,
                "awards": award_views(then[seat], _awards_then(game, slot, seat, summaries, points)),
            }
            for slot, points in zip(game.slots_scored_in(number), player.points[number - 1], strict=True)
        ]
        for seat, player in enumerate(game.players)
    ]


def _awards_then(
    game: GameState, slot: str, seat: int, summaries: Sequence[TerritorySummary], points: int
) -> Sequence[Award]:
    """Return the awards of a past round, which add up to its points.

    Awards without tiles are for gold, which is not stored, and for the points of a position, which need not
    be those of its territories.
    """
    tile = game.ruleset.scoring_tiles[game.scoring_tile(slot)]
    earned = [] if compares_gold(tile) else awards(tile, seat, summaries, [0] * len(summaries))
    if sum([award.points for award in earned]) == points:
        return earned
    return [Award(points, ())] if points else []


def what_if_view(game: GameState, seat: int, placements: Iterable[Place]) -> WhatIfView:
    """Return the effect of a sequence of placements: whether each is legal, and the points before and after.

    Points are None if they depend on hidden purses, or if a placement is illegal.

    >>> import skye
    >>> what_if_view(skye.new_game(2, seed="gains").game, 0, [skye.Place("L28", 0, -1, 0)])["legal"]
    True

    :param placements: tiles that are in no territory; they need not be in hand.
    :raises ValueError: when there is no such seat, or the scoring tiles are not drawn yet.
    """
    check_seat(game, seat)
    check_scoring_tiles(game)
    before = game.players[seat].territory
    after: Territory | None = before
    tried = []
    for placed in placements:
        if after is not None:
            error = unplaced_error(game, placed.tile, after) or after.placement_error(*placed)
            tried.append(_tried_placement_view(game, seat, placed, error))
            after = None if error else after.place(*placed)
    summaries_before = [player.territory.summary for player in game.players]
    summaries_after = summaries_before.copy()
    if after is not None:
        summaries_after[seat] = after.summary
    # Majorities compare all purses as a spectator sees them. In the pricing phase the viewer's own purse
    # would lack the gold on its tiles, while the others' include it.
    golds = [visible_gold(game, None, other) for other in range(len(game.players))]
    ruleset = game.ruleset
    return {
        "legal": after is not None,
        "placements": tried,
        "scoring_tiles": [
            {
                "slot": slot,
                "scoring_tile": tile,
                "before": _points_if_known(ruleset.scoring_tiles[tile], seat, summaries_before, golds),
                "after": None
                if after is None
                else _points_if_known(ruleset.scoring_tiles[tile], seat, summaries_after, golds),
            }
            for slot, tile in zip(game.ruleset.slots, game.scoring_tiles, strict=True)
        ],
        "scroll_points": {
            "before": ruleset.final.score(summaries_before[seat], 0).scroll_points,
            "after": None if after is None else ruleset.final.score(summaries_after[seat], 0).scroll_points,
        },
    }


def unplaced_error(game: GameState, tile: str, *others: Territory) -> RuleError | None:
    """Return an error if a tile is a castle, or lies in a territory of a game or in one of others."""
    territories = (*[player.territory for player in game.players], *others)
    built = {placed.tile for territory in territories for placed in territory.placed}
    if tile not in TILE_SETS[game.ruleset_id].fitting_rotations or tile in built:
        return TileNotYours(f"{tile} lies in a territory already.", tile=tile)
    return None


def _tried_placement_view(
    game: GameState, seat: int, placed: Place, error: RuleError | None
) -> TriedPlacementView:
    player = game.players[seat]
    return {
        **territory_tiles_view([placed])[0],
        "legal": error is None,
        "in_hand": game.phase is Phase.BUILDING
        and placed.tile in player.tiles_to_build
        and not player.building_finished,
        "code": error.code if error else None,
        "detail": error.detail if error else None,
    }


def _points_if_known(
    tile: ScoringTile, seat: int, summaries: Sequence[TerritorySummary], golds: Sequence[int | None]
) -> int | None:
    if compares_gold(tile) and None in golds:
        return None
    return tile_points(tile, summaries, [gold or 0 for gold in golds])[seat]


def compares_gold(tile: ScoringTile) -> bool:
    """Return whether the points for a scoring tile depend on purses."""
    return isinstance(tile.rule, MajorityRule) and tile.rule.value is None


def scored_territories_view(
    ruleset: Ruleset, territories: Sequence[Territory], golds: Sequence[int], scoring_tiles: Sequence[str]
) -> ScoredTerritoriesView:
    """Return the points of territories, independent of any game, with awards, scrolls, gold and areas.

    :param ruleset: the rules.
    :param territories: the territories, which majorities compare.
    :param golds: the purse of the owner of each territory.
    :param scoring_tiles: the ids of the scoring tiles.
    :raises ValueError: when there is no such scoring tile.

    >>> from skye.rulesets import BASE
    >>> view = scored_territories_view(BASE, [Territory.parse("castle-red")], [12], ["most_gold"])
    >>> [(each["scoring_tiles"][0]["points"], each["gold_points"]) for each in view["territories"]]
    [(5, 2)]
    """
    summaries = [territory.summary for territory in territories]
    scored = [ruleset.scoring_tile(tile) for tile in scoring_tiles]
    views: list[TerritoryScoreView] = []
    for seat, territory in enumerate(territories):
        final = ruleset.final.score(summaries[seat], golds[seat])
        views.append(
            {
                "scoring_tiles": [
                    {
                        "scoring_tile": tile.id,
                        "points": tile_points(tile, summaries, golds)[seat],
                        "awards": award_views(territory, awards(tile, seat, summaries, golds)),
                    }
                    for tile in scored
                ],
                "scrolls": scroll_views(territory, final),
                "scroll_points": final.scroll_points,
                "gold_points": final.gold_points,
                "leftover_gold": final.leftover_gold,
                "areas": area_views(territory, summaries[seat].areas),
            }
        )
    return {"territories": views}


def territory_view(territory: Territory) -> TerritoryView:
    """Return a territory's tiles, areas, tiles joined to the castle by road, and counts of objects.

    >>> [area["terrain"] for area in territory_view(Territory.parse("castle-red"))["areas"]]
    ['pasture', 'water', 'mountain']
    """
    summary = territory.summary
    counts = {
        thing: sum(rotated.tile.counts[i] for rotated in summary.cells.values())
        for i, thing in enumerate(OBJECTS)
    }
    return {
        "tiles": territory_tiles_view(territory.placed),
        "areas": area_views(territory, summary.areas),
        "connected_tiles": _tiles_on(territory, summary.connected),
        "counts": counts,
    }


def area_views(territory: Territory, areas: Iterable[Area]) -> list[AreaView]:
    """Return areas as JSON data, each with the ids of its tiles."""
    return [
        {
            "terrain": area.terrain.label,
            "tiles": _tiles_on(territory, area.cells),
            "cells": _parts_of(territory, area),
            "completed": area.completed,
            "brochs": area.brochs,
            "ships": area.ships,
            "lighthouses": area.lighthouses,
            "scrolls": [kind for kind, _ in area.scrolls],
        }
        for area in areas
    ]


def _parts_of(territory: Territory, area: Area) -> list[AreaCellView]:
    """Return the regions of tiles that form an area."""
    views: list[AreaCellView] = []
    for cell, region in sorted(area.parts, key=lambda part: coordinates_of(part[0])):
        rotated = territory.summary.cells[cell]
        x, y = coordinates_of(cell)
        views.append(
            {
                "tile": rotated.tile.id,
                "region": rotated.regions.index(region),
                "x": x,
                "y": y,
                "sides": [SIDE_NAMES[side] for side in region.sides],
                "center": region.center,
            }
        )
    return views


def award_views(territory: Territory, earned: Iterable[Award]) -> list[AwardView]:
    """Return awards with the ids of the tiles that earned them."""
    return [{"points": award.points, "tiles": _tiles_on(territory, award.cells)} for award in earned]


def scroll_views(territory: Territory, final: FinalScore) -> list[ScrollView]:
    """Return the score of each scroll as JSON data."""
    return [
        {
            "kind": scroll.kind,
            "tile": territory.summary.cells[scroll.cell].tile.id,
            "count": scroll.number,
            "completed": scroll.completed,
            "points": scroll.points,
        }
        for scroll in final.scrolls
    ]


def _tiles_on(territory: Territory, cells: Iterable[int]) -> list[str]:
    return [territory.summary.cells[cell].tile.id for cell in sorted(cells, key=coordinates_of)]


def scoring_tile_catalogue_view(ruleset: Ruleset) -> list[ScoringTileView]:
    """Return the catalogue of the scoring tiles of a ruleset.

    >>> from skye.rulesets import BASE
    >>> len(scoring_tile_catalogue_view(BASE))
    16
    """
    return [
        {
            "id": tile.id,
            "title": tile.title,
            "text": tile.text,
            "majority": tile.majority,
        }
        for tile in ruleset.scoring_tiles.values()
    ]
