"""The requests of the witnesses of defects, in the form of a report's evidence."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import msgspec

Request: TypeAlias = dict[str, Any]


def get(path: str, token: str | None = None, **headers: str) -> Request:
    """Return a GET.

    :param token: the bearer token, or a reference such as `{{1/host_token}}`.
    """
    return send("GET", path, None, token, **headers)


def post(path: str, body: Any = None, token: str | None = None, **headers: str) -> Request:
    """Return a POST."""
    return send("POST", path, body, token, **headers)


def send(method: str, path: str, body: Any = None, token: str | None = None, **headers: str) -> Request:
    """Return a request; an underscore in the name of a header stands for a hyphen."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    if token is not None:
        named["Authorization"] = f"Bearer {token}"
    return {
        "method": method,
        "path": path,
        "headers": [{"name": name, "value": value} for name, value in named.items()],
        "body": None if body is None else msgspec.json.encode(body).decode(),
        "together": False,
    }


def new_game(*names: str, options: Request | None = None, key: str | None = None, **more: Any) -> Request:
    """Return the creation of a game with a seed; with two players or more it starts at once.

    :param key: an idempotency key.
    """
    body = {
        "players": [{"name": name} for name in names],
        "options": {"seed": "hunt", **(options or {})},
        "auto_start": len(names) > 1,
    }
    return post("/v1/games", body | more, **({"Idempotency_Key": key} if key else {}))


def scenario(name: str) -> Request:
    """Return the creation of a game from a scenario."""
    return post("/v1/games", {"scenario": name})


STARTED: Final = new_game("Ann", "Bob")
"""The creation of a game in its first round."""

LOBBY: Final = new_game("Ann", seat_count=2)
"""The creation of a game with a free seat."""

GAME: Final = "/v1/games/{{1/game/id}}"
"""The path of the game that the first request has created."""

HOST: Final = "{{1/host_token}}"
SEAT_0: Final = "{{1/players/0/token}}"
SEAT_1: Final = "{{1/players/1/token}}"
"""The tokens of this game."""
