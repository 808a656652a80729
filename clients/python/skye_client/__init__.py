"""A client for the Isle of Skye API.

`Skye` is the synchronous client, `AsyncSkye` the asynchronous one. Both share modules without input or
output: `retry`, `messages`, `following` and `fold`.
"""

from skye_client import webhooks
from skye_client._async.catalogue import AsyncCatalogue
from skye_client._async.client import AsyncSkye
from skye_client._async.game_view import AsyncGameView
from skye_client._async.games import AsyncGames, AsyncOwnGames
from skye_client._async.iteration import AsyncIteration
from skye_client._async.ladders import AsyncLadders
from skye_client._async.leagues import AsyncLeagues
from skye_client._async.player import AsyncPlayer
from skye_client._async.resources import AsyncGame, AsyncSeat
from skye_client._sync.catalogue import Catalogue
from skye_client._sync.client import Skye
from skye_client._sync.game_view import GameView
from skye_client._sync.games import Games, OwnGames
from skye_client._sync.iteration import Iteration
from skye_client._sync.ladders import Ladders
from skye_client._sync.leagues import Leagues
from skye_client._sync.player import Player
from skye_client._sync.resources import Game, Seat
from skye_client.errors import (
    ApiError,
    ConnectionFailedError,
    HistoryLostError,
    InvalidAddressError,
    InvalidCredentialError,
    InvalidEnvironmentError,
    InvalidWebhookError,
    SkyeError,
    UnexpectedResponseError,
)
from skye_client.fold import UnknownRulesetError, empty_view, fold
from skye_client.hosting import async_host, host
from skye_client.keys import new_key
from skye_client.known import is_known
from skye_client.retry import RetryPolicy
from skye_client.turns import AsyncTurn, Turn
from skye_client.version import __version__

__all__ = [
    "ApiError",
    "AsyncCatalogue",
    "AsyncGame",
    "AsyncGameView",
    "AsyncGames",
    "AsyncIteration",
    "AsyncLadders",
    "AsyncLeagues",
    "AsyncOwnGames",
    "AsyncPlayer",
    "AsyncSeat",
    "AsyncSkye",
    "AsyncTurn",
    "Catalogue",
    "ConnectionFailedError",
    "Game",
    "GameView",
    "Games",
    "HistoryLostError",
    "InvalidAddressError",
    "InvalidCredentialError",
    "InvalidEnvironmentError",
    "InvalidWebhookError",
    "Iteration",
    "Ladders",
    "Leagues",
    "OwnGames",
    "Player",
    "RetryPolicy",
    "Seat",
    "Skye",
    "SkyeError",
    "Turn",
    "UnexpectedResponseError",
    "UnknownRulesetError",
    "__version__",
    "async_host",
    "empty_view",
    "fold",
    "host",
    "is_known",
    "new_key",
    "webhooks",
]
