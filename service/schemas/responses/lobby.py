"""What the lobby answers: created games, taken seats, lists."""

from __future__ import annotations

from service.schemas.enums import BotName, Color, GamePhase, GameStatus
from service.schemas.fields import Boolean, Integer, ListOf, Seat
from service.schemas.objects import One
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
    """A new game and its tokens, which are shown this once."""

    game = One(Game, "The game as its host sees it.")
    host_token = Token("The host's token.")
    players = BySeat(SeatToken, "The tokens of the players seated at once, in seat order.")
    invites = ListOf(
        Token("A code."),
        "Single-use invitation codes, one for each player to invite.",
        length=(0, PLAYERS[-1]),
    )


class CreatedGameTokens(ResponseObject):
    """A new game among several, and its tokens, which are shown this once."""

    game = GameId()
    host_token = Token("The host's token.")
    players = BySeat(SeatToken, "The tokens of the players seated at once, in seat order.")
    invites = ListOf(
        Token("A code."),
        "Single-use invitation codes, one for each player to invite.",
        length=(0, PLAYERS[-1]),
    )


class CreatedGames(ResponseObject):
    """New games and their tokens, which are shown this once."""

    games = ListOf(CreatedGameTokens, "The games, in the order of the request.", length=(1, MAX_GAMES))


class CreatedInvite(ResponseObject):
    """An invitation code, which is shown this once."""

    invite = Token("The code. Join with it as `Authorization: Bearer CODE`; it works once.")
    game = One(Game, "The game as its host sees it.")


class TakenSeat(ResponseObject):
    """A seat, its new token, which is shown this once, and the game as it is seen from there."""

    seat = Seat("The seat.")
    token = Token("The seat's token; null for a bot.", allow_none=True)
    game = One(Game, "The game as the caller sees it; who sent no token sees it as the new seat does.")


class SeatSummary(ResponseObject):
    """Who sits there."""

    seat = Seat("The seat.")
    name = Text("What the player is called.", 40)
    color = Color("The player's colour.")
    bot = BotName("The bot that plays the seat; null for a person.", allow_none=True)


class GameSummary(ResponseObject):
    """What a list of games tells of each."""

    id = GameId()
    name = Text("What the game is called.", 60)
    version = Version("How many changes have been accepted.")
    status = GameStatus("Where the game stands.")
    created_at = Time("When the game was created.")
    seats = Integer(PLAYERS[0], PLAYERS[-1], "How many can sit down.")
    auto_start = Boolean("Whether the game starts by itself as soon as every seat is taken.")
    invites = Count("How many of the seats are reserved by unused invitations.", PLAYERS[-1])
    round = Count("The round, counted from 1; 0 before the start.", ROUNDS)
    phase = GamePhase("The phase that waits for decisions; null when none does.", allow_none=True)
    origin = One(GameOrigin, "What the game began from; null: it began as a new one.", allow_none=True)
    players = BySeat(SeatSummary, "The seats that are taken, in seat order.")


class Rematch(ResponseObject):
    """The game in which the players of another meet again."""

    game = One(
        GameSummary, "The new game; null while no player of the old one has asked for it.", allow_none=True
    )


class GameList(ResponseObject):
    """A page of the list of public games."""

    games = ListOf(GameSummary, "The games, newest first.", length=(0, 100))
    next_cursor = Text("The `cursor` of the next page; null on the last.", 16, allow_none=True)
