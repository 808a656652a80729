"""The events of a game, one schema for each type. Everything a caller may not know yet is null."""

from __future__ import annotations

from service.schemas.objects import Tagged, UnknownType, Variants
from service.schemas.responses.event_base import GameEvent
from service.schemas.responses.match_events import MATCH_EVENTS
from service.schemas.responses.play_events import PLAY_EVENTS

EVENTS = (*MATCH_EVENTS, *PLAY_EVENTS)
"""The events, in about the order in which they happen."""


class EventOfLaterVersion(GameEvent):
    """The fields that every event has. An event of a type that a later version added has more of them."""

    type = UnknownType(EVENTS)


class UnknownEvent(Variants):
    """An event of a type that a later version added: pass over it."""

    variants = (EventOfLaterVersion,)


class Event(Tagged):
    """Something that has happened in a game. There may be new types: pass over those you do not know."""

    variants = EVENTS
    fallback = UnknownEvent
