"""Defects of the class `caching`."""

from __future__ import annotations

import re

from flask import Response

from skye_hunts.registry import breaks, defect, shown_by
from skye_hunts.seams import Environ, environ, response, sent_headers
from skye_hunts.witnesses import GAME, SEAT_0, STARTED, get, scenario, send


@defect("medium", "get_position", response)
@breaks("The `ETag` contains the version of the game, so it changes with each change.")
@shown_by(scenario("pricing_last_seat"), get(f"{GAME}/position"), at="header:ETag")
def etag_of_every_other_version(response: Response) -> None:
    """Keep the entity tag for two versions."""

    def even(found: re.Match[str]) -> str:
        return f'"{int(found[1]) // 2 * 2}'

    response.headers["ETag"] = re.sub(r'"(\d+)', even, response.headers["ETag"])


@defect("hard", "get_scores", sent_headers)
@breaks("304 says that the copy is current; with the tag of an older version the response is 200.")
@shown_by(STARTED, get(f"{GAME}/scores", If_None_Match='"3"'), at="status")
def not_modified_after_a_change(environ: Environ) -> None:
    """Respond 304 to the tag of the version before."""
    tags = environ.get("HTTP_IF_NONE_MATCH", "")
    if found := re.fullmatch(r'"(\d{1,5})((?:-[-a-z0-9]*)?)"', tags):
        environ["HTTP_IF_NONE_MATCH"] = f'{tags}, "{int(found[1]) + 1}{found[2]}"'


@defect("medium", "list_rounds", response)
@breaks("`HEAD` has the headers of `GET` (RFC 9110, 9.3.2).")
@shown_by(STARTED, send("HEAD", f"{GAME}/rounds"), at="header:ETag")
def head_without_etag(response: Response) -> None:
    """Leave the entity tag out of the response to `HEAD`."""
    if environ()["REQUEST_METHOD"] == "HEAD":
        del response.headers["ETag"]


@defect("easy", "get_game", response)
@breaks("A view of a game depends on the token: its `Vary` contains `Authorization`.")
@shown_by(STARTED, get(GAME), at="header:Vary")
def vary_without_authorization(response: Response) -> None:
    """Let a shared cache give the view of one caller to another."""
    response.headers["Vary"] = "Accept"


@defect("easy", "get_territory", response)
@breaks("A view of a game is `Cache-Control: private, no-cache`.")
@shown_by(STARTED, get(f"{GAME}/players/0/territory"), at="header:Cache-Control")
def territory_is_public_for_an_hour(response: Response) -> None:
    """Let every cache keep what changes."""
    response.headers["Cache-Control"] = "public, max-age=3600"


@defect("hard", "list_actions", response)
@breaks("The entity tag of a view differs by caller, because a browser sends the tag that it has.")
@shown_by(scenario("first_round"), get(f"{GAME}/players/0/actions", SEAT_0), at="header:ETag")
def etag_of_all_callers(response: Response) -> None:
    """Use one entity tag for the lists of all seats."""
    response.headers["ETag"] = re.sub(r'-[^"]*', "", response.headers["ETag"])
