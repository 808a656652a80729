"""Playing: what is open to a seat, and the moves of the three phases that need a decision."""

from __future__ import annotations

from typing import Any

from flask import Response

from engine import Buy, FinishBuilding, Move, Pass, Place, SetOffer, TakeBack
from service import views
from service.auth import Caller, TokenSource
from service.exchange import Resource, accepted, call, games, own_seat, shown, token, unchanged
from service.problems import Problem
from service.schemas import requests
from service.steps import Step, game_in_play, make_move
from service.table import Table

blueprint = Resource(
    "Play", __name__, url_prefix="/v1/games/<game>/players/<int:seat>", description="Make moves."
)


@blueprint.route("/actions")
def list_actions(game: str, seat: int) -> Response:
    """List every action open to a seat now, each as a request that can be sent as it stands."""
    table, caller = games().read(game, token())
    own_seat(caller, seat, len(table.seats))
    return unchanged(table.version) or shown(views.actions_view(table, seat), version=table.version)


@blueprint.route("/offer", methods=["PUT"])
@blueprint.arguments(requests.Offer)
def set_offer(offer: dict[str, Any], game: str, seat: int) -> Response:
    """Set or replace a seat's prices and discard, in secret until every seat has set theirs."""
    return _play(game, seat, SetOffer(offer["discard"], tuple(offer["prices"].items())))


@blueprint.route("/purchase", methods=["POST"])
@blueprint.arguments(requests.Purchase)
def purchase(choice: dict[str, Any], game: str, seat: int) -> Response:
    """Buy a tile from another player, or pass."""
    return _play(game, seat, Buy(choice["tile"]) if "tile" in choice else Pass())


@blueprint.route("/placements", methods=["POST"])
@blueprint.arguments(requests.Placement)
def place_tile(placement: dict[str, Any], game: str, seat: int) -> Response:
    """Add a tile in hand to the territory."""
    return _play(game, seat, Place(**placement))


@blueprint.route("/placements/last", methods=["DELETE"])
def take_back(game: str, seat: int) -> Response:
    """Take back the last placement of this round."""
    return _play(game, seat, TakeBack())


@blueprint.route("/build/finish", methods=["POST"])
def finish_building(game: str, seat: int) -> Response:
    """Declare the build finished; tiles that have no place go back into the bag."""
    return _play(game, seat, FinishBuilding())


def _play(game: str, seat: int, move: Move) -> Response:
    def decide(table: Table, caller: Caller, now_ms: int, _tokens: TokenSource) -> Step:
        own_seat(caller, seat, len(table.seats))
        game_in_play(table)
        if table.seats[seat].bot:
            raise Problem("seat_played_by_bot")
        return make_move(table, seat, move, now_ms)

    def tell(table: Table, caller: Caller, _tokens: TokenSource) -> tuple[int, Any]:
        return 200, views.game_view(table, caller)

    return accepted(games().write(game, call(), decide, tell))
