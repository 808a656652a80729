"""The rules of play: the legality and the effect of moves.

`rule_error` decides whether a move is legal; `play` raises the error that it returns. `legal_moves` uses the
same data: the tiles drawn or on offer, and the frontier of a territory. The automatic steps after a move are
in `rounds`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from skye import errors
from skye.errors import RuleError
from skye.events import (
    BuildingFinished,
    Event,
    OfferSet,
    PlacementTakenBack,
    PurchasePassed,
    TileBought,
    TilePlaced,
)
from skye.rules import rounds
from skye.rules.chance import draw_error, make_draw
from skye.rules.moves import (
    CHANCE,
    FINISH_BUILDING,
    PASS,
    TAKE_BACK,
    Buy,
    Draw,
    FinishBuilding,
    Move,
    OfferLimits,
    Pass,
    SetOffer,
    TakeBack,
)
from skye.rules.state import BUILDING, BUYING, PRICING, GameState, Phase, Player, check_seat
from skye.rulesets.ruleset import RULESETS
from skye.tiles.tile_set import Place

_INTEGERS: Final = {int}


class _Purchases(dict[str, Buy]):
    """The purchase of each tile, created once: `legal_moves` returns them in every game."""

    def __missing__(self, tile: str) -> Buy:
        move = self[tile] = Buy(tile)
        return move


_PURCHASES: Final = _Purchases()


class Outcome(NamedTuple):
    """The result of a move: the next game, and the events in order."""

    game: GameState
    events: tuple[Event, ...]


def play(game: GameState, seat: int, move: Move | Draw) -> Outcome:
    """Make a move and the automatic steps after it; return the game at the next decision, and the events.

    >>> import skye
    >>> game = skye.new_game(2, seed="play").game
    >>> game, events = play(game, 0, legal_moves(game, 0)[0])
    >>> events
    (OfferSet(seat=0, discard='L66', prices=(('L61', 1), ('L37', 1)), gold=3),)

    :param seat: the seat that moves, or `CHANCE` for a draw.
    :raises RuleError: when the move is illegal, with a subclass for each reason.
    :raises TypeError: when the arguments are not a game, a seat and a move.
    :raises ValueError: when there is no such seat or rotation.
    """
    error = rule_error(game, seat, move)
    if error is not None:
        raise error
    if seat == CHANCE and isinstance(move, Draw):
        return Outcome(*make_draw(game, move))
    _, _, effect, follow_up = _RULES[type(move)]
    game, event = effect(game, seat, move)
    if follow_up is None:
        return tuple.__new__(Outcome, (game, (event,)))
    game, consequences = follow_up(game)
    return tuple.__new__(Outcome, (game, (event, *consequences)))


def rule_error(game: GameState, seat: int, move: Move | Draw) -> RuleError | None:
    """Return the rule error of a move, or None when it is legal.

    >>> import skye
    >>> rule_error(skye.new_game(2, seed="play").game, 0, skye.Pass())
    WrongPhase('This belongs to the buying phase; the game is in pricing.')

    :param seat: the seat that moves, or `CHANCE` for a draw.
    :raises TypeError: when the arguments are not a game, a seat and a move.
    :raises ValueError: when there is no such seat or rotation.
    """
    rule = _RULES.get(type(move))
    if rule is None and isinstance(move, Draw) and seat == CHANCE:
        return draw_error(game, move)
    check_seat(game, seat)
    if isinstance(move, Draw) or (game.seed is None and game.is_chance_node):
        return errors.WrongPhase("Draws are chance decisions, made before any seat acts.")
    if rule is None:
        kinds = ", ".join([kind.__name__ for kind in _RULES])
        raise TypeError(f"a move is one of {kinds} and Draw, not {move!r}")
    phase, error_of, _, _ = rule
    if game.phase is phase:
        if phase is BUILDING and game.players[seat].building_finished:
            return errors.BuildingAlreadyFinished("This seat has declared its build finished.")
        return error_of(game, seat, move)
    if game.phase is None:
        return errors.GameOver("The game is over.")
    return errors.WrongPhase(
        f"This belongs to the {phase} phase; the game is in {game.phase}.",
        phase=str(game.phase),
        required_phase=str(phase),
    )


def phase_of(move: Move) -> Phase:
    """Return the phase to which a type of move belongs."""
    return _RULES[type(move)].phase


def legal_moves(game: GameState, seat: int) -> list[Move]:
    """Return every legal move of a seat; none if it cannot act now.

    A seat with `gold` has `3 * gold * (gold - 1) / 2` legal offers: some thousands late in a game, and too
    many for a list in a position with very much gold. `offer_limits` describes them without a list.

    >>> import skye
    >>> moves = legal_moves(skye.new_game(2, seed="play").game, 0)
    >>> len(moves), moves[-1]
    (30, SetOffer(discard='L37', prices=(('L66', 4), ('L61', 1))))

    :raises ValueError: when there is no such seat; `chance_outcomes` lists the draws of `CHANCE`.
    """
    check_seat(game, seat)
    phase = game.phase
    if phase is BUILDING:
        player = game.players[seat]
        return [] if player.building_finished else _building_moves(player)
    if phase is BUYING:
        return _buying_moves(game, seat) if game.buyer == seat else []
    limits = offer_limits(game, seat)
    return [] if limits is None else _offers(limits)


def offer_limits(game: GameState, seat: int) -> OfferLimits | None:
    """Return the constraints of the legal offers of a seat, or None when it may set none.

    >>> import skye
    >>> offer_limits(skye.new_game(2, seed="play").game, 0)
    OfferLimits(tiles=('L66', 'L61', 'L37'), gold=5, minimum=1)

    :raises ValueError: when there is no such seat.
    """
    check_seat(game, seat)
    if game.phase is not PRICING or (game.seed is None and game.is_chance_node):
        return None
    player = game.players[seat]
    return OfferLimits(
        player.tiles_on_offer, player.gold + player.stakes, RULESETS[game.ruleset_id].minimum_price
    )


def _offers(limits: OfferLimits) -> list[Move]:
    tiles = limits.tiles
    prices = _prices(len(tiles) - 1, limits.minimum, limits.gold)
    offers: list[Move] = []
    for index, discard in enumerate(tiles):
        kept = tiles[:index] + tiles[index + 1 :]
        offers += [SetOffer(discard, tuple(zip(kept, of, strict=True))) for of in prices]
    return offers


def _prices(number: int, minimum: int, gold: int) -> list[tuple[int, ...]]:
    """Return every way to lay gold on some tiles, at least the minimum on each."""
    if not number:
        return [()]
    left = minimum * (number - 1)
    return [
        (price, *others)
        for price in range(minimum, gold - left + 1)
        for others in _prices(number - 1, minimum, gold - price)
    ]


def _offer_error(game: GameState, seat: int, offer: SetOffer) -> RuleError | None:
    player = game.players[seat]
    discard, priced = offer
    try:
        named = [discard, *[tile for tile, _ in priced]]
    except (TypeError, ValueError):
        raise _not_prices(priced) from None
    if len(named) != len(player.tiles_on_offer) or set(named) != set(player.tiles_on_offer):
        for tile in named:
            if tile not in player.tiles_on_offer:
                return errors.TileNotYours(
                    f"{tile} is not among the tiles drawn: {', '.join(player.tiles_on_offer)}.",
                    tile=tile,
                    tiles=player.tiles_on_offer,
                )
        return errors.OfferIncomplete("Discard one of the drawn tiles and price each of the others.")
    prices = [gold for _, gold in priced]
    if {*map(type, prices)} != _INTEGERS:
        raise _not_prices(priced)
    minimum = game.ruleset.minimum_price
    if min(prices) < minimum:
        return errors.PriceTooLow(f"Each price is at least {minimum} gold.", need=minimum, have=min(prices))
    purse = player.gold + player.stakes
    if sum(prices) > purse:
        return errors.NotEnoughGold(
            f"The prices come to {sum(prices)} gold; the purse holds {purse}.", need=sum(prices), have=purse
        )
    return None


def _not_prices(given: object) -> TypeError:
    return TypeError(f"prices are pairs of a tile and an int, as `SetOffer.of` makes them, not {given!r}")


def _turn_error(game: GameState, seat: int, _move: Buy | Pass) -> RuleError | None:
    if seat != game.buyer:
        return errors.NotYourTurn(f"It is the turn of seat {game.buyer} to buy.", seat=game.buyer)
    return None


def _purchase_error(game: GameState, seat: int, move: Buy) -> RuleError | None:
    if seat != game.buyer:
        return _turn_error(game, seat, move)
    tile = move.tile
    seller = _seller(game, tile)
    if seller is None:
        return errors.TileNotForSale(f"Nobody offers {tile} now.", tile=tile)
    if seller == seat:
        return errors.OwnTile(f"{tile} is a tile of your own.", tile=tile)
    offering = game.players[seller]
    price, gold = offering.prices[offering.tiles_on_offer.index(tile)], game.players[seat].gold
    if price > gold:
        return errors.NotEnoughGold(
            f"{tile} costs {price} gold; the purse holds {gold}.", tile=tile, need=price, have=gold
        )
    return None


def _placement_error(game: GameState, seat: int, place: Place) -> RuleError | None:
    player = game.players[seat]
    tile, x, y, rotation = place
    if tile not in player.tiles_to_build:
        return errors.TileNotYours(
            f"{tile} is not among the tiles in hand: {', '.join(player.tiles_to_build)}.",
            tile=tile,
            tiles=player.tiles_to_build,
        )
    return player.territory.placement_error(tile, x, y, rotation)


def _take_back_error(game: GameState, seat: int, _move: TakeBack) -> RuleError | None:
    if not game.players[seat].placed_this_round:
        return errors.NothingToTakeBack("No tile of this round lies in the territory.")
    return None


def _finish_error(game: GameState, seat: int, _move: FinishBuilding) -> RuleError | None:
    player = game.players[seat]
    placeable = [tile for tile in player.tiles_to_build if player.territory.has_place(tile)]
    if placeable:
        return errors.PlaceableTilesLeft(f"{', '.join(placeable)} can still be placed.", tiles=placeable)
    return None


def _building_moves(player: Player) -> list[Move]:
    moves: list[Move] = [*player.territory.legal_places(*player.tiles_to_build)]
    if not moves:
        moves.append(FINISH_BUILDING)
    if player.placed_this_round:
        moves.append(TAKE_BACK)
    return moves


def _buying_moves(game: GameState, seat: int) -> list[Move]:
    gold = game.players[seat].gold
    moves: list[Move] = [
        _PURCHASES[tile]
        for seller, player in enumerate(game.players)
        if seller != seat
        for tile, price in zip(player.tiles_on_offer, player.prices, strict=True)
        if price <= gold
    ]
    moves.append(PASS)
    return moves


def _seller(game: GameState, tile: str) -> int | None:
    """Return the seat that offers a tile, or None."""
    for seat, player in enumerate(game.players):
        if tile in player.tiles_on_offer:
            return seat
    return None


def _set_offer(game: GameState, seat: int, offer: SetOffer) -> tuple[GameState, Event]:
    player = game.players[seat]
    drawn = player.tiles_on_offer
    by_tile = dict(offer.prices)
    prices = tuple([by_tile.get(tile, 0) for tile in drawn])
    gold = player.gold + player.stakes - sum(prices)
    ordered = tuple([(tile, by_tile[tile]) for tile in drawn if tile in by_tile])
    game = game._with_player(seat, player._with_purse_and_tiles(gold, drawn, prices, player.tiles_to_build))
    return game, OfferSet(seat, offer.discard, ordered, gold)


def _buy(game: GameState, seat: int, move: Buy) -> tuple[GameState, Event]:
    tile = move.tile
    players = list(game.players)
    seller_seat = _seller(game, tile)
    assert seller_seat is not None
    buyer, seller = players[seat], players[seller_seat]
    at = seller.tiles_on_offer.index(tile)
    price = seller.prices[at]
    players[seller_seat] = seller._with_purse_and_tiles(
        seller.gold + 2 * price, *seller._offer_without(at), seller.tiles_to_build
    )
    players[seat] = buyer._with_purse_and_tiles(
        buyer.gold - price, buyer.tiles_on_offer, buyer.prices, (*buyer.tiles_to_build, tile)
    )
    gold = tuple([player.gold for player in players])
    return game._with_players(players, game.buys + 1), TileBought(seat, seller_seat, tile, price, gold)


def _pass(game: GameState, seat: int, _move: Pass) -> tuple[GameState, Event]:
    return game._with_players(list(game.players), game.buys + 1), PurchasePassed(seat)


def _place(game: GameState, seat: int, move: Place) -> tuple[GameState, Event]:
    player = game.players[seat]
    tile, x, y, rotation = move
    hand = tuple([other for other in player.tiles_to_build if other != tile])
    player = player._with_territory(player.territory._extended(move), hand, player.placed_this_round + 1)
    return game._with_player(seat, player), TilePlaced(seat, tile, x, y, rotation)


def _take_back(game: GameState, seat: int, _move: TakeBack) -> tuple[GameState, Event]:
    player = game.players[seat]
    last = player.territory.placed[-1]
    player = player._with_territory(
        player.territory._without_last(), (*player.tiles_to_build, last.tile), player.placed_this_round - 1
    )
    return game._with_player(seat, player), PlacementTakenBack(seat, *last)


def _finish_building(game: GameState, seat: int, _move: FinishBuilding) -> tuple[GameState, Event]:
    player = game.players[seat]
    finished = player._with_territory(player.territory, (), player.placed_this_round, finished=True)
    return game._with_player(seat, finished), BuildingFinished(seat, player.tiles_to_build)


class _Rule(NamedTuple):
    """The rules of one type of move.

    :param phase: the phase in which it is legal.
    :param error_of: returns the rule error of a move, or None.
    :param effect: makes a legal move; returns the next game and the event.
    :param follow_up: makes the automatic steps after it.
    """

    phase: Phase
    error_of: Callable[[GameState, int, Any], RuleError | None]
    effect: Callable[[GameState, int, Any], tuple[GameState, Event]]
    follow_up: Callable[[GameState], tuple[GameState, tuple[Event, ...]]] | None = None


_RULES: dict[type[Any], _Rule] = {
    SetOffer: _Rule(PRICING, _offer_error, _set_offer, rounds.end_pricing),
    Buy: _Rule(BUYING, _purchase_error, _buy, rounds.end_buying),
    Pass: _Rule(BUYING, _turn_error, _pass, rounds.end_buying),
    Place: _Rule(BUILDING, _placement_error, _place),
    TakeBack: _Rule(BUILDING, _take_back_error, _take_back),
    FinishBuilding: _Rule(BUILDING, _finish_error, _finish_building, rounds.end_building),
}
