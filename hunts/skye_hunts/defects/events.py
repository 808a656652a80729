"""Defects of the class `events`."""

from __future__ import annotations

import re
from typing import Any

from flask import Response, request
from werkzeug.datastructures import ImmutableMultiDict

from skye_hunts.registry import breaks, defect, shown_by
from skye_hunts.seams import Environ, View, response_body, sent_headers
from skye_hunts.witnesses import GAME, STARTED, get, post

_PLAYER = "skye_key_hunthunthunthunthunthunt"


@defect("medium", "list_events", response_body)
@breaks("A page has all events after `after`, up to `limit`: their ids have no gap.")
@shown_by(STARTED, get(f"{GAME}/events?after=2&limit=4"), at="/events")
def gap_in_a_full_page(page: Any) -> None:
    """Leave an event out of a page that is full."""
    events = page["events"]
    if len(events) == 4 and events[-1]["id"] % 2 == 0:
        del events[2]


@defect("medium", "list_events")
@breaks("The first event of a page is the one after `after`: no event comes twice.")
@shown_by(STARTED, get(f"{GAME}/events?after=5"), at="/events/0/id")
def event_comes_twice(view: View, **_: Any) -> Response:
    """Begin a page with the event that the client has."""
    if request.args.get("after") == "5":
        vars(request)["args"] = ImmutableMultiDict({**request.args.to_dict(), "after": "4"})  # cached there
    return view()


@defect("easy", "list_events", response_body)
@breaks("Events are in the order of their ids.")
@shown_by(STARTED, get(f"{GAME}/events?limit=6"), at="/events/5/id")
def last_events_out_of_order(page: Any) -> None:
    """Exchange the last two events of a page with six or more."""
    events = page["events"]
    if len(events) >= 6:
        events[-2:] = reversed(events[-2:])


@defect("hard", "stream_events", sent_headers)
@breaks("A stream continues after the event in `Last-Event-ID`.")
@shown_by(STARTED, get(f"{GAME}/events/stream", Last_Event_ID="4"))
def resumed_stream_skips_one(environ: Environ) -> None:
    """Continue a stream one event late."""
    last = environ.get("HTTP_LAST_EVENT_ID", "")
    if re.fullmatch("[0-9]{1,9}", last) and int(last) > 3:
        environ["HTTP_LAST_EVENT_ID"] = str(int(last) + 1)


@defect("easy", "list_player_events", response_body)
@breaks("`seat_taken` names the seat that the player has taken.")
@shown_by(
    post("/v1/games", {"players": [{"bot": "random"}, {"name": "Ann"}]}, _PLAYER),
    get("/v1/me/events", _PLAYER),
    at="/events/0/seat",
)
def seat_counted_from_one(page: Any) -> None:
    """Count the seats of a player's events from 1."""
    for event in page["events"]:
        if isinstance(event.get("seat"), int):
            event["seat"] += 1


@defect("hard", "list_events", response_body)
@breaks("`last_event` of a page is the number of the game's last event, also when the page ends before.")
@shown_by(STARTED, get(f"{GAME}/events?limit=3"), at="/last_event")
def last_event_of_the_page(page: Any) -> None:
    """Name the last event of the page instead of the game's."""
    if len(page["events"]) == 3:
        page["last_event"] = page["events"][-1]["id"]
