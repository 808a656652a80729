"""The game as an immutable value: the state of all players, the bag, the round and the phase.

A `GameState` holds only ids and numbers and never changes; `rules.play` returns the next one. Game states and
players are named tuples, because creating one takes a fraction of the time of a frozen dataclass; read their
fields by name. The private methods skip all checks. Those of players replace the fields that every move
changes, and are several times as fast as `_replace`.
"""

from __future__ import annotations

from typing import Final, NamedTuple, Self

from skye.rulesets.ruleset import RULESETS, Ruleset
from skye.scoring.final import TieBreak
from skye.territory.territory import Territory
from skye.tiles.tile_set import DEFAULT_RULESET, TILE_SETS
from skye.words import Word


class Phase(Word):
    """The phases that wait for decisions; income, discard and scoring are automatic."""

    PRICING = "pricing", "all seats set their offers."
    BUYING = "buying", "the seats buy or pass, one after the other."
    BUILDING = "building", "all seats place their tiles."


# Ten times as fast as looking up the member of the class.
PRICING: Final = Phase.PRICING
BUYING: Final = Phase.BUYING
BUILDING: Final = Phase.BUILDING


class FinalPoints(NamedTuple):
    """The points of final scoring."""

    scroll_points: int
    gold_points: int


class Player(NamedTuple):
    """The state of one seat.

    :param color: the color of the castle.
    :param territory: the placed tiles.
    :param gold: the gold in the purse, without the gold that lies on tiles.
    :param score: the points so far.
    :param tiles_on_offer: the tiles drawn; in the buying phase the tiles on offer.
    :param prices: the gold on each of `tiles_on_offer`, 0 on the discard; empty until the offer is set.
    :param tiles_to_build: the tiles bought or kept that are not placed yet.
    :param placed_this_round: the number of placements in this round.
    :param building_finished: whether the seat has finished building in this round.
    :param points: for each round scored, the points of its slots.
    :param territory_sizes: for each round scored, the size of the territory then, the castle included.
    :param final: the points of final scoring, or None before it.
    """

    color: str
    territory: Territory
    gold: int = 0
    score: int = 0
    tiles_on_offer: tuple[str, ...] = ()
    prices: tuple[int, ...] = ()
    tiles_to_build: tuple[str, ...] = ()
    placed_this_round: int = 0
    building_finished: bool = False
    points: tuple[tuple[int, ...], ...] = ()
    territory_sizes: tuple[int, ...] = ()
    final: FinalPoints | None = None

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _memo: dict[int, object]) -> Self:
        return self

    def __repr__(self) -> str:
        size = len(self.territory.placed)
        return f"<Player {self.color}: {self.score} points, {self.gold} gold, {size} tiles>"

    @property
    def stakes(self) -> int:
        """The gold that lies on this player's own tiles."""
        return sum(self.prices)

    def _offer_without(self, at: int) -> tuple[tuple[str, ...], tuple[int, ...]]:
        """Return `tiles_on_offer` and `prices` without the entry at an index."""
        drawn, prices = self.tiles_on_offer, self.prices
        return drawn[:at] + drawn[at + 1 :], prices[:at] + prices[at + 1 :]

    def _with_purse_and_tiles(
        self, gold: int, drawn: tuple[str, ...], prices: tuple[int, ...], hand: tuple[str, ...]
    ) -> Player:
        """Return the player with these values of four fields."""
        color, territory, _, score, _, _, _, placed, finished, points, sizes, final = self
        fields = (color, territory, gold, score, drawn, prices, hand, placed, finished, points, sizes, final)
        return tuple.__new__(Player, fields)

    def _with_territory(
        self, territory: Territory, hand: tuple[str, ...], placed: int, *, finished: bool = False
    ) -> Player:
        """Return the player with these values of four fields."""
        color, _, gold, score, drawn, prices, _, _, _, points, sizes, final = self
        fields = (color, territory, gold, score, drawn, prices, hand, placed, finished, points, sizes, final)
        return tuple.__new__(Player, fields)

    def _with_round_points(self, earned: tuple[int, ...]) -> Player:
        """Return the player after a round that gave these points by slot."""
        color, territory, gold, score, drawn, prices, hand, placed, finished, points, sizes, final = self
        score, points, sizes = score + sum(earned), (*points, earned), (*sizes, len(territory.placed))
        fields = (color, territory, gold, score, drawn, prices, hand, placed, finished, points, sizes, final)
        return tuple.__new__(Player, fields)

    def _at_round_start(self, gold: int, drawn: tuple[str, ...]) -> Player:
        """Return the player at the start of a round."""
        color, territory, _, score, _, _, _, _, _, points, sizes, final = self
        return Player(color, territory, gold, score, drawn, (), (), 0, False, points, sizes, final)


