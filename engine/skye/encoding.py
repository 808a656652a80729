"""Actions as numbers with masks, for learning: every decision is one of 16,491 actions.

| actions         | number | meaning                                                                  |
|-----------------|--------|--------------------------------------------------------------------------|
| 0 - 2           | 3      | discard the drawn tile at this index                                     |
| 3 - 52          | 50     | price the next tile at 1 - 50 gold                                       |
| 53 - 60         | 8      | buy from the 1st - 4th seat to the left its 1st or 2nd tile on offer     |
| 61              | 1      | buy nothing                                                              |
| 62              | 1      | finish building                                                          |
| 63 - 16490      | 16,428 | place the tile at this index in hand: 3 tiles x 37 rows x 37 columns x 4 |

An offer is three decisions: the tile to discard, then a price for each of the other two in the order in
which they were drawn; `decode_move` makes one move of them. Prices above 50 cannot be encoded; taking back a
placement is left out, since games would not end. A placement is `63 + ((tile * 37 + y + 18) * 37 + x + 18) *
4 + rotation / 90`. The grid is large enough: a seat gets at most 3 tiles in each of 6 rounds, so the last of
18 tiles lies at most 18 cells from the castle.

Draws of a game without a seed have numbers of their own: 0 - 72 the landscape tiles L01 - L73, 73 - 88 the
scoring tiles sorted by id, 89 - 93 the starting seats 0 - 4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Final, NamedTuple, Self

from skye.bots.registry import Bot
from skye.errors import RuleError
from skye.events import Event
from skye.lookup import named
from skye.rules.chance import chance_outcomes
from skye.rules.moves import CHANCE, FINISH_BUILDING, PASS, Buy, Draw, FinishBuilding, Move, Pass, SetOffer
from skye.rules.play import play
from skye.rules.state import BUILDING, BUYING, PRICING, TILES_DRAWN, GameState, Player, check_seat
from skye.scoring.scoring_tiles import SCORING_TILES
from skye.territory.frontier import Place
from skye.tiles.catalogue import COLORS, FITTING_ROTATIONS, LANDSCAPE
from skye.tiles.geometry import ROTATIONS, cell_at

GRID_REACH: Final = 18
"""Largest distance from the castle that a placement can have, along either axis."""

MAX_ENCODED_PRICE: Final = 50
"""Gold; prices above this cannot be encoded."""

_SIDE: Final = 2 * GRID_REACH + 1
_RIVALS: Final = len(COLORS) - 1
_ON_OFFER: Final = 2

_DISCARDS: Final = range(TILES_DRAWN)
_PRICES: Final = TILES_DRAWN - 1  # added to a price of at least 1
_PURCHASES: Final = TILES_DRAWN + MAX_ENCODED_PRICE
_PASS: Final = _PURCHASES + _ON_OFFER * _RIVALS
_FINISH: Final = _PASS + 1
_PLACEMENTS: Final = _FINISH + 1
_PLACEMENTS_OF_TILE: Final = _SIDE * _SIDE * 4

ACTION_COUNT: Final = _PLACEMENTS + TILES_DRAWN * _PLACEMENTS_OF_TILE
"""The number of actions."""

DRAWS: Final = (*LANDSCAPE, *sorted(SCORING_TILES), *map(str, range(len(COLORS))))
"""The item that each number of a chance decision draws."""

_NUMBER_OF_DRAW: Final = {item: number for number, item in enumerate(DRAWS)}

_FIRST_AT: Final = {
    cell_at(x, y): 4 * (_SIDE * (y + GRID_REACH) + x + GRID_REACH)
    for y in range(-GRID_REACH, GRID_REACH + 1)
    for x in range(-GRID_REACH, GRID_REACH + 1)
}
"""By cell of the grid: the offset of its placement with rotation 0 among the placements of a tile."""

_QUARTERS: Final = {
    tile: tuple([tuple([rotation // 90 for rotation in rotations]) for rotations in fits])
    for tile, fits in FITTING_ROTATIONS.items()
}
"""By tile and edge constraint (see `tiles.FITTING_ROTATIONS`): the rotations that fit, in quarters."""


class EncodedGame(NamedTuple):
    """A game between two encoded decisions.

    :param game: the game.
    :param draft: the actions of an offer that is not complete yet, at most two.
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
        if phase is BUILDING:
            return _building_actions(game.players[self.seat])
        if phase is PRICING:
            if game.is_chance_node:
                return [_NUMBER_OF_DRAW[draw.item] for draw, _ in chance_outcomes(game)]
            return list(_offer_actions(game.players[self.seat], self.draft))
        return _buying_actions(game) if phase is BUYING else []

    def mask(self) -> bytearray:
        """Return one byte for each action: 1 where it is legal, otherwise 0.

        `numpy.frombuffer(mask, numpy.int8)` is an array of shape (`ACTION_COUNT`,).
        """
        mask = bytearray(ACTION_COUNT)
        for action in self.legal_actions():
            mask[action] = 1
        return mask

    def play(self, action: int) -> tuple[EncodedGame, tuple[Event, ...]]:
        """Return the game after an action, and its events; there are none while an offer is incomplete.

        :raises RuleError: when the action is not legal now.
        :raises ValueError: when no move or draw has this number, unless an offer is being made.
        """
        game, draft, seat = self.game, self.draft, self.seat
        if seat == CHANCE:
            move: Move | Draw = decode_draw(action)
        elif game.phase is PRICING:
            if action not in _offer_actions(game.players[seat], draft):
                raise RuleError(f"Action {action} is not legal now.")
            draft = (*draft, action)
            if len(draft) < TILES_DRAWN:
                return EncodedGame(game, draft, seat), ()
            move = _offer(game.players[seat], draft)
        else:
            move = decode_action(game, seat, action)
        game, events = play(game, seat, move)
        return EncodedGame(game), events


