"""Playing: what is open to a seat, and the moves of the three phases that need a decision."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeAlias

from flask import Response

from service.matches.authorization import require_own_seat
from service.matches.views import actions_view
from service.openapi.operations import BODY, OWN_SEAT, Describe, Link, ResponseDoc, Token, reads, writes
from service.schemas import requests, responses
from service.usecases.commands import play_move
from service.web.collaborators import collaborators
from service.web.request_parsing import Resource, bearer_token, command_from_request
from service.web.responses import command_response, etag, json_response, not_modified
from skye import Buy, FinishBuilding, Move, Pass, Place, SetOffer, TakeBack

blueprint = Resource(
    "Play",
    __name__,
    url_prefix="/v1/games/<game>/players/<int:seat>",
    description="See what can be done, and do it: set prices, buy, build.",
)

_Query: TypeAlias = dict[str, Any]

_includes = blueprint.arguments(requests.ViewQuery, location="query")

_SEAT = {"game": "$request.path.game", "seat": "$request.path.seat"}


def _moves(*refuses: str) -> Describe:
    """Document a move, which the rules may refuse for these reasons, and any move for some more."""
    answer = ResponseDoc(
        200,
        "The move is made. The caller's new view of the game, moved on to the next decision.",
        responses.Game,
        links=[Link("list_actions", "What the seat can do next.", _SEAT)],
    )
    in_play = ("game_not_started", "game_aborted", "game_over", "seat_played_by_bot", "wrong_phase")
    return writes(answer, refuses=[*OWN_SEAT, *in_play, *refuses])


@blueprint.route("/actions")
@reads(
    ResponseDoc(
        200,
        "The actions.",
        responses.ActionList,
        links=[
            Link("set_offer", "In the pricing phase: an action of this type.", _SEAT),
            Link("purchase", "In the buying phase: buy or pass.", _SEAT),
            Link("place_tile", "In the building phase: an action of this type.", _SEAT),
            Link("take_back", "In the building phase: an action of this type.", _SEAT),
            Link("finish_building", "In the building phase: an action of this type.", _SEAT),
        ],
    ),
    refuses=[*OWN_SEAT, "not_acceptable"],
    token=Token.REQUIRED,
)
def list_actions(game: str, seat: int) -> Response:
    """List the legal actions of a seat.

    Each is a request that can be sent as it stands, and would be accepted: a client that knows no rules can
    play a whole game from this alone. For building, every legal placement is listed. For pricing there is one
    example, with the constraints that every other offer must meet. The list is empty when it is not for the
    seat to act.
    """
    match, caller = collaborators().games.read(game, bearer_token())
    require_own_seat(match, caller, seat)
    tag = etag(match.version, caller)
    return not_modified(tag) or json_response(actions_view(match, seat), tag=tag)


@blueprint.route("/offer", methods=["PUT"])
@_moves(*BODY, "tile_not_yours", "offer_incomplete", "price_too_low", "not_enough_gold", "too_many_changes")
@_includes
@blueprint.arguments(requests.Offer, description="The tile to discard, and the prices of the other two.")
def set_offer(query: _Query, offer: dict[str, Any], game: str, seat: int) -> Response:
    """Set prices and discard.

    Of the three tiles drawn one is marked for discarding, and gold of one's own laid on each of the others.
    It is secret until the last seat has set its offer, and can be replaced until then. The gold on tiles is
    out of the purse until it comes back. In a game of 1,500 changes nothing can be replaced any more.
    """
    return _play(query, game, seat, SetOffer(offer["discard"], tuple(offer["prices"].items())))


@blueprint.route("/purchase", methods=["POST"])
@_moves(*BODY, "not_your_turn", "own_tile", "tile_not_for_sale", "not_enough_gold")
@_includes
@blueprint.arguments(requests.Purchase, description="The tile, or a pass.")
def purchase(query: _Query, choice: dict[str, Any], game: str, seat: int) -> Response:
    """Buy a tile, or pass.

    From the starting seat clockwise, each seat once may buy one tile from another. The price goes from the
    buyer to the seller, who also takes back the gold that lay on the tile.
    """
    return _play(query, game, seat, Buy(choice["tile"]) if "tile" in choice else Pass())


@blueprint.route("/placements", methods=["POST"])
@_moves(*BODY, "tile_not_yours", "cell_occupied", "not_adjacent", "terrain_mismatch", "build_finished")
@_includes
@blueprint.arguments(requests.Placement, description="The tile, where, and how turned.")
def place_tile(query: _Query, placement: dict[str, Any], game: str, seat: int) -> Response:
    """Place a tile.

    A tile in hand goes on an empty cell that shares an edge with a tile of the territory, in any rotation.
    Terrain on shared edges must match; roads need not continue. All seats build at the same time.
    """
    return _play(query, game, seat, Place(**placement))


@blueprint.route("/placements/last", methods=["DELETE"])
@_moves("nothing_to_take_back", "build_finished", "too_many_changes")
@_includes
def take_back(query: _Query, game: str, seat: int) -> Response:
    """Take back a placement.

    Until a seat declares its build finished it may take back the placements of this round, last first. In a
    game of 1,500 changes nothing can be taken back any more.
    """
    return _play(query, game, seat, TakeBack())


@blueprint.route("/build/finish", methods=["POST"])
@_moves("placeable_tiles_left", "build_finished")
@_includes
def finish_building(query: _Query, game: str, seat: int) -> Response:
    """Finish building.

    Every tile that has a legal place must be placed before; a tile that has none goes back into the bag, with
    no gold back. When the last seat has finished, the round is scored and the next one begins.
    """
    return _play(query, game, seat, FinishBuilding())


def _play(query: _Query, game: str, seat: int, move: Move) -> Response:
    command = replace(command_from_request(), include_actions="include" in query)
    return command_response(play_move(collaborators().games, command, game, seat, move))
