"""The schemas of responses, from which the contract is generated."""

from service.schemas.responses.catalogue import (
    Health,
    Readiness,
    ScenarioList,
    ScoringTileList,
    ServiceIndex,
    Tile,
    TileList,
)
from service.schemas.responses.events import Event
from service.schemas.responses.game import CurrentOffer, CurrentPlacements, Game, SeatView
from service.schemas.responses.history import (
    EventList,
    ExportedRecord,
    RecordLine,
    RoundReport,
    StreamEnd,
    StreamMessage,
    StreamStart,
)
from service.schemas.responses.lab import EmptiedLab, Lab, RemainingFault
from service.schemas.responses.lobby import (
    CreatedGame,
    CreatedGames,
    CreatedInvite,
    GameList,
    Rematch,
    TakenSeat,
)
from service.schemas.responses.me import (
    OwnGameList,
    PlayerEvent,
    PlayerEventList,
    PlayerStreamEnd,
    PlayerStreamMessage,
    PlayerStreamStart,
    QuickMatch,
    ReplacedPlayerKey,
)
from service.schemas.responses.play import ActionList
from service.schemas.responses.position import ExportedPosition
from service.schemas.responses.problem import Problem
from service.schemas.responses.scoring import (
    Places,
    ScoredTerritories,
    Scores,
    TerritoryReport,
    TriedPlacements,
)

__all__ = [
    "ActionList",
    "CreatedGame",
    "CreatedGames",
    "CreatedInvite",
    "CurrentOffer",
    "CurrentPlacements",
    "EmptiedLab",
    "Event",
    "EventList",
    "ExportedPosition",
    "ExportedRecord",
    "Game",
    "GameList",
    "Health",
    "Lab",
    "OwnGameList",
    "Places",
    "PlayerEvent",
    "PlayerEventList",
    "PlayerStreamEnd",
    "PlayerStreamMessage",
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
    "StreamMessage",
    "StreamStart",
    "TakenSeat",
    "TerritoryReport",
    "Tile",
    "TileList",
    "TriedPlacements",
]
