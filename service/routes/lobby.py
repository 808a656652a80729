"""Games from their creation to their start: create, list, look, join, leave, start, abort."""

from __future__ import annotations

import secrets
from typing import Any

from flask import Response

from engine import Action, TieBreak
from service import seating, views
from service.auth import Caller, TokenSource, hash_token
from service.exchange import Resource, accepted, call, games, host_only, own_seat, shown, token, unchanged
from service.problems import Problem
from service.schemas import requests
from service.steps import Step
from service.table import GameOptions, OnTimeout, Seat, SeedSource, Status, Table

blueprint = Resource("Lobby", __name__, url_prefix="/v1", description="Create, find, join and start games.")


@blueprint.route("/games", methods=["POST"])
@blueprint.arguments(requests.NewGame, required=False)
def create_game(body: dict[str, Any]) -> Response:
    """Create a game.

    Everything in the body is optional. The tokens in the answer are shown this once.
    """
    actions: list[Action] = []
    if "record" in body:
        actions = body["record"]["actions"][: body.get("until")]
        body = _beginning_of(body)

    def make(game_id: str, now_ms: int, tokens: TokenSource) -> Step:
        players = [_seat(player, tokens, number) for number, player in enumerate(body["players"])]
        step = seating.open_table(_table(body, game_id, tokens, now_ms), tuple(players), now_ms)
        return seating.replay(step, actions, now_ms)

    def tell(table: Table, caller: Caller, tokens: TokenSource) -> tuple[int, Any]:
        players = [
            {"seat": number, "token": tokens.given.get(str(number))} for number in range(len(table.seats))
        ]
        game = views.game_view(table, caller)
        return 201, {"game": game, "host_token": tokens.given["host"], "players": players}

    return accepted(games().create(call(), make, tell))


def _beginning_of(body: dict[str, Any]) -> dict[str, Any]:
    """Return the body that would have begun the recorded game.

    :raises Problem: game_not_over, since its record does not tell the seed.
    """
    record = body["record"]
    if record["options"]["seed"] is None:
        raise Problem("game_not_over")
    chosen = {name: value for name, value in record["options"].items() if value is not None}
    return body | {"players": record["players"], "start": True, "options": chosen | body["options"]}


def _table(body: dict[str, Any], game_id: str, tokens: TokenSource, now_ms: int) -> Table:
    players = body["players"]
    everybody = len(players) if body["start"] and len(players) > 1 else 5
    return Table(
        id=game_id,
        name=body["name"],
        host=hash_token(tokens.token("host")),
        options=_options(body["options"]),
        created_ms=now_ms,
        capacity=body.get("seats", everybody),
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


def _seat(player: dict[str, Any], tokens: TokenSource, number: int) -> Seat:
    bot = player.get("bot")
    name = player.get("name") or f"{bot} {number + 1}".capitalize()
    return Seat(name, player.get("color", ""), "" if bot else hash_token(tokens.token(str(number))), bot)


@blueprint.route("/games")
@blueprint.arguments(requests.GamesQuery, location="query")
def list_games(query: dict[str, Any]) -> Response:
    """List public games, newest first."""
    status = Status(query["status"]) if "status" in query else None
    tables, cursor = games().listing.page(status, query["limit"], query.get("cursor"))
    return shown({"games": [views.summary_view(table) for table in tables], "next_cursor": cursor})


@blueprint.route("/games/<game>")
def get_game(game: str) -> Response:
    """Get a game as the caller may see it."""
    table, caller = games().read(game, token())
    return unchanged(table.version) or shown(views.game_view(table, caller), version=table.version)


def own_view(table: Table, caller: Caller, _tokens: TokenSource) -> tuple[int, Any]:
    """Answer an action with the caller's new view of the game."""
    return 200, views.game_view(table, caller)


@blueprint.route("/games/<game>/players", methods=["POST"])
@blueprint.arguments(requests.NewPlayer)
def join_game(player: dict[str, Any], game: str) -> Response:
    """Take a seat, or as the host seat a bot."""

    def decide(table: Table, caller: Caller, now_ms: int, tokens: TokenSource) -> Step:
        if "bot" in player:
            host_only(caller)
        return seating.join(table, _seat(player, tokens, len(table.seats)), now_ms)

    def tell(table: Table, _caller: Caller, tokens: TokenSource) -> tuple[int, Any]:
        ((seat, seat_token),) = tokens.given.items() or ((len(table.seats) - 1, None),)
        number = int(seat)
        return 201, {"seat": number, "token": seat_token, "game": views.game_view(table, Caller(number))}

    return accepted(games().write(game, call(), decide, tell))


@blueprint.route("/games/<game>/players/<int:seat>", methods=["DELETE"])
def leave_game(game: str, seat: int) -> Response:
    """Leave the lobby, or resign and let a bot play on."""

    def decide(table: Table, caller: Caller, now_ms: int, _tokens: TokenSource) -> Step:
        if seat >= len(table.seats):
            raise Problem("seat_not_found")
        if not (caller.host and table.status is Status.LOBBY):
            own_seat(caller, seat, len(table.seats))
        return seating.leave(table, seat, now_ms)

    return accepted(games().write(game, call(), decide, own_view))


@blueprint.route("/games/<game>/start", methods=["POST"])
def start_game(game: str) -> Response:
    """Start the game with those who are seated."""

    def decide(table: Table, caller: Caller, now_ms: int, _tokens: TokenSource) -> Step:
        host_only(caller)
        return seating.start(table, now_ms)

    return accepted(games().write(game, call(), decide, own_view))


@blueprint.route("/games/<game>", methods=["DELETE"])
def abort_game(game: str) -> Response:
    """Abort the game."""

    def decide(table: Table, caller: Caller, now_ms: int, _tokens: TokenSource) -> Step:
        host_only(caller)
        return seating.abort(table, now_ms)

    return accepted(games().write(game, call(), decide, own_view))
