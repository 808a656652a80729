"""What commands show: the changed game, and the tokens, seats and invitations that a command has made."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, NotRequired, TypeAlias, TypedDict, cast

import msgspec

from skye.fields import BySeat, Keywords, Seat
from skye.rulesets import MAX_PLAYERS
from skye_server.commands.attempts import Attempt
from skye_server.commands.current_games import Games
from skye_server.games.authorization import HOST_ROLE, Caller
from skye_server.games.game import Game
from skye_server.games.views.actions import Actions
from skye_server.games.views.fields import MAX_GAMES, MAX_OPAQUE_LENGTH, GameId, IssuedToken
from skye_server.games.views.game import (
    GameView,
    InvitationCodeView,
    TimeView,
    game_view,
    invitation_view,
    timestamp,
)

_encoder = msgspec.json.Encoder()


class TimedGameView(GameView, TimeView):
    """A game as the caller may see it."""

    actions: NotRequired[
        Annotated[
            Actions,
            "With `include=actions`: the legal actions of the caller's seat; none for other callers.",
        ]
    ]


class SeatTokenView(TypedDict):
    """The token of a seat, or the secret of the bot at a URL that plays it."""

    seat: Seat
    token: Annotated[
        IssuedToken | None, "The seat's token; null for a bot, and for a seat that a player key holds."
    ]
    secret: Annotated[
        Annotated[str, Keywords(maxLength=MAX_OPAQUE_LENGTH)] | None,
        "The secret of the bot at a URL that plays the seat; null for other seats.",
    ]


_HostToken: TypeAlias = Annotated[
    IssuedToken | None, "The host's token; null if a player key created the game."
]
_SeatTokens: TypeAlias = Annotated[
    BySeat[SeatTokenView], "The tokens of the players seated at once, in seat order."
]
_Invitations: TypeAlias = Annotated[
    Sequence[InvitationCodeView],
    Keywords(maxItems=MAX_PLAYERS),
    "Invitations with their single-use codes, one for each player to invite.",
]


class CreatedGameView(TypedDict):
    """A new game and its tokens. The server shows the tokens only here."""

    game: Annotated[TimedGameView, "The game as its host sees it."]
    host_token: _HostToken
    players: _SeatTokens
    invitations: _Invitations


class CreatedGameTokensView(TypedDict):
    """One of several new games and its tokens. The server shows the tokens only here."""

    game_id: GameId
    host_token: _HostToken
    players: _SeatTokens
    invitations: _Invitations


class CreatedGamesView(TypedDict):
    """New games and their tokens. The server shows the tokens only here."""

    games: Annotated[
        Sequence[CreatedGameTokensView],
        Keywords(minItems=1, maxItems=MAX_GAMES),
        "The games, in the order of the request.",
    ]


class TakenSeatView(SeatTokenView):
    """A seat, its new token, which the server shows only here, and the game."""

    game: Annotated[
        TimedGameView,
        "The game as the caller sees it; for a request without a token, as the new seat sees it.",
    ]


def rendered_view(games: Games, game: Game, caller: Caller) -> bytes:
    """Return a game as a caller may see it, in JSON.

    A rendered view is cached with its game, for this caller only: callers never share one.
    """
    rendered = games.stored.cache.derived(game)
    body = rendered.get(caller)
    if body is None:
        body = rendered[caller] = _encoder.encode(game_view(game, caller))
    return body


def changed_view(changed: Attempt[Game]) -> TimedGameView:
    """Return a game as the caller may see it, with the time of the response."""
    view = cast("TimedGameView", game_view(changed.game, changed.caller))
    view["now"] = timestamp(changed.now_ms)
    return view


def taken_seat_view(changed: Attempt[Game], secret: str | None = None) -> TakenSeatView:
    """Return the seat and its new token; a caller without a role gets the view of the new seat.

    :param secret: the secret of the bot at a URL that plays the seat.
    """
    assert changed.tokens.seat is not None
    seat, token = changed.tokens.seat
    caller = Caller(seat).in_game(changed.game) if changed.caller.is_anonymous else changed.caller
    game = changed_view(replace(changed, caller=caller))
    return {"seat": seat, "token": token, "secret": secret, "game": game}


def created_view(new: Attempt[Game]) -> CreatedGameView:
    """Return the new game and its tokens."""
    game, tokens = new.game, new.tokens
    players: list[SeatTokenView] = [
        {"seat": seat, "token": tokens.given.get(str(seat)), "secret": None}
        for seat in range(len(game.seats))
    ]
    return {
        "game": changed_view(new),
        "host_token": tokens.given.get(HOST_ROLE),
        "players": players,
        "invitations": [invitation_view(number, code) for number, code in enumerate(tokens.invites, 1)],
    }


def show_secrets(seats: Iterable[SeatTokenView], body: Mapping[str, Any], secrets: Mapping[str, str]) -> None:
    """Add the secrets of bots at URLs to the seats of a new game."""
    players = [player for player in body.get("players", ()) if "invite" not in player]
    for seat, player in zip(seats, players, strict=False):
        if "url_bot" in player:
            seat["secret"] = secrets[player["url_bot"]]
