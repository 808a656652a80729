"""What all events of a game have in common. Everything a caller may not know yet is null."""

from __future__ import annotations

from service.schemas.fields import Integer, Seat
from service.schemas.responses.shape import ResponseObject, Time, Version


class GameEvent(ResponseObject):
    """An event of a game."""

    id = Integer(1, None, "The number of the event; events are numbered without a gap, from 1.")
    version = Version("The version of the game that the event is part of.")
    at = Time("When it happened, by the clock of the game; the order is that of `id`.")


class SeatEvent(GameEvent):
    """An event of one seat."""

    seat = Seat("The seat it happened to, or that did it.")
