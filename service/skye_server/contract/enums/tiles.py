"""Enumerations of tiles, their terrain and what lies on them, and scoring tiles."""

from __future__ import annotations

from collections.abc import Iterable

from skye import Ruleset
from skye.tiles import OBJECTS, Terrain
from skye_server.contract.fields import RulesetEnum, StringEnum
from skye_server.games.game import TileKind


class Color(RulesetEnum):
    """A player's colour; the castle has it too. There will be no others in the ruleset `base`."""

    @staticmethod
    def words(ruleset: Ruleset) -> Iterable[str]:
        """Return the colours of a ruleset."""
        return ruleset.colors


class LandscapeTile(RulesetEnum):
    """The id of a landscape tile, L01 to L73; see `GET /v1/tiles`.

    There will be no others in the ruleset `base`.
    """

    component = "LandscapeTileId"
    of_field = "A landscape tile."

    @staticmethod
    def words(ruleset: Ruleset) -> Iterable[str]:
        """Return the landscape tiles of a ruleset."""
        return ruleset.tiles.landscape


class AnyTile(RulesetEnum):
    """The id of a landscape tile, L01 to L73, or of a castle tile; see `GET /v1/tiles`.

    There will be no others in the ruleset `base`.
    """

    component = "TileId"
    of_field = "A tile."

    @staticmethod
    def words(ruleset: Ruleset) -> Iterable[str]:
        """Return the tiles of a ruleset."""
        return ruleset.tiles.by_id


class TileKindName(StringEnum):
    """The kind of a tile: `landscape`, or one of the five `castle` tiles. There may be new ones."""

    extensible = True
    choices = TileKind


class TerrainName(StringEnum):
    """The terrain on an edge, in the middle of a tile, or of an area.

    There will be no others in the ruleset `base`.
    """

    choices = tuple(terrain.label for terrain in Terrain)
    of_field = "The terrain."


class Side(StringEnum):
    """An edge of a tile. There will be no others under `/v1`."""

    choices = ("north", "east", "south", "west")
    of_field = "An edge."


class ObjectKind(StringEnum):
    """A kind of object on tiles. There will be no others in the ruleset `base`."""

    choices = OBJECTS


class ScoringTileId(RulesetEnum):
    """The id of a scoring tile; see `GET /v1/scoring-tiles`.

    There will be no others in the ruleset `base`.
    """

    of_field = "A scoring tile."

    @staticmethod
    def words(ruleset: Ruleset) -> Iterable[str]:
        """Return the scoring tiles of a ruleset."""
        return ruleset.scoring_tiles


class ScoringSlot(RulesetEnum):
    """The place of a scoring tile in a game; it decides in which rounds the tile is scored.

    In games of up to four players: `A` in rounds 1, 3 and 5, `B` in 2, 4 and 6, `C` in 3, 5 and 6, `D` in 4,
    5 and 6. In games of five: `A` in rounds 1, 2 and 4, `B` in 1, 3 and 5, `C` in 2, 4 and 5, `D` in 3, 4
    and 5.

    There will be no others in the ruleset `base`.
    """

    of_field = "A slot."

    @staticmethod
    def words(ruleset: Ruleset) -> Iterable[str]:
        """Return the slots of a ruleset."""
        return ruleset.slots
