"""What a player learns with a player key: the player's games, and what they report."""

from __future__ import annotations

from marshmallow import fields

from service.schemas.enums import GamePhase, GameStatus, PlayerStreamEndReason, QuickMatchStatus
from service.schemas.fields import Boolean, ListOf, Seat
from service.schemas.objects import Always, One, Tagged, UnknownType, Variants
from service.schemas.responses.lobby import GameSummary
from service.schemas.responses.shape import Count, GameId, ResponseObject, Text, Time, Version


class OwnGame(ResponseObject):
    """A game of a player."""

    game = One(GameSummary, "The game.")
    seat = Seat("The player's seat; null for a host without one.", allow_none=True)
    host = Boolean("Whether the player is the host.")
    waiting = Boolean("Whether the game waits for the player.")
    deadline = Time("The deadline of the game; null without one.", allow_none=True)


class EventId(Text):
    """The id of a player's event."""

    component = "PlayerEventId"

    def __init__(self, description: str) -> None:
        shape = {"pattern": "^[0-9]+-[0-9]+$", "examples": ["17-2817361234"]}
        super().__init__(description, 39, metadata=shape)


class QuickMatchId(fields.String):
    """The id of a request for a quick match."""

    component = "QuickMatchId"

    def __init__(self) -> None:
        shape = {"minLength": 24, "maxLength": 24, "pattern": "^[a-z0-9]+$"}
        description = "The id of the request."
        super().__init__(metadata={"description": description, **shape})


class OwnGameList(ResponseObject):
    """A page of a player's games."""

    games = ListOf(OwnGame, "The games, those that wait for the player first.", length=(0, 100))
    last_event = EventId("The player's last event before the list was read: follow from there.")
    next_cursor = Text("The `cursor` of the next page; null on the last.", 82, allow_none=True)


class _PlayerEvent(ResponseObject):
    id = EventId("The id of the event, to go on after it.")
    at = Time("When it happened, by the clock of the server; the order is that of the list.")
    game = GameId()
    seat = Seat("The player's seat; null for a host without one.", allow_none=True)
    version = Version("The version of the game then.")
    last_event = Count("The number of the last event of the game then.")
    status = GameStatus("Where the game stood then; null once the player has left it.", allow_none=True)


class _TurnEvent(_PlayerEvent):
    phase = GamePhase("The phase that waits for the player's decision.")
    deadline = Time("The deadline of the decision; null without one.", allow_none=True)


class SeatedPlayerEvent(_PlayerEvent):
    """The player has a seat in the game."""

    type = Always("seated")


class YourTurnPlayerEvent(_TurnEvent):
    """The game waits for a decision of the player."""

    type = Always("your_turn")


class DeadlineNearPlayerEvent(_TurnEvent):
    """A decision is still open in the last quarter of its time, at most an hour before the deadline."""

    type = Always("deadline_near")


class LeftPlayerEvent(_PlayerEvent):
    """The player has no role in the game any more: left, removed or resigned, or the game has expired."""

    type = Always("left")


class FinishedPlayerEvent(_PlayerEvent):
    """The game is over: finished or aborted."""

    type = Always("finished")


PLAYER_EVENTS = (
    SeatedPlayerEvent,
    YourTurnPlayerEvent,
    DeadlineNearPlayerEvent,
    LeftPlayerEvent,
    FinishedPlayerEvent,
)


class PlayerEventOfLaterVersion(_PlayerEvent):
    """The fields that every event of a player has. One of a later type has more of them."""

    type = UnknownType(PLAYER_EVENTS)


class UnknownPlayerEvent(Variants):
    """An event of a type that a later version added: pass over it."""

    variants = (PlayerEventOfLaterVersion,)


class PlayerEvent(Tagged):
    """What one of the player's games reports. There may be new types: pass over those you do not know."""

    variants = PLAYER_EVENTS
    fallback = UnknownPlayerEvent


class PlayerEventList(ResponseObject):
    """Events of a player, in order."""

    events = ListOf(
        PlayerEvent, "The events; ask for more with `after` the last one's `id`.", length=(0, 1000)
    )
    last_event = EventId("The id of the player's last event; `0-0` if there is none.")


class PlayerStreamStart(ResponseObject):
    """Where a stream begins."""

    after = EventId("The id of the event after which the stream begins.")
    last_event = EventId("The id of the player's last event; `0-0` if there is none.")


class PlayerStreamEnd(ResponseObject):
    """Why a stream ends."""

    reason = PlayerStreamEndReason("Why.")
    last_event = EventId("The id of the last event that was sent.")


class PlayerStreamMessage(Variants):
    """The `data` of one message of a player's stream; its `event` tells which form it has."""

    variants = (PlayerStreamStart, *PlayerEvent.variants, PlayerStreamEnd)
    fallback = UnknownPlayerEvent


class QuickMatch(ResponseObject):
    """A request for a quick match."""

    id = QuickMatchId()
    status = QuickMatchStatus("Where the request stands.")
    expires_at = Time("When it stops waiting.")
    game = GameId("The game once it is matched, before that null.", allow_none=True)
    seat = Seat("The player's seat in it; null without one.", allow_none=True)


class ReplacedKey(ResponseObject):
    """The replacement of a player key."""

    replaced = Boolean("Always true: from now on only the new key is valid.")
