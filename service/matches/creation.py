"""What a creator asks for, made into a table and seats."""

from __future__ import annotations

import secrets
from typing import Any

from service.matches.errors import Problem
from service.matches.match import GameOptions, OnTimeout, Seat, SeedSource, Table
from service.matches.tokens import TokenSource, hash_token
from skye import TieBreak


def beginning_of(body: dict[str, Any]) -> dict[str, Any]:
    """Return the body that would have begun the recorded game.

    :raises Problem: game_not_over, since something in its record is hidden.
    """
    record = body["record"]
    if record["options"]["seed"] is None or None in record["actions"]:
        raise Problem("game_not_over")
    chosen = {name: value for name, value in record["options"].items() if value is not None}
    return body | {"players": record["players"], "start": True, "options": chosen | body["options"]}


def new_table(body: dict[str, Any], game_id: str, tokens: TokenSource, now_ms: int) -> Table:
    """Return the table that was asked for, without its players.

    :raises Problem: invalid_setup, when a seat is to start that nobody can ever have.
    """
    players = body["players"]
    everybody = len(players) if body["start"] and len(players) > 1 else 5
    capacity, starts = body.get("seats", everybody), body["options"].get("starting_seat", 0)
    if starts >= capacity:
        raise Problem(
            "invalid_setup", f"Seat {starts} was to start, and there are {capacity} seats from 0 on."
        )
    return Table(
        id=game_id,
        name=body["name"],
        host=hash_token(tokens.token("host")),
        options=_options(body["options"]),
        created_ms=now_ms,
        capacity=capacity,
        private=body["private"],
        start_when_full=body["start"],
    )


def _options(chosen: dict[str, Any]) -> GameOptions:
    options: dict[str, Any] = dict(chosen)
    if "seed" in options:
        options["seed_source"] = SeedSource.CREATOR
    else:
        options["seed"] = secrets.token_hex(16)
    if "scoring_tiles" in options:
        options["scoring_tiles"] = tuple(options["scoring_tiles"])
    if "tie_break" in options:
        options["tie_break"] = TieBreak(options["tie_break"])
    if "on_timeout" in options:
        options["on_timeout"] = OnTimeout(options["on_timeout"])
    return GameOptions(**options)


def new_seat(player: dict[str, Any], tokens: TokenSource, number: int) -> Seat:
    """Return the seat of a person, for whom a token is made, or of a bot."""
    bot = player.get("bot")
    name = player.get("name") or f"{bot} {number + 1}".capitalize()
    return Seat(name, player.get("color", ""), "" if bot else hash_token(tokens.token(str(number))), bot)
