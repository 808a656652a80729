"""Every legal placement of a tile, and what it would change: points, scrolls, income, areas and connection.

All of it follows from territories, which are public; a placement changes no purse, so the points of
`most_gold` are left out as 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from skye.errors import TileNotYours
from skye.final_scoring import final_score
from skye.game import Game
from skye.report_views import PlacementAwardView, PlacementGainsView, TerritoryWorthView
from skye.schedule import SLOTS, whisky_joined
from skye.scoring import Award, awards
from skye.standings import award_views
from skye.territory import Territory
from skye.territory_summary import TerritorySummary
from skye.tiles import LANDSCAPE
from skye.visibility import points_view, territory_view


class _Standing(NamedTuple):
    """What one seat has: awards by slot; scroll points, whisky income, completed areas, connected tiles."""

    earned: tuple[tuple[Award, ...], ...]
    of_territory: tuple[int, ...]

    @property
    def points(self) -> list[int]:
        """The points by slot."""
        return [sum([award.points for award in earned]) for earned in self.earned]


def standing_view(game: Game, seat: int) -> TerritoryWorthView:
    """Return what the territory of a seat is worth before a placement."""
    standing = _standing(game, seat, [player.territory.summary for player in game.players])
    scrolls, whisky, completed, connected = standing.of_territory
    return {
        "scoring_tiles": points_view(SLOTS, game.scoring_tiles, standing.points),
        "scrolls": scrolls,
        "whisky_income": whisky,
        "completed_areas": completed,
        "connected_tiles": connected,
    }


def placement_gains(game: Game, seat: int, tile: str) -> list[PlacementGainsView]:
    """Return every legal placement of a tile that lies in no territory, each with what it would add.

    :raises TileNotYours: when it lies in one.
    """
    _check_unplaced(game, tile)
    summaries = [player.territory.summary for player in game.players]
    territory, before = game.players[seat].territory, _standing(game, seat, summaries)
    return [
        _gain_view(game, seat, territory.extended(place), summaries, before)
        for place in territory.legal_places(tile)
    ]


def _check_unplaced(game: Game, tile: str) -> None:
    """Check that a landscape tile lies in no territory.

    :raises TileNotYours: when it does, or is a castle.
    """
    built = {placed.tile for player in game.players for placed in player.territory.placed}
    if tile not in LANDSCAPE or tile in built:
        raise TileNotYours(f"{tile} lies in a territory already.", tile=tile)


def _standing(game: Game, seat: int, summaries: Sequence[TerritorySummary]) -> _Standing:
    purses = [0] * len(summaries)
    summary = summaries[seat]
    return _Standing(
        tuple([awards(tile, seat, summaries, purses) for tile in game.scoring_tiles]),
        (
            sum([scroll.points for scroll in final_score(summary, 0).scrolls]),
            whisky_joined(summary),
            sum([not area.openings for area in summary.areas]),
            len(summary.connected),
        ),
    )


def _gain_view(
    game: Game, seat: int, territory: Territory, summaries: Sequence[TerritorySummary], before: _Standing
) -> PlacementGainsView:
    after = _standing(game, seat, [*summaries[:seat], territory.summary, *summaries[seat + 1 :]])
    points = [then - now for then, now in zip(after.points, before.points, strict=True)]
    values = [then - now for then, now in zip(after.of_territory, before.of_territory, strict=True)]
    scrolls, whisky, completed, connected = values
    new_awards: list[PlacementAwardView] = [
        {"slot": slot, **view}
        for slot, gain, then, now in zip(SLOTS, points, after.earned, before.earned, strict=True)
        if gain
        for view in award_views(territory, (Counter(then) - Counter(now)).elements())
    ]
    return {
        **territory_view(territory.placed[-1:])[0],
        "gains": points_view(SLOTS, game.scoring_tiles, points),
        "scrolls": scrolls,
        "whisky_income": whisky,
        "completed_areas": completed,
        "connected_tiles": connected,
        "awards": new_awards,
    }
