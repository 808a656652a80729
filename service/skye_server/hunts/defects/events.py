"""Defects of the class `events`."""

from __future__ import annotations

from typing import Any

from skye_server.hunts.registry import GAME, defect, get, new_game, send
from skye_server.hunts.seams import Environ, Seams

_PLAYER = "skye_key_hunthunthunthunthunthunt"


@defect(
    "medium",
    "list_events",
    "A page has all events after `after`, up to `limit`: their ids have no gap.",
    new_game("Ann", "Bob"),
    get(f"{GAME}/events?after=2&limit=4"),
    shows="/events",
)
def gap_in_a_full_page(seams: Seams) -> None:
    """Leave an event out of a page that is full."""

    @seams.body("list_events")
    def change(page: Any) -> None:
        events = page["events"]
        if len(events) == 4 and events[-1]["id"] % 2 == 0:
            del events[2]


@defect(
    "medium",
    "list_events",
    "The first event of a page is the one after `after`: no event comes twice.",
    new_game("Ann", "Bob"),
    get(f"{GAME}/events?after=5"),
    shows="/events/0/id",
)
def event_comes_twice(seams: Seams) -> None:
    """Begin a page with the event that the client has."""

    @seams.query("list_events")
    def change(query: dict[str, str]) -> None:
        if query.get("after") == "5":
            query["after"] = "4"


@defect(
    "easy",
    "list_events",
    "Events are in the order of their ids.",
    new_game("Ann", "Bob"),
    get(f"{GAME}/events?limit=6"),
    shows="/events/5/id",
)
def last_events_out_of_order(seams: Seams) -> None:
    """Exchange the last two events of a page with six or more."""

    @seams.body("list_events")
    def change(page: Any) -> None:
        events = page["events"]
        if len(events) >= 6:
            events[-2:] = reversed(events[-2:])


@defect(
    "hard",
    "stream_events",
    "A stream continues after the event in `Last-Event-ID`.",
    new_game("Ann", "Bob"),
    get(f"{GAME}/events/stream", Last_Event_ID="4"),
)
def resumed_stream_skips_one(seams: Seams) -> None:
    """Continue a stream one event late."""

    @seams.request("stream_events")
    def change(environ: Environ) -> None:
        last = environ.get("HTTP_LAST_EVENT_ID", "")
        if last.isdigit() and int(last) > 3:
            environ["HTTP_LAST_EVENT_ID"] = str(int(last) + 1)


@defect(
    "easy",
    "list_player_events",
    "`seat_taken` names the seat that the player has taken.",
    send("POST", "/v1/games", {"players": [{"bot": "random"}, {"name": "Ann"}]}, _PLAYER),
    get("/v1/me/events", _PLAYER),
    shows="/events/0/seat",
)
def seat_counted_from_one(seams: Seams) -> None:
    """Count the seats of a player's events from 1."""

    @seams.body("list_player_events")
    def change(page: Any) -> None:
        for event in page["events"]:
            if isinstance(event.get("seat"), int):
                event["seat"] += 1


@defect(
    "hard",
    "list_events",
    "`last_event` of a page is the number of the game's last event, also when the page ends before.",
    new_game("Ann", "Bob"),
    get(f"{GAME}/events?limit=3"),
    shows="/last_event",
)
def last_event_of_the_page(seams: Seams) -> None:
    """Name the last event of the page instead of the game's."""

    @seams.body("list_events")
    def change(page: Any) -> None:
        if len(page["events"]) == 3:
            page["last_event"] = page["events"][-1]["id"]
