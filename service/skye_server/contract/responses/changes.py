"""The responses to changes of a game."""

from collections.abc import Sequence
from typing import Annotated, NotRequired, TypeAlias, TypedDict

from skye.fields import BySeat, Keywords, Seat
from skye.rulesets import MAX_PLAYERS
from skye_server.contract.fields import MAX_OPAQUE_LENGTH
from skye_server.contract.responses.actions import Actions
from skye_server.contract.responses.webhooks import ReplacedWebhook
from skye_server.games.views.fields import MAX_GAMES, GameId, Token
from skye_server.games.views.types import GameView, InvitationCodeView, TimeView


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
        Token | None, "The seat's token; null for a bot, and for a seat that a player key holds."
    ]
    secret: Annotated[
        Annotated[str, Keywords(maxLength=MAX_OPAQUE_LENGTH)] | None,
        "The secret of the bot at a URL that plays the seat; null for other seats.",
    ]


_HostToken: TypeAlias = Annotated[Token | None, "The host's token; null if a player key created the game."]
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


class CreatedInvitationView(TypedDict):
    """A new invitation. The server shows its code only here."""

    invitation: Annotated[InvitationCodeView, "The invitation and its code."]
    game: Annotated[TimedGameView, "The game as its host sees it."]


class TakenSeatView(SeatTokenView):
    """A seat, its new token, which the server shows only here, and the game."""

    game: Annotated[
        TimedGameView,
        "The game as the caller sees it; for a request without a token, as the new seat sees it.",
    ]


class HostTokenView(TypedDict):
    """A new host token, which the server shows only here, and the game."""

    host_token: Annotated[Token, "The host's token."]
    webhooks: Annotated[
        Sequence[ReplacedWebhook],
        Keywords(maxItems=100),
        "The webhooks of the game that were made with the old token: disabled now.",
    ]
    game: Annotated[TimedGameView, "The game as its host sees it."]


CommandView: TypeAlias = (
    TimedGameView | CreatedGameView | CreatedInvitationView | TakenSeatView | HostTokenView
)
