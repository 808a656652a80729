"""Views of one seat: the player, its offer and its placements."""

from __future__ import annotations

from collections.abc import Sequence

from skye import Place
from skye.views import territory_tiles_view
from skye_server.games.authorization import Caller
from skye_server.games.game import Game
from skye_server.games.views.game import game_view
from skye_server.games.views.types import NumberedPlacementView, OfferView, PlacementsView, PlayerView


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
