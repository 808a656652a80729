"""Defects of the class `state`."""

from __future__ import annotations

import time
from typing import Any

import msgspec
from flask import Response

from skye_hunts.registry import breaks, defect, shown_by
from skye_hunts.seams import (
    SLOW_S,
    View,
    change_json,
    current,
    environ,
    json_of,
    json_sent,
    memory,
    replace_body,
    response_body,
)
from skye_hunts.witnesses import GAME, HOST, LOBBY, SEAT_0, get, new_game, post, scenario, send
from skye_server.games.authorization import SPECTATOR
from skye_server.games.views.game import game_view
from skye_server.http.responses import uncached_json

_MANY = 12


@defect("hard", "advance_clock")
@breaks("A deadline passes at its time, not after it.")
@shown_by(
    new_game("Ann", "Bob", options={"turn_ms": 1000, "clock": "manual"}),
    post(f"{GAME}/clock", {"advance_ms": 1000}, HOST),
    at="/phase",
)
def deadline_one_too_late(view: View, game: str, **_: Any) -> Response:
    """Stop a clock one millisecond before the deadline that it would reach."""
    found = current(game)
    due_ms = (found.deadline_ms or 0) - (found.clock_ms or 0)

    def stop_early(body: Any) -> None:
        if body.get("advance_ms") == due_ms > 1:
            body["advance_ms"] -= 1

    replace_body(stop_early)
    return view()


@defect("medium", "take_back")
@breaks("A tile that is taken back is in hand again, and no longer in the territory.")
@shown_by(
    scenario("building_last_seat"),
    get(f"{GAME}/players/0/actions", SEAT_0),
    post(
        f"{GAME}/players/0/placements",
        {"tile": "{{2/actions/0/body/tile}}", "x": 0, "y": 1, "rotation": 0},
        SEAT_0,
    ),
    send("DELETE", f"{GAME}/players/0/placements/1", None, SEAT_0),
    at="/players/0/territory",
)
def undo_keeps_the_tile(view: View, game: str, **_: Any) -> Response:
    """Show a tile in the territory after it was taken back."""
    found = current(game)
    before = game_view(found, SPECTATOR.in_game(found))
    response = view()
    seat = json_of(response)["you"]["seat"]
    placed = before["players"][seat]["territory"][-1]
    return change_json(response, lambda body: body["players"][seat]["territory"].append(placed))


@defect("medium", "create_game")
@breaks("Each `POST /v1/games` opens a game of its own.")
@shown_by(scenario("two_players"), scenario("two_players"), at="/game/id")
def scenario_is_shared(view: View, **_: Any) -> Response:
    """Give all who begin from a scenario the same game."""
    response = view()
    if json_sent().get("scenario") != "two_players":
        return response
    kept = memory().get("scenario")
    if kept is None:
        memory().put("scenario", response.get_data(as_text=True))
        return response
    shown = msgspec.json.decode(kept)
    game = shown["game"]
    headers = [("ETag", f'"{game["version"]}"'), ("Location", f"/v1/games/{game['id']}")]
    return uncached_json(shown, 201, headers)


@defect("hard", "list_scenarios", changes=["list_scenarios", "create_game"])
@breaks(f"The list of scenarios does not depend on the games: it is as fast after {_MANY} games as before.")
@shown_by(*[new_game("Ann")] * _MANY, get("/v1/scenarios"), at="slow")
def slow_after_many_games(view: View, **_: Any) -> Response:
    """Become slow with the number of games."""
    if environ()["REQUEST_METHOD"] == "POST":
        memory().count("games")
    elif int(memory().get("games") or 0) >= _MANY:
        time.sleep(SLOW_S)
    return view()


@defect("easy", "abort_game", response_body)
@breaks("After the host has aborted a game in its lobby, the status of the game is `aborted`.")
@shown_by(LOBBY, post(f"{GAME}/abort", None, HOST), at="/status")
def aborted_game_is_playing(game: Any) -> None:
    """Show the status before the change."""
    game["status"] = "playing" if game["scoring_tiles"] else "lobby"
