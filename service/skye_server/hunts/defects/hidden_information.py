"""Defects of the class `hidden_information`."""

from __future__ import annotations

import time
from typing import Any

from flask import Response

from skye import RuleError
from skye_server.error_codes import Problem
from skye_server.hunts.registry import GAME, SEAT_0, SEAT_1, defect, get, new_game, send
from skye_server.hunts.seams import SLOW_S, Seams, View, change_json

_OFFER = send("PUT", f"{GAME}/players/0/offer", {"discard": "L48", "prices": {"L10": 2, "L43": 1}}, SEAT_0)
_FIRST_ROUND = send("POST", "/v1/games", {"scenario": "first_round"})


@defect(
    "medium",
    "get_player",
    "The prices of other seats are hidden until every seat has set its own.",
    _FIRST_ROUND,
    _OFFER,
    get(f"{GAME}/players/0", SEAT_1),
    shows="/tiles_on_offer",
)
def prices_before_they_are_revealed(seams: Seams) -> None:
    """Show the prices of a seat to all, at one path."""

    @seams.view("get_player")
    def change(view: View, game: str, **_: Any) -> Response:
        response = view()

        def reveal(player: Any) -> None:
            state = seams.games.repository.current(game).state
            prices = () if state is None else state.players[player["seat"]].prices
            for offered, price in zip(player["tiles_on_offer"], prices, strict=False):
                offered["price"] = price

        change_json(response, reveal)
        return response


@defect(
    "hard",
    "place_tile",
    "The seed is hidden until the game is over.",
    send("POST", "/v1/games", {"scenario": "building_last_seat"}),
    send("POST", f"{GAME}/players/0/placements", {"tile": "L73", "x": 9, "y": 9, "rotation": 0}, SEAT_0),
    shows="/detail",
)
def seed_in_an_error(seams: Seams) -> None:
    """Name the seed of all draws in the text of an error."""

    @seams.view("place_tile")
    def change(view: View, game: str, **_: Any) -> Response:
        try:
            return view()
        except RuleError as error:
            seed = seams.games.repository.current(game).options.seed
            facts: dict[str, Any] = dict(error.facts)
            raise Problem(error.code, f"{error.detail} (seed {seed})", **facts) from error


@defect(
    "hard",
    "get_game",
    "For a client without one of its tokens, a private game is 404, like one that does not exist.",
    new_game("Ann", "Bob", visibility="private"),
    get(GAME),
    shows="slow",
)
def private_game_by_its_time(seams: Seams) -> None:
    """Take longer to refuse a game that exists."""

    @seams.refused("get_game", "game_not_found")
    def change(view: View, game: str, **_: Any) -> Response:
        if seams.games.store.load(game)[0] is not None:
            time.sleep(SLOW_S)
        return view()


@defect(
    "medium",
    "list_players",
    "The gold of other seats is hidden until the game is over, unless the game has `open_gold`.",
    _FIRST_ROUND,
    get(f"{GAME}/players", SEAT_0),
    shows="/players/1/gold",
)
def gold_of_others_for_seats(seams: Seams) -> None:
    """Show the gold of all to those who play."""

    @seams.view("list_players")
    def change(view: View, game: str, **_: Any) -> Response:
        response = view()

        def reveal(page: Any) -> None:
            state = seams.games.repository.current(game).state
            if state is not None and any(player["gold"] is not None for player in page["players"]):
                for player in page["players"]:
                    player["gold"] = state.players[player["seat"]].gold

        change_json(response, reveal)
        return response


@defect(
    "easy",
    "get_record",
    "The seed is null in the record of a game that is not over.",
    _FIRST_ROUND,
    get(f"{GAME}/record"),
    shows="/options/seed",
)
def seed_in_the_record(seams: Seams) -> None:
    """Show the seed of a game in play."""

    @seams.view("get_record")
    def change(view: View, game: str, **_: Any) -> Response:
        response = view()
        seed = seams.games.repository.current(game).options.seed
        change_json(response, lambda record: record["options"].update(seed=seed))
        return response
