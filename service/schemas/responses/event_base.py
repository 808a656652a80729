"""The common fields of all events of a game. Values that are hidden from the caller are null."""

from __future__ import annotations

from service.schemas.fields import Integer, Seat
from service.schemas.responses.shape import ResponseObject, Time, Version


class GameEvent(ResponseObject):
    """An event of a game."""

    id = Integer(1, None, "The number of the event, from 1 without gaps.")
    version = Version("The version of the game that the event is part of.")
    at = Time("When it happened, by the clock of the game; `id` gives the order.")


class SeatEvent(GameEvent):
    """An event of one seat."""

    seat = Seat("The seat that the event is about.")
