"""The responses of lab servers."""

from collections.abc import Sequence
from typing import Annotated, Final, TypeAlias, TypedDict

from skye.fields import Component, Count, Keywords
from skye_server.contract.requests.lab import FAULT_KEYWORDS, MAX_FAULTY_REQUESTS
from skye_server.games.manual_clock import MAX_AHEAD_MS
from skye_server.games.views.fields import Timestamp

MAX_INBOX_BODY: Final = 65_536
_Header: TypeAlias = Annotated[str, Keywords(maxLength=1024)]

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
    hunts: Annotated[_Path | None, "Where to open bug hunts; null without the plug-in of bug hunts."]
    inbox: Annotated[_Path, "Where to receive webhooks."]


class RemainingFault(TypedDict):
    """The fault of the next requests of a game."""

    fault: Annotated[str | None, Keywords(**FAULT_KEYWORDS), "The fault; null if there is none."]
    requests: Annotated[
        Count, Keywords(maximum=MAX_FAULTY_REQUESTS), "How many more requests have the fault."
    ]
    method: Annotated[str | None, Component("FaultyMethod"), "The method of these requests; null: any."]


class InboxAnswerView(TypedDict):
    """How an inbox answers."""

    status: Annotated[int, Keywords(minimum=200, maximum=599), "The status."]
    body: Annotated[str | None, Keywords(maxLength=MAX_INBOX_BODY), "The body as text; null for none."]
    fault: Annotated[str | None, Keywords(**FAULT_KEYWORDS), "The fault of the response; null for none."]
    challenges: Annotated[bool, "Whether it answers challenges."]
    plays: Annotated[bool, "Whether it answers decisions with the first action."]


class InboxMessage(TypedDict):
    """A request to an inbox."""

    received_at: Annotated[Timestamp, "When it arrived."]
    webhook_id: Annotated[_Header | None, "Its header `webhook-id`."]
    webhook_timestamp: Annotated[_Header | None, "Its header `webhook-timestamp`."]
    webhook_signature: Annotated[_Header | None, "Its header `webhook-signature`."]
    body: Annotated[str, Keywords(maxLength=MAX_INBOX_BODY), "Its body as text."]


class Inbox(TypedDict):
    """An inbox: the requests to it, and how it answers them."""

    messages: Annotated[Sequence[InboxMessage], Keywords(maxItems=100), "The requests, the latest first."]
    answer: Annotated[InboxAnswerView, "How it answers."]
