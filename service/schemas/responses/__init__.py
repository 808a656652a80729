"""The JSON objects of responses, as TypedDicts from which the contract is generated.

A field has the type that the code uses, and in `Annotated` what the contract adds (see `skye.views.fields`).
"""

from service.matches.view_types import ActionListView as ActionList
from service.matches.view_types import CreatedGamesView as CreatedGames
from service.matches.view_types import CreatedGameView as CreatedGame
from service.matches.view_types import CreatedInviteView as CreatedInvite
from service.matches.view_types import TakenSeatView as TakenSeat
from service.matches.view_types import TileView as Tile
from service.matches.view_types import TimedGameView as Game
from service.schemas.responses.catalogue import (
    Health,
    Readiness,
    ScenarioList,
    ScoringTileList,
    ServiceIndex,
    TileList,
)
from service.schemas.responses.game import (
    CurrentOffer,
    CurrentPlacements,
    Places,
    RoundReport,
    Scores,
    SeatView,
    TerritoryReport,
    TriedPlacements,
)
from service.schemas.responses.history import EventList, RecordLine, StreamEnd, StreamStart
from service.schemas.responses.history import ExportedRecordView as ExportedRecord
from service.schemas.responses.lab import EmptiedLab, Lab, RemainingFault
from service.schemas.responses.lobby import GameList, Rematch
from service.schemas.responses.me import (
    OwnGameList,
    PlayerEventList,
    PlayerStreamEnd,
    PlayerStreamStart,
    QuickMatch,
    ReplacedPlayerKey,
)
from service.schemas.responses.problem import Problem
from skye import ScoredTerritoriesView as ScoredTerritories

__all__ = [
    "ActionList",
    "CreatedGame",
    "CreatedGames",
    "CreatedInvite",
    "CurrentOffer",
    "CurrentPlacements",
    "EmptiedLab",
    "EventList",
    "ExportedRecord",
    "Game",
    "GameList",
    "Health",
    "Lab",
    "OwnGameList",
    "Places",
    "PlayerEventList",
    "PlayerStreamEnd",
    "PlayerStreamStart",
    "Problem",
    "QuickMatch",
    "Readiness",
    "RecordLine",
    "RemainingFault",
    "Rematch",
    "ReplacedPlayerKey",
    "RoundReport",
    "ScenarioList",
    "ScoredTerritories",
    "Scores",
    "ScoringTileList",
    "SeatView",
    "ServiceIndex",
    "StreamEnd",
    "StreamStart",
    "TakenSeat",
    "TerritoryReport",
    "Tile",
    "TileList",
    "TriedPlacements",
]
