"""A game of a league on a server of the HTTP API, for entrants that are bots of that server.

The server plays its own seats. The arena sends it the moves of the other seats, and reads the moves of the
server's seats from the events of the game. This module needs the package `skye-client`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs, urlsplit

from skye.positions.record import move_from, move_view
from skye.rules.moves import Buy, FinishBuilding, Move, Pass, SetOffer
from skye.rulesets.ruleset import ruleset_of
from skye.tiles.tile_set import DEFAULT_RULESET
from skye_gym.arena.bot_process import BotFailed, Budget

if TYPE_CHECKING:
    from types import ModuleType

    from skye_client import Game, Skye

_ATTEMPTS: Final = 5
_TIMEOUT_S: Final = 30.0
_WAIT_S: Final = 5.0
"""The maximum time, in seconds, that one request waits for events (long poll)."""

_MOVE_OF_EVENT: Final = {
    "tile_bought": "buy",
    "purchase_passed": "pass",
    "tile_placed": "place",
    "placement_taken_back": "take_back",
    "building_finished": "finish_building",
}


def server_of(url: str) -> tuple[str, str]:
    """Return the address of a server and the name of the bot in `http://host:port?bot=name`."""
    parts = urlsplit(url)
    [bot] = parse_qs(parts.query).get("bot", ["strategist"])
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}", bot


def _client_package() -> ModuleType:
    """Import the package `skye_client`, an optional dependency.

    :raises BotFailed: when it is not installed.
    """
    try:
        return import_module("skye_client")
    except ImportError:
        raise BotFailed("a bot of a server needs skye-client: pip install 'skye-gym[client]'") from None


def _client(server: str) -> Skye:
    package = _client_package()
    retry = package.RetryPolicy(attempts=_ATTEMPTS, max_s=3.0)
    client: Skye = package.Skye(server, retry=retry, timeout_s=_TIMEOUT_S)
    return client


class ServerGame:
    """One game on a server, created by the first call of a method.

    Each method raises `BotFailed` if the server cannot be reached or responds with an error.

    :param server: the base URL of the server.
    :param names: by seat, the name of the player.
    :param bots: by seat, the name of the server's bot, or None where the arena decides.
    :param seed: the seed of the game.
    :param budget: the time limit of a decision.
    :param ruleset_id: the ruleset.
    """

    def __init__(  # noqa: PLR0913 - the parts of a game
        self,
        server: str,
        names: Sequence[str],
        bots: Sequence[str | None],
        seed: str,
        budget: Budget,
        *,
        ruleset_id: str = DEFAULT_RULESET,
    ) -> None:
        self._server = server
        self._budget = budget
        self._bots = bots
        self._last_event = 0
        colors = ruleset_of(ruleset_id).colors
        players = [
            {"name": f"{name[:30]} {seat + 1}", "color": colors[seat]} | ({} if bot is None else {"bot": bot})
            for seat, (name, bot) in enumerate(zip(names, bots, strict=True))
        ]
        self._body = {
            "players": players,
            "visibility": "private",
            "auto_start": True,
            "options": {"seed": seed, "host_may_abort": True}
            | ({} if ruleset_id == DEFAULT_RULESET else {"ruleset": ruleset_id}),
        }
        self._skye: Skye | None = None
        self._seats: list[Game] = []

    def close(self) -> None:
        """Close the connections to the server."""
        if self._skye is not None:
            self._skye.close()

    def _create(self) -> None:
        if self._skye is not None:
            return
        self._skye = _client(self._server)
        with self._client_errors_as_failures():
            created = self._skye.request("POST", "/v1/games", self._body)
        game = created["game"]["id"]
        self.host = self._skye.game(game, created["host_token"])
        self._seats = [self._skye.game(game, player["token"]) for player in created["players"]]

    def abort(self) -> None:
        """Create the game if there is none yet, and abort it."""
        self._create()
        with self._client_errors_as_failures():
            self.host.abort()

    def send(self, seat: int, move: Move) -> None:
        """Send a move of a seat that the arena decides for."""
        self._create()
        own = self._seats[seat].seat(seat)
        fields: dict[str, Any] = {**move_view(move)}
        del fields["type"]
        with self._client_errors_as_failures():
            match move:
                case SetOffer():
                    own.set_offer(**fields)
                case Buy():
                    own.buy(**fields)
                case Pass():
                    own.pass_turn()
                case FinishBuilding():
                    own.finish_building()
                case _:
                    own.place(**fields)

    def moves(self) -> list[tuple[int, Move]]:
        """Wait until the server's seats have moved; return their moves in order.

        :raises BotFailed: when the server fails, or its seats have not moved in time.
        """
        self._create()
        deadline = time.monotonic() + self._budget.decision_s + self._budget.startup_s
        while (left := deadline - time.monotonic()) > 0:
            wait_ms = int(1000 * min(_WAIT_S, left))
            with self._client_errors_as_failures():
                page = self.host.event_page(after=self._last_event, wait_ms=wait_ms)
            self._last_event = max([self._last_event, *[event["id"] for event in page["events"]]])
            if moves := [move for event in page["events"] for move in self._moves_in(event)]:
                return moves
        raise BotFailed(self._budget.exceeded)

    def _moves_in(self, event: Mapping[str, Any]) -> Iterator[tuple[int, Move]]:
        if event["type"] == "offers_revealed":
            for offer in event["players"]:
                if self._bots[offer["seat"]] is not None:
                    yield offer["seat"], SetOffer(offer["discard"], tuple(offer["prices"].items()))
        elif event["type"] in _MOVE_OF_EVENT and self._bots[event["seat"]] is not None:
            yield event["seat"], move_from(_MOVE_OF_EVENT[event["type"]], event)

    @contextmanager
    def _client_errors_as_failures(self) -> Iterator[None]:
        """Raise the errors of the client as `BotFailed`."""
        package = _client_package()
        try:
            yield
        except package.ApiError as error:
            raise BotFailed(f"{self._server} refused a request: {error}") from None
        except package.ConnectionFailedError as error:
            raise BotFailed(f"{self._server} cannot be reached: {error}") from None
