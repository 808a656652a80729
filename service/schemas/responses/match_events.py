"""The events around the play of a game: creation, lobby, start, deadlines, bots, abortion."""

from __future__ import annotations

from service.schemas.enums import BotName, Color, GamePhase, TakeoverReason
from service.schemas.fields import Boolean, Integer, Seat
from service.schemas.objects import Always, One
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


class PlayerJoinedEvent(SeatEvent):
    """A person or a bot took a seat."""

    type = Always("player_joined")
    name = Text("What the player is called.", 40)
    color = Color("The player's colour.")
    bot = BotName("The bot; null for a person.", allow_none=True)


class PlayerLeftEvent(SeatEvent):
    """A player left the lobby; the seats behind moved up by one."""

    type = Always("player_left")


class PlayerChangedEvent(SeatEvent):
    """A player changed name or colour in the lobby."""

    type = Always("player_changed")
    name = Text("What the player is called now.", 40)
    color = Color("The player's colour now.")


class TokenRotatedEvent(SeatEvent):
    """The player replaced the token of the seat."""

    type = Always("token_rotated")


class InviteCreatedEvent(GameEvent):
    """The host reserved a seat for the holder of an invitation code."""

    type = Always("invite_created")


class InviteAcceptedEvent(GameEvent):
    """An invitation code was used: its reservation ends with the `player_joined` that follows."""

    type = Always("invite_accepted")


class GameStartedEvent(GameEvent):
    """The lobby closed and the game began."""

    type = Always("game_started")
    scoring_tiles = UsedScoringTiles("The scoring tiles of slots A to D.")
    starting_seat = Seat("The seat that starts the first round.")
    rounds = Integer(5, ROUNDS, "How many rounds the game has.")


class PositionSetEvent(GameEvent):
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


class BotTookOverEvent(SeatEvent):
    """A bot plays the seat from now on, for good."""

    type = Always("bot_took_over")
    bot = BotName("The bot.")
    reason = TakeoverReason("Why.")


class TimedOutEvent(SeatEvent):
    """The seat let its deadline pass; the events that follow were decided for it."""

    type = Always("timed_out")


class TurnChangedEvent(GameEvent):
    """Who must act, and until when, has changed; the last event of a change that alters it."""

    type = Always("turn_changed")
    phase = GamePhase("The phase; null when none waits for decisions.", allow_none=True)
    waiting_for = Seats("The seats that must act now.")
    deadline = Time("When the time for this decision is up; null: never.", allow_none=True)


class ClockAdvancedEvent(GameEvent):
    """The host has advanced the manual clock, to the time of this event."""

    type = Always("clock_advanced")


class GameAbortedEvent(GameEvent):
    """The host aborted the game."""

    type = Always("game_aborted")


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
