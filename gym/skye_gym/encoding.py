"""Actions as numbers with masks, for learning: every decision is one of `Encoding.action_count` actions.

The numbers follow from the ruleset (`encoding_of`). In the base game, whose seats draw three tiles, there are
16,491 actions:

| actions         | number | meaning                                                                  |
|-----------------|--------|--------------------------------------------------------------------------|
| 0 - 2           | 3      | discard the drawn tile at this index                                     |
| 3 - 52          | 50     | price the next tile at 1 - 50 gold                                       |
| 53 - 60         | 8      | buy from the 1st - 4th seat to the left its 1st or 2nd tile on offer     |
| 61              | 1      | buy nothing                                                              |
| 62              | 1      | finish building                                                          |
| 63 - 16490      | 16,428 | place the tile at this index in hand: 3 tiles x 37 rows x 37 columns x 4 |

An offer is as many decisions as a seat draws tiles: the tile to discard, then a price for each of the others
in the order in which they were drawn; `decode_move` makes one move of them. The 50 prices from the minimum
price on have numbers; higher ones cannot be encoded. Taking back a placement is left out, since games would
not end. A placement is `63 + ((tile * 37 + y + 18) * 37 + x + 18) * 4 + rotation / 90`. The grid is large
enough: a seat gets at most 3 tiles in each of 6 rounds, so the last of 18 tiles lies at most 18 cells from
the castle.

Draws of a game without a seed have numbers of their own: 0 - 72 the landscape tiles L01 - L73, 73 - 88 the
scoring tiles sorted by id, 89 - 93 the starting seats 0 - 4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Final, NamedTuple, Self

from skye.bots.registry import Bot
from skye.errors import RuleError
from skye.events import Event
from skye.lookup import named
from skye.rules.chance import chance_outcomes
from skye.rules.moves import CHANCE, FINISH_BUILDING, PASS, Buy, Draw, FinishBuilding, Move, Pass, SetOffer
from skye.rules.play import play
from skye.rules.state import BUILDING, BUYING, PRICING, GameState, Player, check_seat
from skye.rulesets.ruleset import Ruleset
from skye.tiles.geometry import ROTATIONS, cell_at
from skye.tiles.tile_set import Place

_PRICES: Final = 50
"""The number of prices that can be encoded, from the minimum price on."""


class Encoding:
    """The numbers of the actions and draws of a ruleset. It never changes.

    :param ruleset: the ruleset.
    """

    __slots__ = (
        "_discards",
        "_first_at",
        "_number_of_draw",
        "_offset",
        "_on_offer",
        "_pass",
        "_placements",
        "_placements_of_tile",
        "_purchases",
        "_quarters",
        "_side",
        "action_count",
        "decisions",
        "draws",
        "finish",
        "max_price",
        "min_price",
        "reach",
        "ruleset",
    )

    ruleset: Ruleset
    """The ruleset."""

    decisions: int
    """The number of decisions of an offer, which is that of the tiles that a seat draws."""

    min_price: int
    """The minimum price in gold."""

    max_price: int
    """The maximum price in gold that can be encoded."""

    reach: int
    """The largest distance from the castle that a placement can have, along either axis."""

    finish: int
    """The number of `FinishBuilding`."""

    action_count: int
    """The number of actions."""

    draws: tuple[str, ...]
    """The item that each number of a chance decision draws."""

    _first_at: dict[int, int]
    """By cell of the grid: the offset of its placement with rotation 0 among the placements of a tile."""

    _quarters: dict[str, tuple[tuple[int, ...], ...]]
    """By tile and edge constraint (see `TileSet`): the rotations that fit, in quarters."""

    def __init__(self, ruleset: Ruleset) -> None:
        players, tiles = ruleset.players[-1], ruleset.tiles
        self.ruleset = ruleset
        self.decisions = ruleset.tiles_drawn
        self.min_price = ruleset.minimum_price
        self.max_price = self.min_price + _PRICES - 1
        self.reach = min(ruleset.max_rounds * self.decisions, len(tiles.landscape))
        self._discards = range(self.decisions)
        self._offset = self.decisions - self.min_price  # added to a price
        self._on_offer = self.decisions - 1
        self._purchases = self.decisions + _PRICES
        self._pass = self._purchases + self._on_offer * (players - 1)
        self.finish = self._pass + 1
        self._placements = self.finish + 1
        reach, side = self.reach, 2 * self.reach + 1
        self._side = side
        self._placements_of_tile = side * side * 4
        self.action_count = self._placements + self.decisions * self._placements_of_tile
        self.draws = (
            *tiles.landscape,
            *sorted(ruleset.scoring_tiles),
            *[str(seat) for seat in range(players)],
        )
        self._number_of_draw = {item: number for number, item in enumerate(self.draws)}
        self._first_at = {
            cell_at(x, y): 4 * (side * (y + reach) + x + reach)
            for y in range(-reach, reach + 1)
            for x in range(-reach, reach + 1)
        }
        self._quarters = {
            tile: tuple([tuple([rotation // 90 for rotation in rotations]) for rotations in fits])
            for tile, fits in tiles.fitting_rotations.items()
        }

    def __reduce__(self) -> tuple[Any, ...]:
        return encoding_of, (self.ruleset,)

    def __repr__(self) -> str:
        return f"<Encoding of {self.ruleset.id}>"

    def price_of(self, action: int) -> int:
        """Return the gold that an action lays on a tile, 0 when it does not.

        >>> from skye.rulesets import BASE
        >>> encoding_of(BASE).price_of(5), encoding_of(BASE).price_of(61)
        (3, 0)
        """
        return action - self._offset if self.decisions <= action < self._purchases else 0

    def describe_action(self, action: int) -> str:
        """Return an English description of an action.

        >>> from skye.rulesets import BASE
        >>> encoding_of(BASE).describe_action(61), encoding_of(BASE).describe_action(63 + 5476 + 2)
        ('pass', 'place tile 2 at (-18, -18) turned by 180')

        :raises ValueError: when there is no such action.
        """
        if not 0 <= action < self.action_count:
            raise ValueError(f"there is no action {action}")
        if action < self.decisions:
            return f"discard tile {action + 1}"
        if action < self._purchases:
            return f"price {action - self._offset}"
        if action < self._pass:
            left, index = divmod(action - self._purchases, self._on_offer)
            return f"buy tile {index + 1} of the seat {left + 1} to the left"
        if action < self._placements:
            return "pass" if action == self._pass else "finish building"
        slot, place = divmod(action - self._placements, self._placements_of_tile)
        y, x = divmod(place // 4, self._side)
        return f"place tile {slot + 1} at ({x - self.reach}, {y - self.reach}) turned by {place % 4 * 90}"

    def encode_draw(self, draw: Draw) -> int:
        """Return the number of a draw.

        >>> from skye.rulesets import BASE
        >>> encoding_of(BASE).encode_draw(Draw("L02"))
        1

        :raises ValueError: when nothing of this name is ever drawn.
        """
        return named("draw", draw.item, self._number_of_draw)

    def decode_draw(self, number: int) -> Draw:
        """Return the draw with a number.

        >>> from skye.rulesets import BASE
        >>> encoding_of(BASE).decode_draw(1)
        Draw(item='L02')

        :raises ValueError: when there is no such draw.
        """
        if not 0 <= number < len(self.draws):
            raise ValueError(f"there is no draw {number}")
        return Draw(self.draws[number])

    def _offer_actions(self, player: Player, draft: tuple[int, ...]) -> range:
        """Return the actions that continue an offer."""
        if not draft:
            return self._discards
        # The gold that is left, less the minimum for each tile that has no price yet after this one.
        offset, known = self._offset, len(draft) - 1
        laid = sum(draft[1:]) - known * offset
        highest = player.gold + player.stakes - laid - self.min_price * (self._on_offer - known - 1)
        return range(self.decisions, offset + 1 + min(highest, self.max_price))

    def _buying_actions(self, game: GameState) -> list[int]:
        players, seat = game.players, game.buyer
        gold = players[seat].gold
        actions = []
        for left in range(1, len(players)):
            first = self._purchases + self._on_offer * (left - 1)
            for index, price in enumerate(players[(seat + left) % len(players)].prices):
                if price <= gold:
                    actions.append(first + index)
        actions.append(self._pass)
        return actions

    def _building_actions(self, player: Player) -> list[int]:
        actions: list[int] = []
        base, first_at, size = self._placements, self._first_at, self._placements_of_tile
        frontier = sorted(player.territory._open_cells.items())  # by rows, as the numbers are
        for tile in player.tiles_to_build:
            quarters = self._quarters[tile]
            for cell, constraint in frontier:
                turns = quarters[constraint]
                if turns:
                    first = base + first_at[cell]
                    for turn in turns:
                        actions.append(first + turn)
            base += size
        return actions or [self.finish]

    def _offer(self, player: Player, draft: Sequence[int]) -> SetOffer:
        """Return the offer that some actions make."""
        drawn, discard, offset = player.tiles_on_offer, draft[0], self._offset
        kept = drawn[:discard] + drawn[discard + 1 :]
        return SetOffer(
            drawn[discard],
            tuple([(tile, action - offset) for tile, action in zip(kept, draft[1:], strict=True)]),
        )

    def _offer_numbers(self, drawn: tuple[str, ...], discard: str, prices: dict[str, int]) -> tuple[int, ...]:
        if max(prices.values()) > self.max_price:
            raise ValueError(f"a price above {self.max_price} has no number")
        return (drawn.index(discard), *[self._offset + prices[tile] for tile in drawn if tile != discard])

    def move_of(self, game: GameState, seat: int, action: int) -> Move:
        """Return the move that one action encodes."""
        if action == self._pass:
            return PASS
        if action == self.finish:
            return FINISH_BUILDING
        if not self._purchases <= action < self.action_count:
            raise ValueError(f"{action} is not the number of a move")
        try:
            if action < self._pass:
                seller, index = divmod(action - self._purchases, self._on_offer)
                if game.phase is BUYING and seller + 1 < len(game.players):
                    return Buy(game.players[(seat + 1 + seller) % len(game.players)].tiles_on_offer[index])
                raise IndexError
            slot, place = divmod(action - self._placements, self._placements_of_tile)
            cell, quarter = divmod(place, 4)
            y, x = divmod(cell, self._side)
            return Place(
                game.players[seat].tiles_to_build[slot], x - self.reach, y - self.reach, ROTATIONS[quarter]
            )
        except IndexError:
            raise RuleError(f"Action {action} is not legal now.") from None

    def _numbers(self, game: GameState, seat: int, move: Move) -> tuple[int, ...]:
        """Return the actions of a legal move."""
        player = game.players[seat]
        match move:
            case SetOffer(discard, prices):
                return self._offer_numbers(player.tiles_on_offer, discard, dict(prices))
            case Buy(tile):
                for left in range(1, len(game.players)):
                    on_offer = game.players[(seat + left) % len(game.players)].tiles_on_offer
                    if tile in on_offer:
                        return (self._purchases + self._on_offer * (left - 1) + on_offer.index(tile),)
            case Pass():
                return (self._pass,)
            case FinishBuilding():
                return (self.finish,)
            case Place(tile, x, y, rotation) if (
                tile in player.tiles_to_build and max(abs(x), abs(y)) <= self.reach
            ):
                slot = player.tiles_to_build.index(tile)
                number = self._first_at[cell_at(x, y)] + rotation // 90
                return (self._placements + slot * self._placements_of_tile + number,)
            case _:
                pass
        raise ValueError(f"{move} has no number")


_encodings: dict[Ruleset, Encoding] = {}
"""The encodings that have been used."""


def encoding_of(ruleset: Ruleset) -> Encoding:
    """Return the encoding of a ruleset, which is computed once.

    >>> from skye.rulesets import BASE
    >>> encoding_of(BASE).action_count
    16491
    """
    try:
        return _encodings[ruleset]
    except KeyError:
        return _encodings.setdefault(ruleset, Encoding(ruleset))


class EncodedGame(NamedTuple):
    """A game between two encoded decisions.

    :param game: the game.
    :param draft: the actions of an offer that is not complete yet.
    :param decider: the seat that decides next; None for the first that the game waits for.

    >>> from skye.rules.setup import new_game
    >>> encoded = EncodedGame(new_game(2, seed="seed").game)
    >>> encoded.seat, encoded.legal_actions()
    (0, [0, 1, 2])
    """

    game: GameState
    draft: tuple[int, ...] = ()
    decider: int | None = None

    def __deepcopy__(self, _memo: dict[int, object]) -> Self:
        return self

    @property
    def encoding(self) -> Encoding:
        """The encoding of the game's ruleset."""
        return encoding_of(self.game.ruleset)

    @property
    def seat(self) -> int:
        """The seat that decides next: `decider`, the first of `game.waiting_for`, or `CHANCE`."""
        if self.decider is not None:
            return self.decider
        waiting_for = self.game.waiting_for
        return waiting_for[0] if waiting_for else CHANCE

    def legal_actions(self) -> list[int]:
        """Return the numbers of all legal actions of the seat that decides next, in ascending order.

        At a chance node, return the numbers of all draws that are possible.
        """
        game = self.game
        phase = game.phase
        if phase is None:
            return []
        encoding = encoding_of(game.ruleset)
        if phase is BUILDING:
            return encoding._building_actions(game.players[self.seat])
        if phase is BUYING:
            return encoding._buying_actions(game)
        if game.is_chance_node:
            return [encoding._number_of_draw[draw.item] for draw, _ in chance_outcomes(game)]
        return list(encoding._offer_actions(game.players[self.seat], self.draft))

    def mask(self) -> bytearray:
        """Return one byte for each action: 1 where it is legal, otherwise 0.

        `numpy.frombuffer(mask, numpy.int8)` is an array of shape (`Encoding.action_count`,).
        """
        mask = bytearray(self.encoding.action_count)
        for action in self.legal_actions():
            mask[action] = 1
        return mask

    def play(self, action: int) -> tuple[EncodedGame, tuple[Event, ...]]:
        """Return the game after an action, and its events; there are none while an offer is incomplete.

        :raises RuleError: when the action is not legal now.
        :raises ValueError: when no move or draw has this number, unless an offer is being made.
        """
        game, draft, seat = self.game, self.draft, self.seat
        encoding = encoding_of(game.ruleset)
        if seat == CHANCE:
            move: Move | Draw = encoding.decode_draw(action)
        elif game.phase is PRICING:
            if action not in encoding._offer_actions(game.players[seat], draft):
                raise RuleError(f"Action {action} is not legal now.")
            draft = (*draft, action)
            if len(draft) < encoding.decisions:
                return EncodedGame(game, draft, seat), ()
            move = encoding._offer(game.players[seat], draft)
        else:
            move = decode_action(game, seat, action)
        game, events = play(game, seat, move)
        return EncodedGame(game), events


