"""A game of a league on a server of the HTTP API, for entrants that are bots of that server.

The server plays its own seats; the arena sends it the moves of the others, and takes the moves of the
server's seats from the events of the game.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from typing import Any, Final
from urllib.error import HTTPError, URLError
from urllib.parse import parse_qs, urlsplit
from urllib.request import Request, urlopen
from uuid import uuid4

from skye.arena.bot_process import BotFailed, Budget
from skye.moves import Buy, FinishBuilding, Move, Pass, SetOffer
from skye.record import move_from, move_view
from skye.tiles import COLORS

_ATTEMPTS: Final = 5
_TIMEOUT_S: Final = 30.0
_WAIT_S: Final = 5.0
"""How long one request waits for events."""

_RETRIED: Final = (429, 502, 503, 504)

_MOVE_OF_EVENT: Final = {
    "tile_bought": "buy",
    "buy_passed": "pass",
    "tile_placed": "place",
    "placement_taken_back": "take_back",
    "building_finished": "finish_building",
}


def server_of(url: str) -> tuple[str, str]:
    """Return the address of a server and the name of the bot that `http://host:port?bot=name` stands for."""
    parts = urlsplit(url)
    [bot] = parse_qs(parts.query).get("bot", ["strategist"])
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}", bot


class ServerGame:
    """One game on a server, created by the first call of `send` or `moves`.

    Both raise `BotFailed` when the server cannot be reached or refuses a request.

    :param bots: by seat: the name of the server's bot, or None where the arena decides.
    """

    def __init__(
        self, server: str, names: Sequence[str], bots: Sequence[str | None], seed: str, budget: Budget
    ) -> None:
        self._server = server
        self._budget = budget
        self._bots = bots
        self._last_event = 0
        players = [
            {"name": f"{name[:30]} {seat + 1}", "color": COLORS[seat]} | ({} if bot is None else {"bot": bot})
            for seat, (name, bot) in enumerate(zip(names, bots, strict=True))
        ]
        self._body = {"players": players, "private": True, "start": True, "options": {"seed": seed}}
        self.path = ""

    def _create(self) -> None:
        if not self.path:
            created = self._call("POST", "/v1/games", self._body)
            self.path = f"/v1/games/{created['game']['id']}"
            self._tokens = [player["token"] for player in created["players"]]
            self.host_token = created["host_token"]

    def send(self, seat: int, move: Move) -> None:
        """Send a move of a seat that the arena decides for."""
        self._create()
        path = f"{self.path}/players/{seat}"
        fields = {name: value for name, value in move_view(move).items() if name != "type"}
        match move:
            case SetOffer():
                self._call("PUT", f"{path}/offer", fields, self._tokens[seat])
            case Buy():
                self._call("POST", f"{path}/purchase", fields, self._tokens[seat])
            case Pass():
                self._call("POST", f"{path}/purchase", {"pass": True}, self._tokens[seat])
            case FinishBuilding():
                self._call("POST", f"{path}/build/finish", None, self._tokens[seat])
            case _:
                self._call("POST", f"{path}/placements", fields, self._tokens[seat])

    def moves(self) -> list[tuple[int, Move]]:
        """Wait until the server's seats have moved, and return their moves in order.

        :raises BotFailed: also when they have not moved in time.
        """
        self._create()
        deadline = time.monotonic() + sum(self._budget)
        while (left := deadline - time.monotonic()) > 0:
            wait_ms = int(1000 * min(_WAIT_S, left))
            query = f"?after={self._last_event}&wait_ms={wait_ms}"
            page = self._call("GET", f"{self.path}/events{query}", None, self.host_token)
            self._last_event = max([self._last_event, *[event["id"] for event in page["events"]]])
            if moves := [move for event in page["events"] for move in self._moves_in(event)]:
                return moves
        raise BotFailed(f"exceeded its budget of {self._budget.decision_s:g} s")

    def _moves_in(self, event: dict[str, Any]) -> Iterator[tuple[int, Move]]:
        if event["type"] == "offers_revealed":
            for offer in event["players"]:
                if self._bots[offer["seat"]] is not None:
                    yield offer["seat"], SetOffer(offer["discard"], tuple(offer["prices"].items()))
        elif event["type"] in _MOVE_OF_EVENT and self._bots[event["seat"]] is not None:
            yield event["seat"], move_from(_MOVE_OF_EVENT[event["type"]], event)

    def _call(self, method: str, path: str, body: Any, token: str | None = None) -> Any:
        """Return the JSON of a response. A request without a response is sent again; it counts once."""
        headers = {"Content-Type": "application/json"}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        if method != "GET":
            headers["Idempotency-Key"] = str(uuid4())
        data = None if body is None else json.dumps(body).encode()
        for attempt in range(1, _ATTEMPTS + 1):
            # `entrant_from` has accepted http and https alone, which S310 and B310 cannot see.
            request = Request(self._server + path, data, headers, method=method)  # noqa: S310
            try:
                with urlopen(request, timeout=_TIMEOUT_S) as response:  # noqa: S310  # nosec B310
                    return json.load(response)
            except HTTPError as error:
                if error.code not in _RETRIED or attempt == _ATTEMPTS:
                    detail = error.read(400).decode(errors="replace")
                    raise BotFailed(f"{self._server} refused {method} {path}: {detail}") from None
            except (URLError, OSError, ValueError) as error:
                if attempt == _ATTEMPTS:
                    raise BotFailed(f"{self._server} cannot be reached: {error}") from None
            time.sleep(0.1 * 2**attempt)
        raise AssertionError("the last attempt returns or raises")
