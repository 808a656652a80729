"""Defects of the class `concurrency`."""

from __future__ import annotations

import re
import threading
import time
from contextlib import suppress
from typing import Any

from flask import Response, request

from skye_server.hunts.registry import GAME, SEAT_0, defect, get, new_game, send
from skye_server.hunts.seams import (
    TOGETHER,
    Environ,
    Seams,
    View,
    change_json,
    json_of,
    json_of_request,
    replace_body,
)

_WINDOW_S = 0.06
_MAX_WAIT_S = 1.0
_OFFER = {"discard": "L48", "prices": {"L10": 1, "L43": 1}}


@defect(
    "easy",
    "set_offer",
    "With `If-Match` of another version a write is refused with `version_mismatch`.",
    send("POST", "/v1/games", {"scenario": "first_round"}),
    send("PUT", f"{GAME}/players/0/offer", _OFFER, SEAT_0, If_Match='"99"'),
    shows="status",
)
def if_match_ignored(seams: Seams) -> None:
    """Ignore `If-Match` of offers."""

    @seams.request("set_offer")
    def change(environ: Environ) -> None:
        environ.pop("HTTP_IF_MATCH", None)


@defect(
    "medium",
    "change_player",
    "`If-Match` names one version; that of the version before does not match.",
    new_game("Ann", seat_count=2),
    send("PATCH", f"{GAME}/players/0", {"name": "Zoe"}, SEAT_0, If_Match='"1"'),
    shows="status",
)
def if_match_of_the_version_before(seams: Seams) -> None:
    """Accept the version before the current one too."""

    @seams.request("change_player")
    def change(environ: Environ) -> None:
        tags = environ.get("HTTP_IF_MATCH", "")
        if found := re.fullmatch(r'"(\d{1,5})(?:-[-a-z0-9]*)?"', tags):
            environ["HTTP_IF_MATCH"] = f'{tags}, "{int(found[1]) + 1}"'


@defect(
    "hard",
    "get_player",
    "Seats that change at the same time all succeed: a change keeps what it does not name.",
    new_game("Ann", seat_count=2),
    send("PATCH", f"{GAME}/players/0", {"name": "Zoe"}, SEAT_0),
    {**send("PATCH", f"{GAME}/players/0", {"color": "green"}, SEAT_0), "together": True},
    get(f"{GAME}/players/0"),
)
def lost_update_of_a_player(seams: Seams) -> None:
    """Read the seat, and write all of it later."""

    @seams.view("change_player")
    def change(view: View, game: str, seat: int, **_: Any) -> Response:
        seats = seams.games.repository.current(game).seats
        if 0 <= seat < len(seats):
            old = {"name": seats[seat].name, "color": seats[seat].color}
            _wait_for_others()
            replace_body(lambda body: body.update({**old, **body}) if body else None)
        return view()


def _wait_for_others() -> None:
    """Wait until the requests that a replay sends together are here; in a hunt, for a moment."""
    together = request.environ.get(TOGETHER)
    if together is None:
        time.sleep(_WINDOW_S)
    else:
        with suppress(threading.BrokenBarrierError):
            together.wait(_MAX_WAIT_S)


@defect(
    "hard",
    "purchase",
    "The same purchase again, in the same round, changes nothing.",
    send("POST", "/v1/games", {"scenario": "buying_last_seat"}),
    send("PUT", f"{GAME}/players/0/purchase", {"tile": "{{1/game/players/1/tiles_on_offer/0/tile}}"}, SEAT_0),
    send("PUT", f"{GAME}/players/0/purchase", {"tile": "{{1/game/players/1/tiles_on_offer/0/tile}}"}, SEAT_0),
    shows="/players/0/gold",
)
def purchase_paid_twice(seams: Seams) -> None:
    """Take the price once more for a repeated purchase."""

    @seams.view("purchase")
    def change(view: View, game: str, **_: Any) -> Response:
        version, response = seams.games.repository.current(game).version, view()
        shown = json_of(response)
        if shown["version"] == version and json_of_request().get("tile") is not None:
            change_json(response, lambda body: _charge(body["players"], shown["you"]["seat"]))
        return response


def _charge(players: Any, seat: int) -> None:
    players[seat]["gold"] = max(0, (players[seat]["gold"] or 0) - 1)


@defect(
    "medium",
    "join_game",
    "The `ETag` of a response is that of the version that it shows.",
    new_game("Ann", seat_count=3),
    send("POST", f"{GAME}/players", {"name": "Bob"}),
    shows="header:ETag",
)
def etag_before_the_change(seams: Seams) -> None:
    """Send the entity tag of the version before the change."""

    @seams.response("join_game")
    def change(response: Response) -> None:
        version = json_of(response)["game"]["version"]
        response.headers["ETag"] = f'"{version - 1}"'
