"""The events of a game, one schema for each type. Values that are hidden from the caller are null."""

from __future__ import annotations

from service.schemas.objects import Tagged, UnknownType, Variants
from service.schemas.responses.event_base import GameEvent
from service.schemas.responses.match_events import MATCH_EVENTS
from service.schemas.responses.play_events import PLAY_EVENTS

EVENTS = (*MATCH_EVENTS, *PLAY_EVENTS)
"""The schemas of events, roughly in the order in which events happen."""


class EventOfLaterVersion(GameEvent):
    """The fields that every event has. An event of a type that a later version added has more fields."""

    type = UnknownType(EVENTS)


class UnknownEvent(Variants):
    """An event of a type that a later version added: ignore it."""

    variants = (EventOfLaterVersion,)


class Event(Tagged):
    """An event of a game. There may be new types: ignore those that you do not know."""

    variants = EVENTS
    fallback = UnknownEvent
