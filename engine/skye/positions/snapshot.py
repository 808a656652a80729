"""Positions: snapshots of a game as plain JSON data, from which `game_from_position` makes the same game.

| field                             | meaning                                                               |
|-----------------------------------|-----------------------------------------------------------------------|
| `seed`                            | the seed of all draws; null for a game with chance decisions          |
| `next_draws`                      | the tiles that come out of the bag next; left out if the seed draws   |
| `ruleset`                         | the id of the ruleset; `base` if left out                             |
| `round`, `phase`                  | from 1; `pricing`, `buying`, `building`, or null when the game is over |
| `starting_seat`, `buys`           | the seat that starts the round; how many seats have bought or passed  |
| `scoring_tiles`                   | an id for each slot                                                   |
| `tie_break`, `open_gold`          | the options of the game                                               |
| `players`                         | one object for each seat:                                             |
| - `color`, `gold`, `score`        | the purse: without the gold on tiles                                  |
| - `territory`                     | `tile`, `x`, `y`, `rotation` of each tile, in placing order           |
| - `tiles_on_offer`                | `tile`, `price`, `discard`; in the buying phase the tiles on offer    |
| - `tiles_to_build`                | the tiles in hand                                                     |
| - `placed_this_round`             | how many of the last tiles of the territory can be taken back         |
| - `building_finished`             | whether the seat has declared its build finished                      |
| - `points`                        | for each round scored, the points of each of its slots                |
| - `territory_sizes`               | for each round scored, the number of placed tiles, castle included    |
| - `final`                         | `scroll_points` and `gold_points` of final scoring; null before it    |

Everything but `players` can be left out, and so can everything about a player (see `position_import`).
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Required, TypedDict, cast

from skye.rules.state import PRICING, GameState, Player, check_seat
from skye.visibility.game_views import territory_tiles_view, visible_gold
from skye.visibility.types.game import TerritoryTileView


class PositionDraw(TypedDict, total=False):
    """A tile that a seat has drawn, or has on offer."""

    tile: Required[str]
    price: int | None
    discard: bool | None


class FinalPointsView(TypedDict):
    """The points of final scoring."""

    scroll_points: int
    gold_points: int


class PlayerPosition(TypedDict, total=False):
    """One seat of a position."""

    color: str
    gold: int | None
    score: int
    territory: list[TerritoryTileView]
    tiles_on_offer: list[PositionDraw]
    offer_set: bool
    tiles_to_build: list[str]
    placed_this_round: int
    building_finished: bool
    points: list[list[int]]
    territory_sizes: list[int]
    final: FinalPointsView | None


class Position(TypedDict, total=False):
    """The state of a game as plain JSON data; the table above describes the fields."""

    ruleset: str | None
    seed: str | None
    next_draws: list[str] | None
    round: int
    phase: str | None
    starting_seat: int | None
    buys: int
    scoring_tiles: list[str]
    tie_break: str | None
    open_gold: bool | None
    players: Required[list[PlayerPosition]]


def position_of(game: GameState) -> Position:
    """Return the complete state of a game, including secrets, as plain JSON data.

    >>> import skye
    >>> position_of(skye.new_game(2, seed="lab").game)["players"][0]["gold"]
    5
    """
    position: Position = {
        "ruleset": game.ruleset_id,
        "seed": game.seed,
        "round": game.round,
        "phase": None if game.phase is None else str(game.phase),
        "starting_seat": None if game.starting_seat < 0 else game.starting_seat,
        "buys": game.buys,
        "scoring_tiles": list(game.scoring_tiles),
        "tie_break": str(game.tie_break),
        "open_gold": game.open_gold,
        "players": [_player(player) for player in game.players],
    }
    if game.next_draws:
        position["next_draws"] = list(game.next_draws)
    return position


def position_view(game: GameState, viewer: int | None) -> Position:
    """Return a position without the information hidden from a viewer.

    A secret offer appears only as `offer_set`; the gold on its tiles counts as in the purse.

    >>> import skye
    >>> "gold" in position_view(skye.new_game(2, seed="view").game, 0)["players"][1]
    False

    :param viewer: a seat, or None for a spectator.
    :raises ValueError: when there is no such seat.
    """
    check_seat(game, viewer, spectator=True)
    position = position_of(game)
    if not game.is_over:
        del position["seed"]
        position.pop("next_draws", None)
    for seat, player in enumerate(position["players"]):
        player["gold"] = visible_gold(game, viewer, seat)
        if player["gold"] is None:
            del player["gold"]
        if game.phase is PRICING and viewer != seat:
            player["offer_set"] = bool(game.players[seat].prices)
            player["tiles_on_offer"] = [{"tile": tile} for tile in game.players[seat].tiles_on_offer]
    return position


def game_hash(game: GameState) -> int:
    """Return a 64-bit hash of the complete state; unlike `hash(game)` it is the same in every process.

    >>> import skye
    >>> game_hash(skye.new_game(2, seed="lab").game) == game_hash(skye.new_game(2, seed="lab").game)
    True
    """
    return int.from_bytes(blake2b(repr(position_of(game)).encode(), digest_size=8).digest(), "big")


def _player(player: Player) -> PlayerPosition:
    prices: tuple[int | None, ...] = player.prices or (None,) * len(player.tiles_on_offer)
    return {
        "color": player.color,
        "gold": player.gold,
        "score": player.score,
        "territory": territory_tiles_view(player.territory.placed),
        "tiles_on_offer": [
            _drawn(tile, price) for tile, price in zip(player.tiles_on_offer, prices, strict=True)
        ],
        "tiles_to_build": list(player.tiles_to_build),
        "placed_this_round": player.placed_this_round,
        "building_finished": player.building_finished,
        "points": [list(points) for points in player.points],
        "territory_sizes": list(player.territory_sizes),
        "final": cast("FinalPointsView | None", player.final and player.final._asdict()),
    }


def _drawn(tile: str, price: int | None) -> PositionDraw:
    return {"tile": tile, "price": price or None, "discard": None if price is None else not price}
