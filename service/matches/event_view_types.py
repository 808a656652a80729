"""The types of the views of events: the engine's events and those of the match."""

from collections.abc import Sequence
from typing import Literal, TypeAlias, TypedDict

import skye
from service.matches.view_types import FairnessView, OptionsView, OriginView
from skye import BagView, EventView, ResultView, SeatEndView, UsedScoringTileView


class GameCreatedView(TypedDict):
    """The event `GameCreated`: what a client needs, with the catalogue, to build the view of a new game."""

    type: Literal["game_created"]
    name: str
    game: str
    private: bool
    seats: int
    auto_start: bool
    options: OptionsView
    origin: OriginView | None
    scoring_tiles: Sequence[UsedScoringTileView]
    fairness: FairnessView


class PlayerJoinedView(TypedDict):
    """The event `PlayerJoined`."""

    type: Literal["player_joined"]
    seat: int
    name: str
    color: str
    bot: str | None


class PlayerChangedView(TypedDict):
    """The event `PlayerChanged`."""

    type: Literal["player_changed"]
    seat: int
    name: str
    color: str


class SeatEventView(TypedDict):
    """An event that has only a seat."""

    type: Literal["player_left", "token_rotated", "timed_out"]
    seat: int


class PlainEventView(TypedDict):
    """An event without fields."""

    type: Literal["invite_created", "invite_accepted", "clock_advanced", "game_aborted"]


class GameStartedView(TypedDict):
    """The event `GameStarted`."""

    type: Literal["game_started"]
    scoring_tiles: Sequence[UsedScoringTileView]
    starting_seat: int
    rounds: int


class PositionSetView(TypedDict):
    """The event `PositionSet`: what a client needs to build the view of the game."""

    type: Literal["position_set"]
    round: int
    rounds: int
    starting_seat: int
    scoring_tiles: Sequence[UsedScoringTileView]
    bag: BagView
    players: Sequence[skye.PlayerView]
    result: ResultView | None
    seed: str | None
    nonce: str | None


class BotTookOverView(TypedDict):
    """The event `BotTookOver`."""

    type: Literal["bot_took_over"]
    seat: int
    bot: str
    reason: str


class TurnChangedView(TypedDict):
    """The event `TurnChanged`."""

    type: Literal["turn_changed"]
    phase: str | None
    waiting_for: Sequence[int]
    deadline: str | None


class MatchFinishedView(TypedDict):
    """The event `GameFinished`: a match always has a seed, and may have a nonce."""

    type: Literal["game_finished"]
    seed: str
    players: Sequence[SeatEndView]
    result: ResultView
    nonce: str | None


MatchEventView: TypeAlias = (
    GameCreatedView
    | PlayerJoinedView
    | PlayerChangedView
    | SeatEventView
    | PlainEventView
    | GameStartedView
    | PositionSetView
    | BotTookOverView
    | TurnChangedView
    | MatchFinishedView
    | EventView
)


class NumberedEventView(TypedDict):
    """The common fields of all events, which precede their own fields (`MatchEventView`)."""

    id: int
    version: int
    at: str
    type: str
