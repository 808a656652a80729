"""Chance nodes: in a game without a seed, each draw is an explicit decision, played like a move.

`new_game(chance_nodes=True)` creates such a game. While `game.is_chance_node`, no seat can act:
`chance_outcomes` lists the possible draws with their probabilities, and `play(game, CHANCE, draw)` makes one
draw. A search chooses among the draws, a simulation samples them. The order is: the scoring tiles by slot and
the starting seat, unless the options name them; then each round the tiles of seat 0, of seat 1, and so on.

A game with a seed makes the same draws in the same order automatically (see `skye.draws`).
"""

from __future__ import annotations

from skye.errors import RuleError, TileNotYours, WrongPhase
from skye.events import Event, TilesDrawn
from skye.rules.moves import Draw
from skye.rules.rounds import start_round
from skye.rules.state import GameState


def chance_outcomes(game: GameState) -> list[tuple[Draw, float]]:
    """Return every draw that can be made now, with its probability; none unless `game.is_chance_node`.

    >>> from skye.rules.setup import new_game
    >>> chance_outcomes(new_game(2, chance_nodes=True).game)[0]
    (Draw(item='animals_near_farms'), 0.0625)
    """
    items = _items(game)
    return [(Draw(item), 1 / len(items)) for item in items]


def _items(game: GameState) -> list[str]:
    if not game.is_chance_node:
        return []
    if game.round:
        return list(game.bag)
    if len(game.scoring_tiles) < len(game.ruleset.slots):
        return sorted(game.ruleset.scoring_tiles.keys() - set(game.scoring_tiles))
    return [str(seat) for seat in range(len(game.players))]


def draw_error(game: GameState, draw: Draw) -> RuleError | None:
    """Return the rule error of a draw, or None when it is legal."""
    if game.__class__ is not GameState:
        raise TypeError(f"the first argument is a GameState, not {type(game).__name__}")
    items = _items(game)
    if not items:
        return WrongPhase("Nothing is to be drawn now.")
    if draw.item not in items:
        return TileNotYours(f"{draw.item} cannot be drawn now.")
    return None


def make_draw(game: GameState, draw: Draw) -> tuple[GameState, tuple[Event, ...]]:
    """Make a legal draw; after the last one, continue the setup or the round."""
    if game.round:
        return _draw_tile(game, draw.item)
    if len(game.scoring_tiles) < len(game.ruleset.slots):
        game = game._replace(scoring_tiles=(*game.scoring_tiles, draw.item))
    else:
        game = game._replace(starting_seat=int(draw.item))
    return begin(game)


def begin(game: GameState) -> tuple[GameState, tuple[Event, ...]]:
    """Start round 1 if the scoring tiles and the starting seat are known."""
    if len(game.scoring_tiles) < len(game.ruleset.slots) or game.starting_seat < 0:
        return game, ()
    return start_round(game, game.starting_seat, [player.territory.summary for player in game.players])


def _draw_tile(game: GameState, tile: str) -> tuple[GameState, tuple[Event, ...]]:
    seat = game._next_to_draw
    assert seat is not None
    player = game.players[seat]
    game = game._with_player(seat, player._replace(tiles_on_offer=(*player.tiles_on_offer, tile)))
    if game.is_chance_node:
        return game, ()
    return game, (TilesDrawn(tuple([player.tiles_on_offer for player in game.players])),)
