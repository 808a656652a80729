"""The responses of the lobby: created games, seats, lists."""

from __future__ import annotations

from service.schemas.enums import BotName, Color, GamePhase, GameStatus
from service.schemas.fields import Boolean, Integer, Seat
from service.schemas.objects import ListOf, NestedObject
from service.schemas.requests.creation import MAX_GAMES
from service.schemas.responses.game import Game, GameOrigin
from service.schemas.responses.shape import (
    ROUNDS,
    BySeat,
    Count,
    GameId,
    ResponseObject,
    Text,
    Time,
    Token,
    Version,
)
from skye import PLAYERS


class SeatToken(ResponseObject):
    """The token of a seat."""

    seat = Seat("The seat.")
    token = Token("The seat's token; null for a bot.", allow_none=True)


class CreatedGame(ResponseObject):
    """A new game and its tokens. The server shows the tokens only here."""

    game = NestedObject(Game, "The game as its host sees it.")
    host_token = Token("The host's token.")
    players = BySeat(SeatToken, "The tokens of the players seated at once, in seat order.")
    invites = ListOf(
        Token("A code."),
        "Single-use invitation codes, one for each player to invite.",
        length=(0, PLAYERS[-1]),
    )


class CreatedGameTokens(ResponseObject):
    """One of several new games and its tokens. The server shows the tokens only here."""

    game = GameId()
    host_token = Token("The host's token.")
    players = BySeat(SeatToken, "The tokens of the players seated at once, in seat order.")
    invites = ListOf(
        Token("A code."),
        "Single-use invitation codes, one for each player to invite.",
        length=(0, PLAYERS[-1]),
    )


class CreatedGames(ResponseObject):
    """New games and their tokens. The server shows the tokens only here."""

    games = ListOf(CreatedGameTokens, "The games, in the order of the request.", length=(1, MAX_GAMES))


class CreatedInvite(ResponseObject):
    """An invitation code. The server shows it only here."""

    invite = Token("The code. Join with it as `Authorization: Bearer CODE`; it is valid once.")
    game = NestedObject(Game, "The game as its host sees it.")


class TakenSeat(ResponseObject):
    """A seat, its new token, which the server shows only here, and the game."""

    seat = Seat("The seat.")
    token = Token("The seat's token; null for a bot.", allow_none=True)
    game = NestedObject(
        Game, "The game as the caller sees it; for a request without a token, as the new seat sees it."
    )


class SeatSummary(ResponseObject):
    """The player of a seat."""

    seat = Seat("The seat.")
    name = Text("The name of the player.", 40)
    color = Color("The player's colour.")
    bot = BotName("The bot that plays the seat; null for a person.", allow_none=True)


class GameSummary(ResponseObject):
    """A game in a list of games."""

    id = GameId()
    name = Text("The name of the game.", 60)
    version = Version("The number of accepted changes.")
    status = GameStatus("The status of the game.")
    created_at = Time("When the game was created.")
    seats = Integer(PLAYERS[0], PLAYERS[-1], "The number of seats.")
    auto_start = Boolean("Whether the game starts automatically as soon as every seat is taken.")
    invites = Count("How many of the seats are reserved by unused invitations.", PLAYERS[-1])
    round = Count("The round, counted from 1; 0 before the start.", ROUNDS)
    phase = GamePhase("The phase that waits for decisions; null if none does.", allow_none=True)
    origin = NestedObject(GameOrigin, "What the game began from; null: the start.", allow_none=True)
    players = BySeat(SeatSummary, "The seats that are taken, in seat order.")


class Rematch(ResponseObject):
    """The rematch of a game."""

    game = NestedObject(
        GameSummary, "The new game; null until a player of the old game requests it.", allow_none=True
    )


class GameList(ResponseObject):
    """A page of the list of public games."""

    games = ListOf(GameSummary, "The games, newest first.", length=(0, 100))
    next_cursor = Text("The `cursor` of the next page; null on the last.", 16, allow_none=True)
