"""The state of a game, in the same plain data for both implementations."""

from __future__ import annotations

from collections import Counter

from skye import GameState, Player, Territory
from skye.tiles import coordinates_of
from tests.reference.chance import as_world
from tests.reference.game import ReferenceGame
from tests.reference.world import Area


def reported_by_engine(game: GameState) -> dict[str, object]:
    return {
        "scoring tiles": list(game.scoring_tiles),
        "round": game.round,
        "phase": game.phase,
        "waiting for": list(game.waiting_for),
        "start": None if game.is_over else game.starting_seat,
        "bag": sorted(game.bag),
        "winners": list(game.winners),
        "seats": [
            {
                "world": as_world(player.territory),
                "purse": player.gold,
                "score": player.score,
                "drawn": sorted(player.tiles_on_offer),
                "marked": [tile for tile, price in offered(player) if not price],
                "stakes": {tile: price for tile, price in offered(player) if price},
                "hand": sorted(player.tiles_to_build),
                "built": player.placed_this_round,
                "done": player.building_finished,
                "points": [list(points) for points in player.points],
                "final": player.final,
            }
            for player in game.players
        ],
    }


def reported_by_reference(reference: ReferenceGame) -> dict[str, object]:
    return {
        "scoring tiles": reference.scoring_tiles,
        "round": reference.round,
        "phase": reference.phase,
        "waiting for": reference.waiting_for(),
        "start": reference.start if reference.phase else None,
        "bag": sorted(reference.bag),
        "winners": reference.winners,
        "seats": [
            {
                "world": seat.world,
                "purse": seat.purse,
                "score": seat.score,
                "drawn": sorted(seat.drawn),
                "marked": [seat.marked] if seat.marked else [],
                "stakes": seat.stakes,
                "hand": sorted(seat.hand),
                "built": len(seat.built),
                "done": seat.done,
                "points": seat.points,
                "final": seat.final,
            }
            for seat in reference.seats
        ],
    }


def offered(player: Player) -> list[tuple[str, int]]:
    """Return the tiles drawn with their prices, 0 for the marked one; nothing until the offer is set."""
    return list(zip(player.tiles_on_offer, player.prices, strict=True)) if player.prices else []


def reported_areas(territory: Territory) -> Counter[Area]:
    """Return the engine's areas as the reference implementation would return them, in any order."""
    return Counter(
        Area(
            area.terrain.label,
            frozenset(coordinates_of(cell) for cell in area.cells),
            area.completed,
            area.brochs,
            area.ships,
            area.lighthouses,
            tuple(sorted((kind, coordinates_of(cell)) for kind, cell in area.scrolls)),
        )
        for area in territory.summary.areas
    )
