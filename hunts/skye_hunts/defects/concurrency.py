"""Defects of the class `concurrency`."""

from __future__ import annotations

import re
import threading
import time
from contextlib import suppress
from typing import Any

from flask import Response

from skye_hunts.registry import breaks, defect, shown_by
from skye_hunts.seams import (
    TOGETHER,
    Environ,
    View,
    change_json,
    current,
    environ,
    json_of,
    json_sent,
    replace_body,
    response,
    sent_headers,
)
from skye_hunts.witnesses import GAME, LOBBY, SEAT_0, get, new_game, post, scenario, send

_WINDOW_S = 0.06
_MAX_WAIT_S = 1.0
_OFFER = {"discard": "L48", "prices": {"L10": 1, "L43": 1}}
_TILE = {"tile": "{{1/game/players/1/tiles_on_offer/0/tile}}"}
_PURCHASE = send("PUT", f"{GAME}/players/0/purchase", _TILE, SEAT_0)


@defect("easy", "set_offer", sent_headers)
@breaks("With `If-Match` of another version a write is refused with `version_mismatch`.")
@shown_by(
    scenario("first_round"),
    send("PUT", f"{GAME}/players/0/offer", _OFFER, SEAT_0, If_Match='"99"'),
    at="status",
)
def if_match_ignored(environ: Environ) -> None:
    """Ignore `If-Match` of offers."""
    environ.pop("HTTP_IF_MATCH", None)


@defect("medium", "change_player", sent_headers)
@breaks("`If-Match` names one version; that of the version before does not match.")
@shown_by(LOBBY, send("PATCH", f"{GAME}/players/0", {"name": "Zoe"}, SEAT_0, If_Match='"1"'), at="status")
def if_match_of_the_version_before(environ: Environ) -> None:
    """Accept the version before the current one too."""
    tags = environ.get("HTTP_IF_MATCH", "")
    if found := re.fullmatch(r'"(\d{1,5})(?:-[-a-z0-9]*)?"', tags):
        environ["HTTP_IF_MATCH"] = f'{tags}, "{int(found[1]) + 1}"'


@defect("hard", "get_player", changes=["change_player"])
@breaks("Seats that change at the same time all succeed: a change keeps what it does not name.")
@shown_by(
    LOBBY,
    send("PATCH", f"{GAME}/players/0", {"name": "Zoe"}, SEAT_0),
    send("PATCH", f"{GAME}/players/0", {"color": "green"}, SEAT_0) | {"together": True},
    get(f"{GAME}/players/0"),
)
def lost_update_of_a_player(view: View, game: str, seat: int, **_: Any) -> Response:
    """Read the seat, and write all of it later."""
    seats = current(game).seats
    if 0 <= seat < len(seats):
        old = {"name": seats[seat].name, "color": seats[seat].color}
        _wait_for_others()
        replace_body(lambda body: body.update({**old, **body}) if body else None)
    return view()


def _wait_for_others() -> None:
    """Wait until the requests that a replay sends together are here; in a hunt, for a moment."""
    together = environ().get(TOGETHER)
    if together is None:
        time.sleep(_WINDOW_S)
    else:
        with suppress(threading.BrokenBarrierError):
            together.wait(_MAX_WAIT_S)


@defect("hard", "purchase")
@breaks("The same purchase again, in the same round, changes nothing.")
@shown_by(scenario("buying_last_seat"), _PURCHASE, _PURCHASE, at="/players/0/gold")
def purchase_paid_twice(view: View, game: str, **_: Any) -> Response:
    """Take the price once more for a repeated purchase."""
    version, response = current(game).version, view()
    shown = json_of(response)
    if shown["version"] == version and json_sent().get("tile") is not None:
        change_json(response, lambda body: _charge(body["players"], shown["you"]["seat"]))
    return response


def _charge(players: Any, seat: int) -> None:
    players[seat]["gold"] = max(0, (players[seat]["gold"] or 0) - 1)


@defect("medium", "join_game", response)
@breaks("The `ETag` of a response is that of the version that it shows.")
@shown_by(new_game("Ann", seat_count=3), post(f"{GAME}/players", {"name": "Bob"}), at="header:ETag")
def etag_before_the_change(response: Response) -> None:
    """Send the entity tag of the version before the change."""
    version = json_of(response)["game"]["version"]
    response.headers["ETag"] = f'"{version - 1}"'
