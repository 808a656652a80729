"""The catalogue: tiles, scoring tiles, scenarios and bots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack, cast
from urllib.parse import urlencode

from skye_client import models as m
from skye_client._sync.transport import Transport
from skye_client.options import ReadOptions


class Catalogue:
    """Tiles, scoring tiles, scenarios and bots, which change only with the version of the server.

    The tiles are those of a ruleset; without one, of that of new games.
    """

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def tiles(self, ruleset: str | None = None, **options: Unpack[ReadOptions]) -> Sequence[m.Tile]:
        """Return every tile of a ruleset in reference orientation."""
        listed = self._transport.json("GET", "/v1/tiles", query={"ruleset": ruleset}, **options)
        return cast(Sequence[m.Tile], listed["tiles"])

    def scoring_tiles(
        self, ruleset: str | None = None, **options: Unpack[ReadOptions]
    ) -> Sequence[m.ScoringTile]:
        """Return the scoring tiles of a ruleset."""
        listed = self._transport.json("GET", "/v1/scoring-tiles", query={"ruleset": ruleset}, **options)
        return cast(Sequence[m.ScoringTile], listed["scoring_tiles"])

    def scenarios(self, **options: Unpack[ReadOptions]) -> Sequence[m.Scenario]:
        """Return the scenarios from which games can begin."""
        listed = self._transport.json("GET", "/v1/scenarios", **options)
        return cast(Sequence[m.Scenario], listed["scenarios"])

    def bots(self, **options: Unpack[ReadOptions]) -> Sequence[m.Bot]:
        """Return the bots that can take a seat, the weakest first."""
        listed = self._transport.json("GET", "/v1/bots", **options)
        return cast(Sequence[m.Bot], listed["bots"])

    def score(self, body: m.TerritoriesToScore, **options: Unpack[ReadOptions]) -> m.ScoredTerritories:
        """Return the points of any territories, as `POST /v1/scoring` does."""
        return cast(m.ScoredTerritories, self._transport.json("POST", "/v1/scoring", body=body, **options))

    def picture_url(self, tile: str, rotation: int = 0, ruleset: str | None = None) -> str:
        """Return the URL of the picture of a tile; sends no request."""
        given = {"rotation": rotation or None, "ruleset": ruleset}
        query = urlencode({name: value for name, value in given.items() if value is not None})
        return f"{self._transport.url}/v1/tiles/{tile}/picture.svg{'?' if query else ''}{query}"
