"""The JSON objects of responses, as TypedDicts from which the contract is generated.

A field has the type that the code uses, and in `Annotated` what the contract adds (see `skye.fields`).
"""

from skye.views import ScoredTerritoriesView as ScoredTerritories
from skye.views import ScoringTileView as ScoringTile
from skye_server.contract.responses.actions import ActionListView as ActionList
from skye_server.contract.responses.catalogue import (
    ApiCatalog,
    BotList,
    Health,
    Readiness,
    ScenarioList,
    ScoringTileList,
    ServiceIndex,
    TileList,
)
from skye_server.contract.responses.changes import CreatedGamesView as CreatedGames
from skye_server.contract.responses.changes import CreatedGameView as CreatedGame
from skye_server.contract.responses.changes import CreatedInvitationView as CreatedInvitation
from skye_server.contract.responses.changes import HostTokenView as HostToken
from skye_server.contract.responses.changes import TakenSeatView as TakenSeat
from skye_server.contract.responses.changes import TimedGameView as Game
from skye_server.contract.responses.game import (
    CurrentOffer,
    CurrentPlacements,
    CurrentPurchase,
    Places,
    PlayerList,
    RoundList,
    RoundReport,
    Scores,
    SeatView,
    TerritoryReport,
    TriedPlacements,
)
from skye_server.contract.responses.history import EventList, RecordLine, StreamEnd, StreamStart
from skye_server.contract.responses.history import ExportedRecordView as ExportedRecord
from skye_server.contract.responses.lab import (
    EmptiedLab,
    Inbox,
    Lab,
    RemainingFault,
)
from skye_server.contract.responses.lobby import GameList, Rematch
from skye_server.contract.responses.me import (
    OwnGameList,
    OwnPlayer,
    PlayerEventList,
    PlayerStreamEnd,
    PlayerStreamStart,
)
from skye_server.contract.responses.problem import Problem
from skye_server.contract.responses.webhooks import (
    CreatedWebhook,
    DecisionMessage,
    DeliveryList,
    ReplacedPlayerKey,
    ReplacedWebhook,
    WebhookChallengeAnswer,
    WebhookChallengeMessage,
    WebhookEventMessage,
    WebhookList,
    WebhookTestResult,
)
from skye_server.contract.responses.webhooks import DeliveryView as Delivery
from skye_server.contract.responses.webhooks import WebhookView as Webhook
from skye_server.games.views.types import InvitationListView as InvitationList
from skye_server.games.views.types import InvitationView as Invitation
from skye_server.games.views.types import TileView as Tile
from skye_server.games.views.types import WatchCodeView as WatchCode
