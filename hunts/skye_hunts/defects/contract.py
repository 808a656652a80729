"""Defects of the class `contract`."""

from __future__ import annotations

from typing import Any

from flask import Response

from skye_hunts.registry import breaks, defect, shown_by
from skye_hunts.seams import View, environ, response, response_body
from skye_hunts.witnesses import GAME, HOST, SEAT_0, STARTED, get, new_game, post, scenario
from skye_server.error_codes import Problem
from skye_server.http.middleware import REQUEST_ID
from skye_server.http.problems import response_for


@defect("easy", "get_game", response_body)
@breaks("`last_event` of `Game` is required.")
@shown_by(STARTED, get(GAME), at="/last_event")
def game_without_last_event(game: Any) -> None:
    """Leave a required field out."""
    del game["last_event"]


@defect("easy", "list_games", response_body)
@breaks("`seat_count` of a listed game is an integer.")
@shown_by(STARTED, get("/v1/games"), at="/games/0/seat_count")
def seat_count_as_text(page: Any) -> None:
    """Send a number as a string."""
    for game in page["games"]:
        game["seat_count"] = str(game["seat_count"])


@defect("easy", "start_game", response)
@breaks("`POST /v1/games/{game}/start` responds 200; 202 is not documented.")
@shown_by(new_game("Ann", "Bob", auto_start=False), post(f"{GAME}/start", token=HOST), at="status")
def start_is_accepted_only(response: Response) -> None:
    """Respond with a status that the contract does not name."""
    response.status_code = 202


@defect("easy", "get_record", response)
@breaks("A record is `application/json`.")
@shown_by(STARTED, get(f"{GAME}/record"), at="header:Content-Type")
def record_as_plain_text(response: Response) -> None:
    """Send another media type."""
    response.headers["Content-Type"] = "text/plain; charset=utf-8"


@defect("medium", "get_player")
@breaks("Every error is `application/problem+json` with a `code`.")
@shown_by(STARTED, get(f"{GAME}/players/4"), at="/code")
def missing_seat_without_code(view: View, **_: Any) -> Response:
    """Send an error response without its code."""
    try:
        return view()
    except Problem as problem:
        response = response_for(problem, environ()[REQUEST_ID])
        response.set_data(response.get_data().replace(b'"code"', b'"error"'))
        return response


@defect("hard", "get_round", response_body)
@breaks("`tiles_kept` of a seat in a round is a list, never null.")
@shown_by(
    scenario("last_action"),
    post(f"{GAME}/players/0/building/finish", token=SEAT_0),
    get(f"{GAME}/rounds/6"),
    at="/players/0/tiles_kept",
)
def null_in_a_complete_round(report: Any) -> None:
    """Send null instead of a list once a round is over."""
    for player in report["players"] if report["complete"] else ():
        player["tiles_kept"] = player["tiles_kept"] or None
