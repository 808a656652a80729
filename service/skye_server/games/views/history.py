"""The history of a game as a caller may see it: the reports of its rounds, and its record."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, TypedDict

import skye.views
from skye import GameState, TieBreak, views
from skye.events import Event
from skye.fields import Color, Component, Keywords, LandscapeTileId, RulesetName, ScoringTileId, Seat
from skye.positions import RECORD_FORMAT, Position, RecordedDraws, draws_of, draws_to_json
from skye.rulesets import MAX_PLAYERS, MAX_SLOTS, MIN_PLAYERS
from skye.views import ActionView, RoundPurchaseView, RoundView, actions_view
from skye_server.games.authorization import Caller
from skye_server.games.events import GameStarted, HostedEvent, PositionSet
from skye_server.games.game import Change, Game
from skye_server.games.transitions import state_begun
from skye_server.games.views.fields import (
    MAX_ACTIONS,
    MAX_DRAWS,
    MAX_OPAQUE_LENGTH,
    BotName,
    GameId,
    Nonce,
    PlayerName,
    Seed,
    Timestamp,
    UnknownType,
    Version,
)
from skye_server.games.views.game import SeatOutcomeView, position_view, seat_outcome_view


class ExportedPlayerView(TypedDict):
    """A player of a recorded game."""

    name: PlayerName
    color: Annotated[Color, "The player's colour."]
    bot: Annotated[BotName | None, "The bot that played the seat from the start; null for a person."]
    end: Annotated[SeatOutcomeView, "How the seat ended, or would end now."]


class ExportedOptionsView(TypedDict):
    """The seed and the options of a recorded game."""

    scoring_tiles: Annotated[
        Sequence[ScoringTileId] | None,
        Keywords(minItems=1, maxItems=MAX_SLOTS, uniqueItems=True),
        "The scoring tiles the creator named for slots A to D; null: drawn.",
    ]
    first_seat: Annotated[Seat | None, "The seat to start round 1 that the creator named; null: drawn."]
    tie_break: Annotated[TieBreak, "What breaks a tie."]
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
    gave_up: Annotated[
        Sequence[Annotated[Sequence[Seat], Keywords(minItems=1, maxItems=MAX_PLAYERS, uniqueItems=True)]],
        Keywords(maxItems=MAX_PLAYERS, uniqueItems=True),
        "The seats that their players gave up: those of one date together, the earliest date first.",
    ]
    actions: Annotated[
        Sequence[Annotated[skye.views.ActionView, Component("ExportedAction")]],
        Keywords(maxItems=MAX_ACTIONS),
        "Every action, in order.",
    ]


class RecordedActionOfLaterVersion(TypedDict):
    """The fields that every recorded action has. An action of a type that a later version added has more."""

    seat: Annotated[Seat, "The seat that acted."]
    type: UnknownType


class RecordLine(TypedDict):
    """A line of an export."""

    cursor: Annotated[
        str,
        Keywords(maxLength=MAX_OPAQUE_LENGTH),
        "The `cursor` with which an export continues after this line.",
    ]
    finished_at: Annotated[Timestamp, "When the game finished, by the clock of the game."]
    record: Annotated[ExportedRecordView, "The record; `POST /v1/games` can begin a game from it."]


def round_view(game: Game, caller: Caller, changes: Iterable[Change], number: int) -> RoundView | None:
    """Return the report of a round, None if it has not begun, or was before the position of the game.

    :param changes: all changes of the game.
    :raises Problem: game_not_started.
    """
    changes = list(changes)
    events, begun = engine_events(changes), beginning(changes)
    return views.round_view(state_begun(game), caller.seat, events, number, begun)


def rounds_view(game: Game, caller: Caller, changes: Iterable[Change]) -> list[RoundView]:
    """Return the reports of the rounds that have begun, from that of the position of the game, if any."""
    if game.state is None:
        return []
    changes = list(changes)
    reports = (round_view(game, caller, changes, number) for number in range(1, game.state.round + 1))
    return [report for report in reports if report is not None]


def purchase_of(game: Game, caller: Caller, changes: Iterable[Change], seat: int) -> RoundPurchaseView | None:
    """Return the purchase or pass of a seat in the current round, None if it has made none yet."""
    if game.state is None:
        return None
    report = round_view(game, caller, changes, game.state.round)
    return None if report is None else report["players"][seat]["purchase"]


def beginning(changes: Iterable[Change]) -> GameState | None:
    """Return the position that a game began from, None for a game that began from the start."""
    started = (event for change in changes for event in change.events if isinstance(event, PositionSet))
    return next((event.state for event in started), None)


def draws_in(changes: Iterable[Change]) -> RecordedDraws:
    """Return what was drawn in a game that has started, as its log has it."""
    events = [event for change in changes for event in change.events]
    started = next(event for event in events if isinstance(event, GameStarted))
    drawn = [event for event in events if not isinstance(event, HostedEvent)]
    return draws_of(started.scoring_tiles, started.starting_seat, drawn)


def engine_events(changes: Iterable[Change]) -> list[Event]:
    """Return the events of the engine, without those of the hosted game."""
    return [event for change in changes for event in change.events if not isinstance(event, HostedEvent)]


def record_view(game: Game, caller: Caller, changes: list[Change]) -> ExportedRecordView:
    """Return the record of a game, as a caller may see it."""
    begun = beginning(changes)
    start = None if begun is None else position_view(game, caller, begun)
    events, first_round = engine_events(changes), 0 if begun is None else begun.round
    actions = actions_view(state_begun(game), caller.seat, events, first_round=first_round)
    return _record(game, start, draws_in(changes), actions)


def _record(
    current: Game, start: Position | None, draws: RecordedDraws, actions: list[ActionView]
) -> ExportedRecordView:
    game = state_begun(current)
    return {
        "format": RECORD_FORMAT,
        "ruleset": current.options.ruleset,
        "game_id": current.id,
        "version": current.version,
        "nonce": current.options.nonce if game.is_over else None,
        "players": [
            {
                "name": seat.name,
                "color": seat.color,
                "bot": None if seat.has_url_bot or seat.is_person else seat.bot,
                "end": seat_outcome_view(current, seat),
            }
            for seat in current.seats
        ],
        "options": {
            "scoring_tiles": current.options.scoring_tiles,
            "first_seat": current.first_seat,
            "tie_break": game.tie_break,
            "open_gold": game.open_gold,
            "seed": game.seed if game.is_over else None,
        },
        "position": start,
        "draws": draws_to_json(draws),
        "gave_up": game.gave_up,
        "actions": actions,
    }
