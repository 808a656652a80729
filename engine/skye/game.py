"""The game as an immutable value: the state of all players, the bag, the round and the phase.

A `Game` holds ids and numbers only and is never changed; `rules.play` returns the next one. Games and
players are named tuples, which are made several times as fast as frozen dataclasses are. For what every move
replaces there are methods, several times as fast again as `_replace`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple, Self

from skye.schedule import SLOTS, schedule
from skye.territory import Territory
from skye.tiles import LANDSCAPE


class Phase(StrEnum):
    """The phases that wait for decisions; income, discard and scoring are automatic."""

    PRICING = "pricing"
    BUYING = "buying"
    BUILDING = "building"


# Looking a member up in its class takes ten times as long as this.
PRICING: Final = Phase.PRICING
BUYING: Final = Phase.BUYING
BUILDING: Final = Phase.BUILDING

TILES_DRAWN: Final = 3
"""How many tiles a player draws each round."""

_FULL_BAG: Final = dict.fromkeys(LANDSCAPE)


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

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _memo: dict[int, object]) -> Self:
        return self

    @property
    def stakes(self) -> int:
        """The gold lying on this player's own tiles."""
        return sum(self.prices)

    def offer_without(self, at: int) -> tuple[tuple[str, ...], tuple[int, ...]]:
        """Return the tiles drawn and their prices, one left out."""
        drawn, prices = self.drawn, self.prices
        return drawn[:at] + drawn[at + 1 :], prices[:at] + prices[at + 1 :]

    def trading(
        self, gold: int, drawn: tuple[str, ...], prices: tuple[int, ...], hand: tuple[str, ...]
    ) -> Player:
        """Return the player with another purse, and other tiles on offer and in hand."""
        color, territory, _, score, _, _, _, placed_now, finished, points, built, final = self
        fields = (
            color, territory, gold, score, drawn, prices, hand, placed_now, finished, points, built, final
        )  # fmt: skip
        return Player(*fields)

    def building(
        self, territory: Territory, hand: tuple[str, ...], placed_now: int, *, finished: bool = False
    ) -> Player:
        """Return the player with another territory and other tiles in hand."""
        color, _, gold, score, drawn, prices, _, _, _, points, built, final = self
        fields = (
            color, territory, gold, score, drawn, prices, hand, placed_now, finished, points, built, final
        )  # fmt: skip
        return Player(*fields)

    def scoring(self, earned: tuple[int, ...]) -> Player:
        """Return the player with the points of a round added."""
        color, territory, gold, score, drawn, prices, hand, placed_now, finished, points, built, final = self
        score, points, built = score + sum(earned), (*points, earned), (*built, len(territory.placed))
        fields = (
            color, territory, gold, score, drawn, prices, hand, placed_now, finished, points, built, final
        )  # fmt: skip
        return Player(*fields)

    def beginning(self, gold: int, drawn: tuple[str, ...]) -> Player:
        """Return the player as they begin a round."""
        color, territory, _, score, _, _, _, _, _, points, built, final = self
        return Player(color, territory, gold, score, drawn, (), (), 0, False, points, built, final)


class Game(NamedTuple):
    """A game in play, or over when `phase` is None.

    `round` counts from 1, `buys` the seats that have had their turn to buy this round. `scoring_tiles` are
    the four in use, for slots A to D. Without a `seed`, draws are chance decisions (see `chance`); until the
    setup's draws have been made, `scoring_tiles` has fewer and `starting_seat` is -1.
    """

    players: tuple[Player, ...]
    seed: str | None
    scoring_tiles: tuple[str, ...]
    starting_seat: int
    tie_break: TieBreak = TieBreak.LEFTOVER_GOLD
    open_gold: bool = False
    round: int = 0
    phase: Phase | None = None
    buys: int = 0
    winners: tuple[int, ...] = ()

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _memo: dict[int, object]) -> Self:
        return self

    @property
    def rounds(self) -> int:
        """How many rounds the game has: 6, or 5 with five players."""
        return len(schedule(len(self.players)))

    @property
    def is_over(self) -> bool:
        """Whether final scoring has happened."""
        return self.phase is None

    @property
    def is_chance_node(self) -> bool:
        """Whether a draw must be made before any seat can act; never so in a game with a seed."""
        return (
            self.seed is None
            and self.phase is PRICING
            and (not self.round or any(len(player.drawn) < TILES_DRAWN for player in self.players))
        )

    @property
    def waiting_for(self) -> tuple[int, ...]:
        """The seats that must act now, for the game to go on."""
        phase = self.phase
        if phase is BUILDING:
            return tuple([seat for seat, player in enumerate(self.players) if not player.finished])
        if phase is PRICING:
            if self.seed is None and self.is_chance_node:
                return ()
            return tuple([seat for seat, player in enumerate(self.players) if not player.prices])
        return (self.buyer,) if phase is BUYING else ()

    @property
    def buyer(self) -> int:
        """The seat whose turn it is to buy, in the buying phase."""
        return (self.starting_seat + self.buys) % len(self.players)

    @property
    def bag(self) -> tuple[str, ...]:
        """The landscape tiles that are nowhere else, sorted."""
        bag = _FULL_BAG.copy()
        for player in self.players:
            for placed in player.territory.placed[1:]:  # the castle never was in it
                del bag[placed.tile]
            for tile in player.drawn + player.hand:
                del bag[tile]
        return tuple(bag)

    def in_phase(self, phase: Phase, players: tuple[Player, ...]) -> Game:
        """Return the game in another phase of the round."""
        _, seed, tiles, starting_seat, tie_break, open_gold, number, _, buys, winners = self
        fields = (players, seed, tiles, starting_seat, tie_break, open_gold, number, phase, buys, winners)
        return Game(*fields)

    def in_next_round(self, players: tuple[Player, ...], starting_seat: int) -> Game:
        """Return the game in the first phase of its next round."""
        _, seed, tiles, _, tie_break, open_gold, number, _, _, winners = self
        fields = (players, seed, tiles, starting_seat, tie_break, open_gold, number + 1, PRICING, 0, winners)
        return Game(*fields)

    def with_players(self, players: list[Player], buys: int) -> Game:
        """Return the game with what the seats have replaced, and the number of turns to buy."""
        _, seed, tiles, starting_seat, tie_break, open_gold, number, phase, _, winners = self
        fields = (
            tuple(players), seed, tiles, starting_seat, tie_break, open_gold, number, phase, buys, winners
        )  # fmt: skip
        return Game(*fields)

    def with_player(self, seat: int, player: Player) -> Game:
        """Return the game with what one seat has replaced."""
        players = list(self.players)
        players[seat] = player
        return self.with_players(players, self.buys)

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
