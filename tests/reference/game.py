"""A second, slow implementation of the rules of a whole game, with mutable state.

It takes only moves from the engine. It computes every draw by the published procedure, and its rules are
written from the rulebook.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, field

from skye import Buy, FinishBuilding, Move, Pass, Place, SetOffer, TakeBack
from tests.reference.catalogue import LANDSCAPE
from tests.reference.rounds import SCORED, income_parts
from tests.reference.scoring import NAMES, Side, final_scores, points_of, scroll_points, winners
from tests.reference.world import World, fits, legal_places


@dataclass
class Seat:
    """The state of one player."""

    world: World
    purse: int = 0
    score: int = 0
    drawn: list[str] = field(default_factory=list)
    marked: str = ""
    stakes: dict[str, int] = field(default_factory=dict)
    hand: list[str] = field(default_factory=list)
    built: list[Place] = field(default_factory=list)
    done: bool = False
    points: list[list[int]] = field(default_factory=list)
    final: tuple[int, int] | None = None


class ReferenceGame:
    """The state of a game, changed by `make`."""

    def __init__(
        self,
        colors: list[str],
        seed: str,
        scoring_tiles: list[str] | None,
        starting_seat: int | None,
        tie_break: str,
    ) -> None:
        self.seed = seed
        self.seats = [Seat({(0, 0): (f"castle-{color}", 0)}) for color in colors]
        self.bag = set(LANDSCAPE)
        self.scoring_tiles = scoring_tiles or self.draw_scoring_tiles()
        self.start = self.number("start", len(colors)) if starting_seat is None else starting_seat
        self.tie_break = tie_break
        self.round = 0
        self.phase: str | None = None
        self.bought = 0
        self.winners: list[int] = []
        self.incomes: list[tuple[int, int, int]] = []
        self.begin_round()

    def number(self, label: str, size: int) -> int:
        digest = hmac.new(self.seed.encode("utf-8"), label.encode("ascii"), hashlib.sha256).hexdigest()
        return int(digest, 16) % size

    def draw_scoring_tiles(self) -> list[str]:
        left = sorted(NAMES)
        return [left.pop(self.number(f"scoring/{slot}", len(left))) for slot in "ABCD"]

    def begin_round(self) -> None:
        """Phases 1 and 2: income, and three tiles for everyone."""
        self.round += 1
        worlds, scores = [seat.world for seat in self.seats], [seat.score for seat in self.seats]
        self.incomes = [income_parts(worlds, scores, self.round, seat) for seat in range(len(self.seats))]
        for number, seat in enumerate(self.seats):
            seat.purse += sum(self.incomes[number])
            seat.built, seat.done = [], False
            for nth in (1, 2, 3):
                left = sorted(self.bag)
                tile = left[self.number(f"draw/{self.round}/{number}/{nth}", len(left))]
                self.bag.remove(tile)
                seat.drawn.append(tile)
        self.phase, self.bought = "pricing", 0

    def waiting_for(self) -> list[int]:
        if self.phase == "pricing":
            return [number for number, seat in enumerate(self.seats) if not seat.marked]
        if self.phase == "buying":
            return [self.buyer()]
        if self.phase == "building":
            return [number for number, seat in enumerate(self.seats) if not seat.done]
        return []

    def buyer(self) -> int:
        return (self.start + self.bought) % len(self.seats)

    def allows(self, number: int, move: Move) -> bool:
        """Return whether a move of a seat is legal now."""
        seat = self.seats[number]
        match move:
            case SetOffer():
                return self.phase == "pricing" and offer_is_good(seat, move)
            case Pass():
                return self.phase == "buying" and self.buyer() == number
            case Buy(tile):
                sellers = [other for other in self.seats if other is not seat and tile in other.stakes]
                in_turn = self.phase == "buying" and self.buyer() == number
                return in_turn and any(other.stakes[tile] <= seat.purse for other in sellers)
        if self.phase != "building" or seat.done:
            return False
        match move:
            case Place(tile, x, y, rotation):
                return tile in seat.hand and fits(seat.world, tile, (x, y), rotation)
            case TakeBack():
                return seat.built != []
            case FinishBuilding():
                return not any(legal_places(seat.world, tile) for tile in seat.hand)
        raise AssertionError(move)

    def make(self, number: int, move: Move) -> None:
        """Make a legal move and the automatic steps after it."""
        seat = self.seats[number]
        match move:
            case SetOffer(discard, prices):
                seat.purse += sum(seat.stakes.values())
                seat.marked, seat.stakes = discard, dict(prices)
                seat.purse -= sum(seat.stakes.values())
            case Buy(tile):
                self.sell(seat, tile)
            case Pass():
                self.bought += 1
            case Place(tile, x, y, rotation):
                seat.hand.remove(tile)
                seat.world[x, y] = (tile, rotation)
                seat.built.append(move)
            case TakeBack():
                last = seat.built.pop()
                del seat.world[last.x, last.y]
                seat.hand.append(last.tile)
            case FinishBuilding():
                self.bag |= set(seat.hand)
                seat.hand, seat.done = [], True
        self.go_on()

    def sell(self, buyer: Seat, tile: str) -> None:
        seller = next(seat for seat in self.seats if tile in seat.stakes)
        price = seller.stakes.pop(tile)
        buyer.purse -= price
        seller.purse += price  # paid by the buyer
        seller.purse += price  # that lay on the tile
        seller.drawn.remove(tile)
        buyer.hand.append(tile)
        self.bought += 1

    def go_on(self) -> None:
        if self.phase == "pricing" and all(seat.marked for seat in self.seats):
            self.discard()
        elif self.phase == "buying" and self.bought == len(self.seats):
            self.hand_out()
        elif self.phase == "building" and all(seat.done for seat in self.seats):
            self.score()

    def discard(self) -> None:
        """Phase 3."""
        for seat in self.seats:
            seat.drawn.remove(seat.marked)
            self.bag.add(seat.marked)
            seat.marked = ""
        self.phase = "buying"

    def hand_out(self) -> None:
        """End the buying phase: each seat keeps its unsold tiles and loses the gold on them."""
        for seat in self.seats:
            seat.hand += seat.drawn
            seat.drawn, seat.stakes = [], {}
        self.phase = "building"

    def score(self) -> None:
        """Score the round; start the next one or end the game."""
        slots = SCORED[len(self.seats)][self.round - 1]
        for slot in slots:
            points = points_of(self.scoring_tiles["ABCD".index(slot)], self.sides())
            for seat, number in zip(self.seats, points, strict=True):
                seat.score += number
                if slot == slots[0]:
                    seat.points.append([])
                seat.points[-1].append(number)
        self.start = (self.start + 1) % len(self.seats)
        if self.round < len(SCORED[len(self.seats)]):
            self.begin_round()
        else:
            self.end()

    def end(self) -> None:
        """Score scrolls and gold, and determine the winners."""
        scores = final_scores([seat.score for seat in self.seats], self.sides())
        self.winners = winners(scores, [seat.purse for seat in self.seats], self.tie_break)
        for seat, score in zip(self.seats, scores, strict=True):
            seat.final = (sum(points for _, _, points in scroll_points(seat.world)), seat.purse // 5)
            seat.score = score
        self.phase = None

    def sides(self) -> list[Side]:
        return [Side(seat.world, seat.purse) for seat in self.seats]


def offer_is_good(seat: Seat, offer: SetOffer) -> bool:
    priced = [tile for tile, _ in offer.prices]
    gold = [gold for _, gold in offer.prices]
    all_three = sorted([offer.discard, *priced]) == sorted(seat.drawn)
    return all_three and min(gold) >= 1 and sum(gold) <= seat.purse + sum(seat.stakes.values())
