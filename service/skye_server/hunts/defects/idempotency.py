"""Defects of the class `idempotency`."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec
from flask import Response

from skye_server.error_codes import Problem
from skye_server.games.authorization import TokenSource
from skye_server.http.responses import uncached_json
from skye_server.hunts.registry import GAME, HOST, SEAT_0, SEAT_1, defect, new_game, send
from skye_server.hunts.seams import Environ, Seams, View, change_json, environ

_KEY = {"Idempotency_Key": "0123456789-0123456789-abcdef"}
_OTHER_KEY = {"Idempotency_Key": "abcdefghij-0123456789-abcdef"}
_BUILT: list[dict[str, Any]] = [{"tiles_to_build": []}, {"tiles_to_build": []}]


def _keyed(request: dict[str, Any], key: dict[str, str]) -> dict[str, Any]:
    return {**request, "headers": {**request["headers"], "Idempotency-Key": key["Idempotency_Key"]}}


def _name() -> str | None:
    """Return a name for the key of the current request with its credentials, None without a key."""
    key = environ().get("HTTP_IDEMPOTENCY_KEY")
    token = environ().get("HTTP_AUTHORIZATION", "")
    return key and hashlib.sha256(f"{token}\n{environ()['PATH_INFO']}\n{key}".encode()).hexdigest()


@defect(
    "easy",
    "create_game",
    "A retry with the same `Idempotency-Key` has no further effect and returns the first response.",
    _keyed(new_game("Ann", "Bob"), _KEY),
    _keyed(new_game("Ann", "Bob"), _KEY),
    shows="/game/id",
)
def creation_is_repeated(seams: Seams) -> None:
    """Create another game for a retry."""

    @seams.request("create_game")
    def change(environ: Environ) -> None:
        environ.pop("HTTP_IDEMPOTENCY_KEY", None)


@defect(
    "hard",
    "finish_building",
    "The scope of an `Idempotency-Key` is the token with which it is sent.",
    send("POST", "/v1/games", {"position": {"phase": "building", "seed": "hunt", "players": _BUILT}}),
    send("POST", f"{GAME}/players/0/building/finish", None, SEAT_0, **_KEY),
    send("POST", f"{GAME}/players/1/building/finish", None, SEAT_1, **_KEY),
    shows="/you/seat",
)
def key_of_another_client(seams: Seams) -> None:
    """Replay the response to another client that sent the same key."""

    @seams.view("finish_building")
    def change(view: View, **_: Any) -> Response:
        key = environ().get("HTTP_IDEMPOTENCY_KEY")
        kept = seams.memory.get(f"finish {key}") if key else None
        if kept is not None:
            shown = msgspec.json.decode(kept)
            return uncached_json(shown, 200, [("ETag", f'"{shown["version"]}"')])
        response = view()
        if key:
            seams.memory.put(f"finish {key}", response.get_data(as_text=True))
        return response


@defect(
    "medium",
    "join_game",
    "Another request with a used key is refused with `idempotency_key_reused`.",
    new_game("Ann", seat_count=4),
    send("POST", f"{GAME}/players", {"name": "Bob"}, HOST, **_KEY),
    send("POST", f"{GAME}/players", {"name": "Cy"}, HOST, **_KEY),
    shows="status",
)
def key_for_another_body(seams: Seams) -> None:
    """Execute another request with a key that was used."""

    @seams.refused("join_game", "idempotency_key_reused")
    def change(view: View, **_: Any) -> Response:
        del environ()["HTTP_IDEMPOTENCY_KEY"]
        return view()


@defect(
    "medium",
    "rotate_token",
    "A retry returns the tokens of the first response again.",
    new_game("Ann", "Bob"),
    send("POST", f"{GAME}/players/0/token", None, SEAT_0, **_KEY),
    send("POST", f"{GAME}/players/0/token", None, SEAT_0, **_KEY),
    shows="/token",
)
def replay_with_another_token(seams: Seams) -> None:
    """Show a retry a token that is not valid."""

    @seams.view("rotate_token")
    def change(view: View, **_: Any) -> Response:
        response, name = view(), _name()
        if name is not None and seams.memory.count(f"rotated {name}") > 1:
            change_json(response, lambda body: body.update(token=TokenSource().token("0")))
        return response


@defect(
    "hard",
    "start_game",
    "A request that was refused changed nothing: its key can be used again.",
    new_game("Ann", seat_count=2),
    send("POST", f"{GAME}/start", None, HOST, **_OTHER_KEY),
    send("POST", f"{GAME}/players", {"name": "Bob"}),
    send("POST", f"{GAME}/start", None, HOST, **_OTHER_KEY),
    shows="/status",
)
def refusal_is_remembered(seams: Seams) -> None:
    """Replay the refusal of a request whose reason has gone."""

    @seams.refused("start_game", "too_few_players")
    def remember(view: View, **_: Any) -> Response:
        seams.memory.put(f"refused {_name()}", "too_few_players")
        return view()

    @seams.view("start_game")
    def change(view: View, **_: Any) -> Response:
        if (name := _name()) and seams.memory.get(f"refused {name}"):
            raise Problem("too_few_players")
        return view()
