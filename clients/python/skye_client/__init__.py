"""A client for the Isle of Skye API.

`Skye` is the synchronous client, `AsyncSkye` the asynchronous one. Both share modules without input or
output: `retry`, `messages`, `following` and `fold`.
"""

from skye_client._async.client import AsyncSkye
from skye_client._async.game_view import AsyncGameView
from skye_client._async.leagues import AsyncLeagues
from skye_client._async.player import AsyncPlayer
from skye_client._async.resources import AsyncCatalogue, AsyncGame, AsyncGames, AsyncSeat
from skye_client._sync.client import Skye
from skye_client._sync.game_view import GameView
from skye_client._sync.leagues import Leagues
from skye_client._sync.player import Player
from skye_client._sync.resources import Catalogue, Game, Games, Seat
from skye_client.errors import ApiError, ConnectionFailedError, HistoryLostError, SkyeError
from skye_client.fold import begin, fold
from skye_client.keys import new_key
from skye_client.retry import RetryPolicy

__version__ = "0.1.0"

__all__ = [
    "ApiError",
    "AsyncCatalogue",
    "AsyncGame",
    "AsyncGameView",
    "AsyncGames",
    "AsyncLeagues",
    "AsyncPlayer",
    "AsyncSeat",
    "AsyncSkye",
    "Catalogue",
    "ConnectionFailedError",
    "Game",
    "GameView",
    "Games",
    "HistoryLostError",
    "Leagues",
    "Player",
    "RetryPolicy",
    "Seat",
    "Skye",
    "SkyeError",
    "begin",
    "fold",
    "new_key",
]
