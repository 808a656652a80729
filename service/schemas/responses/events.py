"""The events of a game, one schema for each type. Everything a caller may not know yet is null."""

from __future__ import annotations

from service.schemas.enums import BotName, Color, GamePhase, LandscapeTile, Prices, TakeoverReason
from service.schemas.fields import (
    MAX_GOLD,
    Always,
    Boolean,
    Coordinate,
    Integer,
    ListOf,
    One,
    Rotation,
    Seat,
    Tagged,
    UnknownType,
    Variants,
)
from service.schemas.responses.game import (
    Bag,
    Fairness,
    GameOptions,
    GameOrigin,
    GameResult,
    PointsByScoringTile,
    SeatInPlay,
    UsedScoringTiles,
)
from service.schemas.responses.shape import (
    ROUNDS,
    BySeat,
    Count,
    GameId,
    LandscapeTiles,
    ResponseObject,
    Round,
    Seats,
    Text,
    Time,
    Version,
)
from skye import LANDSCAPE, PLAYERS


class _Event(ResponseObject):
    id = Integer(1, None, "The number of the event; events are numbered without a gap, from 1.")
    version = Version("The version of the game that the event is part of.")
    at = Time("When it happened, by the clock of the game; the order is that of `id`.")


class _SeatEvent(_Event):
    seat = Seat("The seat it happened to, or that did it.")


class GameCreatedEvent(_Event):
    """The game was created; players may join.

    With the catalogue, this event and those that follow are enough to build the view of the game.
    """

    type = Always("game_created")
    game = GameId()
    name = Text("What the game is called.", 60)
    private = Boolean("Whether the game is unlisted.")
    seats = Integer(PLAYERS[0], PLAYERS[-1], "How many can sit down.")
    auto_start = Boolean("Whether the game starts by itself as soon as every seat is taken.")
    options = One(GameOptions, "What the creator chose. The seed is always null here.")
    origin = One(GameOrigin, "What the game begins from; null: it begins as a new one.", allow_none=True)
    scoring_tiles = UsedScoringTiles("The scoring tiles that the creator named; none if they are drawn.")
    fairness = One(Fairness, "The commitment to the seed. The seed is always null here.")


class PlayerJoinedEvent(_SeatEvent):
    """A person or a bot took a seat."""

    type = Always("player_joined")
    name = Text("What the player is called.", 40)
    color = Color("The player's colour.")
    bot = BotName("The bot; null for a person.", allow_none=True)


class PlayerLeftEvent(_SeatEvent):
    """A player left the lobby; the seats behind moved up by one."""

    type = Always("player_left")


class PlayerChangedEvent(_SeatEvent):
    """A player changed name or colour in the lobby."""

    type = Always("player_changed")
    name = Text("What the player is called now.", 40)
    color = Color("The player's colour now.")


class TokenRotatedEvent(_SeatEvent):
    """The player replaced the token of the seat."""

    type = Always("token_rotated")


class InviteCreatedEvent(_Event):
    """The host reserved a seat for the holder of an invitation code."""

    type = Always("invite_created")


class InviteAcceptedEvent(_Event):
    """An invitation code was used: its reservation ends with the `player_joined` that follows."""

    type = Always("invite_accepted")


class GameStartedEvent(_Event):
    """The lobby closed and the game began."""

    type = Always("game_started")
    scoring_tiles = UsedScoringTiles("The scoring tiles of slots A to D.")
    starting_seat = Seat("The seat that starts the first round.")
    rounds = Integer(5, ROUNDS, "How many rounds the game has.")


class PositionSetEvent(_Event):
    """The game begins from a position, at once after it started.

    The fields are those of the game, with what they are in the position.
    """

    type = Always("position_set")
    round = Round("The round.")
    rounds = Integer(5, ROUNDS, "How many rounds the game has.")
    starting_seat = Seat("The seat that starts the round.")
    scoring_tiles = UsedScoringTiles("The scoring tiles of slots A to D.")
    bag = One(Bag, "What is left in the bag.")
    players = BySeat(SeatInPlay, "The seats, in seat order.")
    result = One(GameResult, "How the game has ended, if it is over in the position.", allow_none=True)
    seed = Text("The seed, if the game is over in the position; null otherwise.", 64, allow_none=True)
    nonce = Text("The nonce, if the game is over in the position and has one.", 32, allow_none=True)


class BotTookOverEvent(_SeatEvent):
    """A bot plays the seat from now on, for good."""

    type = Always("bot_took_over")
    bot = BotName("The bot.")
    reason = TakeoverReason("Why.")


class TimedOutEvent(_SeatEvent):
    """The seat let its deadline pass; the events that follow were decided for it."""

    type = Always("timed_out")


class TurnChangedEvent(_Event):
    """Who must act, and until when, has changed; the last event of a change that alters it."""

    type = Always("turn_changed")
    phase = GamePhase("The phase; null when none waits for decisions.", allow_none=True)
    waiting_for = Seats("The seats that must act now.")
    deadline = Time("When the time for this decision is up; null: never.", allow_none=True)


class ClockAdvancedEvent(_Event):
    """The host has advanced the manual clock, to the time of this event."""

    type = Always("clock_advanced")


class GameAbortedEvent(_Event):
    """The host aborted the game."""

    type = Always("game_aborted")


class RoundStartedEvent(_Event):
    """A round began."""

    type = Always("round_started")
    round = Round()
    starting_seat = Seat("The seat that starts it.")


class Income(ResponseObject):
    """The gold that a seat received at the beginning of a round, by source."""

    castle = Count("For the castle.")
    whisky = Count("For tiles with whisky that are joined to the castle by road.")
    catch_up = Count("For players who were ahead.")
    total = Count("Together.")


