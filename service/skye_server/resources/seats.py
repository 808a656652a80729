"""Seats: their list, the view of one seat, its offer, its purchase and its placements of this round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from flask import Blueprint, Response

import skye.views
from skye import Place
from skye.fields import MAX_TILES, BySeat, Keywords, LandscapeTileId, Prices, Seat
from skye.views import TerritoryTileView, territory_tiles_view
from skye_server.games.authorization import Caller, require_seat
from skye_server.games.game import Game
from skye_server.games.views.fields import Versioned, versioned
from skye_server.games.views.game import PlayerView, game_view
from skye_server.games.views.history import purchase_of
from skye_server.http.framework import collaborators
from skye_server.http.request_parsing import bearer_token
from skye_server.http.responses import versioned_json
from skye_server.openapi.documented_errors import OWN_SEAT_ERRORS
from skye_server.openapi.operations import THIS_GAME, THIS_SEAT, Describe, Link, ResponseDoc, reads

blueprint = Blueprint("Seats", __name__, url_prefix="/v1/games/<game>/players")


class CurrentOffer(Versioned):
    """The offer of a seat in this round: the tiles that are still on offer."""

    seat: Seat
    discard: Annotated[LandscapeTileId | None, "The tile to discard; null when hidden, or not set."]
    prices: Annotated[Prices | None, "Gold on the tiles for sale; null when hidden, or not set."]


class CurrentPurchase(Versioned):
    """The purchase or pass of a seat in this round."""

    seat: Seat
    purchase: Annotated[
        skye.views.RoundPurchaseView | None,
        "The purchase or pass; null until the seat has made it in this round.",
    ]


class NumberedPlacementView(TerritoryTileView):
    """A tile that a seat has placed in this round."""

    number: Annotated[
        int,
        Keywords(minimum=1, maximum=MAX_TILES),
        "The number of the placement in this round, from 1; `DELETE .../placements/{number}` takes back the "
        "last one.",
    ]


class CurrentPlacements(Versioned):
    """The tiles that a seat has placed in this round."""

    seat: Seat
    placements: Annotated[
        Sequence[NumberedPlacementView],
        Keywords(maxItems=MAX_TILES),
        "The placements, in placing order.",
    ]


class PlayerList(Versioned):
    """The seats of a game, as the caller may see them."""

    players: Annotated[BySeat[PlayerView], "The seats that are taken, in seat order."]


def _shows(description: str, schema: type, *links: Link) -> Describe:
    response = ResponseDoc(200, description, schema, links=links)
    return reads(response, errors=["not_acceptable", *OWN_SEAT_ERRORS])


@blueprint.route("")
@reads(
    ResponseDoc(
        200,
        "The seats.",
        PlayerList,
        links=[
            Link("get_player", "The first seat.", {**THIS_GAME, "seat": "$response.body#/players/0/seat"})
        ],
    ),
    errors=["not_acceptable"],
)
def list_players(game: str) -> Response:
    """List the seats of a game.

    Each seat that is taken, as the caller may see it: `players` of the view of the game.
    """
    current, caller = collaborators().games.read(game, bearer_token())
    return versioned_json(current, caller, {"players": game_view(current, caller)["players"]})


@blueprint.route("/<seat:seat>")
@_shows("The seat.", versioned(PlayerView, "SeatView"), Link("get_territory", "Its territory.", THIS_SEAT))
def get_player(game: str, seat: int) -> Response:
    """Get a seat.

    The player, the points, the tiles and the territory of one seat, as the caller may see them: the seat's
    entry in `players` of the view of the game.
    """
    current, caller, seat = _loaded(game, seat)
    return versioned_json(current, caller, player_view(current, caller, seat))


@blueprint.route("/<seat:seat>/offer")
@_shows("The offer.", CurrentOffer, Link("list_actions", "The legal actions of the seat.", THIS_SEAT))
def get_offer(game: str, seat: int) -> Response:
    """Get the offer of a seat.

    The discard and the prices, as the caller may see them. Both are null in the lobby, before the seat has
    set its offer, while they are hidden from the caller, and after the tiles are no longer on offer.
    """
    current, caller, seat = _loaded(game, seat)
    return versioned_json(current, caller, offer_view(current, caller, seat))


@blueprint.route("/<seat:seat>/purchase")
@_shows("The purchase.", CurrentPurchase, Link("list_actions", "The legal actions.", THIS_SEAT))
def get_purchase(game: str, seat: int) -> Response:
    """Get the purchase of a seat.

    What the seat bought in this round, or that it passed.
    """
    (current, caller), changes = collaborators().games.read_with_log(game, bearer_token())
    seat = require_seat(current, caller, seat)
    purchase = purchase_of(current, caller, changes, seat)
    return versioned_json(current, caller, {"seat": seat, "purchase": purchase})


@blueprint.route("/<seat:seat>/placements")
@_shows("The placements.", CurrentPlacements, Link("get_territory", "All its tiles.", THIS_SEAT))
def list_placements(game: str, seat: int) -> Response:
    """List the placements of this round.

    The tiles that the seat has placed in this round, in placing order. `DELETE .../placements/{number}` takes
    back the last one.
    """
    current, caller, seat = _loaded(game, seat)
    return versioned_json(current, caller, placements_view(current, seat))


def _loaded(game: str, seat: int) -> tuple[Game, Caller, int]:
    current, caller = collaborators().games.read_content(game, bearer_token())
    return current, caller, require_seat(current, caller, seat)


def player_view(game: Game, caller: Caller, seat: int) -> PlayerView:
    """Return one seat as a caller may see it."""
    return next(player for player in game_view(game, caller)["players"] if player["seat"] == seat)


def offer_view(game: Game, caller: Caller, seat: int) -> CurrentOffer:
    """Return the offer of a seat as a caller may see it: of the tiles that still lie before the screen."""
    drawn = player_view(game, caller, seat)["tiles_on_offer"]
    prices = {tile["tile"]: tile["price"] for tile in drawn if tile["price"] is not None}
    discard = next((tile["tile"] for tile in drawn if tile["discard"]), None)
    return {"version": game.version, "seat": seat, "discard": discard, "prices": prices or None}


def placements_view(game: Game, seat: int) -> CurrentPlacements:
    """Return the placements that a seat has made in this round, in placing order."""
    placed: Sequence[Place] = ()
    if game.state is not None:
        player = game.state.players[seat]
        placed = player.territory.placed[len(player.territory.placed) - player.placed_this_round :]
    numbered: list[NumberedPlacementView] = [
        {"number": number, **tile} for number, tile in enumerate(territory_tiles_view(placed), 1)
    ]
    return {"version": game.version, "seat": seat, "placements": numbered}
