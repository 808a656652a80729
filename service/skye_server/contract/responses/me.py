"""The responses to a player key: the player's games and the player's events."""

from collections.abc import Sequence
from typing import Annotated, Literal, NotRequired, TypeAlias, TypedDict

from skye.fields import Component, Count, GamePhase, Keywords, Seat
from skye_server.contract.fields import MAX_OPAQUE_LENGTH
from skye_server.games.views.fields import (
    GameId,
    GameStatus,
    Reload,
    Resume,
    Roles,
    Timestamp,
    UnknownType,
    Version,
)
from skye_server.games.views.types import GameSummaryView

TicketId: TypeAlias = Annotated[str, Component("TicketId")]
PlayerEventId: TypeAlias = Annotated[str, Component("PlayerEventId")]
_Now: TypeAlias = Annotated[
    Timestamp, "The time of the response, by the server's clock; games with a manual clock have another."
]


class OwnPlayer(TypedDict):
    """The player of a player key."""

    id: Annotated[
        str, Keywords(maxLength=MAX_OPAQUE_LENGTH), "The id of the player; it stays when the key is replaced."
    ]
    active_game_count: Annotated[Count, "The number of the player's games that are not over."]
    max_active_game_count: Annotated[
        Count | None, "The maximum number of such games (`too_many_games`); null without one."
    ]
    last_event: Annotated[PlayerEventId, "The id of the player's last event; `0-0` if there is none."]
    now: _Now


class OwnGame(TypedDict):
    """A game of a player."""

    game: Annotated[GameSummaryView, "The game."]
    seat: Annotated[Seat | None, "The player's seat; null for a host without one."]
    roles: Roles
    waiting: Annotated[bool, "Whether the game waits for the player."]
    deadline: Annotated[Timestamp | None, "The deadline of the game; null without one."]


class OwnGameList(TypedDict):
    """A page of a player's games."""

    games: Annotated[
        Sequence[OwnGame], Keywords(maxItems=100), "The games, those that wait for the player first."
    ]
    last_event: Annotated[
        PlayerEventId, "The player's last event before the server read the list: follow from there."
    ]
    now: _Now
    next_cursor: Annotated[
        str | None, Keywords(maxLength=MAX_OPAQUE_LENGTH), "The `cursor` of the next page; null on the last."
    ]


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
    status: Annotated[GameStatus | None, "The status of the game; null after the player has left it."]


class _TurnEvent(_GameEvent):
    phase: Annotated[GamePhase, "The phase that waits for the player's decision."]
    deadline: Annotated[Timestamp | None, "The deadline of the decision; null without one."]


class SeatTakenPlayerEvent(_GameEvent):
    """The player has a seat in the game; or the start has closed gaps, and the seat has another number."""

    type: Literal["seat_taken"]


class YourTurnPlayerEvent(_TurnEvent):
    """The game waits for a decision of the player."""

    type: Literal["your_turn"]


class DeadlineNearPlayerEvent(_TurnEvent):
    """A decision is still open in the last quarter of its time, at most an hour before the deadline."""

    type: Literal["deadline_near"]


class SeatLeftPlayerEvent(_GameEvent):
    """The player no longer has a role in the game: left, removed or resigned, or the game has expired."""

    type: Literal["seat_left"]


class GameOverPlayerEvent(_GameEvent):
    """The game is over: finished or aborted; see `status`."""

    type: Literal["game_over"]


class TicketExpiredPlayerEvent(_PlayerEvent):
    """A matchmaking ticket of the player has expired: there were not enough players in time."""

    type: Literal["ticket_expired"]
    ticket_id: Annotated[TicketId, "The ticket."]


class WebhookDisabledPlayerEvent(_PlayerEvent):
    """A webhook of the player, or of a game whose host is the player, has failed for five days."""

    type: Literal["webhook_disabled"]
    webhook_id: Annotated[str, Component("WebhookId"), "The webhook."]


PlayerEventView: TypeAlias = (
    SeatTakenPlayerEvent
    | YourTurnPlayerEvent
    | DeadlineNearPlayerEvent
    | SeatLeftPlayerEvent
    | GameOverPlayerEvent
    | TicketExpiredPlayerEvent
    | WebhookDisabledPlayerEvent
)


class PlayerEventOfLaterVersion(_PlayerEvent):
    """The fields that every event of a player has. An event of a type that a later version added has more."""

    type: UnknownType


class PlayerEventList(TypedDict):
    """Events of a player, in order."""

    events: Annotated[
        Sequence[Annotated[PlayerEventView, Component("PlayerEvent")]],
        Keywords(maxItems=1000),
        "The events; for the next page, send the last `id` as `after`.",
    ]
    last_event: Annotated[PlayerEventId, "The id of the player's last event; `0-0` if there is none."]
    now: _Now


class PlayerStreamStart(TypedDict):
    """The first message of a stream: where it begins."""

    after: Annotated[PlayerEventId, "The id of the event after which the stream begins."]
    last_event: Annotated[PlayerEventId, "The id of the player's last event; `0-0` if there is none."]
    now: Annotated[
        Timestamp, "The time of the message, by the server's clock; games with a manual clock have another."
    ]


class PlayerStreamEnd(TypedDict):
    """The last message of a stream: why it ends, and what to do."""

    reason: Annotated[str, Component("PlayerStreamEndReason"), "The reason."]
    resume: Resume
    last_event: Annotated[PlayerEventId, "The id of the last event sent."]
