"""Events of a game as a caller may see them, numbered, and the messages of its streams."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypeAlias, TypedDict, cast

import skye
import skye.events
import skye.views
from skye import Phase, game_view
from skye.fields import (
    BySeat,
    BySlot,
    Color,
    Count,
    EventSeat,
    Keywords,
    Round,
    Rounds,
    RulesetName,
    Seat,
    Seats,
)
from skye.views import (
    BagView,
    EventView,
    SeatEndView,
    UsedScoringTileView,
    event_view,
    used_scoring_tiles_view,
)
from skye_server.games.authorization import Caller
from skye_server.games.events import (
    HOSTED_EVENT_TYPES,
    BotTookOver,
    EndChanged,
    GameCreated,
    GamePaused,
    GameResumed,
    GameStarted,
    HostedEvent,
    PositionSet,
    ProposalMade,
    RecordReplayed,
    TakeoverReason,
    TakeoverRequested,
    TimeAdded,
    TimedOut,
    TurnChanged,
)
from skye_server.games.game import Change, Game, Status, Visibility
from skye_server.games.proposals import AbortReason, ProposalKind, ProposalOutcome
from skye_server.games.stream_ends import StreamEndReason
from skye_server.games.transitions import state_with_ruleset
from skye_server.games.views.fields import (
    MAX_LEFT_MS,
    BotName,
    GameId,
    GameName,
    Nonce,
    PlayerName,
    Reload,
    Resume,
    SeatCount,
    Seed,
    Timestamp,
    UnknownType,
    Version,
)
from skye_server.games.views.game import (
    FairnessView,
    GameOptionsView,
    GameOriginView,
    GameResultView,
    RatedView,
    SeatClockView,
    SeatOutcomeView,
    bag_view,
    clock_views,
    fairness_view,
    named_scoring_tiles,
    optional_timestamp,
    options_view,
    origin_view,
    outcome_view,
    rated_view,
    result_view,
    timestamp,
    visibility_of,
)

Deadlines: TypeAlias = Annotated[
    BySeat[Timestamp | None],
    "The deadline of each seat; null for one that need not act, or has no deadline.",
]

CountsAsAbsent: TypeAlias = Annotated[
    BySeat[Timestamp | None],
    "By seat: the time of this name of its `takeover`; null for a seat that was not taken over.",
]


def event_views(game: Game, change: Change, caller: Caller) -> list[NumberedEventView]:
    """Return the events of a change as a caller may see them, numbered."""
    at, views = timestamp(change.at_ms), []
    for number, event in enumerate(change.events, change.first_event):
        view = (
            _hosted_event_view(game, event, caller)
            if isinstance(event, HostedEvent)
            else _engine_event_view(game, event, caller)
        )
        numbered = {"id": number, "version": change.version, "at": at, **view}
        views.append(cast("NumberedEventView", numbered))  # mypy does not merge unions
    return views


def _engine_event_view(game: Game, event: skye.events.Event, caller: Caller) -> HostedEventView:
    """Return an event of the engine; the last one also reveals the nonce of the game."""
    assert game.state is not None
    view = event_view(game.state, caller.seat, event)
    if view["type"] != "game_finished":
        return view
    return {
        "type": "game_finished",
        "seed": game.options.seed,
        "players": view["players"],
        "result": cast("GameResultView", result_view(game, view["result"])),
        "nonce": game.options.nonce,
        "bag": game_view(game.state, None)["bag"],
    }


def _hosted_event_view(  # noqa: C901 - one case for each event
    game: Game, event: HostedEvent, caller: Caller
) -> HostedEventView:
    match event:
        case GameCreated(name):
            return _created_view(game, name)
        case GameStarted(scoring_tiles, starting_seat, rounds, players):
            return {
                "type": "game_started",
                "scoring_tiles": used_scoring_tiles_view(game.ruleset, scoring_tiles, len(players)),
                "starting_seat": starting_seat,
                "round_count": rounds,
                "players": [
                    {
                        "seat": seat,
                        "lobby_seat": player.lobby_seat,
                        "name": player.name,
                        "color": player.color,
                        "bot": player.bot,
                        "held": player.is_person,
                    }
                    for seat, player in enumerate(players)
                ],
            }
        case PositionSet(state):
            return _position_set_view(game, state_with_ruleset(state, game.options.ruleset), caller)
        case RecordReplayed(outcomes):
            return {"type": "record_replayed", "bots": [outcome.bot for outcome in outcomes]}
        case BotTookOver(seat, bot, reason, number, played, since_ms, absent_ms):
            return {
                "type": "bot_took_over",
                "seat": seat,
                "bot": bot,
                "reason": reason,
                "round": number,
                "phase": played,
                "since": timestamp(since_ms),
                "counts_as_absent_at": optional_timestamp(absent_ms),
            }
        case TimedOut(seat, at_ms):
            return {"type": "timed_out", "seat": seat, "deadline": timestamp(at_ms)}
        case TakeoverRequested(seat, by, deadline_ms):
            return {"type": "takeover_requested", "seat": seat, "by": by, "deadline": timestamp(deadline_ms)}
        case EndChanged(seat, outcome):
            return {"type": "end_changed", "seat": seat, "end": outcome_view(outcome)}
        case TurnChanged(phase, waiting_for, deadlines, clocks):
            return {
                "type": "turn_changed",
                "phase": phase,
                "waiting_for": waiting_for,
                "deadline": optional_timestamp(event.deadline_ms),
                "deadlines": [optional_timestamp(time) for time in deadlines],
                "clocks": clock_views(clocks),
            }
        case TimeAdded(_, added_ms, turn, expires_ms, until_ms, absent_ms):
            return {
                "type": "time_added",
                "added_ms": added_ms,
                "deadline": optional_timestamp(turn.deadline_ms),
                "deadlines": [optional_timestamp(time) for time in turn.deadlines],
                "clocks": clock_views(turn.clocks),
                "proposal_expires_at": optional_timestamp(expires_ms),
                "paused_until": optional_timestamp(until_ms),
                "counts_as_absent_at": [optional_timestamp(time) for time in absent_ms],
            }
        case GamePaused(until_ms, left_ms):
            return {"type": "game_paused", "until": timestamp(until_ms), "left_ms": left_ms}
        case GameResumed(seat, absent_ms):
            return {
                "type": "game_resumed",
                "seat": seat,
                "counts_as_absent_at": [optional_timestamp(time) for time in absent_ms],
            }
        case ProposalMade(seat, kind, expires_ms):
            expires_at = timestamp(expires_ms)
            return {"type": "proposal_made", "seat": seat, "kind": kind, "expires_at": expires_at}
        case _:  # the view of any other event has the fields of the event
            return cast("HostedEventView", {"type": HOSTED_EVENT_TYPES[type(event)], **event._asdict()})


def _created_view(game: Game, name: str) -> GameCreatedView:
    """Return what a client needs, with the catalogue, to build the view of a new game."""
    return {
        "type": "game_created",
        "name": name,
        "game_id": game.id,
        "ruleset": game.options.ruleset,
        "visibility": visibility_of(game),
        "seat_count": game.capacity,
        "auto_start": game.start_when_full,
        "options": options_view(game),
        "origin": origin_view(game.origin),
        "scoring_tiles": named_scoring_tiles(game),
        "fairness": {**fairness_view(game), "nonce": None, "seed": None},
        "rated": rated_view(game.rated),
    }


def _position_set_view(game: Game, state: skye.GameState, caller: Caller) -> PositionSetView:
    """Return what a client needs to build the view of a game that begins from a position."""
    seen = game_view(state, caller.seat)
    return {
        "type": "position_set",
        "round": seen["round"],
        "round_count": state.rounds,
        "starting_seat": state.starting_seat,
        "scoring_tiles": seen["scoring_tiles"],
        "bag": bag_view(game, seen["bag"], is_over=state.is_over),
        "players": seen["players"],
        "result": result_view(game, seen["result"]),
        "seed": seen["fairness"]["seed"],
        "nonce": game.options.nonce if state.is_over else None,
    }


class GameCreatedView(TypedDict):
    """The game was created; players may join.

    From the catalogue, this event and the following ones a client can build the view of the game.
    """

    type: Literal["game_created"]
    name: GameName
    game_id: GameId
    ruleset: RulesetName
    visibility: Annotated[Visibility, "Who can find and read the game."]
    seat_count: SeatCount
    auto_start: Annotated[bool, "Whether the game starts automatically as soon as every seat is taken."]
    options: Annotated[GameOptionsView, "The options that the creator chose."]
    origin: Annotated[GameOriginView | None, "What the game begins from; null: the start."]
    scoring_tiles: Annotated[
        BySlot[UsedScoringTileView], "The scoring tiles that the creator named; none if they are drawn."
    ]
    fairness: Annotated[FairnessView, "The commitment to the seed. The seed is always null here."]
    rated: Annotated[RatedView | None, "What the game counts for; null: it is not rated."]


class PlayerJoinedView(TypedDict):
    """A person or a bot took a seat."""

    type: Literal["player_joined"]
    seat: EventSeat
    name: PlayerName
    color: Annotated[Color, "The player's colour."]
    bot: Annotated[BotName | None, "The bot; null for a person."]


class PlayerChangedView(TypedDict):
    """A player changed name or colour in the lobby."""

    type: Literal["player_changed"]
    seat: EventSeat
    name: Annotated[str, Keywords(maxLength=40), "The current name."]
    color: Annotated[Color, "The current colour."]


class PlayerLeftView(TypedDict):
    """A player left the lobby; the seat is free, and no other seat moves."""

    type: Literal["player_left"]
    seat: EventSeat
    removed: Annotated[bool, "Whether the host removed the player, or the bot."]


class TokenRotatedView(TypedDict):
    """The player replaced the token of the seat."""

    type: Literal["token_rotated"]
    seat: EventSeat


class HostTokenRotatedView(TypedDict):
    """The host replaced the host token, or received one beside the player key."""

    type: Literal["host_token_rotated"]


class InvitationCreatedView(TypedDict):
    """The host reserved a seat for the holder of an invitation code."""

    type: Literal["invitation_created"]


class InvitationAcceptedView(TypedDict):
    """An invitation code was used: its reservation ends with the `player_joined` that follows."""

    type: Literal["invitation_accepted"]


class InvitationRevokedView(TypedDict):
    """The host revoked an unused invitation: its reservation ends."""

    type: Literal["invitation_revoked"]


class StartedPlayerView(TypedDict):
    """The player of a seat at the start."""

    seat: Annotated[Seat, "The seat, from now on."]
    lobby_seat: Annotated[Seat, "The number that the seat had in the lobby."]
    name: PlayerName
    color: Annotated[Color, "The player's colour."]
    bot: Annotated[BotName | None, "The bot; null for a person."]
    held: Annotated[
        bool, "Whether a person holds the seat, also one whose bot at a URL plays it: it can be given up."
    ]


class GameStartedView(TypedDict):
    """The lobby closed and the game began; the gaps that players left between seats closed."""

    type: Literal["game_started"]
    scoring_tiles: Annotated[BySlot[UsedScoringTileView], "The scoring tiles of slots A to D."]
    starting_seat: Annotated[Seat, "The seat that starts the first round."]
    round_count: Annotated[Rounds, "How many rounds the game has."]
    players: Annotated[BySeat[StartedPlayerView], "The players, in seat order."]


class PositionSetView(TypedDict):
    """The game begins from a position. This event directly follows the start.

    The fields are those of the game, with their values in the position.
    """

    type: Literal["position_set"]
    round: Annotated[Round, "The round."]
    round_count: Annotated[Rounds, "How many rounds the game has."]
    starting_seat: Annotated[Seat, "The seat that starts the round."]
    scoring_tiles: Annotated[BySlot[UsedScoringTileView], "The scoring tiles of slots A to D."]
    bag: Annotated[BagView, "The tiles left in the bag."]
    players: Annotated[BySeat[skye.views.SeatInPlayView], "The seats, in seat order."]
    result: Annotated[GameResultView | None, "The result, if the game is over in the position."]
    seed: Annotated[Seed | None, "The seed, if the game is over in the position; null otherwise."]
    nonce: Annotated[Nonce | None, "The nonce, if the game is over in the position and has one."]


class RecordReplayedView(TypedDict):
    """The recorded actions have been played: people play from here. Nobody has acted or left yet.

    In a game that its record ends, this follows the last action. In both cases the `end_changed` that follow
    say how the seats would end.
    """

    type: Literal["record_replayed"]
    bots: Annotated[
        BySeat[BotName | None],
        "By seat, the bot that plays it from here, because it was given up in the record; null: it is "
        "played as before.",
    ]


class BotTookOverView(TypedDict):
    """A bot plays the seat: for the rest of the game, or until its player takes it back."""

    type: Literal["bot_took_over"]
    seat: EventSeat
    bot: Annotated[BotName, "The bot."]
    reason: Annotated[TakeoverReason, "The reason. After `timed_out` the player may return."]
    since: Annotated[
        Timestamp,
        "The deadline that was missed, or the time of the resignation. After a return that no decision has "
        "followed, this, the round and the phase are those of the first take-over.",
    ]
    round: Annotated[Round, "The round of that time."]
    phase: Annotated[Phase, "The phase of that time."]
    counts_as_absent_at: Annotated[
        Timestamp | None, "For `takeover` of the player; null if the player cannot return."
    ]


class SeatReturnedView(TypedDict):
    """The player took the seat back that the server had taken over after missed deadlines."""

    type: Literal["seat_returned"]
    seat: EventSeat
    bot: Annotated[BotName | None, "The bot at a URL that plays it again; null for the player."]


class BotChangedView(TypedDict):
    """A bot at a URL plays the seat from now on, or its player again."""

    type: Literal["bot_changed"]
    seat: EventSeat
    bot: Annotated[BotName | None, "The bot; null for the player."]


class TimedOutView(TypedDict):
    """The seat missed its deadline: the server makes this decision for it."""

    type: Literal["timed_out"]
    seat: EventSeat
    deadline: Annotated[
        Timestamp, "The deadline. For a bot at a URL that has failed, the time at which it failed."
    ]


class TakeoverRequestedView(TypedDict):
    """A player asked for the seat to be taken over, for which a game without a clock has waited for a day.

    The `turn_changed` that follows has the deadline of the seat.
    """

    type: Literal["takeover_requested"]
    seat: EventSeat
    by: Annotated[Seat, "The seat of the player who asked."]
    deadline: Annotated[Timestamp, "When the seat is taken over, unless it has decided before."]


class EndChangedView(TypedDict):
    """How the seat would end now has changed, by the events before in this version."""

    type: Literal["end_changed"]
    seat: EventSeat
    end: Annotated[SeatOutcomeView, "How it would end now."]


class TurnChangedView(TypedDict):
    """The seats that must act, or their deadline, changed. This is the last event of such a change."""

    type: Literal["turn_changed"]
    phase: Annotated[Phase | None, "The phase; null if none waits for decisions."]
    waiting_for: Annotated[Seats, "The seats that must act now."]
    deadline: Annotated[Timestamp | None, "The first of the deadlines; null: none."]
    deadlines: Deadlines
    clocks: Annotated[BySeat[SeatClockView] | None, "The clock of each seat; null without a budget."]


class TimeAddedView(TypedDict):
    """The server could take no actions for some time: all times of the game moved, and are named here."""

    type: Literal["time_added"]
    added_ms: Annotated[
        int,
        Keywords(minimum=-(10**11), maximum=10**11),
        "By how much they moved, in milliseconds: the most of all, as a time moves by the part of an outage "
        "after it was set. Negative if the clock of the server was set back.",
    ]
    deadline: Annotated[Timestamp | None, "The first of the deadlines; null: none."]
    deadlines: Deadlines
    clocks: Annotated[BySeat[SeatClockView] | None, "The clock of each seat; null without a budget."]
    proposal_expires_at: Annotated[
        Timestamp | None, "When the open proposal ends without agreement; null without one."
    ]
    paused_until: Annotated[Timestamp | None, "When the pause ends by itself; null without one."]
    counts_as_absent_at: CountsAsAbsent


class ClockAdvancedView(TypedDict):
    """The host advanced the manual clock to the time of this event."""

    type: Literal["clock_advanced"]


class GamePausedView(TypedDict):
    """The game pauses: no deadline runs, and nobody can act."""

    type: Literal["game_paused"]
    until: Annotated[Timestamp, "When the game goes on by itself."]
    left_ms: Annotated[
        BySeat[Annotated[Count, Keywords(maximum=MAX_LEFT_MS)] | None],
        "What is left of the time of each seat for its open decision; null for one without a deadline.",
    ]


class GameResumedView(TypedDict):
    """The game goes on after a pause; the open decisions have the time that was left."""

    type: Literal["game_resumed"]
    seat: Annotated[Seat | None, "The seat that ended the pause; null: its time was over."]
    counts_as_absent_at: CountsAsAbsent


class ProposalMadeView(TypedDict):
    """A seat, or the host, asked the other people who play for their agreement."""

    type: Literal["proposal_made"]
    seat: Annotated[Seat | None, "The seat; null: the host, whose token acts for no seat."]
    kind: Annotated[ProposalKind, "What is proposed."]
    expires_at: Annotated[Timestamp, "When it ends without agreement, by the clock of the game."]


class ProposalAnsweredView(TypedDict):
    """A seat accepted or refused the open proposal."""

    type: Literal["proposal_answered"]
    seat: EventSeat
    kind: Annotated[ProposalKind, "What is proposed."]
    accepted: Annotated[bool, "Whether the seat accepted it; otherwise `proposal_ended` follows."]


class ProposalEndedView(TypedDict):
    """The proposal is no longer open. The events of what it proposed follow if it was accepted."""

    type: Literal["proposal_ended"]
    kind: Annotated[ProposalKind, "What was proposed."]
    outcome: Annotated[ProposalOutcome, "How it ended."]


class GameAbortedView(TypedDict):
    """The game ended without a result."""

    type: Literal["game_aborted"]
    reason: Annotated[AbortReason, "Why it could be aborted."]
    absent: Annotated[Seats, "The seats whose players were absent, so that nobody needed their agreement."]


class GameFinishedView(TypedDict):
    """The game is over after final scoring; nothing is hidden any more."""

    type: Literal["game_finished"]
    seed: Annotated[Seed, "The seed of all draws."]
    players: Annotated[BySeat[SeatEndView], "The final state of each seat, in seat order."]
    result: Annotated[GameResultView, "The result."]
    nonce: Annotated[Nonce | None, "The nonce of the commitment; null if the server chose the seed."]
    bag: Annotated[BagView, "The tiles left in the bag."]


HostedEventView: TypeAlias = (
    GameCreatedView
    | PlayerJoinedView
    | PlayerLeftView
    | PlayerChangedView
    | TokenRotatedView
    | HostTokenRotatedView
    | InvitationCreatedView
    | InvitationAcceptedView
    | InvitationRevokedView
    | GameStartedView
    | PositionSetView
    | RecordReplayedView
    | BotTookOverView
    | SeatReturnedView
    | BotChangedView
    | TimedOutView
    | TakeoverRequestedView
    | EndChangedView
    | TurnChangedView
    | TimeAddedView
    | ClockAdvancedView
    | GamePausedView
    | GameResumedView
    | ProposalMadeView
    | ProposalAnsweredView
    | ProposalEndedView
    | GameAbortedView
    | EventView
    | GameFinishedView
)
"""The types of events, roughly in the order in which events happen. The last one replaces the engine's."""


class NumberedEventView(TypedDict):
    """An event of a game."""

    id: Annotated[int, Keywords(minimum=1), "The number of the event, from 1 without gaps."]
    version: Annotated[Version, "The version of the game that the event is part of."]
    at: Annotated[Timestamp, "When it happened, by the clock of the game; `id` gives the order."]
    reload: NotRequired[Reload]
    type: UnknownType


class StreamStart(TypedDict):
    """The first message of a stream: where it begins."""

    game_id: GameId
    status: Annotated[Status, "The status of the game."]
    version: Version
    last_event: Annotated[Count, "The number of the last event of the game."]
    after: Annotated[Count, "The number of the event after which the stream begins."]
    now: Annotated[
        Timestamp, "The time of the message, by the clock of the game; subtract it from a deadline."
    ]


class StreamEnd(TypedDict):
    """The last message of a stream: why it ends, and what to do."""

    reason: Annotated[StreamEndReason, "The reason."]
    resume: Resume
    last_event: Annotated[Count, "The number of the last event sent."]
