"""The schemas of request bodies and query strings: shapes and ranges. The engine checks the rules."""

from service.schemas.requests.creation import MIN_TURN_MS, GamesToCreate, GameToCreate
from service.schemas.requests.lab import GameFault
from service.schemas.requests.lobby import ClockAdvance, PlayerChanges, PlayerToSeat
from service.schemas.requests.matches import QuickMatchToSeek
from service.schemas.requests.me import PlayerKeyToUse
from service.schemas.requests.play import Offer, PassToBuy, Placement, Purchase, TileToBuy
from service.schemas.requests.queries import (
    MAX_TILES_TO_PLACE,
    AbortQuery,
    EventsQuery,
    GameQuery,
    GamesQuery,
    OwnGamesQuery,
    OwnRecordsQuery,
    PlacesQuery,
    PlayerEventsQuery,
    PlayerStreamQuery,
    RecordsQuery,
    StreamQuery,
    TerritoryPictureQuery,
    TilePictureQuery,
    ViewQuery,
)
from service.schemas.requests.scoring import PlacementsToTry, TerritoriesToScore

__all__ = [
    "MAX_TILES_TO_PLACE",
    "MIN_TURN_MS",
    "AbortQuery",
    "ClockAdvance",
    "EventsQuery",
    "GameFault",
    "GameQuery",
    "GameToCreate",
    "GamesQuery",
    "GamesToCreate",
    "Offer",
    "OwnGamesQuery",
    "OwnRecordsQuery",
    "PassToBuy",
    "Placement",
    "PlacementsToTry",
    "PlacesQuery",
    "PlayerChanges",
    "PlayerEventsQuery",
    "PlayerKeyToUse",
    "PlayerStreamQuery",
    "PlayerToSeat",
    "Purchase",
    "QuickMatchToSeek",
    "RecordsQuery",
    "StreamQuery",
    "TerritoriesToScore",
    "TerritoryPictureQuery",
    "TilePictureQuery",
    "TileToBuy",
    "ViewQuery",
]
