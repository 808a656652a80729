"""The history of a game: pages of events, records, streams."""

from collections.abc import Sequence
from typing import Annotated, TypedDict

import skye.positions
import skye.views
from skye.fields import (
    Color,
    Component,
    Count,
    Keywords,
    LandscapeTileId,
    RulesetName,
    ScoringTileId,
    Seat,
)
from skye.rulesets import MAX_PLAYERS, MAX_SLOTS, MIN_PLAYERS
from skye_server.contract.fields import MAX_OPAQUE_LENGTH
from skye_server.contract.records import MAX_ACTIONS, MAX_DRAWS, RECORD_FORMAT
from skye_server.games.views.event_types import NumberedEventView
from skye_server.games.views.fields import (
    BotName,
    GameId,
    GameStatus,
    Nonce,
    PlayerName,
    Resume,
    Seed,
    TieBreakRule,
    Timestamp,
    UnknownType,
    Version,
)


class ExportedPlayerView(TypedDict):
    """A player of a recorded game."""

    name: PlayerName
    color: Annotated[Color, "The player's colour."]
    bot: Annotated[BotName | None, "The bot that plays the seat; null for a person."]


class ExportedOptionsView(TypedDict):
    """The seed and the options of a recorded game."""

    scoring_tiles: Annotated[
        Sequence[ScoringTileId] | None,
        Keywords(minItems=1, maxItems=MAX_SLOTS, uniqueItems=True),
        "The scoring tiles the creator named for slots A to D; null: drawn.",
    ]
    first_seat: Annotated[Seat | None, "The seat to start round 1 that the creator named; null: drawn."]
    tie_break: Annotated[TieBreakRule, "What breaks a tie."]
    open_gold: Annotated[bool, "Whether all gold is public."]
    seed: Annotated[Seed | None, "The seed; null until the game is finished."]


class ExportedDrawsView(TypedDict):
    """What was drawn in a recorded game. It determines the game, whatever a later version would draw."""

    scoring_tiles: Annotated[
        Sequence[ScoringTileId],
        Keywords(minItems=1, maxItems=MAX_SLOTS, uniqueItems=True),
        "The scoring tiles by slot, drawn or named.",
    ]
    starting_seat: Annotated[
        Seat, "The seat that started round 1, or the round of the position, drawn or named."
    ]
    tiles: Annotated[
        Sequence[LandscapeTileId],
        Keywords(maxItems=MAX_DRAWS),
        "The tiles that came out of the bag in this record, in order: in each round that began three of "
        "seat 0, three of seat 1 and so on.",
    ]


class ExportedRecordView(TypedDict):
    """The record of a game. A new game can begin from it once the recorded game is finished."""

    format: Annotated[
        int, Keywords(minimum=RECORD_FORMAT, maximum=RECORD_FORMAT), "The version of the format of records."
    ]
    ruleset: RulesetName
    game_id: Annotated[GameId, "The id of the recorded game."]
    version: Annotated[Version, "The version of the game when the record was made."]
    nonce: Annotated[Nonce | None, "The nonce of `fairness`; null until the game is finished."]
    players: Annotated[
        Sequence[ExportedPlayerView],
        Keywords(minItems=MIN_PLAYERS, maxItems=MAX_PLAYERS),
        "The players, in seat order.",
    ]
    options: Annotated[ExportedOptionsView, "The options and the seed."]
    position: Annotated[
        skye.positions.Position | None,
        Component("ExportedPosition"),
        "The position that the game began from, as the caller may see it; null: the start.",
    ]
    draws: Annotated[ExportedDrawsView, "What was drawn so far."]
    actions: Annotated[
        Sequence[Annotated[skye.views.ActionView, Component("ExportedAction")]],
        Keywords(maxItems=MAX_ACTIONS),
        "Every action, in order.",
    ]


class EventList(TypedDict):
    """Events of a game, in order."""

    events: Annotated[
        Sequence[Annotated[NumberedEventView, Component("Event")]],
        Keywords(maxItems=1000),
        "The events; for the next page, send the last `id` as `after`.",
    ]
    last_event: Annotated[Count, "The number of the last event of the game."]
    status: Annotated[GameStatus, "The status of the game; once it is over, no event changes the view."]
    version: Version
    now: Annotated[Timestamp, "The time of the response, by the clock of the game."]


class RecordedActionOfLaterVersion(TypedDict):
    """The fields that every recorded action has. An action of a type that a later version added has more."""

    seat: Annotated[Seat, "The seat that acted."]
    type: UnknownType


class StreamStart(TypedDict):
    """The first message of a stream: where it begins."""

    game_id: GameId
    status: Annotated[GameStatus, "The status of the game."]
    version: Version
    last_event: Annotated[Count, "The number of the last event of the game."]
    after: Annotated[Count, "The number of the event after which the stream begins."]
    now: Annotated[
        Timestamp, "The time of the message, by the clock of the game; subtract it from a deadline."
    ]


class StreamEnd(TypedDict):
    """The last message of a stream: why it ends, and what to do."""

    reason: Annotated[str, Component("StreamEndReason"), "The reason."]
    resume: Resume
    last_event: Annotated[Count, "The number of the last event sent."]


class RecordLine(TypedDict):
    """A line of an export."""

    cursor: Annotated[
        str,
        Keywords(maxLength=MAX_OPAQUE_LENGTH),
        "The `cursor` with which an export continues after this line.",
    ]
    finished_at: Annotated[Timestamp, "When the game finished, by the clock of the game."]
    record: Annotated[ExportedRecordView, "The record; `POST /v1/games` can begin a game from it."]
