"""Events of players as the API shows them."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypeAlias, TypedDict

from skye import Phase
from skye.fields import Component, Count, Keywords, Seat
from skye_server.games.game import Status
from skye_server.games.player_events import PlayerEvent, PlayerEventType, SeatLeftReason
from skye_server.games.proposals import ProposalKind
from skye_server.games.stream_ends import PlayerStreamEndReason
from skye_server.games.views.fields import (
    MAX_LEFT_MS,
    GameId,
    Reload,
    Resume,
    Timestamp,
    UnknownType,
    Version,
)
from skye_server.games.views.game import optional_timestamp, timestamp

TicketId: TypeAlias = Annotated[str, Component("TicketId")]
PlayerEventId: TypeAlias = Annotated[str, Component("PlayerEventId")]


class _PlayerEvent(TypedDict):
    id: Annotated[PlayerEventId, "The id of the event."]
    at: Annotated[
        Timestamp,
        "When it happened, by the clock of the game, or else of the server; the list gives the order.",
    ]
    reload: NotRequired[Reload]


class _GameEvent(_PlayerEvent):
    game_id: GameId
    seat: Annotated[Seat | None, "The player's seat; null for a host without one."]
    game_version: Annotated[Version, "The version of the game at this event."]
    game_last_event: Annotated[Count, "The number of the last event of the game at this event."]
    status: Annotated[Status | None, "The status of the game; null after the player has left it."]


class _TurnEvent(_GameEvent):
    phase: Annotated[Phase, "The phase that waits for the player's decision."]
    deadline: Annotated[Timestamp | None, "The deadline of the decision; null without one."]
    remaining_ms: Annotated[
        Count | None,
        Keywords(maximum=MAX_LEFT_MS),
        "The milliseconds that the seat has left of its budget at this event; null without a budget.",
    ]


class SeatTakenPlayerEvent(_GameEvent):
    """The player has a seat in the game; or the start has closed gaps, and the seat has another number."""

    type: Literal[PlayerEventType.SEAT_TAKEN]


class YourTurnPlayerEvent(_TurnEvent):
    """The game waits for a decision of the player."""

    type: Literal[PlayerEventType.YOUR_TURN]


class DeadlineNearPlayerEvent(_TurnEvent):
    """A decision is still open in the last quarter of its time, at most an hour before the deadline."""

    type: Literal[PlayerEventType.DEADLINE_NEAR]


class ProposalOpenedPlayerEvent(_GameEvent):
    """Another seat, or the host, proposes to end the game or to pause it: the player can accept or refuse."""

    type: Literal[PlayerEventType.PROPOSAL_OPENED]
    kind: Annotated[ProposalKind, "What is proposed."]
    proposed_by: Annotated[Seat | None, "The seat that made the proposal; null: the host without one."]
    expires_at: Annotated[Timestamp, "When the proposal ends without agreement, by the clock of the game."]


class LobbyFullPlayerEvent(_GameEvent):
    """Every seat of the lobby is taken: the player is its host, and can start the game."""

    type: Literal[PlayerEventType.LOBBY_FULL]


class SeatLeftPlayerEvent(_GameEvent):
    """The player no longer has a role in the game: left, removed or resigned, or the game has expired."""

    type: Literal[PlayerEventType.SEAT_LEFT]
    reason: Annotated[SeatLeftReason, "The reason."]


class GameOverPlayerEvent(_GameEvent):
    """The game is over: finished or aborted; see `status`."""

    type: Literal[PlayerEventType.GAME_OVER]


class TicketExpiredPlayerEvent(_PlayerEvent):
    """A matchmaking ticket of the player has expired: there were not enough players in time."""

    type: Literal[PlayerEventType.TICKET_EXPIRED]
    ticket_id: Annotated[TicketId, "The ticket."]


class WebhookDisabledPlayerEvent(_PlayerEvent):
    """A webhook of the player, or of a game whose host is the player, has failed for five days."""

    type: Literal[PlayerEventType.WEBHOOK_DISABLED]
    webhook_id: Annotated[str, Component("WebhookId"), "The webhook."]


PlayerEventView: TypeAlias = (
    SeatTakenPlayerEvent
    | YourTurnPlayerEvent
    | DeadlineNearPlayerEvent
    | ProposalOpenedPlayerEvent
    | LobbyFullPlayerEvent
    | SeatLeftPlayerEvent
    | GameOverPlayerEvent
    | TicketExpiredPlayerEvent
    | WebhookDisabledPlayerEvent
)


class PlayerEventOfLaterVersion(_PlayerEvent):
    """The fields that every event of a player has. An event of a type that a later version added has more."""

    type: UnknownType


class PlayerStreamStart(TypedDict):
    """The first message of a stream: where it begins."""

    after: Annotated[PlayerEventId, "The id of the event after which the stream begins."]
    last_event: Annotated[PlayerEventId, "The id of the player's last event; `0-0` if there is none."]
    now: Annotated[
        Timestamp, "The time of the message, by the server's clock; games with a manual clock have another."
    ]


class PlayerStreamEnd(TypedDict):
    """The last message of a stream: why it ends, and what to do."""

    reason: Annotated[PlayerStreamEndReason, "The reason."]
    resume: Resume
    last_event: Annotated[PlayerEventId, "The id of the last event sent."]


def event_view(event_id: str, event: PlayerEvent) -> dict[str, Any]:
    """Return an event of a player as the API shows it."""
    view: dict[str, Any] = {"id": event_id, "at": timestamp(event.at_ms), "type": event.type}
    if event.ticket:
        return view | {"ticket_id": event.ticket}
    if event.webhook:
        return view | {"webhook_id": event.webhook}
    view |= {
        "game_id": event.game,
        "seat": event.seat,
        "game_version": event.version,
        "game_last_event": event.last_event,
        "status": event.status,
    }
    if event.turn is not None:
        phase, deadline_ms, clock = event.turn
        view |= {
            "phase": phase,
            "deadline": optional_timestamp(deadline_ms),
            "remaining_ms": None if clock is None else clock.remaining_at(event.at_ms),
        }
    if event.reason is not None:
        view["reason"] = event.reason
    if event.proposal is not None:
        proposer, proposed, expires_ms = event.proposal
        view |= {"kind": proposed, "proposed_by": proposer, "expires_at": timestamp(expires_ms)}
    return view
