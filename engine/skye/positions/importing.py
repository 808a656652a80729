"""Create games from positions: check the fields that are present, and complete those that are missing.

Missing fields have these values; "drawn" means drawn by the seed, so that the result is always the same.

* `round` is 1, `phase` is `pricing`, the options have their defaults, `scoring_tiles` and `starting_seat` are
  drawn. The drawn `starting_seat` is that of round 1; it moves clockwise each round. `buys` follows from the
  tiles bought.
* `color` is that of the castle, or the first free color. `territory` is the castle.
* `score` is the sum of `points`, which are 0 for all slots. What `score` exceeds `points` by belongs to no
  scoring tile. `territory_sizes` grow evenly.
* `gold` is the income of the round minus the gold on tiles.
* `next_draws` is empty. Its tiles are drawn first: for the fields below that are drawn, then in later rounds.
* `tiles_on_offer`: tiles are drawn in the pricing phase, one fewer in the buying phase at prices from 1 to 3
  gold. Where `offer_set` is true, the discard and the prices are drawn too, and paid from `gold`. In a game
  without a seed the tiles of the pricing phase are chance decisions.
* `tiles_to_build`: one fewer than in the pricing phase is drawn for each seat that has not finished building.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from skye.draws import SeededDraws
from skye.errors import InvalidPosition
from skye.positions.checking import PositionRules, excessive_amounts
from skye.positions.parsing import PlayerFields, PositionFields, PositionReader
from skye.rules.income import incomes
from skye.rules.setup import scoring_tiles_by, starting_seat_by
from skye.rules.state import FinalPoints, GameState, Phase, Player
from skye.scoring.final import TieBreak
from skye.territory.territory import Territory, castle_alone
from skye.tiles.geometry import STEPS, cell_at
from skye.tiles.tile_set import Place


def game_from_position(position: Mapping[str, Any], seed: str | None = None) -> GameState:
    """Return the game that a position describes.

    >>> from skye.positions.snapshot import position_of
    >>> game = game_from_position({"round": 5, "phase": "buying", "players": [{"gold": 12}, {}]}, seed="lab")
    >>> game.round, game.players[0].gold, game_from_position(position_of(game)) == game
    (5, 12, True)

    :param position: the state as JSON data (see `skye.positions.snapshot`); only `players` is required.
    :param seed: the seed of all draws if the position has none. Without any, draws are chance decisions.
    :raises InvalidPosition: with every fault found, each with a JSON pointer and a reason.
    """
    reader = PositionReader()
    given = reader.read(position)
    if given.seed is None and not given.explicit_chance:
        given.seed = seed
    if not reader.faults:
        PositionRules(reader, given).check()
    if reader.faults:
        raise InvalidPosition(reader.faults)
    game = _PositionCompleter(given).game()
    if faults := excessive_amounts(game):
        raise InvalidPosition(faults)
    return game


class _PositionCompleter:
    """Completes a position that has no faults."""

    def __init__(self, given: PositionFields) -> None:
        self._given = given
        self._seats = len(given.players)
        self._ruleset = given.ruleset
        self._draws = SeededDraws(given.seed or "", given.next_draws, given.ruleset.id)
        self._slots = given.ruleset.rounds(self._seats)
        self._scored = self._slots[: max(0, given.round - (given.phase is not None))]
        self._bag = self._tiles_left()

    def game(self) -> GameState:
        """Return the completed game."""
        given = self._given
        if given.round == 0:
            return self._setup()
        starting_seat = self._starting_seat()
        players = tuple(self._players())
        game = GameState(
            players=players,
            seed=given.seed,
            scoring_tiles=given.scoring_tiles or scoring_tiles_by(self._ruleset, given.seed or ""),
            starting_seat=starting_seat,
            tie_break=TieBreak(given.tie_break),
            open_gold=given.open_gold,
            round=given.round,
            phase=given.phase,
            buys=self._buys(starting_seat),
            next_draws=self._draws.next_draws,
            ruleset_id=self._ruleset.id,
        )
        if given.phase is not None:
            return game
        scores, golds = [player.score for player in players], [player.gold for player in players]
        return game._replace(winners=self._ruleset.final.winners(scores, golds, given.tie_break))

    def _setup(self) -> GameState:
        given = self._given
        return GameState(
            players=tuple([Player(color, castle_alone(color, self._ruleset.id)) for color in self._colors()]),
            seed=None,
            scoring_tiles=given.scoring_tiles or (),
            starting_seat=-1 if given.starting_seat is None else given.starting_seat,
            tie_break=TieBreak(given.tie_break),
            open_gold=given.open_gold,
            phase=given.phase,
            ruleset_id=self._ruleset.id,
        )

    def _tiles_left(self) -> list[str]:
        used: Counter[str] = Counter()
        for player in self._given.players:
            if player.territory is not None:
                used.update(place.tile for place in player.territory.placed)
            used.update([*(player.tiles_on_offer or ()), *(player.tiles_to_build or ())])
        return [tile for tile in self._ruleset.tiles.landscape if tile not in used]

    def _colors(self) -> list[str]:
        named = [player.color for player in self._given.players]
        free = iter([color for color in self._ruleset.colors if color not in named])
        return [color or next(free) for color in named]

    def _starting_seat(self) -> int:
        given = self._given
        if given.starting_seat is not None:
            return given.starting_seat
        if given.phase is Phase.BUYING and given.buys is None and (bought := self._buyers()):
            return bought[0]
        return (
            starting_seat_by(self._ruleset, given.seed or "", self._seats) + given.round - 1
        ) % self._seats

    def _buyers(self) -> list[int]:
        return [seat for seat, player in enumerate(self._given.players) if player.tiles_to_build]

    def _buys(self, starting_seat: int) -> int:
        given = self._given
        if given.phase is Phase.PRICING:
            return 0
        if given.phase is not Phase.BUYING:
            return self._seats
        if given.buys is not None:
            return given.buys
        turns = [(seat - starting_seat) % self._seats + 1 for seat in self._buyers()]
        return min(max(turns, default=0), self._seats - 1)

    def _players(self) -> list[Player]:
        given = self._given
        territories = [
            self._territory(player, color)
            for player, color in zip(given.players, self._colors(), strict=True)
        ]
        points = [self._points(player) for player in given.players]
        scores = [
            max(player.score or 0, sum(map(sum, each)))
            for player, each in zip(given.players, points, strict=True)
        ]
        paid = incomes(self._ruleset, scores, [territory.summary for territory in territories], given.round)
        return [
            self._player(seat, territories[seat], points[seat], paid[seat].total)
            for seat in range(self._seats)
        ]

    def _territory(self, player: PlayerFields, color: str) -> Territory:
        if player.territory is None:
            return castle_alone(color, self._ruleset.id)
        castle, *others = player.territory.placed
        placed = (castle._replace(tile=f"castle-{color}"), *in_placing_order(others))
        return Territory(placed, self._ruleset.id)

    def _points(self, player: PlayerFields) -> tuple[tuple[int, ...], ...]:
        if player.points is not None:
            return player.points
        return tuple([(0,) * len(slots) for slots in self._scored])

    def _final(self, player: PlayerFields) -> FinalPoints:
        territory = player.territory or castle_alone(self._ruleset.colors[0], self._ruleset.id)
        final = self._ruleset.final.score(territory.summary, player.gold or 0)
        return FinalPoints(final.scroll_points, final.gold_points)

    def _player(
        self, seat: int, territory: Territory, points: tuple[tuple[int, ...], ...], income: int
    ) -> Player:
        given, phase = self._given.players[seat], self._given.phase
        drawn, prices = self._offer(seat, given)
        gold = max(0, income - sum(prices)) if given.gold is None else given.gold
        if given.offer_set and phase is Phase.PRICING and not prices:
            prices = self._offer_prices(seat, gold)
            gold -= sum(prices)
        final = self._final(replace(given, gold=gold)) if phase is None else None
        return Player(
            color=territory.placed[0].tile.removeprefix("castle-"),
            territory=territory,
            gold=gold,
            score=max(given.score or 0, sum(map(sum, points)) + sum(final or ())),
            tiles_on_offer=drawn,
            prices=prices,
            tiles_to_build=self._hand(seat, given),
            placed_this_round=given.placed_this_round,
            building_finished=phase is None or bool(given.building_finished),
            points=points,
            territory_sizes=self._sizes(given, territory),
            final=final,
        )

    def _offer(self, seat: int, given: PlayerFields) -> tuple[tuple[str, ...], tuple[int, ...]]:
        phase = self._given.phase
        if given.tiles_on_offer is not None or phase not in (Phase.PRICING, Phase.BUYING):
            return tuple(given.tiles_on_offer or ()), given.prices
        if phase is Phase.PRICING:
            return (() if self._given.seed is None else self._draw(seat, self._ruleset.tiles_drawn)), ()
        drawn = self._draw(seat, self._ruleset.tiles_drawn - 1)
        least = self._ruleset.minimum_price
        return drawn, tuple([least + self._index(seat, f"price/{tile}", 3) for tile in drawn])

    def _hand(self, seat: int, given: PlayerFields) -> tuple[str, ...]:
        building = (
            self._given.phase is Phase.BUILDING
            and not given.building_finished
            and not given.placed_this_round
        )
        if given.tiles_to_build is None and building:
            return self._draw(seat, self._ruleset.tiles_drawn - 1)
        return tuple(given.tiles_to_build or ())

    def _draw(self, seat: int, number: int) -> tuple[str, ...]:
        return tuple(
            [
                self._draws.draw(f"draw/{self._given.round}/{seat}/{nth}", self._bag)
                for nth in range(1, number + 1)
            ]
        )

    def _offer_prices(self, seat: int, gold: int) -> tuple[int, ...]:
        """Return drawn prices for an offer whose prices are missing, of at most `gold` in all."""
        drawn, least = self._ruleset.tiles_drawn, self._ruleset.minimum_price
        highest = max(1, min(gold // (drawn - 1), 5) - least + 1)
        discard = self._index(seat, "discard", drawn)
        return tuple(
            [
                0 if nth == discard else least + self._index(seat, f"price/{nth}", highest)
                for nth in range(drawn)
            ]
        )

    def _index(self, seat: int, label: str, size: int) -> int:
        return self._draws.index(f"position/{self._given.round}/{seat}/{label}", size)

    def _sizes(self, given: PlayerFields, territory: Territory) -> tuple[int, ...]:
        if given.territory_sizes is not None:
            return given.territory_sizes
        now = len(territory.placed) - (given.placed_this_round if self._given.phase else 0)
        rounds = len(self._scored)
        return tuple([1 + (now - 1) * number // rounds for number in range(1, rounds + 1)])


def in_placing_order(places: list[Place]) -> list[Place]:
    """Return placements without the castle in an order in which each touches an earlier one.

    The order is that of the list where possible.
    """
    left, ordered = list(places), []
    cells = {cell_at(0, 0)}
    while left:
        following = next(
            place for place in left if any(cell_at(place.x, place.y) + step in cells for step in STEPS)
        )
        left.remove(following)
        ordered.append(following)
        cells.add(cell_at(following.x, following.y))
    return ordered
