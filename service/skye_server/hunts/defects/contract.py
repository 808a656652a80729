"""Defects of the class `contract`."""

from __future__ import annotations

from typing import Any

from flask import Response

from skye_server.error_codes import Problem
from skye_server.http.middleware import REQUEST_ID
from skye_server.http.problems import response_for
from skye_server.hunts.registry import GAME, HOST, SEAT_0, defect, get, new_game, send
from skye_server.hunts.seams import Seams, View, environ


@defect(
    "easy",
    "get_game",
    "`last_event` of `Game` is required.",
    new_game("Ann", "Bob"),
    get(GAME),
    shows="/last_event",
)
def game_without_last_event(seams: Seams) -> None:
    """Leave a required field out."""

    @seams.body("get_game")
    def change(game: Any) -> None:
        del game["last_event"]


@defect(
    "easy",
    "list_games",
    "`seat_count` of a listed game is an integer.",
    new_game("Ann", "Bob"),
    get("/v1/games"),
    shows="/games/0/seat_count",
)
def seat_count_as_text(seams: Seams) -> None:
    """Send a number as a string."""

    @seams.body("list_games")
    def change(page: Any) -> None:
        for game in page["games"]:
            game["seat_count"] = str(game["seat_count"])


@defect(
    "easy",
    "start_game",
    "`POST /v1/games/{game}/start` responds 200; 202 is not documented.",
    new_game("Ann", "Bob", auto_start=False),
    send("POST", f"{GAME}/start", token=HOST),
    shows="status",
)
def start_is_accepted_only(seams: Seams) -> None:
    """Respond with a status that the contract does not name."""

    @seams.response("start_game")
    def change(response: Response) -> None:
        response.status_code = 202


@defect(
    "easy",
    "get_record",
    "A record is `application/json`.",
    new_game("Ann", "Bob"),
    get(f"{GAME}/record"),
    shows="header:Content-Type",
)
def record_as_plain_text(seams: Seams) -> None:
    """Send another media type."""

    @seams.response("get_record")
    def change(response: Response) -> None:
        response.headers["Content-Type"] = "text/plain; charset=utf-8"


@defect(
    "medium",
    "get_player",
    "Every error is `application/problem+json` with a `code`.",
    new_game("Ann", "Bob"),
    get(f"{GAME}/players/4"),
    shows="/code",
)
def missing_seat_without_code(seams: Seams) -> None:
    """Send an error response without its code."""

    @seams.view("get_player")
    def change(view: View, **_: Any) -> Response:
        try:
            return view()
        except Problem as problem:
            response = response_for(problem, environ()[REQUEST_ID])
            response.set_data(response.get_data().replace(b'"code"', b'"error"'))
            return response


@defect(
    "hard",
    "get_round",
    "`tiles_kept` of a seat in a round is a list, never null.",
    send("POST", "/v1/games", {"scenario": "last_action"}),
    send("POST", f"{GAME}/players/0/building/finish", token=SEAT_0),
    get(f"{GAME}/rounds/6"),
    shows="/players/0/tiles_kept",
)
def null_in_a_complete_round(seams: Seams) -> None:
    """Send null instead of a list once a round is over."""

    @seams.body("get_round")
    def change(report: Any) -> None:
        for player in report["players"] if report["complete"] else ():
            player["tiles_kept"] = player["tiles_kept"] or None
