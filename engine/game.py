"""The game as a value: who has what, and whose move it is.

A `Game` holds ids and numbers only and is never changed; `rules.play` returns the next one. Games and
players are named tuples, which are made, and made anew with a field replaced, several times as fast as
frozen dataclasses are.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from engine.scoring import SLOTS, schedule
from engine.territory import Territory
from engine.tiles import LANDSCAPE


class Phase(StrEnum):
    """The phases in which somebody must decide; income, discard and scoring happen by themselves."""

    PRICING = "pricing"
    BUYING = "buying"
    BUILDING = "building"


class TieBreak(StrEnum):
    """What breaks a tie for the win (R11)."""

    LEFTOVER_GOLD = "leftover_gold"
    TOTAL_GOLD = "total_gold"


class Player(NamedTuple):
    """What one seat has.

    `gold` is the purse: gold lying on tiles is not in it. `prices` stands beside `drawn`, tile for tile:
    empty until the offer is set, then gold, with 0 on the tile marked for discarding. Tiles bought or kept
    are in `hand` until built. `placed_now` counts this round's placements. For each round scored, `points`
    has a tuple of what the slots gave, and `built` the size of the territory then. `final` is the final
    scoring's points, for scrolls and for gold.
    """

    color: str
    territory: Territory
    gold: int = 0
    score: int = 0
    drawn: tuple[str, ...] = ()
    prices: tuple[int, ...] = ()
    hand: tuple[str, ...] = ()
    placed_now: int = 0
    finished: bool = False
    points: tuple[tuple[int, ...], ...] = ()
    built: tuple[int, ...] = ()
    final: tuple[int, int] | None = None

    @property
    def stakes(self) -> int:
        """The gold lying on this player's own tiles."""
        return sum(self.prices)


class Game(NamedTuple):
    """A game in play, or over when `phase` is None.

    `round` counts from 1, `buys` the seats that have had their turn to buy this round.
    `scoring_tiles` are the four in use, for slots A to D.
    """

    players: tuple[Player, ...]
    seed: str
    scoring_tiles: tuple[str, ...]
    starting_seat: int
    tie_break: TieBreak = TieBreak.LEFTOVER_GOLD
    open_gold: bool = False
    round: int = 0
    phase: Phase | None = None
    buys: int = 0
    winners: tuple[int, ...] = ()

    @property
    def rounds(self) -> int:
        """How many rounds the game has: 6, or 5 with five players."""
        return len(schedule(len(self.players)))

    @property
    def is_over(self) -> bool:
        """Whether final scoring has happened."""
        return self.phase is None

    @property
    def waiting_for(self) -> tuple[int, ...]:
        """The seats that must act now, for the game to go on."""
        match self.phase:
            case Phase.PRICING:
                return tuple([seat for seat, player in enumerate(self.players) if not player.prices])
            case Phase.BUYING:
                return (self.buyer,)
            case Phase.BUILDING:
                return tuple([seat for seat, player in enumerate(self.players) if not player.finished])
            case None:
                return ()

    @property
    def buyer(self) -> int:
        """The seat whose turn it is to buy, in the buying phase."""
        return (self.starting_seat + self.buys) % len(self.players)

    @property
    def bag(self) -> tuple[str, ...]:
        """The landscape tiles that are nowhere else, sorted."""
        out = {placed.tile for player in self.players for placed in player.territory.placed}
        for player in self.players:
            out.update(player.drawn, player.hand)
        return tuple(tile for tile in LANDSCAPE if tile not in out)

    def slots_scored_in(self, round_number: int) -> tuple[str, ...]:
        """Return the slots ("A" to "D") scored in a round, counted from 1."""
        return schedule(len(self.players))[round_number - 1]

    def scoring_tile(self, slot: str) -> str:
        """Return the id of the scoring tile that lies in a slot."""
        return self.scoring_tiles[SLOTS.index(slot)]


def points_by_slot(game: Game, seat: int) -> tuple[int, ...]:
    """Return what slots A to D have given a seat so far, all rounds together."""
    by_slot = dict.fromkeys(SLOTS, 0)
    for slots, points in zip(schedule(len(game.players)), game.players[seat].points, strict=False):
        for slot, earned in zip(slots, points, strict=True):
            by_slot[slot] += earned
    return tuple(by_slot.values())
