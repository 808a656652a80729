"""The types of the views of a game: the engine's views with the fields that the service adds."""

from collections.abc import Mapping, Sequence
from typing import Annotated, TypedDict

import skye.views
from skye.fields import (
    MAX_TILES,
    BySeat,
    Color,
    Count,
    GamePhase,
    Keywords,
    LandscapeTileId,
    ObjectKind,
    Prices,
    RulesetName,
    ScoringTileId,
    Seat,
    Side,
    TerrainName,
    TileId,
)
from skye.rulesets import MAX_NOTE_LENGTH, MAX_PLAYERS, MAX_ROUNDS, MAX_SLOTS
from skye.views import GameStateView, ObjectCountsView, TerritoryTileView
from skye_server.games.views.fields import (
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
    Version,
    VisibilityName,
)


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
        Keywords(minimum=1, maximum=MAX_TILES),
        "The number of the placement in this round, from 1; `DELETE .../placements/{number}` takes back the "
        "last one.",
    ]


class PlacementsView(TypedDict):
    """The tiles that a seat has placed in this round."""

    seat: Seat
    placements: Annotated[
        Sequence[NumberedPlacementView],
        Keywords(maxItems=MAX_TILES),
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

    code: Annotated[Token, "The code. Join with it as `Authorization: Bearer CODE`; it is valid once."]


class InvitationListView(TypedDict):
    """The unused invitations of a game."""

    version: Version
    invitations: Annotated[
        Sequence[InvitationView], Keywords(maxItems=MAX_PLAYERS), "The invitations, oldest first."
    ]


class WatchCodeView(TypedDict):
    """The code for spectators of a game."""

    code: Annotated[Token, "The code. Watch with it as `Authorization: Bearer CODE`."]


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
    note: Annotated[
        str | None,
        Keywords(maxLength=MAX_NOTE_LENGTH),
        "What is doubtful about the tile: where public transcriptions of the printed tile differ.",
    ]
