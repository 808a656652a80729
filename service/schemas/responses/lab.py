"""The responses of lab servers."""

from __future__ import annotations

from service.matches.manual_clock import MAX_AHEAD_MS
from service.schemas.enums import FaultyMethod
from service.schemas.fields import Integer
from service.schemas.requests.lab import MAX_FAULTY_REQUESTS, Fault
from service.schemas.responses.shape import ResponseObject, Text, Time


class EmptiedLab(ResponseObject):
    """The result of deleting all games."""

    deleted = Integer(0, 2**31 - 1, "The number of deleted games.")


class Lab(ResponseObject):
    """The laboratory: its clock, and the paths of its functions."""

    now = Time("The time of the server.")
    ahead_ms = Integer(0, MAX_AHEAD_MS, "How far the server's clock is ahead of the real time.")
    clock = Text("Where to advance the clock.", 60)
    games = Text("Where to delete all games.", 60)
    faults = Text("Where to set the faults of a game.", 60)


class RemainingFault(ResponseObject):
    """The fault of the next requests of a game."""

    fault = Fault("The fault; null if there is none.", allow_none=True)
    requests = Integer(0, MAX_FAULTY_REQUESTS, "How many more requests have the fault.")
    method = FaultyMethod("The method of these requests; null: any.", allow_none=True)
