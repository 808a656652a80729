"""Games from their creation to their start: create, list, look, join, leave, start, abort."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from flask import Response

from service.matches.creation import computing_cost
from service.matches.match import OriginType, Status
from service.matches.views import seat_actions, summary_view, time_view
from service.openapi.operations import (
    BODY,
    STORE,
    Link,
    ResponseDoc,
    Token,
    creates,
    operation,
    reads,
    writes,
)
from service.schemas import requests, responses
from service.usecases import commands
from service.usecases import creation_commands as creation
from service.usecases import rematch as rematches
from service.web.collaborators import collaborators
from service.web.rate_limits import charge_creation
from service.web.request_parsing import Resource, bearer_token, command_from_request
from service.web.responses import (
    command_response,
    encoded_json_response,
    etag,
    json_response,
    json_with,
    link_to_next,
    not_modified,
)

blueprint = Resource("Lobby", __name__, url_prefix="/v1", description="Create, find, join and start games.")

_BEGINNINGS = {
    "record": creation.create_game_from_record,
    "position": creation.create_game_from_position,
    "scenario": creation.create_game_from_scenario,
}
"""The commands that create a game from something, by the field of the body that has it."""

_THIS = {"game": "$request.path.game"}
_NEW = {"game": "$response.body#/game/id"}


@blueprint.route("/games", methods=["POST"])
@creates(
    ResponseDoc(
        201,
        "The game and its tokens.",
        responses.CreatedGame,
        links=[
            Link("get_game", "The new game.", _NEW),
            Link("join_game", "Take a seat in it.", _NEW),
            Link("start_game", "Start it, with the host token.", _NEW),
            Link("list_events", "Follow it.", _NEW),
            Link(
                "list_actions",
                "What the first player can do, with that seat's token.",
                {**_NEW, "seat": "$response.body#/players/0/seat"},
            ),
        ],
    ),
    refuses=[
        *BODY,
        "invalid_setup",
        "invalid_record",
        "game_not_over",
        "game_full",
        "color_taken",
        "name_taken",
    ],
)
@blueprint.arguments(requests.GameToCreate, required=False, description="What game to open.")
def create_game(body: dict[str, Any]) -> Response:
    """Create a game.

    Everything in the body is optional. Players can be seated at once, bots among them, and the game started
    in the same request. Or it begins from the `record` of another game that is over, from its first `until`
    actions: an analysis board, or a fixture for tests. Or it begins from a `position`, whatever led to it;
    the rules check the position, and what it leaves out is derived or drawn. A `scenario` is a position by
    its name (see `GET /v1/scenarios`).

    A player with `"invite": true` is invited instead: the response has a single-use code, which reserves a
    seat behind the players seated. The creator then never holds that player's token.

    With a player key as the bearer token the game and the first seat that no bot plays are bound to the key.

    The tokens and codes in the response are shown this once. Repeating the request with the same
    `Idempotency-Key` gives them again.
    """
    charge_creation(computing_cost(body))
    create = next((create for name, create in _BEGINNINGS.items() if name in body), creation.create_game)
    result = create(collaborators().games, command_from_request(), body)
    return command_response(result, 201, location=f"/v1/games/{result.game_id}")


@blueprint.route("/games")
@operation(
    ResponseDoc(
        200,
        "A page of the list.",
        responses.GameList,
        links=[
            Link("list_games", "The next page.", {"cursor": "$response.body#/next_cursor"}),
            Link("get_game", "The newest of them.", {"game": "$response.body#/games/0/id"}),
        ],
        headers=["Link"],
    ),
    refuses=[*STORE, "not_acceptable", "invalid_parameter"],
)
@blueprint.arguments(requests.GamesQuery, location="query")
def list_games(query: dict[str, Any]) -> Response:
    """List public games.

    The newest come first. Private and aborted games are not listed. Games that began from a record, a
    position or a scenario are listed only with `origin`.
    """
    status = Status(query["status"]) if "status" in query else None
    origin = OriginType(query["origin"]) if "origin" in query else None
    listing = collaborators().games.listing
    matches, cursor = listing.page(status, query["limit"], query.get("cursor"), origin)
    following = [] if cursor is None else link_to_next("/v1/games", query | {"cursor": cursor})
    view = {"games": [summary_view(match) for match in matches], "next_cursor": cursor}
    return json_response(view, more_headers=following)


@blueprint.route("/games/<game>")
@reads(
    ResponseDoc(
        200,
        "The game.",
        responses.Game,
        links=[
            Link(
                "list_events", "What happens from here on.", {**_THIS, "after": "$response.body#/last_event"}
            ),
            Link("get_scores", "The points, and why.", _THIS),
            Link("get_record", "Every action so far.", _THIS),
            Link("get_round", "The report of the round.", {**_THIS, "round": "$response.body#/round"}),
        ],
    ),
    refuses=["not_acceptable", "invalid_parameter", "event_not_found"],
)
@blueprint.arguments(requests.GameQuery, location="query")
def get_game(query: dict[str, Any], game: str) -> Response:
    """Get a game.

    It is shown as the caller may see it: with a seat token that seat's own prices and gold are in it, without
    a token what everybody may know. To keep a view current, follow the events from its `last_event` on, or
    ask again with `If-None-Match`. With `at` the caller sees the game as it was when that event had
    happened, with all events of the same version.
    """
    games = collaborators().games
    loaded = games.read(game, bearer_token())
    if "at" in query:
        loaded = games.at_event(loaded, query["at"])
    tag = etag(loaded.match.version, loaded.caller)
    cached = not_modified(tag)
    if cached is not None:
        return cached
    more: Mapping[str, object] = time_view(games.time_of(loaded.match))
    if "include" in query:
        more = {**more, **seat_actions(loaded.match, loaded.caller)}
    return encoded_json_response(json_with(games.view(loaded), more), tag=tag)


_OWN_VIEW = ResponseDoc(
    200, "The caller's new view of the game.", responses.Game, links=[Link("get_game", "The game.", _THIS)]
)


@blueprint.route("/games/<game>/players", methods=["POST"])
@writes(
    ResponseDoc(
        201,
        "The seat and its token.",
        responses.TakenSeat,
        links=[
            Link("get_game", "The game.", _THIS),
            Link(
                "list_actions",
                "What the seat can do, with its token.",
                {**_THIS, "seat": "$response.body#/seat"},
            ),
            Link("leave_game", "Leave again, with its token.", {**_THIS, "seat": "$response.body#/seat"}),
        ],
    ),
    token=Token.OPTIONAL,
    refuses=[
        *BODY,
        "token_required",
        "host_only",
        "game_already_started",
        "game_aborted",
        "too_many_changes",
        "game_full",
        "already_seated",
        "too_many_games",
        "color_taken",
        "name_taken",
        "invalid_setup",
    ],
)
@blueprint.arguments(requests.PlayerToSeat, description="Who takes the seat.")
def join_game(player: dict[str, Any], game: str) -> Response:
    """Take a seat.

    Any client that knows the id of a public game may take a free seat. An invitation code, sent as the
    bearer token, takes the seat that it reserves, in private games too, and is used up. In a private game
    the host can also seat people with the host token, and hand them their tokens. Only the host may seat
    a bot. A game that was created with `start` begins as soon as every seat is taken.

    With a player key as the bearer token the seat is bound to the key, which can hold one seat of a game;
    an invitation code is then sent as `invite`.

    The token in the answer is shown this once.
    """
    if "bot" in player:
        charge_creation(1)
    command, invite = command_from_request(), player.pop("invite", None)
    command = replace(command, token=command.token or invite, invite=invite)
    result = commands.join_game(collaborators().games, command, game, player)
    seat = result.view["seat"]
    return command_response(result, 201, location=f"/v1/games/{game}/players/{seat}")


@blueprint.route("/games/<game>/invites", methods=["POST"])
@writes(
    ResponseDoc(
        201,
        "The code.",
        responses.CreatedInvite,
        links=[Link("join_game", "Take the seat, with the code as the token.", _THIS)],
    ),
    refuses=[
        "token_required",
        "host_only",
        "game_already_started",
        "game_aborted",
        "too_many_changes",
        "game_full",
    ],
)
def invite_player(game: str) -> Response:
    """Invite a player.

    The host reserves a seat and receives a single-use code for it. The invited player sends the code as the
    bearer token: to look at a private game, and to take the seat, which uses it up. Codes that nobody has
    used become invalid when the game starts or is aborted. The code in the response is shown this once.
    """
    result = commands.invite_player(collaborators().games, command_from_request(), game)
    return command_response(result, 201, location=f"/v1/games/{game}")


@blueprint.route("/games/<game>/players/<int:seat>", methods=["PATCH"])
@writes(
    _OWN_VIEW,
    refuses=[
        *BODY,
        "token_required",
        "not_your_seat",
        "seat_not_found",
        "game_already_started",
        "game_aborted",
        "too_many_changes",
        "color_taken",
        "name_taken",
    ],
)
@blueprint.arguments(requests.PlayerChanges, description="What changes.")
def change_player(changes: dict[str, Any], game: str, seat: int) -> Response:
    """Change name or colour in the lobby.

    A player changes the own seat. The host may change the name and the colour of bots.
    """
    command = command_from_request()
    return command_response(commands.change_player(collaborators().games, command, game, seat, changes))


@blueprint.route("/games/<game>/players/<int:seat>/token", methods=["POST"])
@writes(
    ResponseDoc(
        201,
        "The new token.",
        responses.TakenSeat,
        links=[
            Link(
                "list_actions",
                "What the seat can do, with the new token.",
                {**_THIS, "seat": "$response.body#/seat"},
            )
        ],
    ),
    refuses=["token_required", "not_your_seat", "seat_not_found", "too_many_changes"],
)
def rotate_token(game: str, seat: int) -> Response:
    """Replace the token of a seat.

    The holder of the seat's token receives a new one, and the old one becomes invalid at once. Use it after a
    token was shown to others, or to be the only one who holds the token of a seat that the host has seated.
    The token in the response is shown this once.
    """
    command = command_from_request()
    result = commands.rotate_token(collaborators().games, command, game, seat)
    return command_response(result, 201, location=f"/v1/games/{game}/players/{seat}")


@blueprint.route("/games/<game>/players/<int:seat>", methods=["DELETE"])
@writes(
    _OWN_VIEW,
    refuses=[
        "token_required",
        "not_your_seat",
        "seat_not_found",
        "game_aborted",
        "game_over",
        "seat_played_by_bot",
    ],
)
def leave_game(game: str, seat: int) -> Response:
    """Leave a game.

    In the lobby this frees the seat, and the seats behind move up by one; there the host may also remove
    others. Once the game has started it means to resign: a bot plays on for the seat, whose token is worth
    nothing any more.
    """
    return command_response(commands.leave_game(collaborators().games, command_from_request(), game, seat))


@blueprint.route("/games/<game>/start", methods=["POST"])
@writes(
    _OWN_VIEW,
    refuses=[
        "token_required",
        "host_only",
        "game_already_started",
        "game_aborted",
        "too_few_players",
        "invalid_setup",
    ],
)
def start_game(game: str) -> Response:
    """Start a game.

    The host starts it with those who are seated, 2 to 5. The first round's income and draws happen at once,
    so the answer shows the game waiting for prices.
    """
    return command_response(commands.start_game(collaborators().games, command_from_request(), game))


@blueprint.route("/games/<game>/rematch", methods=["POST"])
@writes(
    ResponseDoc(
        201,
        "The seat in the new game and its token.",
        responses.TakenSeat,
        links=[
            Link("get_game", "The new game.", _NEW),
            Link("list_events", "Follow it.", _NEW),
            Link("leave_game", "Leave it.", {**_NEW, "seat": "$response.body#/seat"}),
        ],
    ),
    refuses=[
        "token_required",
        "not_your_seat",
        "game_not_over",
        "seat_played_by_bot",
        "already_seated",
        "game_already_started",
        "too_many_games",
        "invalid_setup",
    ],
)
def rematch(game: str) -> Response:
    """Play a game again with the same players.

    Each player of a game that is over sends this with the token of the old seat, or with the player key. The
    first opens the new game, with the same options, another seed and the bots of the old game; the others
    take the seats that are reserved for them. It starts when all have. The host token stays the same.
    """
    charge_creation(1)
    result = rematches.rematch(collaborators().games, command_from_request(), game)
    return command_response(result, 201, location=f"/v1/games/{result.game_id}/players/{result.view['seat']}")


@blueprint.route("/games/<game>", methods=["DELETE"])
@writes(_OWN_VIEW, refuses=["token_required", "host_only", "game_aborted", "game_over"])
def abort_game(game: str) -> Response:
    """Abort a game.

    The host ends a game that is not over, for good and without a result. It can still be looked at for a
    while, with the status `aborted`.
    """
    return command_response(commands.abort_game(collaborators().games, command_from_request(), game))


@blueprint.route("/games/<game>/clock", methods=["POST"])
@writes(
    _OWN_VIEW,
    refuses=[
        *BODY,
        "token_required",
        "host_only",
        "clock_not_manual",
        "game_aborted",
        "game_over",
        "too_many_changes",
    ],
)
@blueprint.arguments(requests.Advance, description="How far to advance the clock.")
def advance_clock(advance: dict[str, Any], game: str) -> Response:
    """Advance the manual clock of a game.

    The host advances the clock of a game with `"clock": "manual"`. Each deadline that passes is applied at
    its own time, one after the other, as in real time.
    """
    charge_creation(1)
    command = command_from_request()
    return command_response(
        commands.advance_clock(collaborators().games, command, game, advance["advance_ms"])
    )
