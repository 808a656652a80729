"""The evaluation that the bots of this package use: what territories, tiles and gold are worth, in points.

It is heuristic: the points that the scoring tiles would give now, times how often each is still scored, and
estimates for areas that lack one tile, for whisky, and for the number of tiles that can still be placed. It
uses public information only: a game and the observation of any seat have the same evaluation. The functions
cache what they share.
"""

from __future__ import annotations

from skye.bots.evaluation import (
    SituationEvaluation,
    best_plan,
    outlook_of,
    situation_evaluation_of,
    situation_of,
)
from skye.bots.territory_evaluation import evaluation_of
from skye.rules.state import GameState, check_seat
from skye.tiles.tile_set import Place


def territory_value(game: GameState, seat: int) -> float:
    """Return the value of a seat's territory as it is, without the gold of the seat.

    >>> import skye
    >>> territory_value(skye.new_game(2, seed="value").game, 0) > 0
    True

    :raises ValueError: when there is no such seat, or no round is being played.
    """
    _check(game, seat)
    return evaluation_of(outlook_of(situation_of(game), seat), game.players[seat].territory).value


def tile_gain(game: GameState, seat: int, tile: str) -> float:
    """Return what a tile at its best place would add to the value of a seat's territory; 0 without a place.

    >>> import skye
    >>> tile_gain(skye.new_game(2, seed="value").game, 0, "L28") > 0
    True

    :param tile: the id of a landscape tile.
    :raises ValueError: when there is no such seat or tile, or no round is being played.
    """
    return _evaluation(game, seat, tile).gain(seat, tile)


def gold_value(game: GameState, seat: int) -> float:
    """Return the value of one gold to a seat.

    >>> import skye
    >>> round(gold_value(skye.new_game(2, seed="value").game, 0), 1)
    0.7

    :raises ValueError: when there is no such seat, or no round is being played.
    """
    _check(game, seat)
    return situation_evaluation_of(situation_of(game)).gold(seat)


def placement_values(game: GameState, seat: int, tile: str) -> dict[Place, float]:
    """Return the value of a seat's territory after each legal placement of a tile.

    >>> import skye
    >>> len(placement_values(skye.new_game(2, seed="value").game, 0, "L28"))
    7

    :param tile: the id of a landscape tile, which need not be in hand.
    :raises ValueError: when there is no such seat or tile, or no round is being played.
    """
    _check(game, seat, tile)
    evaluation = evaluation_of(outlook_of(situation_of(game), seat), game.players[seat].territory)
    return evaluation.values(tile).copy()


def best_placements(game: GameState, seat: int) -> tuple[Place, ...]:
    """Return the placements of a seat's tiles to build that give the highest value, in order.

    They place as many tiles as possible. All orders of the tiles are tried, with the best place of each.

    >>> import skye
    >>> best_placements(skye.new_game(2, seed="value").game, 0)  # in the building phase, some placements
    ()

    :raises ValueError: when there is no such seat, or no round is being played.
    """
    _check(game, seat)
    player = game.players[seat]
    outlook = outlook_of(situation_of(game), seat)
    return best_plan(outlook, player.territory, player.tiles_to_build).placements


def _evaluation(game: GameState, seat: int, tile: str) -> SituationEvaluation:
    _check(game, seat, tile)
    return situation_evaluation_of(situation_of(game))


def _check(game: GameState, seat: int, tile: str | None = None) -> None:
    check_seat(game, seat)
    if tile is not None and tile not in game.ruleset.tiles.fitting_rotations:
        raise ValueError(f"there is no landscape tile {tile!r}")
    if game.is_over or not game.round:
        raise ValueError("no round is being played")
