"""The responses of lab servers."""

from typing import Annotated, TypeAlias, TypedDict

from skye.fields import Component, Count, Keywords
from skye_server.contract.requests.lab import FAULT_KEYWORDS, MAX_FAULTY_REQUESTS
from skye_server.games.manual_clock import MAX_AHEAD_MS
from skye_server.games.views.fields import Timestamp

_Path: TypeAlias = Annotated[str, Keywords(maxLength=60)]


class EmptiedLab(TypedDict):
    """The result of deleting all games."""

    deleted: Annotated[Count, "The number of deleted games."]


class Lab(TypedDict):
    """The laboratory: its clock, and the paths of its functions."""

    now: Annotated[Timestamp, "The time of the server."]
    ahead_ms: Annotated[
        Count, Keywords(maximum=MAX_AHEAD_MS), "How far the server's clock is ahead of the real time."
    ]
    clock: Annotated[_Path, "Where to advance the clock."]
    games: Annotated[_Path, "Where to delete all games."]
    faults: Annotated[_Path, "Where to set the faults of a game."]


class RemainingFault(TypedDict):
    """The fault of the next requests of a game."""

    fault: Annotated[str | None, Keywords(**FAULT_KEYWORDS), "The fault; null if there is none."]
    requests: Annotated[
        Count, Keywords(maximum=MAX_FAULTY_REQUESTS), "How many more requests have the fault."
    ]
    method: Annotated[str | None, Component("FaultyMethod"), "The method of these requests; null: any."]
