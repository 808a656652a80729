"""Gains of placements, compared with the points of the whole territory before and after."""

import pytest

from skye import Place, RuleError, new_game
from skye.rulesets import BASE
from skye.views import placement_gains_view, territory_worth_view, what_if_view
from tests.engine.playing import games

TURNS = slice(5, None, 5)


@pytest.mark.parametrize("players", [2, 3])
def test_placement_gains_are_the_differences_of_what_if(players):
    placements = 0
    for game in list(games(4, players))[TURNS]:
        built = {placed.tile for player in game.players for placed in player.territory.placed}
        tile = next(tile for tile in BASE.tiles.landscape if tile not in built)
        before = territory_worth_view(game, 0)
        territory = game.players[0].territory
        views = placement_gains_view(game, 0, tile)
        assert [_place(view) for view in views] == territory.legal_places(tile)
        for view in views:
            placements += 1
            _check(game, before, view)
    assert placements > 50


@pytest.mark.parametrize(
    "view",
    [
        territory_worth_view,
        lambda game, seat: placement_gains_view(game, seat, "L07"),
        lambda game, seat: what_if_view(game, seat, []),
    ],
)
def test_points_before_the_scoring_tiles_are_drawn_are_a_value_error(view):
    with pytest.raises(ValueError, match="the scoring tiles are not drawn yet"):
        view(new_game(2, chance_nodes=True).game, 0)


def _place(view):
    return Place(*(view[name] for name in ("tile", "x", "y", "rotation")))


def _check(game, before, view):
    tried = what_if_view(game, 0, [_place(view)])
    for gain, worth, slot in zip(view["gains"], before["scoring_tiles"], tried["scoring_tiles"], strict=True):
        assert worth["points"] == slot["before"]
        is_hidden = slot["before"] is None
        assert is_hidden == (slot["scoring_tile"] == "most_gold" and not game.open_gold)
        assert gain["points"] == (None if is_hidden else slot["after"] - slot["before"])
    assert view["scroll_points"] == tried["scroll_points"]["after"] - tried["scroll_points"]["before"]
    after = game.players[0].territory.place(*_place(view)).summary
    assert before["connected_tiles"] + view["connected_tiles"] == len(after.connected)
    completed = sum(area.completed for area in after.areas)
    assert before["completed_areas"] + view["completed_areas"] == completed


def test_awards_of_a_gain_without_losses_add_up_to_it():
    checked = 0
    for game in list(games(9, 2))[TURNS]:
        built = {placed.tile for player in game.players for placed in player.territory.placed}
        for tile in [tile for tile in BASE.tiles.landscape if tile not in built][:5]:
            for view in placement_gains_view(game, 1, tile):
                slots = {award["slot"] for award in view["awards"]}
                assert slots <= {gain["slot"] for gain in view["gains"] if gain["points"]}
                assert slots >= {gain["slot"] for gain in view["gains"] if (gain["points"] or 0) > 0}
                checked += bool(slots)
    assert checked > 20


def test_placement_gains_of_a_built_tile_are_refused():
    *_, game = games(4, 2)
    built = game.players[1].territory.placed
    for tile in (built[0].tile, built[1].tile):
        with pytest.raises(RuleError, match="in a territory already"):
            placement_gains_view(game, 0, tile)
