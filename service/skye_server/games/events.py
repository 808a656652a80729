"""The events of a game, one named tuple for each type: creation, lobby, start, deadlines, bots, end.

The events of the game itself are in `skye.events`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

from skye import GameState, Phase
from skye.events import Event
from skye.words import Word
from skye_server.games.proposals import AbortReason, ProposalKind, ProposalOutcome
from skye_server.games.seat_ends import SeatOutcome


class GameCreated(NamedTuple):
    """The game was created; players may join."""

    name: str


class PlayerJoined(NamedTuple):
    """A player, or a bot, takes a seat."""

    seat: int
    name: str
    color: str
    bot: str | None


class PlayerLeft(NamedTuple):
    """A player leaves the lobby; the seat is free.

    :param removed: whether the host removes the player, or the bot.
    """

    seat: int
    removed: bool


class PlayerChanged(NamedTuple):
    """A player changes name and colour in the lobby."""

    seat: int
    name: str
    color: str


class TokenRotated(NamedTuple):
    """A player replaces the token of the seat."""

    seat: int


class HostTokenRotated(NamedTuple):
    """The host replaces the host token, or receives one beside the player key."""


class InvitationCreated(NamedTuple):
    """The host reserves a seat for the holder of an invitation code."""


class InvitationAccepted(NamedTuple):
    """An invitation code is used; the player joins in the event that follows."""


class InvitationRevoked(NamedTuple):
    """The host revokes an unused invitation."""


class StartedPlayer(NamedTuple):
    """The player of a seat at the start, and the number that the seat had in the lobby.

    :param is_person: whether a person holds the seat, also one whose bot at a URL plays it.
    """

    lobby_seat: int
    name: str
    color: str
    bot: str | None
    is_person: bool


def seat_since_start(players: Sequence[StartedPlayer], lobby_seat: int | None) -> int | None:
    """Return the number that a seat of the lobby has since the start; None if nobody sat there.

    >>> players = [StartedPlayer(0, "Ann", "red", None, True), StartedPlayer(3, "Bob", "blue", None, True)]
    >>> seat_since_start(players, 3), seat_since_start(players, 1), seat_since_start(players, None)
    (1, None, None)
    """
    numbers = (number for number, player in enumerate(players) if player.lobby_seat == lobby_seat)
    return next(numbers, None)


class GameStarted(NamedTuple):
    """The lobby closes and the game starts: the gaps between the seats close.

    :param players: by seat.
    """

    scoring_tiles: tuple[str, ...]
    starting_seat: int
    rounds: int
    players: tuple[StartedPlayer, ...]


class PositionSet(NamedTuple):
    """The game begins from a position."""

    state: GameState


class RecordReplayed(NamedTuple):
    """The recorded actions of the game have been played; people play from here.

    In a game that its record ends, this follows the last action.

    :param outcomes: by seat, how it ended in the record; the decisions that the game still has for it.
    """

    outcomes: tuple[SeatOutcome, ...]


class TakeoverReason(Word):
    """Why a bot takes a seat over."""

    RESIGNED = "resigned", "the player left the game."
    TIMED_OUT = (
        "timed_out",
        (
            "the player missed two deadlines in a row, or one and has never acted or was asked to act in a "
            "game without a clock. The player may return."
        ),
    )
    OUT_OF_TIME = "out_of_time", "the player has used up `budget_ms`."


class BotTookOver(NamedTuple):
    """A bot replaces a player who has resigned, missed deadlines or used up the time.

    :param since_ms: the date: the deadline that was missed, or the time of the resignation. After a return
        that no decision has followed, all of them are those of the first take-over.
    :param absent_ms: when it counts as absence by time; None if the player cannot return.
    """

    seat: int
    bot: str
    reason: TakeoverReason
    round: int
    phase: Phase
    since_ms: int
    absent_ms: int | None = None


class SeatReturned(NamedTuple):
    """The player takes the seat back that the server took over after missed deadlines.

    :param bot: the bot at a URL that plays it again; None for the player.
    """

    seat: int
    bot: str | None


class BotChanged(NamedTuple):
    """A bot at a URL plays a seat from now on, or (None) its player again."""

    seat: int
    bot: str | None


class TimedOut(NamedTuple):
    """A seat missed its deadline: the server makes this decision for it.

    :param deadline_ms: the deadline. For a bot at a URL that has failed, when it failed.
    """

    seat: int
    deadline_ms: int


class TakeoverRequested(NamedTuple):
    """A player asks for a seat to be taken over, in a game without a clock that has waited long for it.

    :param by: the seat of this player.
    :param deadline_ms: until when the seat has for its decision.
    """

    seat: int
    by: int
    deadline_ms: int


class EndChanged(NamedTuple):
    """What the views show of how a seat would end now has changed by the events before."""

    seat: int
    outcome: SeatOutcome


class SeatClock(NamedTuple):
    """The clock of a seat: what it has left of its budget, in milliseconds, and until when.

    :param remaining_ms: what was left when the clock last started or stopped.
    :param runs_out_ms: when nothing will be left; None while the clock stands.
    """

    remaining_ms: int
    runs_out_ms: int | None = None

    def remaining_at(self, now_ms: int) -> int:
        """Return what is left at a time, in milliseconds."""
        left_ms = self.remaining_ms if self.runs_out_ms is None else self.runs_out_ms - now_ms
        return max(0, min(left_ms, self.remaining_ms))


class TurnChanged(NamedTuple):
    """The seats that must act now and their deadlines; the last event of each change that alters them.

    :param deadlines: by seat; None for a seat that need not act, or has no deadline.
    :param clocks: by seat; empty in a game without a budget.
    """

    phase: Phase | None
    waiting_for: tuple[int, ...]
    deadlines: tuple[int | None, ...]
    clocks: tuple[SeatClock, ...] = ()

    @property
    def deadline_ms(self) -> int | None:
        """The first of the deadlines, None if there is none."""
        return min((time for time in self.deadlines if time is not None), default=None)

    def clock_of(self, seat: int) -> SeatClock | None:
        """Return the clock of a seat, None without a budget."""
        return self.clocks[seat] if self.clocks else None

    def deadline_of(self, seat: int) -> int | None:
        """Return the deadline of a seat that must act, None if it has none."""
        return self.deadlines[seat] if self.deadlines else None


class TimeAdded(NamedTuple):
    """The server could not take actions for some time, which is added to the times of the game.

    :param outage: the number of the last outage that the game has seen.
    :param added_ms: by how much the times moved, the most of all; negative if the store's clock was set back.
    :param turn: the turn with the new deadlines and clocks.
    :param expires_ms: when the open proposal ends; None without one.
    :param until_ms: when the pause ends by itself; None without one.
    :param absent_ms: by seat: when its take-over counts as absence; None without one.
    """

    outage: int
    added_ms: int
    turn: TurnChanged
    expires_ms: int | None
    until_ms: int | None
    absent_ms: tuple[int | None, ...] = ()


class ClockAdvanced(NamedTuple):
    """The host has advanced the manual clock, to the time of the change."""


class GamePaused(NamedTuple):
    """The game pauses.

    :param until_ms: when it goes on by itself.
    :param left_ms: by seat: what is left of the time for the open decision; None without a deadline.
    """

    until_ms: int
    left_ms: tuple[int | None, ...]


class GameResumed(NamedTuple):
    """The game goes on: a seat has ended the pause, or (None) its time is over or no person is left.

    :param absent_ms: by seat: when its take-over counts as absence, without the pause; None without one.
    """

    seat: int | None
    absent_ms: tuple[int | None, ...] = ()


class ProposalMade(NamedTuple):
    """A seat, or the host, asks the other people of the game for their agreement."""

    seat: int | None
    kind: ProposalKind
    expires_ms: int


class ProposalAnswered(NamedTuple):
    """A seat accepts or refuses the open proposal; a refusal ends it."""

    seat: int
    kind: ProposalKind
    accepted: bool


class ProposalEnded(NamedTuple):
    """The proposal is no longer open. What it proposed follows if it was accepted."""

    kind: ProposalKind
    outcome: ProposalOutcome


class GameAborted(NamedTuple):
    """The game ends without a result.

    :param absent: the seats whose players were absent, so that their agreement was not needed.
    """

    reason: AbortReason
    absent: tuple[int, ...] = ()


HostedEvent: TypeAlias = (
    GameCreated
    | PlayerJoined
    | PlayerLeft
    | PlayerChanged
    | TokenRotated
    | HostTokenRotated
    | InvitationCreated
    | InvitationAccepted
    | InvitationRevoked
    | GameStarted
    | PositionSet
    | RecordReplayed
    | BotTookOver
    | SeatReturned
    | BotChanged
    | TimedOut
    | TakeoverRequested
    | EndChanged
    | TurnChanged
    | TimeAdded
    | ClockAdvanced
    | GamePaused
    | GameResumed
    | ProposalMade
    | ProposalAnswered
    | ProposalEnded
    | GameAborted
)

HOSTED_EVENT_TYPES: Final[dict[type, str]] = {
    GameCreated: "game_created",
    PlayerJoined: "player_joined",
    PlayerLeft: "player_left",
    PlayerChanged: "player_changed",
    TokenRotated: "token_rotated",
    HostTokenRotated: "host_token_rotated",
    InvitationCreated: "invitation_created",
    InvitationAccepted: "invitation_accepted",
    InvitationRevoked: "invitation_revoked",
    GameStarted: "game_started",
    PositionSet: "position_set",
    RecordReplayed: "record_replayed",
    BotTookOver: "bot_took_over",
    SeatReturned: "seat_returned",
    BotChanged: "bot_changed",
    TimedOut: "timed_out",
    TakeoverRequested: "takeover_requested",
    EndChanged: "end_changed",
    TurnChanged: "turn_changed",
    TimeAdded: "time_added",
    ClockAdvanced: "clock_advanced",
    GamePaused: "game_paused",
    GameResumed: "game_resumed",
    ProposalMade: "proposal_made",
    ProposalAnswered: "proposal_answered",
    ProposalEnded: "proposal_ended",
    GameAborted: "game_aborted",
}
"""The name of each game event in the API."""

AnyEvent: TypeAlias = Event | HostedEvent
