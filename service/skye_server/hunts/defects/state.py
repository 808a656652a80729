"""Defects of the class `state`."""

from __future__ import annotations

import time
from typing import Any

import msgspec
from flask import Response

from skye_server.games.authorization import SPECTATOR
from skye_server.games.views.game import game_view
from skye_server.http.responses import uncached_json
from skye_server.hunts.registry import GAME, HOST, SEAT_0, defect, get, new_game, send
from skye_server.hunts.seams import SLOW_S, Seams, View, change_json, json_of, json_of_request, replace_body

_MANY = 12
_TIMED = new_game("Ann", "Bob", options={"turn_ms": 1000, "clock": "manual"})


@defect(
    "hard",
    "advance_clock",
    "A deadline passes at its time, not after it.",
    _TIMED,
    send("POST", f"{GAME}/clock", {"advance_ms": 1000}, HOST),
    shows="/phase",
)
def deadline_one_too_late(seams: Seams) -> None:
    """Stop a clock one millisecond before the deadline that it would reach."""

    @seams.view("advance_clock")
    def change(view: View, game: str, **_: Any) -> Response:
        found = seams.games.repository.current(game)
        due_ms = (found.deadline_ms or 0) - (found.clock_ms or 0)

        def stop_early(body: Any) -> None:
            if body.get("advance_ms") == due_ms > 1:
                body["advance_ms"] -= 1

        replace_body(stop_early)
        return view()


@defect(
    "medium",
    "take_back",
    "A tile that is taken back is in hand again, and no longer in the territory.",
    send("POST", "/v1/games", {"scenario": "building_last_seat"}),
    get(f"{GAME}/players/0/actions", SEAT_0),
    send(
        "POST",
        f"{GAME}/players/0/placements",
        {"tile": "{{2/actions/0/body/tile}}", "x": 0, "y": 1, "rotation": 0},
        SEAT_0,
    ),
    send("DELETE", f"{GAME}/players/0/placements/1", None, SEAT_0),
    shows="/players/0/territory",
)
def undo_keeps_the_tile(seams: Seams) -> None:
    """Show a tile in the territory after it was taken back."""

    @seams.view("take_back")
    def change(view: View, game: str, **_: Any) -> Response:
        before = game_view(seams.games.repository.current(game), SPECTATOR)
        response = view()
        seat = json_of(response)["you"]["seat"]
        placed = before["players"][seat]["territory"][-1]
        change_json(response, lambda body: body["players"][seat]["territory"].append(placed))
        return response


@defect(
    "medium",
    "create_game",
    "Each `POST /v1/games` opens a game of its own.",
    send("POST", "/v1/games", {"scenario": "two_players"}),
    send("POST", "/v1/games", {"scenario": "two_players"}),
    shows="/game/id",
)
def scenario_is_shared(seams: Seams) -> None:
    """Give all who begin from a scenario the same game."""

    @seams.view("create_game")
    def change(view: View, **_: Any) -> Response:
        response = view()
        scenario = json_of_request().get("scenario")
        if scenario != "two_players":
            return response
        kept = seams.memory.get(f"scenario {scenario}")
        if kept is None:
            seams.memory.put(f"scenario {scenario}", response.get_data(as_text=True))
            return response
        shown = msgspec.json.decode(kept)
        game = shown["game"]
        headers = [("ETag", f'"{game["version"]}"'), ("Location", f"/v1/games/{game['id']}")]
        return uncached_json(shown, 201, headers)


@defect(
    "hard",
    "list_scenarios",
    f"The list of scenarios does not depend on the games: it is as fast after {_MANY} games as before.",
    *[new_game("Ann")] * _MANY,
    get("/v1/scenarios"),
    shows="slow",
)
def slow_after_many_games(seams: Seams) -> None:
    """Become slow with the number of games."""

    @seams.view("create_game")
    def count(view: View, **_: Any) -> Response:
        seams.memory.count("games")
        return view()

    @seams.view("list_scenarios")
    def change(view: View, **_: Any) -> Response:
        if int(seams.memory.get("games") or 0) >= _MANY:
            time.sleep(SLOW_S)
        return view()


@defect(
    "easy",
    "abort_game",
    "After `POST .../abort` the status of the game is `aborted`.",
    new_game("Ann", "Bob"),
    send("POST", f"{GAME}/abort", None, HOST),
    shows="/status",
)
def aborted_game_is_playing(seams: Seams) -> None:
    """Show the status before the change."""

    @seams.body("abort_game")
    def change(game: Any) -> None:
        game["status"] = "playing"
