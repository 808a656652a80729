"""The types of the views of a match: the engine's views with the fields that the service adds."""

from collections.abc import Mapping, Sequence
from typing import NotRequired, TypeAlias, TypedDict

import skye
from skye import GameStateView, PlacedTileView


class FairnessView(TypedDict):
    """The proof that all draws were fixed in advance."""

    commitment: str
    nonce: str | None
    seed: str | None
    seed_source: str


class PlayerView(skye.PlayerView):
    """One seat, as a caller may see it."""

    name: str
    bot: str | None


class OptionsView(TypedDict):
    """The options of a game, which its creator chose."""

    scoring_tiles: Sequence[str] | None
    starting_seat: int | None
    seed: str | None
    tie_break: str
    open_gold: bool
    turn_ms: int | None
    clock: str
    on_timeout: str


class ViewerView(TypedDict):
    """The seat and the role of the caller's token."""

    seat: int | None
    host: bool


class OriginView(TypedDict):
    """What a match began from."""

    type: str
    scenario: str | None


class ConstraintsView(TypedDict):
    """Every offer that a seat may set."""

    tiles: Sequence[str]
    gold: int
    minimum: int


class ActionView(TypedDict):
    """One legal action of a seat: a request that would be accepted. Offers have constraints."""

    type: str
    method: str
    href: str
    body: Mapping[str, object] | None
    constraints: NotRequired[ConstraintsView]


class GameView(GameStateView):
    """A game, as a caller may see it."""

    id: str
    name: str
    version: int
    last_event: int
    status: str
    private: bool
    created_at: str
    seats: int
    auto_start: bool
    invites: int
    you: ViewerView
    options: OptionsView
    origin: OriginView | None
    deadline: str | None
    fairness: FairnessView
    players: Sequence[PlayerView]


class TimeView(TypedDict):
    """The time of a response."""

    now: str


class TimedGameView(GameView, TimeView):
    """A game at the time of the response, with the legal actions of the caller if requested."""

    actions: NotRequired[Sequence[ActionView]]


class OfferView(TypedDict):
    """The offer of a seat, as a caller may see it."""

    seat: int
    discard: str | None
    prices: Mapping[str, int] | None


class PlacementsView(TypedDict):
    """The placements of a seat in the round."""

    seat: int
    placements: Sequence[PlacedTileView]


class SeatSummaryView(TypedDict):
    """One seat in the list of games."""

    seat: int
    name: str
    color: str
    bot: str | None


class SummaryView(TypedDict):
    """A match in the list of games."""

    id: str
    name: str
    version: int
    status: str
    created_at: str
    seats: int
    auto_start: bool
    invites: int
    round: int
    phase: str | None
    origin: OriginView | None
    players: Sequence[SeatSummaryView]


class ActionsView(TypedDict):
    """The legal actions of a seat."""

    version: int
    actions: Sequence[ActionView]


class IncludedActionsView(TypedDict):
    """The legal actions of a seat, as a part of the view of a game."""

    actions: Sequence[ActionView]


class SeatTokenView(TypedDict):
    """The token of a seat; a bot has none."""

    seat: int
    token: str | None


class CreatedGameView(TypedDict):
    """A new game and its tokens."""

    game: TimedGameView
    host_token: str
    players: Sequence[SeatTokenView]
    invites: Sequence[str]


class CreatedGameTokensView(TypedDict):
    """A new game among several, and its tokens."""

    game: str
    host_token: str
    players: Sequence[SeatTokenView]
    invites: Sequence[str]


class CreatedGamesView(TypedDict):
    """New games and their tokens."""

    games: Sequence[CreatedGameTokensView]


class CreatedInviteView(TypedDict):
    """A new invitation code."""

    invite: str
    game: TimedGameView


class TakenSeatView(SeatTokenView):
    """A seat, its new token, and the game."""

    game: TimedGameView


CommandView: TypeAlias = TimedGameView | CreatedGameView | CreatedInviteView | TakenSeatView


class RecordedPlayerView(TypedDict):
    """A player of a record."""

    name: str
    color: str
    bot: str | None


class RecordedOptionsView(TypedDict):
    """The options that determine the draws and the scoring of a recorded game."""

    scoring_tiles: Sequence[str] | None
    starting_seat: int | None
    tie_break: str
    open_gold: bool
    seed: str | None


class RecordView(TypedDict):
    """The record of a game."""

    format: int
    game: str
    version: int
    nonce: str | None
    players: Sequence[RecordedPlayerView]
    options: RecordedOptionsView
    position: skye.Position | None
    actions: Sequence[skye.ActionView]


class TileRegionView(TypedDict):
    """A part of a tile in reference orientation."""

    terrain: str
    sides: Sequence[str]
    center: bool


class TileView(TypedDict):
    """A tile of the catalogue in reference orientation."""

    id: str
    castle: bool
    edges: Mapping[str, str]
    center: str
    regions: Sequence[TileRegionView]
    roads: Sequence[Sequence[str]]
    counts: Mapping[str, int]
    scroll: str | None
