"""The history of a game: its events, the report of a round, the record of all actions, the position."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from typing import Annotated, Any, TypedDict

from flask import Blueprint, Response

from skye.fields import Component, Count, Keywords
from skye.rulesets import MAX_ROUNDS
from skye.views import RoundView
from skye_server.contract.fields import QueryInteger
from skye_server.contract.objects import Query
from skye_server.error_codes import Problem
from skye_server.following.game_stream import GameStream, events_after
from skye_server.games.game import Status
from skye_server.games.views.events import NumberedEventView
from skye_server.games.views.fields import Timestamp, Version, Versioned, versioned
from skye_server.games.views.game import position_view, time_view
from skye_server.games.views.history import (
    ExportedRecordView,
    beginning,
    record_view,
    round_view,
    rounds_view,
)
from skye_server.http import sse
from skye_server.http.framework import collaborators
from skye_server.http.middleware import Header
from skye_server.http.request_parsing import bearer_token, takes
from skye_server.http.responses import (
    check_accepts,
    etag_of,
    json_response,
    link_to_next,
    no_content,
    not_modified,
    versioned_json,
)
from skye_server.http.sse import count_open, last_event_id
from skye_server.openapi.components import LAST_EVENT_ID
from skye_server.openapi.documented_errors import GAME_ERRORS
from skye_server.openapi.operations import THIS_GAME, Describe, Link, ResponseDoc, Token, reads, text

blueprint = Blueprint("History", __name__, url_prefix="/v1/games/<game>")


class StreamQuery(Query):
    """Where a stream of events begins."""

    after = QueryInteger(0, 10**9, "Only events with a higher number.", load_default=0)


class EventsQuery(StreamQuery):
    """Which events to list."""

    limit = QueryInteger(1, 1000, "The most events to return.", load_default=1000)
    wait_ms = QueryInteger(
        0, 60_000, "How many milliseconds to wait for an event if there is none yet.", load_default=0
    )


class ListedRound(RoundView):
    """The report of a round in a list of reports."""


class RoundList(Versioned):
    """The reports of the rounds of a game, up to now."""

    rounds: Annotated[
        Sequence[ListedRound], Keywords(maxItems=MAX_ROUNDS), "The reports, the first round first."
    ]


class EventList(TypedDict):
    """Events of a game, in order."""

    events: Annotated[
        Sequence[Annotated[NumberedEventView, Component("Event")]],
        Keywords(maxItems=1000),
        "The events; for the next page, send the last `id` as `after`.",
    ]
    last_event: Annotated[Count, "The number of the last event of the game."]
    status: Annotated[Status, "The status of the game; once it is over, no event changes the view."]
    version: Version
    now: Annotated[Timestamp, "The time of the response, by the clock of the game."]


_BEGUN = ("game_not_started",)


@blueprint.route("/events")
@Describe(
    [
        ResponseDoc(
            200,
            "The events.",
            EventList,
            links=[
                Link(
                    "list_events",
                    "The events to come.",
                    {**THIS_GAME, "after": "$response.body#/last_event"},
                )
            ],
            headers=["Link"],
        ),
    ],
    errors=[
        *GAME_ERRORS,
        "not_public_yet",
        "not_acceptable",
        "invalid_parameter",
        "history_lost",
        "too_many_streams",
    ],
    token=Token.OPTIONAL,
)
@takes(query=EventsQuery)
def list_events(query: dict[str, Any], game: str) -> Response:
    """List the events of a game.

    Every change of a game is a list of events. They are numbered from 1 without gaps, and hidden values are
    null. A client that applies them to a view of the game gets the view that `GET /v1/games/{game}` returns.
    With `wait_ms` the server waits for the next event (long polling). If the game has no event `after`, the
    server has lost events: `history_lost`.
    """
    after = int(query["after"])
    stream = _stream(game)
    with ExitStack() as on_close:
        if query["wait_ms"]:
            on_close.callback(count_open(stream.token, is_stream=False))
        (current, caller), changes = stream.long_poll(after, query["wait_ms"] / 1000, query["limit"])
    events = events_after(current, caller, changes, after)[: query["limit"]]
    following: list[Header] = []
    if events and events[-1]["id"] < current.last_event:
        rest = {"after": events[-1]["id"], "limit": query["limit"]}
        following = link_to_next(f"/v1/games/{game}/events", rest)
    page = {
        "events": events,
        "last_event": current.last_event,
        "status": current.status,
        "version": current.version,
    }
    return json_response(page | time_view(collaborators().games.time_of(current)), more_headers=following)


@blueprint.route("/events/stream")
@Describe(
    [
        ResponseDoc(200, "The stream.", text("EventStream"), content_type=sse.EVENT_STREAM),
        ResponseDoc(204, "The game is over, and no event changes the view any more: do not reconnect."),
    ],
    errors=[
        *GAME_ERRORS,
        "not_public_yet",
        "not_acceptable",
        "invalid_parameter",
        "history_lost",
        "too_many_streams",
    ],
    token=Token.OPTIONAL,
    headers=[LAST_EVENT_ID],
)
@takes(query=StreamQuery)
def stream_events(query: dict[str, Any], game: str) -> Response:
    """Stream the events of a game.

    Server-sent events: each event as it happens, until the game is over.
    """
    check_accepts(sse.EVENT_STREAM)
    last = last_event_id("[0-9]{1,9}", "This is not an event's number.")
    return _streamed(_stream(game), query["after"] if last is None else int(last))


def _stream(game: str) -> GameStream:
    return GameStream(collaborators().feeds, game, bearer_token())


def _streamed(stream: GameStream, after: int) -> Response:
    first = stream.read_from(after)
    game, _ = first[0]
    if game.is_over and after == game.last_event:
        return no_content()  # an EventSource stops at 204
    return sse.response(partial(stream.items, first, after), count_open(stream.token, is_stream=True))


@blueprint.route("/rounds")
@reads(
    ResponseDoc(
        200,
        "The reports.",
        RoundList,
        links=[
            Link(
                "get_round",
                "The first of the rounds.",
                {**THIS_GAME, "round": "$response.body#/rounds/0/round"},
            )
        ],
    ),
    errors=["not_acceptable"],
)
def list_rounds(game: str) -> Response:
    """List the reports of the rounds.

    The report of each round that has begun, as `GET .../rounds/{round}` returns it: none in the lobby. For a
    game that began from a position, the first report is that of the position's round.
    """
    (current, caller), changes = collaborators().games.read_with_log(game, bearer_token())
    return versioned_json(current, caller, {"rounds": rounds_view(current, caller, changes)})


@blueprint.route("/rounds/<int:round>")
@reads(
    ResponseDoc(200, "The report.", versioned(RoundView, "RoundReport")),
    errors=["not_acceptable", "round_not_found", *_BEGUN],
)
def get_round(game: str, round: int) -> Response:  # noqa: A002 - as the path has it
    """Get the report of a round.

    The report has the incomes by source, draws, revealed offers, discards, purchases, placements, tiles that
    went back into the bag, and points by scoring tile, up to now. For the round in which a position begins,
    the report starts at the position.
    """
    (current, caller), changes = collaborators().games.read_with_log(game, bearer_token())
    report = round_view(current, caller, changes, round)
    if report is None:
        begun = beginning(changes)
        is_before = begun is not None and round < begun.round
        raise Problem("round_not_found", "This round was before the game's position." if is_before else None)
    return versioned_json(current, caller, report)


@blueprint.route("/record")
@reads(ResponseDoc(200, "The record.", ExportedRecordView), errors=["not_acceptable", *_BEGUN])
def get_record(game: str) -> Response:
    """Get the record of a game.

    The beginning of the game, the draws so far and every action in order, without values hidden from the
    caller. The record of a finished game is complete: it determines every state, and `POST /v1/games` can
    begin a new game from it.
    """
    (current, caller), changes = collaborators().games.read_with_log(game, bearer_token())
    tag = etag_of(current, caller)
    return not_modified(tag) or json_response(record_view(current, caller, changes), tag=tag)


@blueprint.route("/position")
@reads(ResponseDoc(200, "The position.", text("ExportedPosition")), errors=["not_acceptable", *_BEGUN])
def get_position(game: str) -> Response:
    """Get the position of a game.

    The current state of the game, in the form that `POST /v1/games` accepts. Values that are hidden from the
    caller are left out; a game that begins from the position derives or draws them. The position of a
    finished game is complete for all callers. The host of a game that began from a position always gets the
    complete position, including the seed.
    """
    loaded = collaborators().games.read_content(game, bearer_token())
    tag = etag_of(*loaded)
    return not_modified(tag) or json_response(position_view(*loaded), tag=tag)
