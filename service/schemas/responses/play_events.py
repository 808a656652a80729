"""The events of play, from the first income to the end of the game."""

from __future__ import annotations

from service.schemas.enums import LandscapeTile
from service.schemas.fields import MAX_GOLD, Coordinate, Integer, Rotation, Seat
from service.schemas.objects import Constant, ListOf, NestedObject, Prices
from service.schemas.responses.event_base import GameEvent, SeatEvent
from service.schemas.responses.game import GameResult, PointsByScoringTile
from service.schemas.responses.shape import BySeat, Count, LandscapeTiles, ResponseObject, Round, Text
from skye import LANDSCAPE, PLAYERS


class RoundStartedEvent(GameEvent):
    """A round began."""

    type = Constant("round_started")
    round = Round()
    starting_seat = Seat("The seat that starts the round.")


class Income(ResponseObject):
    """The income of a seat in a round, by source."""

    castle = Count("For the castle.")
    whisky = Count("For tiles with whisky that are connected to the castle by road.")
    catch_up = Count("For players who have more points.")
    total = Count("The sum.")


class SeatIncome(Income):
    """The income of one seat."""

    seat = Seat("The seat.")
    gold = Count("The gold in the purse after the event; null when hidden.", allow_none=True)


class IncomePaidEvent(GameEvent):
    """Each seat received its income."""

    type = Constant("income_paid")
    players = BySeat(SeatIncome, "The incomes, in seat order.")


class SeatDraw(ResponseObject):
    """The tiles that one seat drew."""

    seat = Seat("The seat.")
    tiles = LandscapeTiles("The tiles, in the order drawn.", 3)


class TilesDrawnEvent(GameEvent):
    """Each seat drew three tiles. Pricing begins."""

    type = Constant("tiles_drawn")
    players = BySeat(SeatDraw, "The draws, in seat order.")


class OfferSetEvent(SeatEvent):
    """A seat set or replaced its offer. The offer is null for all other callers."""

    type = Constant("offer_set")
    discard = LandscapeTile("The tile to discard; null when hidden.", allow_none=True)
    prices = Prices("Gold on each of the other two tiles; null when hidden.", allow_none=True)
    gold = Count("The gold in the purse after the event; null when hidden.", allow_none=True)


class SeatOffer(ResponseObject):
    """The offer of one seat, revealed."""

    seat = Seat("The seat.")
    discard = LandscapeTile("The tile discarded.")
    prices = Prices("Gold on each of the other two tiles.")
    gold = Count("The gold in the purse after the event; null when hidden.", allow_none=True)


class OffersRevealedEvent(GameEvent):
    """All offers were revealed."""

    type = Constant("offers_revealed")
    players = BySeat(SeatOffer, "The offers, in seat order.")


class TilesDiscardedEvent(GameEvent):
    """The marked tiles went back into the bag. Buying begins."""

    type = Constant("tiles_discarded")
    tiles = LandscapeTiles("The tiles, in seat order.", PLAYERS[-1])


class SeatGold(ResponseObject):
    """The purse of one seat."""

    seat = Seat("The seat.")
    gold = Count("The gold in the purse after the event; null when hidden.", allow_none=True)


class TileBoughtEvent(SeatEvent):
    """A seat bought a tile; the seller received the price and took back the gold that lay on the tile."""

    type = Constant("tile_bought")
    seller = Seat("The seat that sold the tile.")
    tile = LandscapeTile("The tile.")
    price = Integer(1, MAX_GOLD, "The price.")
    players = ListOf(SeatGold, "The purses of the buyer and the seller, in this order.", length=(2, 2))


class BuyPassedEvent(SeatEvent):
    """A seat bought nothing."""

    type = Constant("buy_passed")


class SeatKept(ResponseObject):
    """The unsold tiles of one seat."""

    seat = Seat("The seat.")
    tiles = LandscapeTiles("The tiles that the seat kept.", 3)
    gold_lost = Count("The gold on these tiles, which went to the bank.")


class TilesKeptEvent(GameEvent):
    """Each seat received its unsold tiles. Building begins."""

    type = Constant("tiles_kept")
    players = BySeat(SeatKept, "The kept tiles, in seat order.")


class _PlacementEvent(SeatEvent):
    tile = LandscapeTile("The tile.")
    x = Coordinate("Cells east of the castle.")
    y = Coordinate("Cells south of the castle.")
    rotation = Rotation()


class TilePlacedEvent(_PlacementEvent):
    """A seat placed a tile."""

    type = Constant("tile_placed")


class PlacementTakenBackEvent(_PlacementEvent):
    """A seat took its last placement back into hand."""

    type = Constant("placement_taken_back")


class BuildingFinishedEvent(SeatEvent):
    """A seat declared its build finished."""

    type = Constant("building_finished")
    returned = LandscapeTiles("The tiles that had no legal place and went back into the bag.", len(LANDSCAPE))


class SeatRoundPoints(ResponseObject):
    """The points of one seat in a round."""

    seat = Seat("The seat.")
    scoring_tiles = PointsByScoringTile("Points for each scoring tile of the round.")
    score = Count("The total points after the round.")


class RoundScoredEvent(GameEvent):
    """The round's scoring tiles were scored."""

    type = Constant("round_scored")
    round = Round()
    players = BySeat(SeatRoundPoints, "The points, in seat order.")


class SeatEnd(ResponseObject):
    """The final state of one seat."""

    seat = Seat("The seat.")
    score = Count("The total points.")
    gold = Count("The gold in the purse.")


class GameFinishedEvent(GameEvent):
    """The game is over after final scoring; nothing is hidden any more."""

    type = Constant("game_finished")
    seed = Text("The seed of all draws.", 64)
    nonce = Text("The nonce of the commitment; null if the server chose the seed.", 32, allow_none=True)
    players = BySeat(SeatEnd, "The final state of each seat, in seat order.")
    result = NestedObject(GameResult, "The result.")


PLAY_EVENTS = (
    RoundStartedEvent,
    IncomePaidEvent,
    TilesDrawnEvent,
    OfferSetEvent,
    OffersRevealedEvent,
    TilesDiscardedEvent,
    TileBoughtEvent,
    BuyPassedEvent,
    TilesKeptEvent,
    TilePlacedEvent,
    PlacementTakenBackEvent,
    BuildingFinishedEvent,
    RoundScoredEvent,
    GameFinishedEvent,
)
