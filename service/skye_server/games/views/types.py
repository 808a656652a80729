"""The types of the views of a game: the engine's views with the fields that the service adds."""

from collections.abc import Sequence
from types import new_class
from typing import Annotated, Final, TypeAlias, TypedDict

import skye.views
from skye.fields import (
    BySeat,
    Color,
    Component,
    Count,
    GamePhase,
    Keywords,
    RulesetName,
    ScoringTileId,
    Seat,
)
from skye.rulesets import MAX_DRAWN, MAX_PLAYERS, MAX_ROUNDS, MAX_SLOTS, MIN_PLAYERS
from skye.views import GameStateView

MAX_OPAQUE_LENGTH: Final = 256
"""The longest cursor, id or token that a version may send, in characters."""


RECORD_FORMAT = 2
"""The version of the format of records."""

MAX_ACTIONS = 2_000
"""The most actions of a record; a game has about 30 for each player, and those that were taken back."""

MAX_DRAWS = MAX_DRAWN * MAX_PLAYERS * MAX_ROUNDS
"""The most tiles that come out of the bag in a game; one that goes back can come out again."""

MAX_TURN_MS: Final = 30 * 86_400_000
"""The longest time for a decision, in milliseconds: 30 days."""

MAX_GAMES: Final = 100
"""The most games that one request creates."""

InvitationId: TypeAlias = Annotated[
    str, Keywords(minLength=1, maxLength=64), "The id of the invitation; it is no secret."
]
Version: TypeAlias = Annotated[int, Keywords(minimum=1), "The version of the game."]
SeatCount: TypeAlias = Annotated[
    int, Keywords(minimum=MIN_PLAYERS, maximum=MAX_PLAYERS), "The number of seats."
]
PlayerName: TypeAlias = Annotated[str, Keywords(maxLength=40), "The name of the player."]
GameName: TypeAlias = Annotated[str, Keywords(maxLength=60), "The name of the game."]
Seed: TypeAlias = Annotated[str, Keywords(maxLength=64)]
Nonce: TypeAlias = Annotated[str, Keywords(maxLength=32)]
UnknownType: TypeAlias = Annotated[str, Keywords(minLength=1, maxLength=64), "A type that is not known yet."]

GameId: TypeAlias = Annotated[str, Component("GameId"), "The id of the game."]
IssuedToken: TypeAlias = Annotated[str, Component("Token")]
Timestamp: TypeAlias = Annotated[str, Component("Timestamp")]
BotName: TypeAlias = Annotated[str, Component("BotName")]
ClockName: TypeAlias = Annotated[str, Component("ClockName")]
GameStatus: TypeAlias = Annotated[str, Component("GameStatus")]
Reload: TypeAlias = Annotated[
    bool,
    "Reserved for types of events of later versions: if true, a client that does not know the type loads its "
    "data again. No event of this version has it.",
]
Resume: TypeAlias = Annotated[str, Component("StreamResume"), "What the client does next."]
OriginName: TypeAlias = Annotated[str, Component("OriginName")]
SeedSourceName: TypeAlias = Annotated[str, Component("SeedSourceName")]
TakeoverReason: TypeAlias = Annotated[str, Component("TakeoverReason")]
TieBreakRule: TypeAlias = Annotated[str, Component("TieBreakRule")]
TileKindName: TypeAlias = Annotated[str, Component("TileKindName")]
VisibilityName: TypeAlias = Annotated[str, Component("VisibilityName")]
RoleName: TypeAlias = Annotated[str, Component("RoleName")]
Roles: TypeAlias = Annotated[
    Sequence[Annotated[RoleName, "A role."]], Keywords(maxItems=8, uniqueItems=True), "The roles."
]
TimeoutRule: TypeAlias = Annotated[str, Component("TimeoutRule")]


class FairnessView(TypedDict):
    """The proof that all draws were fixed in advance; see `GET /docs/fairness`."""

    commitment: Annotated[
        str,
        Keywords(maxLength=64, pattern="^[0-9a-f]{64}$"),
        "The SHA-256 of the nonce, if the game has one, followed by the seed, in UTF-8; in hexadecimal.",
    ]
    nonce: Annotated[
        Nonce | None,
        "32 random hexadecimal digits that precede a seed that the creator chose; null until the "
        "game is finished, and always null if the server chose the seed.",
    ]
    seed: Annotated[Seed | None, "The seed of all draws; null until the game is finished."]
    seed_source: Annotated[SeedSourceName, "Who chose the seed."]


class PlayerView(skye.views.SeatInPlayView):
    """One seat, as the caller may see it."""

    name: PlayerName
    bot: Annotated[BotName | None, "The bot that plays the seat; null for a person."]