class SeatIncome(Income):
    """The income of one seat."""

    seat = Seat("The seat.")
    gold = Count("The gold then in the purse; null when hidden.", allow_none=True)


class IncomePaidEvent(_Event):
    """Each seat received its income."""

    type = Always("income_paid")
    players = BySeat(SeatIncome, "The incomes, in seat order.")


class SeatDraw(ResponseObject):
    """The tiles that one seat drew."""

    seat = Seat("The seat.")
    tiles = LandscapeTiles("The tiles, in the order drawn.", 3)


class TilesDrawnEvent(_Event):
    """Each seat drew three tiles. Pricing begins."""

    type = Always("tiles_drawn")
    players = BySeat(SeatDraw, "The draws, in seat order.")


class OfferSetEvent(_SeatEvent):
    """A seat set or replaced its offer. What it is, only the seat itself is told here."""

    type = Always("offer_set")
    discard = LandscapeTile("The tile to discard; null when hidden.", allow_none=True)
    prices = Prices("Gold on each of the other two tiles; null when hidden.", allow_none=True)
    gold = Count("The gold then in the purse; null when hidden.", allow_none=True)


class SeatOffer(ResponseObject):
    """The offer of one seat, revealed."""

    seat = Seat("The seat.")
    discard = LandscapeTile("The tile discarded.")
    prices = Prices("Gold on each of the other two tiles.")
    gold = Count("The gold then in the purse; null when hidden.", allow_none=True)


class OffersRevealedEvent(_Event):
    """All offers were turned face up."""

    type = Always("offers_revealed")
    players = BySeat(SeatOffer, "The offers, in seat order.")


class TilesDiscardedEvent(_Event):
    """The marked tiles went back into the bag. Buying begins."""

    type = Always("tiles_discarded")
    tiles = LandscapeTiles("The tiles, in seat order.", PLAYERS[-1])


class SeatGold(ResponseObject):
    """The purse of one seat."""

    seat = Seat("The seat.")
    gold = Count("The gold then in the purse; null when hidden.", allow_none=True)


class TileBoughtEvent(_SeatEvent):
    """A seat bought a tile; the seller received the price and took back the gold that lay on the tile."""

    type = Always("tile_bought")
    seller = Seat("The seat that sold it.")
    tile = LandscapeTile("The tile.")
    price = Integer(1, MAX_GOLD, "The price.")
    players = ListOf(SeatGold, "The purses of buyer and seller, in this order.", length=(2, 2))


class BuyPassedEvent(_SeatEvent):
    """A seat bought nothing."""

    type = Always("buy_passed")


class SeatKept(ResponseObject):
    """What became of the tiles of one seat that nobody bought."""

    seat = Seat("The seat.")
    tiles = LandscapeTiles("The tiles it kept.", 3)
    gold_lost = Count("The gold on them, which went to the bank.")


class TilesKeptEvent(_Event):
    """Each seat received its unsold tiles. Building begins."""

    type = Always("tiles_kept")
    players = BySeat(SeatKept, "What each kept, in seat order.")


class _PlacementEvent(_SeatEvent):
    tile = LandscapeTile("The tile.")
    x = Coordinate("Position eastwards of the castle.")
    y = Coordinate("Position southwards of the castle.")
    rotation = Rotation()


class TilePlacedEvent(_PlacementEvent):
    """A seat placed a tile."""

    type = Always("tile_placed")


class PlacementTakenBackEvent(_PlacementEvent):
    """A seat took its last placement back into hand."""

    type = Always("placement_taken_back")


class BuildingFinishedEvent(_SeatEvent):
    """A seat declared its build finished."""

    type = Always("building_finished")
    returned = LandscapeTiles("Tiles that had no place and went back into the bag.", len(LANDSCAPE))


class SeatRoundPoints(ResponseObject):
    """The points of one seat in a round."""

    seat = Seat("The seat.")
    scoring_tiles = PointsByScoringTile("Points for each scoring tile of the round.")
    score = Count("All points of the seat then.")


class RoundScoredEvent(_Event):
    """The round's scoring tiles were scored."""

    type = Always("round_scored")
    round = Round()
    players = BySeat(SeatRoundPoints, "The points, in seat order.")


class SeatEnd(ResponseObject):
    """What one seat has at the end."""

    seat = Seat("The seat.")
    score = Count("All points.")
    gold = Count("The gold in the purse.")


class GameFinishedEvent(_Event):
    """Final scoring was done and the game is over: nothing is hidden any more."""

    type = Always("game_finished")
    seed = Text("The seed that all draws followed from.", 64)
    nonce = Text("The nonce of the commitment; null if the server chose the seed.", 32, allow_none=True)
    players = BySeat(SeatEnd, "What each seat has, in seat order.")
    result = One(GameResult, "How the game has ended.")


EVENTS = (
    GameCreatedEvent,
    PlayerJoinedEvent,
    PlayerLeftEvent,
    PlayerChangedEvent,
    TokenRotatedEvent,
    InviteCreatedEvent,
    InviteAcceptedEvent,
    GameStartedEvent,
    PositionSetEvent,
    BotTookOverEvent,
    TimedOutEvent,
    TurnChangedEvent,
    ClockAdvancedEvent,
    GameAbortedEvent,
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
"""The events, in about the order in which they happen."""


class EventOfLaterVersion(_Event):
    """The fields that every event has. An event of a type that a later version added has more of them."""

    type = UnknownType(EVENTS)


class UnknownEvent(Variants):
    """An event of a type that a later version added: pass over it."""

    variants = (EventOfLaterVersion,)


class Event(Tagged):
    """Something that has happened in a game. There may be new types: pass over those you do not know."""

    variants = EVENTS
    fallback = UnknownEvent
