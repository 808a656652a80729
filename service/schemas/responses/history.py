"""What has happened, in pages of events, reports of rounds and records."""

from __future__ import annotations

from service.schemas.enums import (
    BotName,
    Color,
    GameStatus,
    LandscapeTile,
    Prices,
    ScoringTileId,
    StreamEndReason,
    TieBreakRule,
)
from service.schemas.fields import MAX_GOLD, Boolean, Integer, ListOf, Seat
from service.schemas.objects import One, Tagged, UnknownType, Variants
from service.schemas.records import MAX_ACTIONS, GameRecord, RecordedAction
from service.schemas.responses.events import Event, UnknownEvent
from service.schemas.responses.game import PointsByScoringTile
from service.schemas.responses.play_events import Income
from service.schemas.responses.position import ExportedPosition
from service.schemas.responses.shape import (
    BySeat,
    Count,
    GameId,
    LandscapeTiles,
    ResponseObject,
    Round,
    TerritoryTile,
    Text,
    Time,
    Version,
)
from skye import LANDSCAPE, PLAYERS, SLOTS


class EventList(ResponseObject):
    """Events of a game, in order."""

    events = ListOf(Event, "The events; ask for more with `after` the last one's `id`.", length=(0, 1000))
    last_event = Count("The number of the last event of the game.")
    version = Version()
    now = Time("The time of the response, by the clock of the server.")


class RevealedOffer(ResponseObject):
    """An offer that the caller may see."""

    discard = LandscapeTile("The tile to discard.")
    prices = Prices("Gold on each of the other two tiles.")


class RoundPurchase(ResponseObject):
    """What a seat did when it was its turn to buy. A pass has neither tile nor seller nor price."""

    seat = Seat("The seat.")
    tile = LandscapeTile("The tile it bought.", allow_none=True)
    seller = Seat("The seat that sold it.", allow_none=True)
    price = Integer(1, MAX_GOLD, "The price.", allow_none=True)
    pass_ = Boolean("Whether it bought nothing.", data_key="pass")


class SeatRound(ResponseObject):
    """What one seat did and received in a round. What has not happened yet is null or empty."""

    seat = Seat("The seat.")
    income = One(Income, "The income.", allow_none=True)
    tiles_drawn = LandscapeTiles("The tiles drawn, in that order.", 3)
    offer = One(RevealedOffer, "The offer; null while hidden.", allow_none=True)
    purchase = One(RoundPurchase, "The purchase.", allow_none=True)
    tiles_kept = LandscapeTiles("The tiles that nobody bought.", 3)
    gold_lost = Count("The gold on those, which went to the bank.", allow_none=True)
    placements = ListOf(TerritoryTile, "The tiles built, in that order.", length=(0, len(LANDSCAPE)))
    tiles_returned = LandscapeTiles("Tiles that had no place and went back into the bag.")
    scoring_tiles = PointsByScoringTile("Points for each scoring tile of the round.", allow_none=True)
    score = Count("All points of the seat after the round.", allow_none=True)


class RoundReport(ResponseObject):
    """What has happened in a round so far."""

    version = Version()
    round = Round()
    starting_seat = Seat("The seat that started it.")
    discards = LandscapeTiles("The tiles discarded, in seat order.")
    purchases = ListOf(RoundPurchase, "The purchases and passes, in turn.", length=(0, 5))
    players = BySeat(SeatRound, "What each seat did and received, in seat order.")
    complete = Boolean("Whether the round is over and scored.")


class ExportedPlayer(ResponseObject):
    """A player of a recorded game."""

    name = Text("What the player is called.", 40)
    color = Color("The player's colour.")
    bot = BotName("The bot that plays the seat; null for a person.", allow_none=True)


class ExportedOptions(ResponseObject):
    """What all draws of a recorded game follow from, and how it is scored."""

    seed = Text("The seed; null until the game is over.", 64, allow_none=True)
    scoring_tiles = ListOf(
        ScoringTileId(),
        "The scoring tiles the creator named for slots A to D; null: drawn.",
        length=(len(SLOTS), len(SLOTS)),
        unique=True,
        allow_none=True,
    )
    starting_seat = Seat("The seat the creator let start; null: drawn.", allow_none=True)
    tie_break = TieBreakRule("What breaks a tie.")
    open_gold = Boolean("Whether every purse is shown to everybody.")


class RecordedActionOfLaterVersion(ResponseObject):
    """The fields that every recorded action has. One of a later type has more of them."""

    seat = Seat("The seat that acted.")
    type = UnknownType(RecordedAction.variants)


class UnknownRecordedAction(Variants):
    """A recorded action of a type that a later version added."""

    variants = (RecordedActionOfLaterVersion,)


class ExportedAction(Tagged):
    """One action of a game, as its record gives it.

    There may be new types. The known types get no new fields while the record has this `format`.
    """

    variants = RecordedAction.variants
    fallback = UnknownRecordedAction


class ExportedRecord(ResponseObject, GameRecord):
    """The record of a game. It can begin a new game once this one is over."""

    game = GameId("The id of the recorded game.")
    version = Version("The version of the game that the record was made at.")
    nonce = Text(
        "The nonce of `fairness`; null until the game is over.",
        32,
        allow_none=True,
    )
    players = ListOf(ExportedPlayer, "The players, in seat order.", length=(PLAYERS[0], PLAYERS[-1]))
    options = One(ExportedOptions, "The options and the seed.")
    position = One(
        ExportedPosition,
        "The position that the game began from, as the caller may know it; null: a new game.",
        allow_none=True,
    )
    actions = ListOf(ExportedAction, "Every action, in order.", length=(0, MAX_ACTIONS))


class StreamStart(ResponseObject):
    """Where a stream begins."""

    game = GameId()
    status = GameStatus("Where the game stands.")
    version = Version()
    last_event = Count("The number of the last event of the game.")
    after = Count("The number of the event after which the stream begins.")
    now = Time("The time of the message, by the clock of the server: how much of a deadline is left.")


class StreamEnd(ResponseObject):
    """Why a stream ends."""

    reason = StreamEndReason("Why.")
    last_event = Count("The number of the last event that was sent.")


class StreamMessage(Variants):
    """The `data` of one message of a stream; its `event` tells which form it has."""

    variants = (StreamStart, *Event.variants, StreamEnd)
    fallback = UnknownEvent


class RecordLine(ResponseObject):
    """A line of an export."""

    cursor = Text("The `cursor` of an export that goes on after this line.", 16)
    record = One(ExportedRecord, "The record, from which `POST /v1/games` begins a game.")
