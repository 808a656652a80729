"""The registry of defects: a decorator that adds a function, which installs a defect, under its name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from skye_server.commands.hunts import Defect
from skye_server.hunts.seams import Seams

REGISTERED: Final[dict[str, Defect]] = {}

Request: TypeAlias = dict[str, Any]
Install: TypeAlias = Callable[[Seams], None]


def defect(
    difficulty: str, operation: str, breaks: str, *witness: Request, shows: str = ""
) -> Callable[[Install], Install]:
    """Register a defect of the class that its module is named after; see `Defect`."""

    def decorator(install: Install) -> Install:
        name, kind = install.__name__, install.__module__.rpartition(".")[2]
        assert name not in REGISTERED
        REGISTERED[name] = Defect(name, kind, difficulty, operation, breaks, witness, shows, install)
        return install

    return decorator


def get(path: str, token: str | None = None, **headers: str) -> Request:
    """Return a GET of a witness.

    :param token: the bearer token, or a reference such as `{{1/host_token}}`.
    """
    return send("GET", path, None, token, **headers)


def send(method: str, path: str, body: Any = None, token: str | None = None, **headers: str) -> Request:
    """Return a request of a witness; an underscore in the name of a header stands for a hyphen."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    if token is not None:
        named["Authorization"] = f"Bearer {token}"
    return {"method": method, "path": path, "body": body, "headers": named}


def new_game(*names: str, **more: Any) -> Request:
    """Return the creation of a game with a seed; with two players or more it starts at once."""
    players: Sequence[dict[str, Any]] = [{"name": name} for name in names]
    options = {"seed": "hunt", **more.pop("options", {})}
    body = {"players": players, "options": options, "auto_start": len(players) > 1, **more}
    return send("POST", "/v1/games", body)


GAME: Final = "/v1/games/{{1/game/id}}"
"""The path of the game that the first request of a witness has created."""

HOST: Final = "{{1/host_token}}"
SEAT_0: Final = "{{1/players/0/token}}"
SEAT_1: Final = "{{1/players/1/token}}"
"""The tokens of this game."""
