"""Games: create, list and get them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypedDict

from flask import Blueprint, Response

from skye.fields import Keywords
from skye_server.commands.creation_commands import create_game as create_new_game
from skye_server.commands.views import (
    CreatedGameView,
    TimedGameView,
    created_view,
    rendered_view,
    show_secrets,
)
from skye_server.contract.creation import GameToCreate
from skye_server.contract.enums import GameStatus, OriginName, RulesetName
from skye_server.contract.fields import QueryInteger
from skye_server.contract.objects import Query, ViewQuery, page_cursor
from skye_server.games.creation import computing_cost
from skye_server.games.game import OriginType, Status
from skye_server.games.views.actions import seat_actions
from skye_server.games.views.fields import MAX_OPAQUE_LENGTH
from skye_server.games.views.game import GameSummaryView, summary_view, time_view
from skye_server.http.framework import collaborators, url_bots
from skye_server.http.rate_limits import charge_creation, charge_new_games
from skye_server.http.request_parsing import bearer_token, command_from_request, takes
from skye_server.http.responses import (
    created_response,
    encoded_json_response,
    etag_of,
    json_response,
    json_with,
    link_to_next,
    not_modified,
)
from skye_server.openapi.documented_errors import (
    BODY_ERRORS,
    NEW_GAME_ERRORS,
    STORE_ERRORS,
)
from skye_server.openapi.operations import (
    NEW_GAME,
    THIS_GAME,
    Link,
    ResponseDoc,
    creates,
    operation,
    reads,
)

blueprint = Blueprint("games", __name__, url_prefix="/v1")


class GamesQuery(Query):
    """Which games to list."""

    status = GameStatus("Only games of this status.")
    origin = OriginName("Only games of this origin; if left out, only games that began from the start.")
    ruleset = RulesetName("Only games of this ruleset; that of new games on this server if left out.")
    limit = QueryInteger(1, 100, "The most games to return.", load_default=20)
    cursor = page_cursor()


class GameQuery(ViewQuery):
    """Which state of a game to show, with which optional parts."""

    at_event = QueryInteger(
        1, 10**9, "The number of an event: the response shows the game just after this event."
    )


class GameList(TypedDict):
    """A page of the list of public games."""

    games: Annotated[Sequence[GameSummaryView], Keywords(maxItems=100), "The games, newest first."]
    next_cursor: Annotated[
        str | None, Keywords(maxLength=MAX_OPAQUE_LENGTH), "The `cursor` of the next page; null on the last."
    ]


@blueprint.route("/games", methods=["POST"])
@creates(
    ResponseDoc(
        201,
        "The game and its tokens.",
        CreatedGameView,
        headers=["ETag", "Location"],
        links=[
            Link("get_game", "The new game.", NEW_GAME),
            Link("join_game", "Take a seat in it.", NEW_GAME),
            Link("start_game", "Start it, with the host token.", NEW_GAME),
            Link("list_events", "Follow it.", NEW_GAME),
            Link(
                "list_actions",
                "The legal actions of the first player, with that seat's token.",
                {**NEW_GAME, "seat": "$response.body#/players/0/seat"},
            ),
        ],
    ),
    errors=[*BODY_ERRORS, *NEW_GAME_ERRORS],
)
@takes(GameToCreate, "The game to open.", required=False)
def create_game(body: dict[str, Any]) -> Response:
    """Create a game.

    All fields of the body are optional. One request can open a game, seat players and bots, and start it. A
    game can also begin from the first `stop_at` actions of the `record` of a finished game: as an
    analysis board, or as a fixture for tests. Or it begins from a `position`: the server checks it against
    the rules, and derives or draws what it leaves out. A `scenario` is the name of a position (see
    `GET /v1/scenarios`).

    A player with `"invite": true` is invited: the response has a single-use code, which reserves a seat after
    the seated players. The creator never sees the token of an invited player.

    With a player key as the bearer token, the game and the first seat without a bot are bound to the key.
    They have no tokens: `host_token` and the `token` of this seat are null. Tokens of games are refused here.

    The server shows the tokens and codes only in this response. A retry with the same `Idempotency-Key`
    returns them again.
    """
    charge_creation(computing_cost(body))
    charge_new_games([body])
    command = command_from_request()
    secrets = url_bots().of_games(command, [body])
    new = create_new_game(collaborators().games, command, body)
    view = created_view(new)
    show_secrets(view["players"], body, secrets)
    return created_response(new, view, f"/v1/games/{new.game_id}")


@blueprint.route("/games")
@operation(
    ResponseDoc(
        200,
        "A page of the list.",
        GameList,
        links=[
            Link("list_games", "The next page.", {"cursor": "$response.body#/next_cursor"}),
            Link("get_game", "The newest of them.", {"game": "$response.body#/games/0/id"}),
        ],
        headers=["Link"],
    ),
    errors=[*STORE_ERRORS, "not_acceptable", "invalid_parameter"],
)
@takes(query=GamesQuery)
def list_games(query: dict[str, Any]) -> Response:
    """List public games.

    The newest come first: a finished game by the time of its end, any other by that of its creation. A game
    that finishes while a client reads pages may be missing or appear twice. Private and aborted games are not
    listed. Games that began from a record, a position or a scenario are listed only with `origin`.
    """
    status = Status(query["status"]) if "status" in query else None
    origin = OriginType(query["origin"]) if "origin" in query else None
    its = collaborators()
    ruleset = its.games.ruleset(query.get("ruleset")).id
    page = its.listing.page
    games, cursor = page(status, query["limit"], query.get("cursor"), origin, ruleset=ruleset)
    following = [] if cursor is None else link_to_next("/v1/games", query | {"cursor": cursor})
    view = {"games": [summary_view(game) for game in games], "next_cursor": cursor}
    return json_response(view, more_headers=following)


@blueprint.route("/games/<game>")
@reads(
    ResponseDoc(
        200,
        "The game.",
        TimedGameView,
        links=[
            Link(
                "list_events",
                "The following events.",
                {**THIS_GAME, "after": "$response.body#/last_event"},
            ),
            Link("get_scores", "The points, with the reasons.", THIS_GAME),
            Link("get_record", "Every action so far.", THIS_GAME),
            Link("get_round", "The report of the round.", {**THIS_GAME, "round": "$response.body#/round"}),
        ],
    ),
    errors=["not_acceptable", "invalid_parameter", "event_not_found"],
)
@takes(query=GameQuery)
def get_game(query: dict[str, Any], game: str) -> Response:
    """Get a game.

    The response is the caller's view: with a seat token it includes that seat's own prices and gold; without
    a token it includes only public information. To keep a view current, follow the events after its
    `last_event`, or poll with `If-None-Match`. With `at_event` the response shows the game just after that
    event and all other events of the same version.

    While `public_from` hides a game, a caller without a seat sees its players, its status and its options;
    the other fields are those of a game in its lobby, and its counters do not move with play.
    """
    games = collaborators().games
    token, event = bearer_token(), query.get("at_event")
    loaded = games.read(game, token) if event is None else games.read_past(game, token, event)
    tag = etag_of(*loaded)
    cached = not_modified(tag)
    if cached is not None:
        return cached
    more: Mapping[str, object] = time_view(games.time_of(loaded.game))
    if "include" in query:
        more = {**more, **seat_actions(loaded.game, loaded.caller)}
    return encoded_json_response(json_with(rendered_view(games, *loaded), more), tag=tag)


__all__ = ["blueprint"]
