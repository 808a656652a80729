"""The rules of play: which moves are legal, what they do, and what then happens by itself.

`refusal` is the one judge of a move: `play` raises what it says. `legal_moves` lists what it accepts from the
same two sources that it asks: the tiles on offer, and the frontier of a territory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from engine import errors, rounds
from engine.errors import RuleError
from engine.events import (
    BuildingFinished,
    BuyPassed,
    Event,
    OfferSet,
    PlacementTakenBack,
    TileBought,
    TilePlaced,
)
from engine.frontier import Place
from engine.game import Game, Phase, Player
from engine.moves import Buy, FinishBuilding, Move, OfferLimits, Pass, SetOffer, TakeBack

MINIMUM_PRICE = 1
"""Gold; the least that a tile on offer costs."""


class Outcome(NamedTuple):
    """What a move leads to: the next game, and what happened on the way."""

    game: Game
    events: tuple[Event, ...]


def play(game: Game, seat: int, move: Move) -> Outcome:
    """Return the game after a move, moved on to the next decision, and the events this caused.

    :raises RuleError: one named subclass for each reason; the game given is unchanged.
    :raises ValueError: when there is no such seat or rotation.
    """
    error = refusal(game, seat, move)
    if error is not None:
        raise error
    rule = _RULES[type(move)]
    game, event = rule.effect(game, seat, move)
    if rule.carry_on is None:
        return Outcome(game, (event,))
    game, consequences = rule.carry_on(game)
    return Outcome(game, (event, *consequences))


def refusal(game: Game, seat: int, move: Move) -> RuleError | None:
    """Say why a seat may not make a move now, or None when it may.

    :raises ValueError: when there is no such seat or rotation.
    """
    if not 0 <= seat < len(game.players):
        raise ValueError(f"there is no seat {seat}")
    rule = _RULES[type(move)]
    if game.phase is rule.phase:
        return rule.refusal(game, seat, move)
    if game.phase is None:
        return errors.GameOver("The game is over.")
    return errors.WrongPhase(f"This belongs to the {rule.phase} phase; the game is in {game.phase}.")


def legal_moves(game: Game, seat: int) -> list[Move]:
    """Return every move open to a seat now, but for offers, which `offer_limits` describes."""
    match game.phase:
        case Phase.BUYING if game.buyer == seat:
            gold = game.players[seat].gold
            offered = _on_offer(game).items()
            affordable = [tile for tile, (seller, price) in offered if seller != seat and price <= gold]
            return [*map(Buy, affordable), Pass()]
        case Phase.BUILDING if not game.players[seat].finished:
            return _building_moves(game.players[seat])
        case _:
            return []


def offer_limits(game: Game, seat: int) -> OfferLimits | None:
    """Describe every offer a seat may set now; None when it may set none."""
    if game.phase is not Phase.PRICING:
        return None
    player = game.players[seat]
    return OfferLimits(player.drawn, player.gold + player.stakes, MINIMUM_PRICE)


def _offer_refusal(game: Game, seat: int, offer: SetOffer) -> RuleError | None:
    player = game.players[seat]
    named = [offer.discard, *[tile for tile, _ in offer.prices]]
    if sorted(named) != sorted(player.drawn):
        for tile in named:
            if tile not in player.drawn:
                return errors.TileNotYours(f"{tile} is not among the tiles drawn: {', '.join(player.drawn)}.")
        return errors.OfferIncomplete("Discard one of the three drawn tiles and price each of the other two.")
    prices = [gold for _, gold in offer.prices]
    if min(prices) < MINIMUM_PRICE:
        return errors.PriceTooLow(f"Each price is at least {MINIMUM_PRICE} gold.")
    purse = player.gold + player.stakes
    if sum(prices) > purse:
        return errors.NotEnoughGold(f"The prices come to {sum(prices)} gold; the purse holds {purse}.")
    return None


def _turn_refusal(game: Game, seat: int, _move: Buy | Pass) -> RuleError | None:
    if seat != game.buyer:
        return errors.NotYourTurn(f"It is the turn of seat {game.buyer} to buy.")
    return None


def _purchase_refusal(game: Game, seat: int, move: Buy) -> RuleError | None:
    if seat != game.buyer:
        return _turn_refusal(game, seat, move)
    seller, price = _on_offer(game).get(move.tile, (None, 0))
    if seller is None:
        return errors.TileNotForSale(f"Nobody offers {move.tile} now.")
    if seller == seat:
        return errors.OwnTile(f"{move.tile} is a tile of your own.")
    if price > game.players[seat].gold:
        gold = game.players[seat].gold
        return errors.NotEnoughGold(f"{move.tile} costs {price} gold; the purse holds {gold}.")
    return None


def _placement_refusal(game: Game, seat: int, place: Place) -> RuleError | None:
    player = game.players[seat]
    if player.finished:
        return _finished()
    if place.tile not in player.hand:
        return errors.TileNotYours(f"{place.tile} is not among the tiles in hand: {', '.join(player.hand)}.")
    return player.territory.refusal(*place)


def _take_back_refusal(game: Game, seat: int, _move: TakeBack) -> RuleError | None:
    player = game.players[seat]
    if player.finished:
        return _finished()
    if not player.placed_now:
        return errors.NothingToTakeBack("No tile of this round lies in the territory.")
    return None


def _finish_refusal(game: Game, seat: int, _move: FinishBuilding) -> RuleError | None:
    player = game.players[seat]
    if player.finished:
        return _finished()
    placeable = [tile for tile in player.hand if player.territory.has_place(tile)]
    if placeable:
        return errors.PlaceableTilesLeft(f"{', '.join(placeable)} can still be placed.")
    return None


def _finished() -> RuleError:
    return errors.BuildFinished("This seat has declared its build finished.")


def _building_moves(player: Player) -> list[Move]:
    moves: list[Move] = []
    for tile in player.hand:
        moves += player.territory.legal_places(tile)
    if not moves:
        moves.append(FinishBuilding())
    if player.placed_now:
        moves.append(TakeBack())
    return moves


def _on_offer(game: Game) -> dict[str, tuple[int, int]]:
    """Return the seller and the price of each tile on offer."""
    return {
        tile: (seat, price)
        for seat, player in enumerate(game.players)
        for tile, price in zip(player.drawn, player.prices, strict=True)
    }


def _set_offer(game: Game, seat: int, offer: SetOffer) -> tuple[Game, Event]:
    player = game.players[seat]
    by_tile = dict(offer.prices)
    prices = tuple(by_tile.get(tile, 0) for tile in player.drawn)
    gold = player.gold + player.stakes - sum(prices)
    game = rounds.with_player(game, seat, player._replace(prices=prices, gold=gold))
    ordered = tuple((tile, by_tile[tile]) for tile in player.drawn if tile in by_tile)
    return game, OfferSet(seat, offer.discard, ordered, gold)


def _buy(game: Game, seat: int, move: Buy) -> tuple[Game, Event]:
    seller_seat, price = _on_offer(game)[move.tile]
    buyer, seller = game.players[seat], game.players[seller_seat]
    at = seller.drawn.index(move.tile)
    seller = seller._replace(
        gold=seller.gold + 2 * price,
        drawn=seller.drawn[:at] + seller.drawn[at + 1 :],
        prices=seller.prices[:at] + seller.prices[at + 1 :],
    )
    buyer = buyer._replace(gold=buyer.gold - price, hand=(*buyer.hand, move.tile))
    game = rounds.with_player(rounds.with_player(game, seat, buyer), seller_seat, seller)
    gold = tuple(player.gold for player in game.players)
    return game._replace(buys=game.buys + 1), TileBought(seat, seller_seat, move.tile, price, gold)


def _pass(game: Game, seat: int, _move: Pass) -> tuple[Game, Event]:
    return game._replace(buys=game.buys + 1), BuyPassed(seat)


def _place(game: Game, seat: int, move: Place) -> tuple[Game, Event]:
    player = game.players[seat]
    player = player._replace(
        territory=player.territory.extended(move),
        hand=tuple([tile for tile in player.hand if tile != move.tile]),
        placed_now=player.placed_now + 1,
    )
    return rounds.with_player(game, seat, player), TilePlaced(seat, *move)


def _take_back(game: Game, seat: int, _move: TakeBack) -> tuple[Game, Event]:
    player = game.players[seat]
    last = player.territory.placed[-1]
    player = player._replace(
        territory=player.territory.without_last(),
        hand=(*player.hand, last.tile),
        placed_now=player.placed_now - 1,
    )
    return rounds.with_player(game, seat, player), PlacementTakenBack(seat, *last)


def _finish_building(game: Game, seat: int, _move: FinishBuilding) -> tuple[Game, Event]:
    player = game.players[seat]
    game = rounds.with_player(game, seat, player._replace(hand=(), finished=True))
    return game, BuildingFinished(seat, player.hand)


class _Rule(NamedTuple):
    """A kind of move: its phase, why it may be refused, what it does, and what may end with it."""

    phase: Phase
    refusal: Callable[[Game, int, Any], RuleError | None]
    effect: Callable[[Game, int, Any], tuple[Game, Event]]
    carry_on: Callable[[Game], tuple[Game, tuple[Event, ...]]] | None = None


_RULES: dict[type[Any], _Rule] = {
    SetOffer: _Rule(Phase.PRICING, _offer_refusal, _set_offer, rounds.end_pricing),
    Buy: _Rule(Phase.BUYING, _purchase_refusal, _buy, rounds.end_buying),
    Pass: _Rule(Phase.BUYING, _turn_refusal, _pass, rounds.end_buying),
    Place: _Rule(Phase.BUILDING, _placement_refusal, _place),
    TakeBack: _Rule(Phase.BUILDING, _take_back_refusal, _take_back),
    FinishBuilding: _Rule(Phase.BUILDING, _finish_refusal, _finish_building, rounds.end_building),
}