def decode_move(game: GameState, seat: int, actions: Sequence[int]) -> Move:
    """Return the move that actions encode, the inverse of `encode_move`: three for an offer, else one.

    >>> import skye
    >>> decode_move(skye.new_game(2, seed="encoded").game, 0, [0, 3, 5])
    SetOffer(discard='L10', prices=(('L53', 1), ('L37', 3)))

    :raises RuleError: when the actions have no meaning now.
    :raises ValueError: when there is no such seat, their number is wrong, or one of them is not the number
        of an action.
    """
    check_seat(game, seat)
    if game.phase is PRICING and len(actions) == TILES_DRAWN:
        discard, first, second = actions
        if discard not in range(TILES_DRAWN) or not (price_of(first) and price_of(second)):
            raise ValueError(f"{list(actions)} are not a tile to discard and two prices")
        return _offer(game.players[seat], (discard, first, second))
    if len(actions) != 1:
        raise ValueError(f"{len(actions)} actions: an offer is three, any other move one")
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
            while len(actions) < TILES_DRAWN:
                encoded, _ = encoded.play(actions[-1])
                actions.append(policy(encoded, rng))
        return decode_move(game, seat, actions)

    return bot


def decode_action(game: GameState, seat: int, action: int) -> Move:
    """Return the move of a seat that one action encodes; `decode_move` also decodes the three of an offer.

    >>> import skye
    >>> decode_action(skye.new_game(2, seed="encoded").game, 0, 61)
    Pass()

    :raises RuleError: when the action has no meaning now, for example a tile that is not in hand.
    :raises ValueError: when there is no such seat, or `action` is not the number of a move; the parts of an
        offer are not moves.
    """
    check_seat(game, seat)
    if action == _PASS:
        return PASS
    if action == _FINISH:
        return FINISH_BUILDING
    if not _PURCHASES <= action < ACTION_COUNT:
        raise ValueError(f"{action} is not the number of a move")
    try:
        if action < _PASS:
            seller, index = divmod(action - _PURCHASES, _ON_OFFER)
            if game.phase is BUYING and seller + 1 < len(game.players):
                return Buy(game.players[(seat + 1 + seller) % len(game.players)].tiles_on_offer[index])
            raise IndexError
        slot, place = divmod(action - _PLACEMENTS, _PLACEMENTS_OF_TILE)
        cell, quarter = divmod(place, 4)
        y, x = divmod(cell, _SIDE)
        return Place(
            game.players[seat].tiles_to_build[slot], x - GRID_REACH, y - GRID_REACH, ROTATIONS[quarter]
        )
    except IndexError:
        raise RuleError(f"Action {action} is not legal now.") from None


def encode_move(game: GameState, seat: int, move: Move) -> tuple[int, ...]:
    """Return the actions of a legal move: three for an offer, one for any other.

    >>> import skye
    >>> encode_move(skye.new_game(2, seed="encoded").game, 0, skye.Pass())
    (61,)

    :raises ValueError: when there is no such seat; for a price above `MAX_ENCODED_PRICE`, a tile that the
        seat does not have, a placement outside of the grid, and `TakeBack`.
    """
    check_seat(game, seat)
    player = game.players[seat]
    match move:
        case SetOffer(discard, prices):
            return _offer_numbers(player.tiles_on_offer, discard, dict(prices))
        case Buy(tile):
            for left in range(1, len(game.players)):
                on_offer = game.players[(seat + left) % len(game.players)].tiles_on_offer
                if tile in on_offer:
                    return (_PURCHASES + _ON_OFFER * (left - 1) + on_offer.index(tile),)
        case Pass():
            return (_PASS,)
        case FinishBuilding():
            return (_FINISH,)
        case Place(tile, x, y, rotation) if (
            tile in player.tiles_to_build and max(abs(x), abs(y)) <= GRID_REACH
        ):
            slot = player.tiles_to_build.index(tile)
            number = _FIRST_AT[cell_at(x, y)] + rotation // 90
            return (_PLACEMENTS + slot * _PLACEMENTS_OF_TILE + number,)
        case _:
            pass
    raise ValueError(f"{move} has no number")