class GameOptionsView(TypedDict):
    """The options that the creator of a game chose."""

    scoring_tiles: Annotated[
        Sequence[ScoringTileId] | None,
        Keywords(minItems=1, maxItems=MAX_SLOTS, uniqueItems=True),
        "The scoring tiles named for slots A to D; null: drawn.",
    ]
    first_seat: Annotated[Seat | None, "The seat named to start round 1; null: drawn."]
    tie_break: Annotated[TieBreakRule, "What breaks a tie."]
    open_gold: Annotated[bool, "Whether all gold is public."]
    turn_ms: Annotated[
        Count | None, Keywords(maximum=MAX_TURN_MS), "Milliseconds for each decision; null: no deadline."
    ]
    clock: Annotated[ClockName, "The clock of the deadlines."]
    on_timeout: Annotated[TimeoutRule, "What happens when a seat misses its deadline."]


class ViewerView(TypedDict):
    """The seat and the roles of the caller's token. A caller without a role is a spectator."""

    seat: Annotated[Seat | None, "The seat that the token acts for."]
    roles: Roles


class GameOriginView(TypedDict):
    """What a game began from, if not from the start."""

    type: Annotated[OriginName, "What the game began from."]
    scenario: Annotated[str | None, Keywords(maxLength=40), "The name of the scenario; null for other types."]


class GameView(GameStateView):
    """A game, as a caller may see it."""

    id: GameId
    name: GameName
    ruleset: RulesetName
    version: Annotated[Version, "The number of accepted changes; the `ETag` contains it."]
    last_event: Annotated[Count, "The number of the last event: follow the game from here."]
    status: Annotated[GameStatus, "The status of the game."]
    visibility: Annotated[VisibilityName, "Who can find and read the game."]
    created_at: Annotated[Timestamp, "When the game was created."]
    seat_count: SeatCount
    auto_start: Annotated[bool, "Whether the game starts automatically as soon as every seat is taken."]
    reserved_seats: Annotated[
        Count, Keywords(maximum=MAX_PLAYERS), "How many of the seats are reserved by unused invitations."
    ]
    you: Annotated[ViewerView, "The seat and the roles of the caller's token."]
    options: Annotated[GameOptionsView, "The options that the creator chose."]
    origin: Annotated[GameOriginView | None, "What the game began from; null: the start."]
    deadline: Annotated[Timestamp | None, "The deadline of the current decision; null: none."]
    fairness: Annotated[FairnessView, "The commitment to the seed, and the seed."]
    players: Annotated[BySeat[PlayerView], "The seats that are taken, in seat order."]


class TimeView(TypedDict):
    """The time of a response."""

    now: Annotated[
        Timestamp, "The time of the response, by the clock of the game; the `ETag` does not cover it."
    ]


class SeatSummaryView(TypedDict):
    """The player of a seat."""

    seat: Seat
    name: PlayerName
    color: Annotated[Color, "The player's colour."]
    bot: Annotated[BotName | None, "The bot that plays the seat; null for a person."]


class GameSummaryView(TypedDict):
    """A game in a list of games."""

    id: GameId
    name: GameName
    ruleset: RulesetName
    version: Annotated[Version, "The number of accepted changes."]
    status: Annotated[GameStatus, "The status of the game."]
    created_at: Annotated[Timestamp, "When the game was created."]
    seat_count: SeatCount
    auto_start: Annotated[bool, "Whether the game starts automatically as soon as every seat is taken."]
    reserved_seats: Annotated[
        Count, Keywords(maximum=MAX_PLAYERS), "How many of the seats are reserved by unused invitations."
    ]
    round: Annotated[Count, Keywords(maximum=MAX_ROUNDS), "The round, counted from 1; 0 before the start."]
    phase: Annotated[GamePhase | None, "The phase that waits for decisions; null if none does."]
    origin: Annotated[GameOriginView | None, "What the game began from; null: the start."]
    players: Annotated[BySeat[SeatSummaryView], "The seats that are taken, in seat order."]


class InvitationView(TypedDict):
    """An unused invitation, which reserves a seat."""

    id: InvitationId


class InvitationCodeView(InvitationView):
    """An invitation and its code. The server shows the code only here."""

    code: Annotated[IssuedToken, "The code. Join with it as `Authorization: Bearer CODE`; it is valid once."]


class InvitationListView(TypedDict):
    """The unused invitations of a game."""

    version: Version
    invitations: Annotated[
        Sequence[InvitationView], Keywords(maxItems=MAX_PLAYERS), "The invitations, oldest first."
    ]


class WatchCodeView(TypedDict):
    """The code for spectators of a game."""

    code: Annotated[IssuedToken, "The code. Watch with it as `Authorization: Bearer CODE`."]


class Versioned(TypedDict):
    """An object with the version of its game."""

    version: Version


def combined(name: str, *shapes: type) -> type:
    """Return the shape with the fields of some shapes, and with the description of the last one."""
    last = shapes[-1]
    return new_class(
        name, shapes, exec_body=lambda body: body.update(__doc__=last.__doc__, __module__=last.__module__)
    )


def versioned(view: type, name: str) -> type:
    """Return the shape of a view with the version of its game, as `versioned_json` sends it."""
    return combined(name, Versioned, view)
