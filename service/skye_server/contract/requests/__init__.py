"""The schemas of request bodies and query strings: shapes and ranges. The engine checks the rules."""

from skye_server.contract.requests.creation import GamesToCreate, GameToCreate
from skye_server.contract.requests.lab import GameFault, InboxAnswer
from skye_server.contract.requests.lobby import ClockAdvance, PlayerChanges, PlayerToSeat, UrlBot
from skye_server.contract.requests.me import PlayerKeyToUse
from skye_server.contract.requests.play import Offer, Placement, Purchase
from skye_server.contract.requests.queries import (
    MAX_TILES_TO_PLACE,
    PLAYER_EVENT_ID,
    CatalogueQuery,
    EventsQuery,
    GameQuery,
    GamesQuery,
    OwnGamesQuery,
    PlacesQuery,
    PlayerEventsQuery,
    PlayerStreamQuery,
    RecordsQuery,
    StreamQuery,
    TerritoryPictureQuery,
    TilePictureQuery,
    ViewQuery,
)
from skye_server.contract.requests.scoring import PlacementsToTry, TerritoriesToScore
from skye_server.contract.requests.webhooks import SecretRotation, WebhookChanges, WebhookToCreate