class GameState(NamedTuple):
    """The state of a game.

    :param players: the seats, clockwise.
    :param seed: the seed of all draws; None makes draws chance decisions (see `skye.rules.chance`).
    :param scoring_tiles: the scoring tiles by slot; fewer until the draws of the setup are made.
    :param starting_seat: the seat that starts the round; -1 until it is drawn.
    :param tie_break: the way to break a tie.
    :param open_gold: whether all purses are public.
    :param round: the number of the round, from 1; 0 during the setup.
    :param phase: the phase, or None when the game is over.
    :param buys: the number of seats that have had their turn to buy in this round.
    :param winners: the winning seats when the game is over.
    :param next_draws: the tiles that come out of the bag next, before the seed determines the draws.
    :param ruleset_id: the ruleset.
    :param gave_up: the seats that their players gave up, which cannot win: those of one date together, the
        earliest date first.
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
    next_draws: tuple[str, ...] = ()
    ruleset_id: str = DEFAULT_RULESET
    gave_up: tuple[tuple[int, ...], ...] = ()

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _memo: dict[int, object]) -> Self:
        return self

    def __repr__(self) -> str:
        scores = " - ".join([str(player.score) for player in self.players])
        if self.is_over:
            return f"<GameState over: {scores}, winners {list(self.winners)}>"
        waiting = "a draw" if self.is_chance_node else f"seats {list(self.waiting_for)}"
        return (
            f"<GameState round {self.round} of {self.rounds}, {self.phase}: {scores}, waiting for {waiting}>"
        )

    @property
    def ruleset(self) -> Ruleset:
        """The rules of the game."""
        return RULESETS[self.ruleset_id]

    @property
    def rounds(self) -> int:
        """The number of rounds."""
        return len(self.ruleset.rounds(len(self.players)))

    @property
    def is_over(self) -> bool:
        """Whether final scoring has happened."""
        return self.phase is None

    @property
    def is_chance_node(self) -> bool:
        """Whether a draw must be made before any seat can act; always false in a game with a seed."""
        return (
            self.seed is None and self.phase is PRICING and (not self.round or self._next_to_draw is not None)
        )

    @property
    def _next_to_draw(self) -> int | None:
        """The first seat that has drawn too few tiles for its offer."""
        drawn = self.ruleset.tiles_drawn
        for seat, player in enumerate(self.players):
            if len(player.tiles_on_offer) < drawn:
                return seat
        return None

    @property
    def waiting_for(self) -> tuple[int, ...]:
        """The seats that must act now; empty at a chance node and when the game is over."""
        phase = self.phase
        if phase is BUILDING:
            return tuple([seat for seat, player in enumerate(self.players) if not player.building_finished])
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
        """The tiles in the bag, sorted: all landscape tiles that no player has."""
        bag = TILE_SETS[self.ruleset_id]._full_bag.copy()
        for player in self.players:
            for placed in player.territory.placed[1:]:  # the castle never was in it
                del bag[placed.tile]
            for tile in player.tiles_on_offer + player.tiles_to_build:
                del bag[tile]
        return tuple(bag)

    def slots_scored_in(self, round_number: int) -> tuple[str, ...]:
        """Return the slots, such as "A", scored in a round, counted from 1.

        >>> import skye
        >>> skye.new_game(5, seed="slots").game.slots_scored_in(1)
        ('A', 'B')

        :raises ValueError: when the game has no such round.
        """
        if round_number not in range(1, self.rounds + 1):
            raise ValueError(
                f"there is no round {round_number!r}: this game has the rounds 1 to {self.rounds}"
            )
        return self.ruleset.rounds(len(self.players))[round_number - 1]

    def scoring_tile(self, slot: str) -> str:
        """Return the id of the scoring tile in a slot.

        >>> import skye
        >>> skye.new_game(2, seed="slots").game.scoring_tile("A")
        'brochs_in_mountains'

        :raises ValueError: when there is no such slot, or its scoring tile is not drawn yet.
        """
        for each, tile in zip(self.ruleset.slots, self.scoring_tiles, strict=False):
            if each == slot:
                return tile
        raise ValueError(f"there is no scoring tile in the slot {slot!r}")

    def _in_phase(self, phase: Phase, players: tuple[Player, ...]) -> GameState:
        """Return the game in another phase of the round."""
        return self._replace(phase=phase, players=players)

    def _in_next_round(
        self, players: tuple[Player, ...], starting_seat: int, next_draws: tuple[str, ...]
    ) -> GameState:
        """Return the game in the first phase of its next round."""
        return self._replace(
            players=players,
            starting_seat=starting_seat,
            round=self.round + 1,
            phase=PRICING,
            buys=0,
            next_draws=next_draws,
        )

    def _with_players(self, players: list[Player], buys: int) -> GameState:
        """Return the game with these players and this number of turns to buy."""
        return self._replace(players=tuple(players), buys=buys)

    def _with_player(self, seat: int, player: Player) -> GameState:
        """Return the game with another state of one seat."""
        players = list(self.players)
        players[seat] = player
        return self._replace(players=tuple(players))


def points_by_slot(game: GameState, seat: int) -> tuple[int, ...]:
    """Return the points of a seat by slot so far, all rounds together."""
    ruleset = game.ruleset
    by_slot = dict.fromkeys(ruleset.slots, 0)
    for slots, points in zip(ruleset.rounds(len(game.players)), game.players[seat].points, strict=False):
        for slot, earned in zip(slots, points, strict=True):
            by_slot[slot] += earned
    return tuple(by_slot.values())


def check_seat(game: GameState, seat: int | None, *, spectator: bool = False) -> None:
    """Check that a game has a seat, as an argument of a public function.

    A class is compared with `is`, which takes a fraction of the time of `isinstance`.

    :param spectator: whether None is allowed, for a viewer without a seat.
    :raises TypeError: when the arguments are not a game and a seat, for example because they are swapped.
    :raises ValueError: when there is no such seat.
    """
    if seat.__class__ is int and game.__class__ is GameState and 0 <= seat < len(game.players):
        return
    if game.__class__ is not GameState:
        raise TypeError(f"the first argument is a GameState, not {type(game).__name__}")
    if seat is None and spectator:
        return
    if seat.__class__ is not int:
        raise TypeError(f"a seat is an int, not {type(seat).__name__}")
    raise ValueError(f"there is no seat {seat}: this game has the seats 0 to {len(game.players) - 1}")


def check_scoring_tiles(game: GameState) -> None:
    """Check that all scoring tiles are drawn: they are not in a setup that waits for chance decisions.

    :raises ValueError: when they are not.
    """
    if len(game.scoring_tiles) < len(game.ruleset.slots):
        raise ValueError("the scoring tiles are not drawn yet")
