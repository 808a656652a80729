"""Defects of the class `hidden_information`."""

from __future__ import annotations

import time
from typing import Any

from flask import Response

from skye import RuleError
from skye_hunts.registry import breaks, defect, shown_by
from skye_hunts.seams import SLOW_S, View, change_json, current, games, refused
from skye_hunts.witnesses import GAME, SEAT_0, SEAT_1, get, new_game, post, scenario, send
from skye_server.error_codes import Problem

_OFFER = {"discard": "L48", "prices": {"L10": 2, "L43": 1}}


@defect("medium", "get_player")
@breaks("The prices of other seats are hidden until every seat has set its own.")
@shown_by(
    scenario("first_round"),
    send("PUT", f"{GAME}/players/0/offer", _OFFER, SEAT_0),
    get(f"{GAME}/players/0", SEAT_1),
    at="/tiles_on_offer",
)
def prices_before_they_are_revealed(view: View, game: str, **_: Any) -> Response:
    """Show the prices of a seat to all, at one path."""

    def reveal(player: Any) -> None:
        state = current(game).state
        prices = () if state is None else state.players[player["seat"]].prices
        for offered, price in zip(player["tiles_on_offer"], prices, strict=False):
            offered["price"] = price

    return change_json(view(), reveal)


@defect("hard", "place_tile")
@breaks("The seed is hidden until the game is finished.")
@shown_by(
    scenario("building_last_seat"),
    post(f"{GAME}/players/0/placements", {"tile": "L73", "x": 9, "y": 9, "rotation": 0}, SEAT_0),
    at="/detail",
)
def seed_in_an_error(view: View, game: str, **_: Any) -> Response:
    """Name the seed of all draws in the text of an error."""
    try:
        return view()
    except RuleError as error:
        facts: dict[str, Any] = dict(error.facts)
        seed = current(game).options.seed
        raise Problem(error.code, f"{error.detail} (seed {seed})", **facts) from error


@defect("hard", "get_game", refused("game_not_found"))
@breaks("For a client without one of its tokens, a private game is 404, like one that does not exist.")
@shown_by(new_game("Ann", "Bob", visibility="private"), get(GAME), at="slow")
def private_game_by_its_time(view: View, game: str, **_: Any) -> Response:
    """Take longer to refuse a game that exists."""
    if games().store.games.load(game)[0] is not None:
        time.sleep(SLOW_S)
    return view()


@defect("medium", "list_players")
@breaks("The gold of other seats is hidden until the game is finished, unless the game has `open_gold`.")
@shown_by(scenario("first_round"), get(f"{GAME}/players", SEAT_0), at="/players/1/gold")
def gold_of_others_for_seats(view: View, game: str, **_: Any) -> Response:
    """Show the gold of all to those who play."""

    def reveal(page: Any) -> None:
        state = current(game).state
        if state is not None and any(player["gold"] is not None for player in page["players"]):
            for player in page["players"]:
                player["gold"] = state.players[player["seat"]].gold

    return change_json(view(), reveal)


@defect("easy", "get_record")
@breaks("The seed is null in the record of a game that is not over.")
@shown_by(scenario("first_round"), get(f"{GAME}/record"), at="/options/seed")
def seed_in_the_record(view: View, game: str, **_: Any) -> Response:
    """Show the seed of a game in play."""
    return change_json(view(), lambda record: record["options"].update(seed=current(game).options.seed))
