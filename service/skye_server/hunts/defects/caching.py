"""Defects of the class `caching`."""

from __future__ import annotations

import re

from flask import Response

from skye_server.hunts.registry import GAME, SEAT_0, defect, get, new_game, send
from skye_server.hunts.seams import Environ, Seams, environ


@defect(
    "medium",
    "get_position",
    "The `ETag` contains the version of the game, so it changes with each change.",
    send("POST", "/v1/games", {"scenario": "pricing_last_seat"}),
    get(f"{GAME}/position"),
    shows="header:ETag",
)
def etag_of_every_other_version(seams: Seams) -> None:
    """Keep the entity tag for two versions."""

    @seams.response("get_position")
    def change(response: Response) -> None:
        def even(found: re.Match[str]) -> str:
            return f'"{int(found[1]) // 2 * 2}'

        response.headers["ETag"] = re.sub(r'"(\d+)', even, response.headers["ETag"])


@defect(
    "hard",
    "get_scores",
    "304 says that the copy is current; with the tag of an older version the response is 200.",
    new_game("Ann", "Bob"),
    get(f"{GAME}/scores", If_None_Match='"3"'),
    shows="status",
)
def not_modified_after_a_change(seams: Seams) -> None:
    """Respond 304 to the tag of the version before."""

    @seams.request("get_scores")
    def change(environ: Environ) -> None:
        tags = environ.get("HTTP_IF_NONE_MATCH", "")
        if found := re.fullmatch(r'"(\d{1,5})((?:-[-a-z0-9]*)?)"', tags):
            environ["HTTP_IF_NONE_MATCH"] = f'{tags}, "{int(found[1]) + 1}{found[2]}"'


@defect(
    "medium",
    "list_rounds",
    "`HEAD` has the headers of `GET` (RFC 9110, 9.3.2).",
    new_game("Ann", "Bob"),
    {**get(f"{GAME}/rounds"), "method": "HEAD"},
    shows="header:ETag",
)
def head_without_etag(seams: Seams) -> None:
    """Leave the entity tag out of the response to `HEAD`."""

    @seams.response("list_rounds")
    def change(response: Response) -> None:
        if environ()["REQUEST_METHOD"] == "HEAD":
            del response.headers["ETag"]


@defect(
    "easy",
    "get_game",
    "A view of a game depends on the token: its `Vary` contains `Authorization`.",
    new_game("Ann", "Bob"),
    get(GAME),
    shows="header:Vary",
)
def vary_without_authorization(seams: Seams) -> None:
    """Let a shared cache give the view of one caller to another."""

    @seams.response("get_game")
    def change(response: Response) -> None:
        response.headers["Vary"] = "Accept"


@defect(
    "easy",
    "get_territory",
    "A view of a game is `Cache-Control: private, no-cache`.",
    new_game("Ann", "Bob"),
    get(f"{GAME}/players/0/territory"),
    shows="header:Cache-Control",
)
def territory_is_public_for_an_hour(seams: Seams) -> None:
    """Let every cache keep what changes."""

    @seams.response("get_territory")
    def change(response: Response) -> None:
        response.headers["Cache-Control"] = "public, max-age=3600"


@defect(
    "hard",
    "list_actions",
    "The entity tag of a view differs by caller, because a browser sends the tag that it has.",
    send("POST", "/v1/games", {"scenario": "first_round"}),
    get(f"{GAME}/players/0/actions", SEAT_0),
    shows="header:ETag",
)
def etag_of_all_callers(seams: Seams) -> None:
    """Use one entity tag for the lists of all seats."""

    @seams.response("list_actions")
    def change(response: Response) -> None:
        response.headers["ETag"] = re.sub(r'-[^"]*', "", response.headers["ETag"])
