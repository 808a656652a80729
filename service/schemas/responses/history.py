"""The history of a game: pages of events, reports of rounds, records, streams."""

from __future__ import annotations

from service.schemas.enums import (
    BotName,
    Color,
    GameStatus,
    LandscapeTile,
    ScoringTileId,
    StreamEndReason,
    TieBreakRule,
)
from service.schemas.fields import MAX_GOLD, Boolean, Integer, Seat
from service.schemas.objects import ListOf, NestedObject, Prices, Tagged, UnknownType, Variants
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

    events = ListOf(Event, "The events; for the next page, send the last `id` as `after`.", length=(0, 1000))
    last_event = Count("The number of the last event of the game.")
    version = Version()
    now = Time("The time of the response, by the clock of the game.")


class RevealedOffer(ResponseObject):
    """An offer that the caller may see."""

    discard = LandscapeTile("The tile to discard.")
    prices = Prices("Gold on each of the other two tiles.")


class RoundPurchase(ResponseObject):
    """The purchase or pass of a seat. For a pass, tile, seller and price are null."""

    seat = Seat("The seat.")
    tile = LandscapeTile("The tile bought.", allow_none=True)
    seller = Seat("The seat that sold the tile.", allow_none=True)
    price = Integer(1, MAX_GOLD, "The price.", allow_none=True)
    pass_ = Boolean("Whether the seat passed.", data_key="pass")


class SeatRound(ResponseObject):
    """The actions and the income of one seat in a round. What has not happened yet is null or empty."""

    seat = Seat("The seat.")
    income = NestedObject(Income, "The income.", allow_none=True)
    tiles_drawn = LandscapeTiles("The tiles drawn, in the order drawn.", 3)
    offer = NestedObject(RevealedOffer, "The offer; null while hidden.", allow_none=True)
    purchase = NestedObject(RoundPurchase, "The purchase.", allow_none=True)
    tiles_kept = LandscapeTiles("The unsold tiles, which the seat kept.", 3)
    gold_lost = Count("The gold on the unsold tiles, which went to the bank.", allow_none=True)
    placements = ListOf(TerritoryTile, "The placements, in placing order.", length=(0, len(LANDSCAPE)))
    tiles_returned = LandscapeTiles("The tiles that had no legal place and went back into the bag.")
    scoring_tiles = PointsByScoringTile("Points for each scoring tile of the round.", allow_none=True)
    score = Count("The total points after the round.", allow_none=True)


class RoundReport(ResponseObject):
    """The report of a round, up to now."""

    version = Version()
    round = Round()
    starting_seat = Seat("The seat that started the round.")
    discards = LandscapeTiles("The tiles discarded, in seat order.")
    purchases = ListOf(RoundPurchase, "The purchases and passes, in order.", length=(0, 5))
    players = BySeat(SeatRound, "The seats, in seat order.")
    complete = Boolean("Whether the round is over and scored.")


class ExportedPlayer(ResponseObject):
    """A player of a recorded game."""

    name = Text("The name of the player.", 40)
    color = Color("The player's colour.")
    bot = BotName("The bot that plays the seat; null for a person.", allow_none=True)


class ExportedOptions(ResponseObject):
    """The seed and the options of a recorded game."""

    seed = Text("The seed; null until the game is over.", 64, allow_none=True)
    scoring_tiles = ListOf(
        ScoringTileId(),
        "The scoring tiles the creator named for slots A to D; null: drawn.",
        length=(len(SLOTS), len(SLOTS)),
        unique=True,
        allow_none=True,
    )
    starting_seat = Seat("The starting seat that the creator named; null: drawn.", allow_none=True)
    tie_break = TieBreakRule("What breaks a tie.")
    open_gold = Boolean("Whether all gold is public.")


class RecordedActionOfLaterVersion(ResponseObject):
    """The fields that every recorded action has. An action of a type that a later version added has more."""

    seat = Seat("The seat that acted.")
    type = UnknownType(RecordedAction.variants)


class UnknownRecordedAction(Variants):
    """A recorded action of a type that a later version added."""

    variants = (RecordedActionOfLaterVersion,)


class ExportedAction(Tagged):
    """One action of a recorded game.

    There may be new types. The known types get no new fields while the record has this `format`.
    """

    variants = RecordedAction.variants
    fallback = UnknownRecordedAction


class ExportedRecord(ResponseObject, GameRecord):
    """The record of a game. A new game can begin from it once the recorded game is over."""

    game = GameId("The id of the recorded game.")
    version = Version("The version of the game when the record was made.")
    nonce = Text(
        "The nonce of `fairness`; null until the game is over.",
        32,
        allow_none=True,
    )
    players = ListOf(ExportedPlayer, "The players, in seat order.", length=(PLAYERS[0], PLAYERS[-1]))
    options = NestedObject(ExportedOptions, "The options and the seed.")
    position = NestedObject(
        ExportedPosition,
        "The position that the game began from, as the caller may see it; null: the start.",
        allow_none=True,
    )
    actions = ListOf(ExportedAction, "Every action, in order.", length=(0, MAX_ACTIONS))


class StreamStart(ResponseObject):
    """The first message of a stream: where it begins."""

    game = GameId()
    status = GameStatus("The status of the game.")
    version = Version()
    last_event = Count("The number of the last event of the game.")
    after = Count("The number of the event after which the stream begins.")
    now = Time("The time of the message, by the clock of the game; subtract it from a deadline.")


class StreamEnd(ResponseObject):
    """The last message of a stream: why it ends."""

    reason = StreamEndReason("The reason.")
    last_event = Count("The number of the last event sent.")


class StreamMessage(Variants):
    """The `data` of one message of a stream; the field `event` determines the form."""

    variants = (StreamStart, *Event.variants, StreamEnd)
    fallback = UnknownEvent


class RecordLine(ResponseObject):
    """A line of an export."""

    cursor = Text("The `cursor` with which an export continues after this line.", 81)
    finished = Time("When the game finished, by the clock of the game.")
    record = NestedObject(ExportedRecord, "The record; `POST /v1/games` can begin a game from it.")
