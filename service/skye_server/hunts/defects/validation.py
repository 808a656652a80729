"""Defects of the class `validation`."""

from __future__ import annotations

from typing import Any

from skye_server.error_codes import FieldError, Problem
from skye_server.hunts.registry import GAME, SEAT_0, defect, new_game, send
from skye_server.hunts.seams import Seams


@defect(
    "medium",
    "create_game",
    "The name of a game has 60 characters at most.",
    send("POST", "/v1/games", {"name": "x" * 61}),
    shows="status",
)
def name_one_too_long(seams: Seams) -> None:
    """Accept one character more than the maximum."""

    @seams.sent("create_game")
    def change(body: Any) -> None:
        if isinstance(body.get("name"), str) and len(body["name"]) == 61:
            body["name"] = body["name"][:60]


@defect(
    "medium",
    "join_game",
    "A name may contain every visible character, so also those beyond the Basic Multilingual Plane.",
    new_game("Ann", seat_count=2),
    send("POST", f"{GAME}/players", {"name": "Zoé 🐑"}),
    shows="status",
)
def emoji_in_name_refused(seams: Seams) -> None:
    """Refuse characters that take two code units in UTF-16."""

    @seams.sent("join_game")
    def change(body: Any) -> None:
        if any(character > "\uffff" for character in str(body.get("name", ""))):
            raise Problem("invalid_body", errors=[FieldError("/name", "This has an invalid character.")])


@defect(
    "easy",
    "change_player",
    "The server rejects fields of bodies that it does not know.",
    new_game("Ann", seat_count=2),
    send("PATCH", f"{GAME}/players/0", {"name": "Zoe", "nickname": "Z"}, SEAT_0),
    shows="status",
)
def unknown_fields_accepted(seams: Seams) -> None:
    """Ignore unknown fields of a body."""

    @seams.sent("change_player")
    def change(body: Any) -> None:
        for name in body.keys() - {"name", "color"}:
            del body[name]


@defect(
    "medium",
    "set_offer",
    "A price is at least 1 gold; otherwise the response is `price_too_low`.",
    send("POST", "/v1/games", {"scenario": "first_round"}),
    send("PUT", f"{GAME}/players/0/offer", {"discard": "L48", "prices": {"L10": 0, "L43": 2}}, SEAT_0),
    shows="status",
)
def free_tile_accepted(seams: Seams) -> None:
    """Take a price of 0 for 1."""

    @seams.sent("set_offer")
    def change(body: Any) -> None:
        prices = body.get("prices")
        if isinstance(prices, dict):
            body["prices"] = {tile: price or 1 for tile, price in prices.items()}


@defect(
    "hard",
    "try_placements",
    "A number in a string is no number; `x` and `y` are integers.",
    send("POST", "/v1/games", {"scenario": "building_last_seat"}),
    send(
        "POST",
        f"{GAME}/players/0/what-if",
        {"placements": [{"tile": "L01", "x": "1", "y": 0, "rotation": 0}]},
        SEAT_0,
    ),
    shows="status",
)
def coordinate_in_a_string(seams: Seams) -> None:
    """Convert strings to numbers."""

    @seams.sent("try_placements")
    def change(body: Any) -> None:
        for placement in body.get("placements", ()):
            if isinstance(placement, dict) and str(placement.get("x")).isdigit():
                placement["x"] = int(placement["x"])
