"""The types of the views of a game: the engine's views with the fields that the service adds."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, NotRequired, TypeAlias, TypedDict

import skye.views
from skye import PLAYERS
from skye.fields import (
    DRAWN,
    BySeat,
    Color,
    Component,
    Count,
    GamePhase,
    Keywords,
    LandscapeTileId,
    LandscapeTileIds,
    ObjectKind,
    Prices,
    ScoringTileId,
    Seat,
    Side,
    TerrainName,
    TileId,
)
from skye.scoring import MAX_ROUNDS, SLOTS
from skye.tiles import LANDSCAPE
from skye.views import GameStateView, ObjectCountsView, TerritoryTileView
from skye_server.games.views.fields import (
    MAX_GAMES,
    MAX_TURN_MS,
    BotName,
    ClockName,
    GameId,
    GameName,
    GameStatus,
    InvitationId,
    Nonce,
    OriginName,
    PlayerName,
    Roles,
    SeatCount,
    Seed,
    SeedSourceName,
    TieBreakRule,
    TileKindName,
    TimeoutRule,
    Timestamp,
    Token,
    UnknownType,
    Version,
    VisibilityName,
)

_Put: TypeAlias = Annotated[Literal["PUT"], "The method of the request."]
_Post: TypeAlias = Annotated[Literal["POST"], "The method of the request."]
_NoBody: TypeAlias = Annotated[None, "Null: send no body."]


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
        "game is over, and always null if the server chose the seed.",
    ]
    seed: Annotated[Seed | None, "The seed of all draws; null until the game is over."]
    seed_source: Annotated[SeedSourceName, "Who chose the seed."]


class PlayerView(skye.views.SeatInPlayView):
    """One seat, as the caller may see it."""

    name: PlayerName
    bot: Annotated[BotName | None, "The bot that plays the seat; null for a person."]


class GameOptionsView(TypedDict):
    """The options that the creator of a game chose."""

    scoring_tiles: Annotated[
        Sequence[ScoringTileId] | None,
        Keywords(minItems=len(SLOTS), maxItems=len(SLOTS), uniqueItems=True),
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


class OfferLimitsView(TypedDict):
    """The constraints of an offer.

    Discard any one of the tiles. Price each of the others at the minimum or more; the sum of the prices is at
    most the gold.
    """

    tiles: Annotated[LandscapeTileIds, Keywords(maxItems=DRAWN), "The three tiles drawn."]
    gold: Annotated[Count, "The maximum sum of the prices."]
    minimum: Annotated[Count, "The minimum of each price."]


class _ActionView(TypedDict):
    href: Annotated[str, Keywords(maxLength=200), "The path of the request."]
    revises: Annotated[bool, "Whether it takes back or replaces an earlier decision; the seat need not act."]


class OfferActionView(_ActionView):
    """Set prices and discard. The body is one example; the constraints define all others."""

    type: Literal["set_offer"]
    method: _Put
    body: Annotated[Mapping[str, object], Component("Offer"), "A legal offer."]
    constraints: Annotated[OfferLimitsView, "The constraints of every legal offer."]


class PurchaseActionView(_ActionView):
    """Buy a tile."""

    type: Literal["buy"]
    method: _Put
    body: Annotated[Mapping[str, object], Component("Purchase"), "The tile."]


class PassActionView(_ActionView):
    """Buy nothing."""

    type: Literal["pass"]
    method: _Put
    body: Annotated[Mapping[str, object], Component("Purchase"), "The tile is null."]


class PlacementActionView(_ActionView):
    """Place a tile."""

    type: Literal["place"]
    method: _Post
    body: Annotated[Mapping[str, object], Component("Placement"), "The placement."]


class TakeBackActionView(_ActionView):
    """Take back the last placement of this round."""

    type: Literal["take_back"]
    method: Annotated[Literal["DELETE"], "The method of the request."]
    body: _NoBody


class FinishActionView(_ActionView):
    """Declare the build finished."""

    type: Literal["finish_building"]
    method: _Post
    body: _NoBody


class ActionOfLaterVersionView(_ActionView):
    """The fields that every action has. An action of a type that a later version added has more fields."""

    type: UnknownType
    method: Annotated[str, Keywords(maxLength=10), "The method of the request."]


ActionView: TypeAlias = (
    OfferActionView
    | PurchaseActionView
    | PassActionView
    | PlacementActionView
    | TakeBackActionView
    | FinishActionView
)
_Actions: TypeAlias = Annotated[Sequence[Annotated[ActionView, Component("Action")]], Keywords(maxItems=2000)]
"""More than the number of legal placements of the tiles in a hand."""


class GameView(GameStateView):
    """A game, as a caller may see it."""

    id: GameId
    name: GameName
    version: Annotated[Version, "The number of accepted changes; the `ETag` contains it."]
    last_event: Annotated[Count, "The number of the last event: follow the game from here."]
    status: Annotated[GameStatus, "The status of the game."]
    visibility: Annotated[VisibilityName, "Who can find and read the game."]
    created_at: Annotated[Timestamp, "When the game was created."]
    seat_count: SeatCount
    auto_start: Annotated[bool, "Whether the game starts automatically as soon as every seat is taken."]
    reserved_seats: Annotated[
        Count, Keywords(maximum=PLAYERS[-1]), "How many of the seats are reserved by unused invitations."
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


class TimedGameView(GameView, TimeView):
    """A game as the caller may see it."""

    actions: NotRequired[
        Annotated[
            _Actions,
            "With `include=actions`: the legal actions of the caller's seat; none for other callers.",
        ]
    ]


class OfferView(TypedDict):
    """The offer of a seat in this round: the tiles that are still on offer."""

    seat: Seat
    discard: Annotated[LandscapeTileId | None, "The tile to discard; null when hidden, or not set."]
    prices: Annotated[Prices | None, "Gold on the tiles for sale; null when hidden, or not set."]


class PurchaseView(TypedDict):
    """The purchase or pass of a seat in this round."""

    seat: Seat
    purchase: Annotated[
        skye.views.RoundPurchaseView | None,
        "The purchase or pass; null until the seat has made it in this round.",
    ]


class NumberedPlacementView(TerritoryTileView):
    """A tile that a seat has placed in this round."""

    number: Annotated[
        int,
        Keywords(minimum=1, maximum=len(LANDSCAPE)),
        "The number of the placement in this round, from 1; `DELETE .../placements/{number}` takes back the "
        "last one.",
    ]


class PlacementsView(TypedDict):
    """The tiles that a seat has placed in this round."""

    seat: Seat
    placements: Annotated[
        Sequence[NumberedPlacementView],
        Keywords(maxItems=len(LANDSCAPE)),
        "The placements, in placing order.",
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
    version: Annotated[Version, "The number of accepted changes."]
    status: Annotated[GameStatus, "The status of the game."]
    created_at: Annotated[Timestamp, "When the game was created."]
    seat_count: SeatCount
    auto_start: Annotated[bool, "Whether the game starts automatically as soon as every seat is taken."]
    reserved_seats: Annotated[
        Count, Keywords(maximum=PLAYERS[-1]), "How many of the seats are reserved by unused invitations."
    ]
    round: Annotated[Count, Keywords(maximum=MAX_ROUNDS), "The round, counted from 1; 0 before the start."]
    phase: Annotated[GamePhase | None, "The phase that waits for decisions; null if none does."]
    origin: Annotated[GameOriginView | None, "What the game began from; null: the start."]
    players: Annotated[BySeat[SeatSummaryView], "The seats that are taken, in seat order."]


class ActionListView(TypedDict):
    """Every legal action of a seat now; those that `revises` marks are possible when it need not act."""

    version: Version
    actions: Annotated[_Actions, "The actions."]


class IncludedActionsView(TypedDict):
    """The legal actions of a seat, as a part of the view of a game."""

    actions: Annotated[
        _Actions,
        "With `include=actions`: the legal actions of the caller's seat; none for other callers.",
    ]


class SeatTokenView(TypedDict):
    """The token of a seat."""

    seat: Seat
    token: Annotated[
        Token | None, "The seat's token; null for a bot, and for a seat that a player key holds."
    ]


class InvitationView(TypedDict):
    """An unused invitation, which reserves a seat."""

    id: InvitationId


class InvitationCodeView(InvitationView):
    """An invitation and its code. The server shows the code only here."""

    code: Annotated[Token, "The code. Join with it as `Authorization: Bearer CODE`; it is valid once."]


class InvitationListView(TypedDict):
    """The unused invitations of a game."""

    version: Version
    invitations: Annotated[
        Sequence[InvitationView], Keywords(maxItems=PLAYERS[-1]), "The invitations, oldest first."
    ]


class CreatedGameView(TypedDict):
    """A new game and its tokens. The server shows the tokens only here."""

    game: Annotated[TimedGameView, "The game as its host sees it."]
    host_token: Annotated[Token | None, "The host's token; null if a player key created the game."]
    players: Annotated[BySeat[SeatTokenView], "The tokens of the players seated at once, in seat order."]
    invitations: Annotated[
        Sequence[InvitationCodeView],
        Keywords(maxItems=PLAYERS[-1]),
        "Invitations with their single-use codes, one for each player to invite.",
    ]


class CreatedGameTokensView(TypedDict):
    """One of several new games and its tokens. The server shows the tokens only here."""

    game_id: GameId
    host_token: Annotated[Token | None, "The host's token; null if a player key created the game."]
    players: Annotated[BySeat[SeatTokenView], "The tokens of the players seated at once, in seat order."]
    invitations: Annotated[
        Sequence[InvitationCodeView],
        Keywords(maxItems=PLAYERS[-1]),
        "Invitations with their single-use codes, one for each player to invite.",
    ]


class CreatedGamesView(TypedDict):
    """New games and their tokens. The server shows the tokens only here."""

    games: Annotated[
        Sequence[CreatedGameTokensView],
        Keywords(minItems=1, maxItems=MAX_GAMES),
        "The games, in the order of the request.",
    ]


class WatchCodeView(TypedDict):
    """The code for spectators of a game."""

    code: Annotated[Token, "The code. Watch with it as `Authorization: Bearer CODE`."]


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
    game: Annotated[TimedGameView, "The game as its host sees it."]


CommandView: TypeAlias = (
    TimedGameView | CreatedGameView | CreatedInvitationView | TakenSeatView | HostTokenView
)


class TileEdgesView(TypedDict):
    """The terrain on each edge of a tile in reference orientation."""

    north: TerrainName
    east: TerrainName
    south: TerrainName
    west: TerrainName


class TileRegionView(TypedDict):
    """A part of a tile in reference orientation: a connected part of one terrain."""

    terrain: TerrainName
    sides: Annotated[Sequence[Side], Keywords(maxItems=4), "The edges that the region reaches."]
    center: Annotated[bool, "Whether the region covers the middle of the tile."]


class TileView(TypedDict):
    """A tile in reference orientation."""

    id: Annotated[TileId, "The id of the tile."]
    kind: Annotated[TileKindName, "The kind of tile."]
    edges: Annotated[Mapping[str, str], TileEdgesView, "The terrain on each edge."]
    center: Annotated[TerrainName, "The terrain in the middle."]
    regions: Annotated[
        Sequence[TileRegionView],
        Keywords(minItems=1, maxItems=5),
        "The parts of the tile; `areas[].cells` refer to them.",
    ]
    roads: Annotated[
        Sequence[
            Annotated[
                Sequence[Side],
                Keywords(minItems=1, maxItems=4),
                "The edges that one road joins; a road on one edge ends inside the tile.",
            ]
        ],
        Keywords(maxItems=4),
        "The roads; they are not joined to each other.",
    ]
    counts: Annotated[Mapping[str, int], ObjectCountsView, "The number of each kind of object."]
    scroll: Annotated[ObjectKind | None, "What the scroll counts; null without a scroll."]
