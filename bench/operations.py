"""A request for every operation of the contract, of the games that are most expensive to read."""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlencode

_METHODS = ("get", "put", "post", "delete", "patch")
_LAB = "/v1/lab"
_TILES = [("tile", f"L{number:02}") for number in range(1, 9)]


class Sent(NamedTuple):
    """A request.

    :param key: the `Idempotency-Key`; empty for none.
    """

    method: str
    path: str
    body: Any = None
    token: str = ""
    key: str = ""


Send = Callable[[Sent], Any]
"""Sends a request, and returns the decoded body of its response."""


def operation_requests(send: Send) -> Iterator[tuple[str, Sent]]:
    """Yield a request for every operation, with the method and the path of the operation as its name."""
    contract = send(Sent("GET", "/openapi.json"))
    fill = _Fill(send, contract)
    for path, operations in contract["paths"].items():
        for method in _METHODS:
            if method in operations and not path.startswith(_LAB):
                yield f"{method.upper()} {path}", fill.request(method.upper(), path, operations[method])


class _Fill:
    """Fills in the parameters, the token and the body of operations."""

    def __init__(self, send: Send, contract: Mapping[str, Any]) -> None:
        self._send, self._contract, self._player = send, contract, _player_key()
        self._long, self._token = self._game({"scenario": "undo_limit"})
        self._large, _ = self._game({"scenario": "largest_territory"})
        last = send(Sent("GET", f"/v1/games/{self._long}"))["last_event"]
        self._queries = {
            "get_game": [("at", last - 1)],
            "list_events": [("limit", 1000)],
            "list_places": _TILES,
        }
        ticket = send(
            Sent("POST", "/v1/matchmaking/tickets", {"name": "Ann", "seat_count": 2}, self._player)
        )["id"]
        self._values = {"seat": "0", "round": "2", "tile": "L01", "ticket": ticket}
        self._values |= {"scoring_tile": "squares", "page": "rules", "asset": "docs.css"}

    def request(self, method: str, path: str, operation: Mapping[str, Any]) -> Sent:
        """Return the request of an operation."""
        name = operation["operationId"]
        game, token = self._game_for(method, name)
        filled = path.format_map(defaultdict(lambda: "1", self._values, game=game))
        if name in self._queries:
            filled += f"?{urlencode(self._queries[name])}"
        needs = {kind for choice in operation.get("security", ()) for kind in choice}
        if "player" in needs:
            token = _player_key() if name == "replace_player_key" else self._player
        elif "token" not in needs:
            token = ""
        key = "batch" if name == "create_games" else ""
        return Sent(method, filled, self._body(name, game, token, operation), token, key)

    def _game_for(self, method: str, name: str) -> tuple[str, str]:
        if "territory" in name:
            return self._large, ""
        if name == "set_offer":
            return self._game({"players": [{"name": "Ann"}, {"name": "Bob"}], "auto_start": True})
        if method != "GET":  # it may end the game
            return self._game({"scenario": "undo_limit"})
        return self._long, self._token

    def _body(self, name: str, game: str, token: str, operation: Mapping[str, Any]) -> Any:
        if "requestBody" not in operation:
            return None
        if name == "create_game":
            return {"scenario": "undo_limit"}
        if name == "set_offer":
            actions = self._send(Sent("GET", f"/v1/games/{game}/players/0/actions", token=token))["actions"]
            return actions[0]["body"]
        if name == "score_territories":
            tiles = self._send(Sent("GET", f"/v1/games/{self._large}/players/0/territory"))["tiles"]
            return {"territories": [{"tiles": tiles}] * 5}
        examples = operation["requestBody"]["content"]["application/json"]["examples"]
        example = next(iter(examples.values()))
        if "$ref" in example:
            example = self._contract["components"]["examples"][example["$ref"].rpartition("/")[2]]
        return example["value"]

    def _game(self, body: dict[str, Any]) -> tuple[str, str]:
        created = self._send(Sent("POST", "/v1/games", body))
        return created["game"]["id"], created["players"][0]["token"]


def _player_key() -> str:
    return f"skye_key_{secrets.token_hex(11)}"
