"""Defects of the class `idempotency`."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec
from flask import Response

from skye_hunts.registry import breaks, defect, shown_by
from skye_hunts.seams import Environ, View, change_json, environ, memory, refused, sent_headers
from skye_hunts.witnesses import GAME, HOST, LOBBY, SEAT_0, SEAT_1, new_game, post
from skye_server.error_codes import Problem
from skye_server.games.authorization import TokenSource
from skye_server.http.responses import uncached_json

_KEY = "0123456789-0123456789-abcdef"
_BUILT: dict[str, Any] = {"tiles_to_build": []}
_CREATED = new_game("Ann", "Bob", key=_KEY)
_ROTATED = post(f"{GAME}/players/0/token", None, SEAT_0, Idempotency_Key=_KEY)
_BEGUN = post(f"{GAME}/start", None, HOST, Idempotency_Key="abcdefghij-0123456789-abcdef")


def _name() -> str | None:
    """Return a name for the key of the current request with its credentials, None without a key."""
    key = environ().get("HTTP_IDEMPOTENCY_KEY")
    token = environ().get("HTTP_AUTHORIZATION", "")
    return key and hashlib.sha256(f"{token}\n{environ()['PATH_INFO']}\n{key}".encode()).hexdigest()


@defect("easy", "create_game", sent_headers)
@breaks("A retry with the same `Idempotency-Key` has no further effect and returns the first response.")
@shown_by(_CREATED, _CREATED, at="/game/id")
def creation_is_repeated(environ: Environ) -> None:
    """Create another game for a retry."""
    environ.pop("HTTP_IDEMPOTENCY_KEY", None)


@defect("hard", "finish_building")
@breaks("The scope of an `Idempotency-Key` is the token with which it is sent.")
@shown_by(
    post("/v1/games", {"position": {"phase": "building", "seed": "hunt", "players": [_BUILT, _BUILT]}}),
    post(f"{GAME}/players/0/building/finish", None, SEAT_0, Idempotency_Key=_KEY),
    post(f"{GAME}/players/1/building/finish", None, SEAT_1, Idempotency_Key=_KEY),
    at="/you/seat",
)
def key_of_another_client(view: View, **_: Any) -> Response:
    """Replay the response to another client that sent the same key."""
    key = environ().get("HTTP_IDEMPOTENCY_KEY")
    kept = memory().get(f"finish {key}") if key else None
    if kept is not None:
        shown = msgspec.json.decode(kept)
        return uncached_json(shown, 200, [("ETag", f'"{shown["version"]}"')])
    response = view()
    if key:
        memory().put(f"finish {key}", response.get_data(as_text=True))
    return response


@defect("medium", "join_game", refused("idempotency_key_reused"))
@breaks("Another request with a used key is refused with `idempotency_key_reused`.")
@shown_by(
    new_game("Ann", seat_count=4),
    post(f"{GAME}/players", {"name": "Bob"}, HOST, Idempotency_Key=_KEY),
    post(f"{GAME}/players", {"name": "Cy"}, HOST, Idempotency_Key=_KEY),
    at="status",
)
def key_for_another_body(view: View, **_: Any) -> Response:
    """Execute another request with a key that was used."""
    del environ()["HTTP_IDEMPOTENCY_KEY"]
    return view()


@defect("medium", "rotate_token")
@breaks("A retry returns the tokens of the first response again.")
@shown_by(new_game("Ann", "Bob"), _ROTATED, _ROTATED, at="/token")
def replay_with_another_token(view: View, **_: Any) -> Response:
    """Show a retry a token that is not valid."""
    response, name = view(), _name()
    if name is not None and memory().count(f"rotated {name}") > 1:
        change_json(response, lambda body: body.update(token=TokenSource().token("0")))
    return response


@defect("hard", "start_game")
@breaks("A request that was refused changed nothing: its key can be used again.")
@shown_by(LOBBY, _BEGUN, post(f"{GAME}/players", {"name": "Bob"}), _BEGUN, at="/status")
def refusal_is_remembered(view: View, **_: Any) -> Response:
    """Replay the refusal of a request whose reason has gone."""
    name, reason = _name(), "too_few_players"
    if name and memory().get(f"refused {name}"):
        raise Problem(reason)
    try:
        return view()
    except Problem as problem:
        if name and problem.code == reason:
            memory().put(f"refused {name}", reason)
        raise