def decode_move(game: GameState, seat: int, actions: Sequence[int]) -> Move:
    """Return the move that actions encode, the inverse of `encode_move`: several for an offer, otherwise one.

    >>> import skye
    >>> decode_move(skye.new_game(2, seed="encoded").game, 0, [0, 3, 5])
    SetOffer(discard='L10', prices=(('L53', 1), ('L37', 3)))

    :raises RuleError: when the actions have no meaning now.
    :raises ValueError: when there is no such seat, their number is wrong, or one of them is not the number
        of an action.
    """
    check_seat(game, seat)
    encoding = encoding_of(game.ruleset)
    if game.phase is PRICING and len(actions) == encoding.decisions:
        prices = [encoding.price_of(action) for action in actions[1:]]
        if actions[0] not in range(encoding.decisions) or 0 in prices:
            raise ValueError(f"{list(actions)} are not a tile to discard and prices")
        return encoding._offer(game.players[seat], actions)
    if len(actions) != 1:
        raise ValueError(f"{len(actions)} actions: an offer is {encoding.decisions}, any other move one")
    return decode_action(game, seat, actions[0])


def bot_of_policy(policy: Callable[[EncodedGame, Random], int]) -> Bot:
    """Return a bot that plays the actions of a policy, for leagues and for `choose_move`.

    >>> import skye
    >>> first = bot_of_policy(lambda encoded, rng: encoded.legal_actions()[0])
    >>> skye.choose_move(first, skye.new_game(2, seed="encoded").game).discard
    'L10'

    :param policy: returns one of the legal actions of an encoded game, whose `seat` decides.
    """

    def bot(game: GameState, seat: int, rng: Random) -> Move:
        encoded = EncodedGame(game, (), seat)
        actions = [policy(encoded, rng)]
        if game.phase is PRICING:
            while len(actions) < encoded.encoding.decisions:
                encoded, _ = encoded.play(actions[-1])
                actions.append(policy(encoded, rng))
        return decode_move(game, seat, actions)

    return bot


def decode_action(game: GameState, seat: int, action: int) -> Move:
    """Return the move of a seat that one action encodes; `decode_move` also decodes those of an offer.

    >>> import skye
    >>> decode_action(skye.new_game(2, seed="encoded").game, 0, 61)
    Pass()

    :raises RuleError: when the action has no meaning now, for example a tile that is not in hand.
    :raises ValueError: when there is no such seat, or `action` is not the number of a move; the parts of an
        offer are not moves.
    """
    check_seat(game, seat)
    return encoding_of(game.ruleset).move_of(game, seat, action)


def encode_move(game: GameState, seat: int, move: Move) -> tuple[int, ...]:
    """Return the actions of a legal move: one for each drawn tile for an offer, one for any other.

    >>> import skye
    >>> encode_move(skye.new_game(2, seed="encoded").game, 0, skye.Pass())
    (61,)

    :raises ValueError: when there is no such seat; for a price above `Encoding.max_price`, a tile that the
        seat does not have, a placement outside of the grid, and `TakeBack`.
    """
    check_seat(game, seat)
    return encoding_of(game.ruleset)._numbers(game, seat, move)
