"""The request bodies of scoring: placements to try, territories to score."""

from __future__ import annotations

from skye.fields import MAX_TILES
from skye.positions import MAX_GOLD
from skye.rulesets import MAX_PLAYERS, MAX_SCORING_TILES
from skye_server.contract.enums.games import ChosenRuleset
from skye_server.contract.enums.tiles import AnyTile, ScoringTileId
from skye_server.contract.fields import Coordinate, Integer, Rotation
from skye_server.contract.objects import ListOf, Object
from skye_server.contract.requests.play import Placement


class PlacementsToTry(Object):
    """Placements to try, one after the other."""

    placements = ListOf(
        Placement,
        "The placements, in order.",
        length=(0, 20),
        error="At most {max} placements can be tried at once.",
        required=True,
    )


class TileToScore(Object):
    """A tile in a territory, with its cell and rotation."""

    tile = AnyTile("The tile.", required=True)
    x = Coordinate("Cells east of the castle.", required=True)
    y = Coordinate("Cells south of the castle.", required=True)
    rotation = Rotation("The rotation; 0 if left out.", load_default=0)


class TerritoryToScore(Object):
    """A territory to score, and the gold of its owner."""

    tiles = ListOf(
        TileToScore,
        "The tiles in any order: one castle at (0, 0), the others connected to it by edges.",
        length=(1, MAX_TILES + 1),
        error="This is not from {min} to {max} tiles.",
        required=True,
    )
    gold = Integer(0, MAX_GOLD, "The gold in the purse; 0 if left out.", load_default=0)


class TerritoriesToScore(Object):
    """Territories to score, independent of any game."""

    territories = ListOf(
        TerritoryToScore,
        "One territory for each player; majorities compare them.",
        length=(1, MAX_PLAYERS),
        error="This is not from {min} to {max} territories.",
        required=True,
    )
    ruleset = ChosenRuleset("The rules; those of new games on this server if left out.")
    scoring_tiles = ListOf(
        ScoringTileId(),
        "The scoring tiles to score; all of the ruleset if left out.",
        length=(0, MAX_SCORING_TILES),
        error="These are more than {max} scoring tiles.",
    )
