"""Views of one seat: the player, its offer, its placements and its legal actions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from skye import (
    Buy,
    FinishBuilding,
    Move,
    OfferLimits,
    Pass,
    Place,
    SetOffer,
    TakeBack,
    legal_moves,
    offer_limits,
)
from skye.views import move_view, territory_tiles_view
from skye_server.games.authorization import Caller
from skye_server.games.game import Game, Status
from skye_server.games.transitions import is_undo, undo_limit_reached
from skye_server.games.views.game import game_view
from skye_server.games.views.types import (
    ActionListView,
    ActionView,
    IncludedActionsView,
    NumberedPlacementView,
    OfferActionView,
    OfferLimitsView,
    OfferView,
    PlacementsView,
    PlayerView,
)


def player_view(game: Game, caller: Caller, seat: int) -> PlayerView:
    """Return one seat as a caller may see it."""
    return next(player for player in game_view(game, caller)["players"] if player["seat"] == seat)


def offer_view(game: Game, caller: Caller, seat: int) -> OfferView:
    """Return the offer of a seat as a caller may see it: of the tiles that still lie before the screen."""
    drawn = player_view(game, caller, seat)["tiles_on_offer"]
    prices = {tile["tile"]: tile["price"] for tile in drawn if tile["price"] is not None}
    discard = next((tile["tile"] for tile in drawn if tile["discard"]), None)
    return {"seat": seat, "discard": discard, "prices": prices or None}


def placements_view(game: Game, seat: int) -> PlacementsView:
    """Return the placements that a seat has made in this round, in placing order."""
    placed: Sequence[Place] = ()
    if game.state is not None:
        player = game.state.players[seat]
        placed = player.territory.placed[len(player.territory.placed) - player.placed_this_round :]
    numbered: list[NumberedPlacementView] = [
        {"number": number, **tile} for number, tile in enumerate(territory_tiles_view(placed), 1)
    ]
    return {"seat": seat, "placements": numbered}


def actions_view(game: Game, seat: int) -> ActionListView:
    """Return every legal move of a seat, each as a complete request."""
    actions: list[ActionView] = []
    if game.state is not None and game.status is Status.PLAYING and game.seats[seat].bot is None:
        limits = offer_limits(game.state, seat)
        moves = legal_moves(game.state, seat) if limits is None else []
        if undo_limit_reached(game):
            limits = None if game.state.players[seat].prices else limits
            moves = [move for move in moves if not isinstance(move, TakeBack)]
        if limits is not None:
            actions.append(_offer_action(game, seat, limits))
        actions += [_action(game, seat, move) for move in moves]
    return {"version": game.version, "actions": actions}


def seat_actions(game: Game, caller: Caller) -> IncludedActionsView:
    """Return the legal actions of the caller's seat, none without one, as a part of the view of a game."""
    actions: Sequence[ActionView] = [] if caller.seat is None else actions_view(game, caller.seat)["actions"]
    return {"actions": actions}


_REQUESTS: dict[type, tuple[str, str]] = {
    SetOffer: ("PUT", "offer"),
    Buy: ("PUT", "purchase"),
    Pass: ("PUT", "purchase"),
    Place: ("POST", "placements"),
    TakeBack: ("DELETE", "placements/{number}"),
    FinishBuilding: ("POST", "building/finish"),
}


def _action(game: Game, seat: int, move: Move) -> ActionView:
    method, path = _REQUESTS[type(move)]
    path = path.format(number=0 if game.state is None else game.state.players[seat].placed_this_round)
    view = move_view(move)
    fields = {name: value for name, value in view.items() if name != "type"}
    body = {"tile": None} if isinstance(move, Pass) else fields or None
    action = {
        "type": view["type"],
        "method": method,
        "href": f"/v1/games/{game.id}/players/{seat}/{path}",
        "body": body,
        "revises": is_undo(game, seat, move),
    }
    return cast("ActionView", action)  # mypy cannot see that the type of the move decides method and body


def _offer_action(game: Game, seat: int, limits: OfferLimits) -> OfferActionView:
    """Return one legal offer and the constraints that every legal offer meets."""
    discard, *kept = limits.tiles
    example = SetOffer(discard, tuple((tile, limits.minimum) for tile in kept))
    constraints: OfferLimitsView = {"tiles": limits.tiles, "gold": limits.gold, "minimum": limits.minimum}
    return cast("OfferActionView", {**_action(game, seat, example), "constraints": constraints})
