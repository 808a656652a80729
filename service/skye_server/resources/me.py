"""The player of a player key: the games, their events, and the key itself."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from typing import Annotated, Any, TypeAlias, TypedDict

from flask import Blueprint, Response

from skye.fields import Component, Count, Keywords, Seat
from skye_server.contract.fields import Opaque, PlayerKey, QueryInteger
from skye_server.contract.objects import Object, Query, page_cursor
from skye_server.features import fields_of, installed
from skye_server.following.player_stream import PlayerStream
from skye_server.games.authorization import player_id
from skye_server.games.player_events import open_turns
from skye_server.games.views.fields import MAX_OPAQUE_LENGTH, Roles, Timestamp
from skye_server.games.views.game import (
    GameSummaryView,
    deadline_view,
    optional_timestamp,
    summary_view,
    time_view,
)
from skye_server.games.views.player_events import PlayerEventId, PlayerEventView, event_view
from skye_server.http import sse
from skye_server.http.framework import collaborators
from skye_server.http.middleware import Header
from skye_server.http.rate_limits import charge_key_replacement
from skye_server.http.request_parsing import bearer_token, charged_player, command_from_request, takes
from skye_server.http.responses import check_accepts, json_response, link_to_next
from skye_server.http.sse import count_open, last_event_id
from skye_server.openapi.components import IDEMPOTENCY_KEY, LAST_PLAYER_EVENT_ID
from skye_server.openapi.documented_errors import BODY_ERRORS
from skye_server.openapi.operations import Link, ResponseDoc, of_player, text
from skye_server.players.player_games import OwnGame
from skye_server.store.game_index import cursor_of, place_of

blueprint = Blueprint("Player", __name__, url_prefix="/v1/me")


PLAYER_EVENT_ID = "[0-9]{1,19}-[0-9]{1,19}"
"""The form of the id of a player's event."""


class OwnGamesQuery(Query):
    """Which games of a player to list."""

    limit = QueryInteger(1, 100, "The most games to return.", load_default=20)
    cursor = page_cursor()


class PlayerStreamQuery(Query):
    """Where a player's events begin."""

    after = Opaque(
        PLAYER_EVENT_ID,
        "This is not the id of an event.",
        "Only events after the one with this id; all stored events if left out.",
        load_default="0-0",
    )


class PlayerEventsQuery(PlayerStreamQuery):
    """Which events of a player to list."""

    limit = QueryInteger(1, 1000, "The most events to return.", load_default=1000)
    wait_ms = QueryInteger(
        0, 60_000, "How many milliseconds to wait for an event if there is none yet.", load_default=0
    )


class PlayerKeyToUse(Object):
    """A player key that replaces the bearer token of the request."""

    key = PlayerKey("The new key. Send the same key again to retry.", required=True)

    class Meta:
        """The fields of features."""

        include = fields_of("PlayerKeyToUse")


_Now: TypeAlias = Annotated[
    Timestamp, "The time of the response, by the server's clock; games with a manual clock have another."
]


class OwnPlayer(TypedDict):
    """The player of a player key."""

    id: Annotated[
        str, Keywords(maxLength=MAX_OPAQUE_LENGTH), "The id of the player; it stays when the key is replaced."
    ]
    active_game_count: Annotated[Count, "The number of the player's games that are not over."]
    max_active_game_count: Annotated[
        Count | None, "The maximum number of such games (`too_many_games`); null without one."
    ]
    last_event: Annotated[PlayerEventId, "The id of the player's last event; `0-0` if there is none."]
    now: _Now


class OwnGameView(TypedDict):
    """A game of a player."""

    game: Annotated[GameSummaryView, "The game."]
    seat: Annotated[
        Seat | None, "The player's seat; null for a host without one, and for a player who has resigned."
    ]
    resigned_seat: Annotated[Seat | None, "The seat from which the player has resigned; null: none."]
    roles: Roles
    waiting: Annotated[bool, "Whether the game waits for a decision of the player."]
    lobby_full: Annotated[
        bool, "Whether the player is the host of a lobby whose seats are all taken: it can start the game."
    ]
    deadline: Annotated[
        Timestamp | None, "The deadline of the player if the game waits for one, else of the game."
    ]


class OwnGameList(TypedDict):
    """A page of a player's games."""

    games: Annotated[
        Sequence[OwnGameView], Keywords(maxItems=100), "The games, those that wait for the player first."
    ]
    last_event: Annotated[
        PlayerEventId, "The player's last event before the server read the list: follow from there."
    ]
    now: _Now
    next_cursor: Annotated[
        str | None, Keywords(maxLength=MAX_OPAQUE_LENGTH), "The `cursor` of the next page; null on the last."
    ]


class PlayerEventList(TypedDict):
    """Events of a player, in order."""

    events: Annotated[
        Sequence[Annotated[PlayerEventView, Component("PlayerEvent")]],
        Keywords(maxItems=1000),
        "The events; for the next page, send the last `id` as `after`.",
    ]
    last_event: Annotated[PlayerEventId, "The id of the player's last event; `0-0` if there is none."]
    now: _Now


class ReplacedPlayerKey(TypedDict):
    """The replacement of a player key."""

    replaced: Annotated[bool, "Always true: from now on only the new key is valid."]


@blueprint.route("")
@of_player(
    ResponseDoc(
        200,
        "The player.",
        OwnPlayer,
        links=[Link("list_player_events", "The events to come.", {"after": "$response.body#/last_event"})],
    ),
    errors=["not_acceptable"],
)
def get_own_player() -> Response:
    """Get the player of a player key.

    Shows whether the key is valid, and how many games it may still begin. A key that has never been used is
    valid: its player has no games.
    """
    games, player = collaborators().games, charged_player()
    view = {
        "id": player_id(player),
        "active_game_count": games.players.count_games(player, active=True),
        "max_active_game_count": games.players.max_active,
        "last_event": games.players.last_event(player),
    }
    return json_response(view | time_view(games.now_ms()))


