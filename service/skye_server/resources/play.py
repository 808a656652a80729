"""Playing: the legal actions of a seat, and the moves of the three phases that need a decision."""

from __future__ import annotations

from typing import Any, TypeAlias

from flask import Blueprint, Response

from skye import FinishBuilding, Place, SetOffer
from skye_server.commands.attempts import change_game
from skye_server.commands.game_commands import by_seat, make_purchase, moved, placement_taken_back
from skye_server.commands.views import TimedGameView
from skye_server.contract.moves import Offer, Placement, Purchase
from skye_server.contract.objects import ViewQuery
from skye_server.games.authorization import require_own_seat
from skye_server.games.views.actions import ActionListView, agreements, legal_actions
from skye_server.http.framework import collaborators
from skye_server.http.request_parsing import bearer_token, command_from_request, takes
from skye_server.http.responses import etag_of, game_response, json_response, not_modified
from skye_server.openapi.documented_errors import BODY_ERRORS, OWN_SEAT_ERRORS
from skye_server.openapi.operations import THIS_SEAT, Describe, Link, ResponseDoc, Token, reads, writes

blueprint = Blueprint("Play", __name__, url_prefix="/v1/games/<game>/players/<seat:seat>")

_Query: TypeAlias = dict[str, Any]


def _moves(*errors: str) -> Describe:
    """Document a move: its error codes, and those that every move has."""
    response = ResponseDoc(
        200,
        "The caller's view of the game after the move, at the next decision.",
        TimedGameView,
        links=[Link("list_actions", "The next legal actions of the seat.", THIS_SEAT)],
    )
    in_play = ("game_not_started", "game_aborted", "game_finished", "seat_played_by_bot", "game_paused")
    return writes(response, errors=[*OWN_SEAT_ERRORS, *in_play, "wrong_phase", *errors])


@blueprint.route("/actions")
@reads(
    ResponseDoc(
        200,
        "The actions.",
        ActionListView,
        links=[
            Link("set_offer", "In the pricing phase: an action of this type.", THIS_SEAT),
            Link("purchase", "In the buying phase: buy or pass.", THIS_SEAT),
            Link("place_tile", "In the building phase: an action of this type.", THIS_SEAT),
            Link("take_back", "In the building phase: an action of this type.", THIS_SEAT),
            Link("finish_building", "In the building phase: an action of this type.", THIS_SEAT),
        ],
    ),
    errors=[*OWN_SEAT_ERRORS, "not_acceptable"],
    token=Token.REQUIRED,
)
def list_actions(game: str, seat: int) -> Response:
    """List the legal actions of a seat.

    Each action is a complete request that the server would accept: a client without any knowledge of the
    rules can play a whole game with this list. In the building phase it has every legal placement. In the
    pricing phase it has one example, with the constraints of all other offers.

    A seat must act if it is in `waiting_for` of the game. Another seat has only actions with `revises`: true,
    which replace its offer or take back a placement, or none at all. So clients loop on `waiting_for`.
    """
    games = collaborators().games
    current, caller = games.read(game, bearer_token())
    seat = require_own_seat(current, caller, seat)
    offered = list(agreements(current, seat, games.time_of(current)))
    tag = etag_of(current, caller, f"-{len(offered)}" if offered else "")  # a version may get more
    cached = not_modified(tag)
    if cached is not None:
        return cached
    view: ActionListView = {
        "version": current.version,
        "actions": legal_actions(current, seat),
        "agreements": offered,
    }
    return json_response(view, tag=tag)


@blueprint.route("/offer", methods=["PUT"])
@_moves(
    *BODY_ERRORS, "tile_not_yours", "offer_incomplete", "price_too_low", "not_enough_gold", "too_many_changes"
)
@takes(Offer, "The tile to discard, and the prices of the other two.", query=ViewQuery)
def set_offer(query: _Query, offer: dict[str, Any], game: str, seat: int) -> Response:
    """Set prices and discard.

    The seat marks one of its three drawn tiles for discarding and lays gold on each of the others. The offer
    is secret until the last seat has set its own; the seat can replace it until then. Gold on tiles is not in
    the purse. A seat that has used up its revisions cannot replace it.
    """
    games, command = collaborators().games, command_from_request()
    move = moved(SetOffer(offer["discard"], tuple(offer["prices"].items())))
    changed = change_game(games, command, game, by_seat(seat), move)
    return game_response(changed, with_actions="include" in query)


@blueprint.route("/purchase", methods=["PUT"])
@_moves(*BODY_ERRORS, "not_your_turn", "own_tile", "tile_not_for_sale", "not_enough_gold")
@takes(Purchase, "The tile to buy, or a pass.", query=ViewQuery)
def purchase(query: _Query, choice: dict[str, str | None], game: str, seat: int) -> Response:
    """Buy a tile, or pass.

    From the starting seat clockwise, each seat may buy one tile from another seat, once. The buyer pays the
    price to the seller, who also takes back the gold on the tile. The same purchase again, in the same round,
    changes nothing and is no error.
    """
    changed = make_purchase(collaborators().games, command_from_request(), game, seat, choice["tile"])
    return game_response(changed, with_actions="include" in query)


@blueprint.route("/placements", methods=["POST"])
@_moves(
    *BODY_ERRORS, "tile_not_yours", "cell_occupied", "not_adjacent", "terrain_mismatch", "building_finished"
)
@takes(Placement, "The tile, with its cell and rotation.", query=ViewQuery)
def place_tile(query: _Query, placement: dict[str, Any], game: str, seat: int) -> Response:
    """Place a tile.

    The seat places a tile from its hand on an empty cell that shares an edge with a tile of the territory, in
    any rotation. Terrain on shared edges must match; roads need not continue. All seats build at the same
    time.
    """
    games, command = collaborators().games, command_from_request()
    changed = change_game(games, command, game, by_seat(seat), moved(Place(**placement)))
    return game_response(changed, with_actions="include" in query)


@blueprint.route("/placements/<int:number>", methods=["DELETE"])
@_moves("nothing_to_take_back", "not_last_placement", "building_finished", "too_many_changes")
@takes(query=ViewQuery)
def take_back(query: _Query, game: str, seat: int, number: int) -> Response:
    """Take back a placement.

    Until a seat has finished building, it may take back its placements of this round, last first. The path
    has the number of the last placement in this round, from 1, so that a retry takes back no other one. A
    seat that has used up its revisions cannot take anything back.
    """
    games, command = collaborators().games, command_from_request()
    changed = change_game(games, command, game, by_seat(seat), placement_taken_back(number))
    return game_response(changed, with_actions="include" in query)


@blueprint.route("/building/finish", methods=["POST"])
@_moves("placeable_tiles_left", "building_finished")
@takes(query=ViewQuery)
def finish_building(query: _Query, game: str, seat: int) -> Response:
    """Finish building.

    The seat must place every tile that has a legal place first; a tile without one goes back into the bag,
    and its gold is lost. When the last seat has finished, the server scores the round and begins the next
    one.
    """
    games, command = collaborators().games, command_from_request()
    changed = change_game(games, command, game, by_seat(seat), moved(FinishBuilding()))
    return game_response(changed, with_actions="include" in query)
