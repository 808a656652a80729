"""What the service answers: the schemas that the contract is made of."""

from service.schemas.answers.catalogue import Health, ScoringTileList, Tile, TileList
from service.schemas.answers.events import Event
from service.schemas.answers.game import Game
from service.schemas.answers.history import EventList, ExportedRecord, RoundReport, StreamMessage
from service.schemas.answers.lobby import CreatedGame, GameList, TakenSeat
from service.schemas.answers.play import ActionList
from service.schemas.answers.problem import Problem
from service.schemas.answers.scoring import ScoredTerritories, Scores, TerritoryReport, WhatIf

__all__ = [
    "ActionList",
    "CreatedGame",
    "Event",
    "EventList",
    "ExportedRecord",
    "Game",
    "GameList",
    "Health",
    "Problem",
    "RoundReport",
    "ScoredTerritories",
    "Scores",
    "ScoringTileList",
    "StreamMessage",
    "TakenSeat",
    "TerritoryReport",
    "Tile",
    "TileList",
    "WhatIf",
]
