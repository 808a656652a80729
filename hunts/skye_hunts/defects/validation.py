"""Defects of the class `validation`."""

from __future__ import annotations

import re
from typing import Any

from skye_hunts.registry import breaks, defect, shown_by
from skye_hunts.seams import sent_body
from skye_hunts.witnesses import GAME, LOBBY, SEAT_0, post, scenario, send
from skye_server.error_codes import FieldError, Problem

_FREE = {"discard": "L48", "prices": {"L10": 0, "L43": 2}}
_PLACEMENTS = [{"tile": "L01", "x": "1", "y": 0, "rotation": 0}]


@defect("medium", "create_game", sent_body)
@breaks("The name of a game has 60 characters at most.")
@shown_by(post("/v1/games", {"name": "x" * 61}), at="status")
def name_one_too_long(body: Any) -> None:
    """Accept one character more than the maximum."""
    if isinstance(body.get("name"), str) and len(body["name"]) == 61:
        body["name"] = body["name"][:60]


@defect("medium", "join_game", sent_body)
@breaks("A name may contain every visible character, so also those beyond the Basic Multilingual Plane.")
@shown_by(LOBBY, post(f"{GAME}/players", {"name": "Zoé 🐑"}), at="status")
def emoji_in_name_refused(body: Any) -> None:
    """Refuse characters that take two code units in UTF-16."""
    if any(character > "\uffff" for character in str(body.get("name", ""))):
        raise Problem("invalid_body", errors=[FieldError("/name", "This has an invalid character.")])


@defect("easy", "change_player", sent_body)
@breaks("The server rejects fields of bodies that it does not know.")
@shown_by(LOBBY, send("PATCH", f"{GAME}/players/0", {"name": "Zoe", "nickname": "Z"}, SEAT_0), at="status")
def unknown_fields_accepted(body: Any) -> None:
    """Ignore unknown fields of a body."""
    for name in body.keys() - {"name", "color"}:
        del body[name]


@defect("medium", "set_offer", sent_body)
@breaks("A price is at least 1 gold; otherwise the response is `price_too_low`.")
@shown_by(scenario("first_round"), send("PUT", f"{GAME}/players/0/offer", _FREE, SEAT_0), at="status")
def free_tile_accepted(body: Any) -> None:
    """Take a price of 0 for 1."""
    prices = body.get("prices")
    if isinstance(prices, dict):
        body["prices"] = {tile: price or 1 for tile, price in prices.items()}


@defect("hard", "try_placements", sent_body)
@breaks("A number in a string is no number; `x` and `y` are integers.")
@shown_by(
    scenario("building_last_seat"),
    post(f"{GAME}/players/0/what-if", {"placements": _PLACEMENTS}, SEAT_0),
    at="status",
)
def coordinate_in_a_string(body: Any) -> None:
    """Convert strings to numbers."""
    placements = body.get("placements")
    for placement in placements if isinstance(placements, list) else ():
        if isinstance(placement, dict) and re.fullmatch("[0-9]{1,4}", str(placement.get("x"))):
            placement["x"] = int(placement["x"])