def price_of(action: int) -> int:
    """Return the gold that an action lays on a tile, 0 when it does not.

    >>> price_of(5), price_of(61)
    (3, 0)
    """
    return action - _PRICES if _PRICES < action < _PURCHASES else 0


def describe_action(action: int) -> str:
    """Return an English description of an action.

    >>> describe_action(61), describe_action(63 + 5476 + 2)
    ('pass', 'place tile 2 at (-18, -18) turned by 180')

    :raises ValueError: when there is no such action.
    """
    if not 0 <= action < ACTION_COUNT:
        raise ValueError(f"there is no action {action}")
    if action < TILES_DRAWN:
        return f"discard tile {action + 1}"
    if action < _PURCHASES:
        return f"price {action - _PRICES}"
    if action < _PASS:
        left, index = divmod(action - _PURCHASES, _ON_OFFER)
        return f"buy tile {index + 1} of the seat {left + 1} to the left"
    if action < _PLACEMENTS:
        return "pass" if action == _PASS else "finish building"
    slot, place = divmod(action - _PLACEMENTS, _PLACEMENTS_OF_TILE)
    y, x = divmod(place // 4, _SIDE)
    return f"place tile {slot + 1} at ({x - GRID_REACH}, {y - GRID_REACH}) turned by {place % 4 * 90}"


def encode_draw(draw: Draw) -> int:
    """Return the number of a draw.

    >>> import skye
    >>> encode_draw(skye.Draw("L02"))
    1

    :raises ValueError: when nothing of this name is ever drawn.
    """
    return named("draw", draw.item, _NUMBER_OF_DRAW)


def decode_draw(number: int) -> Draw:
    """Return the draw with a number.

    >>> decode_draw(1)
    Draw(item='L02')

    :raises ValueError: when there is no such draw.
    """
    if not 0 <= number < len(DRAWS):
        raise ValueError(f"there is no draw {number}")
    return Draw(DRAWS[number])


def _offer_actions(player: Player, draft: tuple[int, ...]) -> range:
    if not draft:
        return _DISCARDS
    # The gold that is left, less one for each tile that has no price yet after this one.
    highest = player.gold + player.stakes - (1 if len(draft) == 1 else draft[1] - _PRICES)
    return range(_PRICES + 1, _PRICES + 1 + min(highest, MAX_ENCODED_PRICE))


def _buying_actions(game: GameState) -> list[int]:
    players, seat = game.players, game.buyer
    gold = players[seat].gold
    actions = []
    for left in range(1, len(players)):
        first = _PURCHASES + _ON_OFFER * (left - 1)
        for index, price in enumerate(players[(seat + left) % len(players)].prices):
            if price <= gold:
                actions.append(first + index)
    actions.append(_PASS)
    return actions


def _building_actions(player: Player) -> list[int]:
    actions: list[int] = []
    base = _PLACEMENTS
    frontier = sorted(player.territory._open_cells.items())  # by rows, as the numbers are
    for tile in player.tiles_to_build:
        quarters = _QUARTERS[tile]
        for cell, constraint in frontier:
            turns = quarters[constraint]
            if turns:
                first = base + _FIRST_AT[cell]
                for turn in turns:
                    actions.append(first + turn)
        base += _PLACEMENTS_OF_TILE
    return actions or [_FINISH]


def _offer(player: Player, draft: tuple[int, ...]) -> SetOffer:
    discard, first, second = draft
    one, other = player.tiles_on_offer[:discard] + player.tiles_on_offer[discard + 1 :]
    return SetOffer(player.tiles_on_offer[discard], ((one, first - _PRICES), (other, second - _PRICES)))


def _offer_numbers(drawn: tuple[str, ...], discard: str, prices: dict[str, int]) -> tuple[int, ...]:
    if max(prices.values()) > MAX_ENCODED_PRICE:
        raise ValueError(f"a price above {MAX_ENCODED_PRICE} has no number")
    return (drawn.index(discard), *[_PRICES + prices[tile] for tile in drawn if tile != discard])
