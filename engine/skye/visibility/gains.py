"""Every legal placement of a tile, with the change of points, scrolls, income, areas and connections.

The result depends only on what a spectator sees. A placement changes no purse, so the change of `most_gold`
is 0, or None while purses are hidden.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from skye.rules.income import whisky_joined
from skye.rules.state import GameState, check_scoring_tiles, check_seat
from skye.scoring.scoring_tiles import Award, awards
from skye.territory.summary import TerritorySummary
from skye.territory.territory import Territory
from skye.visibility.game_views import territory_tiles_view, visible_gold
from skye.visibility.scores import award_views, compares_gold, unplaced_error
from skye.visibility.types.reports import (
    KnownScoringTilePointsView,
    PlacementAwardView,
    PlacementGainsView,
    TerritoryWorthView,
)


class _TerritoryWorth(NamedTuple):
    """Awards by slot; and scroll points, whisky income, completed areas, and connected tiles."""

    earned: tuple[tuple[Award, ...], ...]
    of_territory: tuple[int, ...]

    @property
    def points(self) -> list[int]:
        """The points by slot."""
        return [sum([award.points for award in earned]) for earned in self.earned]


def territory_worth_view(game: GameState, seat: int) -> TerritoryWorthView:
    """Return the points, income and connections of the territory of a seat.

    >>> import skye
    >>> territory_worth_view(skye.new_game(2, seed="worth").game, 0)["connected_tiles"]
    0

    :raises ValueError: when there is no such seat, or the scoring tiles are not drawn yet.
    """
    check_seat(game, seat)
    check_scoring_tiles(game)
    worth = _territory_worth(game, seat, [player.territory.summary for player in game.players])
    scrolls, whisky, completed, connected = worth.of_territory
    return {
        "scoring_tiles": _points_view(game, worth.points),
        "scroll_points": scrolls,
        "whisky_income": whisky,
        "completed_areas": completed,
        "connected_tiles": connected,
    }


def placement_gains_view(game: GameState, seat: int, tile: str) -> list[PlacementGainsView]:
    """Return every legal placement of a tile, each with the change that it would make.

    >>> import skye
    >>> len(placement_gains_view(skye.new_game(2, seed="gains").game, 0, "L07"))
    4

    :param tile: a landscape tile that is in no territory.
    :raises TileNotYours: when the tile is in a territory or is a castle.
    :raises ValueError: when there is no such seat, or the scoring tiles are not drawn yet.
    """
    check_seat(game, seat)
    check_scoring_tiles(game)
    error = unplaced_error(game, tile)
    if error is not None:
        raise error
    summaries = [player.territory.summary for player in game.players]
    territory, before = game.players[seat].territory, _territory_worth(game, seat, summaries)
    return [
        _gain_view(game, seat, territory._extended(place), summaries, before)
        for place in territory.legal_places(tile)
    ]


def _territory_worth(game: GameState, seat: int, summaries: Sequence[TerritorySummary]) -> _TerritoryWorth:
    purses = [gold or 0 for gold in _visible_golds(game)]
    summary = summaries[seat]
    ruleset = game.ruleset
    return _TerritoryWorth(
        tuple([awards(ruleset.scoring_tiles[tile], seat, summaries, purses) for tile in game.scoring_tiles]),
        (
            ruleset.final.score(summary, 0).scroll_points,
            ruleset.whisky_income * whisky_joined(summary),
            sum([not area.openings for area in summary.areas]),
            len(summary.connected),
        ),
    )


def _visible_golds(game: GameState) -> list[int | None]:
    return [visible_gold(game, None, seat) for seat in range(len(game.players))]


def _points_view(game: GameState, points: Sequence[int]) -> list[KnownScoringTilePointsView]:
    """Return points by slot, with None for those that depend on hidden purses."""
    is_hidden, ruleset = None in _visible_golds(game), game.ruleset
    return [
        {
            "slot": slot,
            "scoring_tile": tile,
            "points": None if is_hidden and compares_gold(ruleset.scoring_tiles[tile]) else earned,
        }
        for slot, tile, earned in zip(ruleset.slots, game.scoring_tiles, points, strict=True)
    ]


def _gain_view(
    game: GameState,
    seat: int,
    territory: Territory,
    summaries: Sequence[TerritorySummary],
    before: _TerritoryWorth,
) -> PlacementGainsView:
    after = _territory_worth(game, seat, [*summaries[:seat], territory.summary, *summaries[seat + 1 :]])
    points = [then - now for then, now in zip(after.points, before.points, strict=True)]
    values = [then - now for then, now in zip(after.of_territory, before.of_territory, strict=True)]
    scrolls, whisky, completed, connected = values
    new_awards: list[PlacementAwardView] = [
        {"slot": slot, **view}
        for slot, gain, then, now in zip(game.ruleset.slots, points, after.earned, before.earned, strict=True)
        if gain
        for view in award_views(territory, (Counter(then) - Counter(now)).elements())
    ]
    return {
        **territory_tiles_view(territory.placed[-1:])[0],
        "gains": _points_view(game, points),
        "scroll_points": scrolls,
        "whisky_income": whisky,
        "completed_areas": completed,
        "connected_tiles": connected,
        "awards": new_awards,
    }
