"""The events that the service adds to those of play: creation, lobby, start, deadlines, bots, abortion."""

from __future__ import annotations

from service.schemas.enums import BotName, Color, GamePhase, TakeoverReason
from service.schemas.fields import Boolean, Integer, Seat
from service.schemas.objects import Constant, NestedObject
from service.schemas.responses.event_base import GameEvent, SeatEvent
from service.schemas.responses.game import (
    Bag,
    Fairness,
    GameOptions,
    GameOrigin,
    GameResult,
    SeatInPlay,
    UsedScoringTiles,
)
from service.schemas.responses.shape import ROUNDS, BySeat, GameId, Round, Seats, Text, Time
from skye import PLAYERS


class GameCreatedEvent(GameEvent):
    """The game was created; players may join.

    From the catalogue, this event and the following ones a client can build the view of the game.
    """

    type = Constant("game_created")
    game = GameId()
    name = Text("The name of the game.", 60)
    private = Boolean("Whether the game is unlisted.")
    seats = Integer(PLAYERS[0], PLAYERS[-1], "The number of seats.")
    auto_start = Boolean("Whether the game starts automatically as soon as every seat is taken.")
    options = NestedObject(GameOptions, "The options that the creator chose. The seed is always null here.")
    origin = NestedObject(GameOrigin, "What the game begins from; null: the start.", allow_none=True)
    scoring_tiles = UsedScoringTiles("The scoring tiles that the creator named; none if they are drawn.")
    fairness = NestedObject(Fairness, "The commitment to the seed. The seed is always null here.")


class PlayerJoinedEvent(SeatEvent):
    """A person or a bot took a seat."""

    type = Constant("player_joined")
    name = Text("The name of the player.", 40)
    color = Color("The player's colour.")
    bot = BotName("The bot; null for a person.", allow_none=True)


class PlayerLeftEvent(SeatEvent):
    """A player left the lobby; the numbers of the following seats decreased by one."""

    type = Constant("player_left")


class PlayerChangedEvent(SeatEvent):
    """A player changed name or colour in the lobby."""

    type = Constant("player_changed")
    name = Text("The current name.", 40)
    color = Color("The current colour.")


class TokenRotatedEvent(SeatEvent):
    """The player replaced the token of the seat."""

    type = Constant("token_rotated")


class InviteCreatedEvent(GameEvent):
    """The host reserved a seat for the holder of an invitation code."""

    type = Constant("invite_created")


class InviteAcceptedEvent(GameEvent):
    """An invitation code was used: its reservation ends with the `player_joined` that follows."""

    type = Constant("invite_accepted")


class GameStartedEvent(GameEvent):
    """The lobby closed and the game began."""

    type = Constant("game_started")
    scoring_tiles = UsedScoringTiles("The scoring tiles of slots A to D.")
    starting_seat = Seat("The seat that starts the first round.")
    rounds = Integer(5, ROUNDS, "How many rounds the game has.")


class PositionSetEvent(GameEvent):
    """The game begins from a position. This event directly follows the start.

    The fields are those of the game, with their values in the position.
    """

    type = Constant("position_set")
    round = Round("The round.")
    rounds = Integer(5, ROUNDS, "How many rounds the game has.")
    starting_seat = Seat("The seat that starts the round.")
    scoring_tiles = UsedScoringTiles("The scoring tiles of slots A to D.")
    bag = NestedObject(Bag, "The tiles left in the bag.")
    players = BySeat(SeatInPlay, "The seats, in seat order.")
    result = NestedObject(GameResult, "The result, if the game is over in the position.", allow_none=True)
    seed = Text("The seed, if the game is over in the position; null otherwise.", 64, allow_none=True)
    nonce = Text("The nonce, if the game is over in the position and has one.", 32, allow_none=True)


class BotTookOverEvent(SeatEvent):
    """A bot plays the seat for the rest of the game."""

    type = Constant("bot_took_over")
    bot = BotName("The bot.")
    reason = TakeoverReason("The reason.")


class TimedOutEvent(SeatEvent):
    """The seat missed its deadline; the server or a bot caused the events that follow."""

    type = Constant("timed_out")


class TurnChangedEvent(GameEvent):
    """The seats that must act, or their deadline, changed. This is the last event of such a change."""

    type = Constant("turn_changed")
    phase = GamePhase("The phase; null if none waits for decisions.", allow_none=True)
    waiting_for = Seats("The seats that must act now.")
    deadline = Time("The deadline of this decision; null: none.", allow_none=True)


class ClockAdvancedEvent(GameEvent):
    """The host advanced the manual clock to the time of this event."""

    type = Constant("clock_advanced")


class GameAbortedEvent(GameEvent):
    """The host aborted the game."""

    type = Constant("game_aborted")


MATCH_EVENTS = (
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
)
