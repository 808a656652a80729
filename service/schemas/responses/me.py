"""The responses to a player key: the player's games and their events."""

from __future__ import annotations

from marshmallow import fields

from service.schemas.enums import GamePhase, GameStatus, PlayerStreamEndReason, QuickMatchStatus
from service.schemas.fields import Boolean, Seat
from service.schemas.objects import Constant, ListOf, NestedObject, Tagged, UnknownType, Variants
from service.schemas.responses.lobby import GameSummary
from service.schemas.responses.shape import Count, GameId, ResponseObject, Text, Time, Version


class OwnGame(ResponseObject):
    """A game of a player."""

    game = NestedObject(GameSummary, "The game.")
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


def _now(of: str) -> Time:
    return Time(f"The time of the {of}, by the server's clock; games with a manual clock have another.")


class OwnGameList(ResponseObject):
    """A page of a player's games."""

    games = ListOf(OwnGame, "The games, those that wait for the player first.", length=(0, 100))
    last_event = EventId("The player's last event before the server read the list: follow from there.")
    now = _now("response")
    next_cursor = Text("The `cursor` of the next page; null on the last.", 81, allow_none=True)


class _PlayerEvent(ResponseObject):
    id = EventId("The id of the event.")
    at = Time("When it happened, by the server's clock; the list gives the order.")
    game = GameId()
    seat = Seat("The player's seat; null for a host without one.", allow_none=True)
    version = Version("The version of the game at this event.")
    last_event = Count("The number of the last event of the game at this event.")
    status = GameStatus("The status of the game; null after the player has left it.", allow_none=True)


class _TurnEvent(_PlayerEvent):
    phase = GamePhase("The phase that waits for the player's decision.")
    deadline = Time("The deadline of the decision; null without one.", allow_none=True)


class SeatedPlayerEvent(_PlayerEvent):
    """The player has a seat in the game."""

    type = Constant("seated")


class YourTurnPlayerEvent(_TurnEvent):
    """The game waits for a decision of the player."""

    type = Constant("your_turn")


class DeadlineNearPlayerEvent(_TurnEvent):
    """A decision is still open in the last quarter of its time, at most an hour before the deadline."""

    type = Constant("deadline_near")


class LeftPlayerEvent(_PlayerEvent):
    """The player no longer has a role in the game: left, removed or resigned, or the game has expired."""

    type = Constant("left")


class FinishedPlayerEvent(_PlayerEvent):
    """The game is over: finished or aborted."""

    type = Constant("finished")


PLAYER_EVENTS = (
    SeatedPlayerEvent,
    YourTurnPlayerEvent,
    DeadlineNearPlayerEvent,
    LeftPlayerEvent,
    FinishedPlayerEvent,
)


class PlayerEventOfLaterVersion(_PlayerEvent):
    """The fields that every event of a player has. An event of a type that a later version added has more."""

    type = UnknownType(PLAYER_EVENTS)


class UnknownPlayerEvent(Variants):
    """An event of a type that a later version added: ignore it."""

    variants = (PlayerEventOfLaterVersion,)


class PlayerEvent(Tagged):
    """An event of one of the player's games. There may be new types: ignore those that you do not know."""

    variants = PLAYER_EVENTS
    fallback = UnknownPlayerEvent


class PlayerEventList(ResponseObject):
    """Events of a player, in order."""

    events = ListOf(
        PlayerEvent, "The events; for the next page, send the last `id` as `after`.", length=(0, 1000)
    )
    last_event = EventId("The id of the player's last event; `0-0` if there is none.")
    now = _now("response")


class PlayerStreamStart(ResponseObject):
    """The first message of a stream: where it begins."""

    after = EventId("The id of the event after which the stream begins.")
    last_event = EventId("The id of the player's last event; `0-0` if there is none.")
    now = _now("message")


class PlayerStreamEnd(ResponseObject):
    """The last message of a stream: why it ends."""

    reason = PlayerStreamEndReason("The reason.")
    last_event = EventId("The id of the last event sent.")


class PlayerStreamMessage(Variants):
    """The `data` of one message of a player's stream; the field `event` determines the form."""

    variants = (PlayerStreamStart, *PlayerEvent.variants, PlayerStreamEnd)
    fallback = UnknownPlayerEvent


class QuickMatch(ResponseObject):
    """A request for a quick match."""

    id = QuickMatchId()
    status = QuickMatchStatus("The status of the request.")
    expires_at = Time("When the request stops waiting.")
    game = GameId("The game; null until the request is matched.", allow_none=True)
    seat = Seat("The player's seat in the game; null without one.", allow_none=True)


class ReplacedPlayerKey(ResponseObject):
    """The replacement of a player key."""

    replaced = Boolean("Always true: from now on only the new key is valid.")