@blueprint.route("/games")
@of_player(
    ResponseDoc(
        200,
        "A page of the games.",
        OwnGameList,
        links=[Link("list_own_games", "The next page.", {"cursor": "$response.body#/next_cursor"})],
        headers=["Link"],
    ),
    errors=["not_acceptable", "invalid_parameter"],
)
@takes(query=OwnGamesQuery)
def list_own_games(query: dict[str, Any]) -> Response:
    """List the games of a player key.

    The list has the games in which the key holds a seat, those in which it has resigned, and those that it
    created, including private ones. A game in which the key has resigned is over for it. Games
    that wait for the player come first, by deadline; then games in play and in the lobby; then games that are
    over, the latest change first. A game that moves in this order while a client reads pages may be missing
    or appear twice.
    """
    all_games, player = collaborators().games, charged_player()
    players = all_games.players
    last_event = players.last_event(player)
    found, last = collaborators().player_listing.page(player, query["limit"], place_of(query.get("cursor")))
    cursor = None if last is None else cursor_of(last)
    view = {"games": [_own_game_view(own) for own in found], "last_event": last_event, "next_cursor": cursor}
    following = [] if cursor is None else link_to_next("/v1/me/games", query | {"cursor": cursor})
    return json_response(view | time_view(all_games.now_ms()), more_headers=following)


def _own_game_view(own: OwnGame) -> dict[str, Any]:
    game, caller, resigned_seat = own
    seat = caller.seat
    own_turn = None if seat is None else open_turns(game.turn).get(seat)
    return {
        "game": summary_view(game, caller),
        "seat": seat,
        "resigned_seat": resigned_seat,
        "roles": caller.roles,
        "waiting": own_turn is not None,
        "lobby_full": caller.host and game.is_full_lobby,
        "deadline": deadline_view(game, caller)
        if own_turn is None
        else optional_timestamp(own_turn.deadline_ms),
    }


@blueprint.route("/events")
@of_player(
    ResponseDoc(
        200,
        "The events.",
        PlayerEventList,
        links=[Link("list_player_events", "The events to come.", {"after": "$response.body#/last_event"})],
        headers=["Link"],
    ),
    errors=["not_acceptable", "invalid_parameter", "history_lost", "too_many_streams"],
)
@takes(query=PlayerEventsQuery)
def list_player_events(query: dict[str, Any]) -> Response:
    """List the events of a player key.

    One list for all games of the key: `seat_taken`, `your_turn`, `deadline_near`, `proposal_opened`,
    `lobby_full` for games that it hosts, `seat_left`, `game_over`; `ticket_expired` for its matchmaking
    tickets, and `webhook_disabled` for its webhooks. The list has each
    event once, and the events of one game in their order, also after failures of servers. Begin with the
    `last_event` of the list of games. With `wait_ms` the server waits for the next event (long polling). It
    stores about the latest 10,000 events.
    """
    charged_player()
    stream = _stream()
    with ExitStack() as on_close:
        if query["wait_ms"]:
            on_close.callback(count_open(stream.token, is_stream=False))
        page = stream.long_poll(query["after"], query["wait_ms"] / 1000, query["limit"])
    events = [event_view(*event) for event in page.events]
    following: list[Header] = []
    if events and events[-1]["id"] != page.last_event:
        rest = {"after": events[-1]["id"], "limit": query["limit"]}
        following = link_to_next("/v1/me/events", rest)
    view = {"events": events, "last_event": page.last_event}
    return json_response(view | time_view(stream.games.now_ms()), more_headers=following)


@blueprint.route("/events/stream")
@of_player(
    ResponseDoc(200, "The stream.", text("PlayerEventStream"), content_type=sse.EVENT_STREAM),
    errors=["not_acceptable", "invalid_parameter", "history_lost", "too_many_streams"],
    headers=[LAST_PLAYER_EVENT_ID],
)
@takes(query=PlayerStreamQuery)
def stream_player_events(query: dict[str, Any]) -> Response:
    """Stream the events of a player key.

    Server-sent events for all games of the key. The stream has no regular end.
    """
    check_accepts(sse.EVENT_STREAM)
    charged_player()
    stream = _stream()
    after = last_event_id(PLAYER_EVENT_ID, "This is not the id of an event.") or query["after"]
    first = stream.read(after, 100)
    return sse.response(
        partial(stream.items, first, after), count_open(stream.token, is_stream=True, of_player=True)
    )


def _stream() -> PlayerStream:
    its = collaborators()
    return PlayerStream(its.games, its.change_notifier, its.stream_clock, bearer_token())


@blueprint.route("/key", methods=["PUT"])
@of_player(
    ResponseDoc(200, "The key is replaced.", ReplacedPlayerKey),
    errors=[*BODY_ERRORS, "invalid_parameter", "key_taken"],
    headers=[IDEMPOTENCY_KEY],
)
@takes(PlayerKeyToUse, "The new key.")
def replace_player_key(body: dict[str, Any]) -> Response:
    """Replace a player key.

    The new key has the same seats and games. The old key becomes invalid at once, with the watch codes that
    it requested. Tokens and bots at URLs stay. The new key must not have been used before. Retrying the
    request with the old key is safe, with or without an `Idempotency-Key`.
    """
    charge_key_replacement()
    identities = collaborators().games.identities
    player = identities.replace_key(command_from_request().token, body["key"])
    view: dict[str, Any] = {"replaced": True}
    for each in installed():
        view |= each.key_replaced(player, body)
    return json_response(view)
