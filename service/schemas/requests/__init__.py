"""The schemas of request bodies and query strings: shapes and ranges. The engine checks the rules."""

from service.schemas.requests.creation import MIN_TURN_MS, GamesToCreate, GameToCreate
from service.schemas.requests.lobby import Advance, PlayerChanges, PlayerToSeat
from service.schemas.requests.matches import WishedMatch
from service.schemas.requests.me import KeyToUse
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
from service.schemas.requests.scoring import ScoringQuery, Trial

__all__ = [
    "MAX_TILES_TO_PLACE",
    "MIN_TURN_MS",
    "AbortQuery",
    "Advance",
    "EventsQuery",
    "GameQuery",
    "GameToCreate",
    "GamesQuery",
    "GamesToCreate",
    "KeyToUse",
    "Offer",
    "OwnGamesQuery",
    "OwnRecordsQuery",
    "PassToBuy",
    "Placement",
    "PlacesQuery",
    "PlayerChanges",
    "PlayerEventsQuery",
    "PlayerStreamQuery",
    "PlayerToSeat",
    "Purchase",
    "RecordsQuery",
    "ScoringQuery",
    "StreamQuery",
    "TerritoryPictureQuery",
    "TilePictureQuery",
    "TileToBuy",
    "Trial",
    "ViewQuery",
    "WishedMatch",
]
