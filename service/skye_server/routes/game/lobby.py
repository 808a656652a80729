"""The lobby of a game and the requests of its host: join, invite, leave, start, rematch, abort, advance."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from flask import Response

from skye_server.commands import deletion, game_commands
from skye_server.commands import rematch as rematches
from skye_server.contract import requests, responses
from skye_server.games.views.game import summary_view
from skye_server.http.framework import collaborators
from skye_server.http.rate_limits import charge_creation
from skye_server.http.request_parsing import bearer_token, command_from_request
from skye_server.http.responses import command_response, json_response, no_content
from skye_server.openapi.documented_errors import BODY_ERRORS, GAME_ERRORS, HOST_ERRORS, OWN_SEAT_ERRORS
from skye_server.openapi.operations import Describe, Link, ResponseDoc, Token, writes
from skye_server.routes.games import NEW_GAME, THIS_GAME, blueprint

__all__ = ["blueprint"]

_OPEN_LOBBY = ("game_already_started", "game_aborted", "too_many_changes")
"""The codes of a request that changes the seats of a lobby."""

_SEATING = ("color_taken", "name_taken")
"""The codes of a request that names a player."""

_OWN_VIEW = ResponseDoc(
    200,
    "The caller's new view of the game.",
    responses.Game,
    links=[Link("get_game", "The game.", THIS_GAME)],
)


@blueprint.route("/games/<game>/players", methods=["POST"])
@writes(
    ResponseDoc(
        201,
        "The seat and its token.",
        responses.TakenSeat,
        links=[
            Link("get_game", "The game.", THIS_GAME),
            Link(
                "list_actions",
                "The legal actions of the seat, with its token.",
                {**THIS_GAME, "seat": "$response.body#/seat"},
            ),
            Link("leave_game", "Leave again, with its token.", {**THIS_GAME, "seat": "$response.body#/seat"}),
        ],
    ),
    token=Token.OPTIONAL,
    errors=[
        *BODY_ERRORS,
        *HOST_ERRORS,
        *_OPEN_LOBBY,
        "game_full",
        "already_seated",
        "too_many_games",
        *_SEATING,
        "invalid_setup",
    ],
)
@blueprint.arguments(requests.PlayerToSeat, description="The player who takes the seat.")
def join_game(player: dict[str, Any], game: str) -> Response:
    """Take a seat.

    Any client may take a free seat of a public game. An invitation code, sent as the bearer token, takes the
    seat that it reserves, also in a private game; it is valid once. In a private game the host can also seat
    people with the host token, and send them their tokens. Only the host may seat a bot. A game that was
    created with `start` begins as soon as every seat is taken.

    With a player key as the bearer token, the seat is bound to the key, which can hold one seat of a game.
    Send an invitation code as `invite` then.

    The server shows the token only in this response.
    """
    if "bot" in player:
        charge_creation(1)
    command, invite = command_from_request(), player.pop("invite", None)
    command = replace(command, token=command.token or invite, invite=invite)
    result = game_commands.join_game(collaborators().games, command, game, player)
    seat = result.view["seat"]
    return command_response(result, 201, location=f"/v1/games/{game}/players/{seat}")


@blueprint.route("/games/<game>/invites", methods=["POST"])
@writes(
    ResponseDoc(
        201,
        "The code.",
        responses.CreatedInvite,
        links=[Link("join_game", "Take the seat, with the code as the token.", THIS_GAME)],
    ),
    errors=[*HOST_ERRORS, *_OPEN_LOBBY, "game_full"],
)
def invite_player(game: str) -> Response:
    """Invite a player.

    The host reserves a seat and receives a single-use code for it. The invited player sends the code as the
    bearer token to read a private game and to take the seat; the code is then invalid. Unused codes become
    invalid when the game starts or is aborted. The server shows the code only in this response.
    """
    result = game_commands.invite_player(collaborators().games, command_from_request(), game)
    return command_response(result, 201, location=f"/v1/games/{game}")


@blueprint.route("/games/<game>/players/<int:seat>", methods=["PATCH"])
@writes(
    _OWN_VIEW,
    errors=[*BODY_ERRORS, *OWN_SEAT_ERRORS, *_OPEN_LOBBY, *_SEATING],
)
@blueprint.arguments(requests.PlayerChanges, description="The changes.")
def change_player(changes: dict[str, Any], game: str, seat: int) -> Response:
    """Change name or colour in the lobby.

    Players change their own seats. The host may change the name and the colour of bots.
    """
    command = command_from_request()
    return command_response(game_commands.change_player(collaborators().games, command, game, seat, changes))


@blueprint.route("/games/<game>/players/<int:seat>/token", methods=["POST"])
@writes(
    ResponseDoc(
        201,
        "The new token.",
        responses.TakenSeat,
        links=[
            Link(
                "list_actions",
                "The legal actions of the seat, with the new token.",
                {**THIS_GAME, "seat": "$response.body#/seat"},
            )
        ],
    ),
    errors=[*OWN_SEAT_ERRORS, "too_many_changes"],
)
def rotate_token(game: str, seat: int) -> Response:
    """Replace the token of a seat.

    The holder of the seat's token receives a new one, and the old one becomes invalid at once. Use it after a
    token was leaked, or to replace a token that the host received. The server shows the token only in this
    response.
    """
    command = command_from_request()
    result = game_commands.rotate_token(collaborators().games, command, game, seat)
    return command_response(result, 201, location=f"/v1/games/{game}/players/{seat}")


@blueprint.route("/games/<game>/players/<int:seat>", methods=["DELETE"])
@writes(
    _OWN_VIEW,
    errors=[*OWN_SEAT_ERRORS, "game_aborted", "game_finished", "seat_played_by_bot"],
)
def leave_game(game: str, seat: int) -> Response:
    """Leave a game.

    In the lobby this frees the seat, and the numbers of the following seats decrease by one: `you` in the
    view of a player has the current number. The host may also remove other players there. After the start it
    means to resign: a bot plays the seat for the rest of the game, and the seat's token becomes invalid.
    """
    return command_response(
        game_commands.leave_game(collaborators().games, command_from_request(), game, seat)
    )


@blueprint.route("/games/<game>/start", methods=["POST"])
@writes(
    _OWN_VIEW,
    errors=[*HOST_ERRORS, "game_already_started", "game_aborted", "too_few_players", "invalid_setup"],
)
def start_game(game: str) -> Response:
    """Start a game.

    The host starts the game with the 2 to 5 seated players. The first round's income and draws happen at
    once, so the response shows the game in the pricing phase.
    """
    return command_response(game_commands.start_game(collaborators().games, command_from_request(), game))


@blueprint.route("/games/<game>/rematch", methods=["POST"])
@writes(
    ResponseDoc(
        201,
        "The seat in the new game and its token.",
        responses.TakenSeat,
        links=[
            Link("get_game", "The new game.", NEW_GAME),
            Link("list_events", "Follow it.", NEW_GAME),
            Link("leave_game", "Leave it.", {**NEW_GAME, "seat": "$response.body#/seat"}),
        ],
    ),
    errors=[
        "token_required",
        "not_your_seat",
        "game_not_over",
        "game_aborted",
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
    first request opens the new game, with the same options, another seed and the bots of the old game; the
    others take the reserved seats. The game starts when all seats are taken. The host token stays the same.
    If the host aborts the new game, the next request opens another one, up to 16 times.
    """
    games = collaborators().games
    old, _ = games.read(game, bearer_token())
    charge_creation(1 + sum(seat.bot is not None for seat in old.seats))
    result = rematches.rematch(games, command_from_request(), game)
    return command_response(result, 201, location=f"/v1/games/{result.game_id}/players/{result.view['seat']}")


@blueprint.route("/games/<game>/rematch")
@Describe(
    [
        ResponseDoc(
            200,
            "The new game, if there is one.",
            responses.Rematch,
            links=[Link("get_game", "The new game.", NEW_GAME)],
        )
    ],
    [*GAME_ERRORS, "not_acceptable"],
    Token.OPTIONAL,
)
def get_rematch(game: str) -> Response:
    """Get the rematch of a game.

    Clients that show a game that is over poll this. No event announces the new game: the last event of a game
    is its end.
    """
    found = rematches.find_rematch(collaborators().games, game, bearer_token())
    return json_response({"game": None if found is None else summary_view(found)})


@blueprint.route("/games/<game>", methods=["DELETE"])
@writes(
    _OWN_VIEW,
    ResponseDoc(204, "With `permanently`: the game is deleted."),
    errors=[*HOST_ERRORS, "game_aborted", "game_finished", "game_not_over"],
)
@blueprint.arguments(requests.AbortQuery, location="query")
def abort_game(query: dict[str, Any], game: str) -> Response:
    """Abort a game, or delete it.

    The host ends a game that is not over, permanently and without a result. It stays readable until it
    expires, with the status `aborted`.

    With `permanently=true` the host deletes a game that is over, finished or aborted: its log, its record,
    and its entries in the list and in the games of its players. All later requests for it get
    `game_not_found`. The events of player keys about the game stay.
    """
    if query["permanently"]:
        deletion.delete_game(collaborators().games, command_from_request(), game)
        return no_content()
    return command_response(game_commands.abort_game(collaborators().games, command_from_request(), game))


@blueprint.route("/games/<game>/clock", methods=["POST"])
@writes(
    _OWN_VIEW,
    errors=[
        *BODY_ERRORS,
        *HOST_ERRORS,
        "clock_not_manual",
        "game_aborted",
        "game_finished",
        "too_many_changes",
    ],
)
@blueprint.arguments(requests.ClockAdvance, description="How far to advance the clock.")
def advance_clock(advance: dict[str, Any], game: str) -> Response:
    """Advance the manual clock of a game.

    The host advances the clock of a game with `"clock": "manual"`. The server applies each deadline that
    passes at its own time, in order, as in real time.
    """
    charge_creation(1)
    command = command_from_request()
    return command_response(
        game_commands.advance_clock(collaborators().games, command, game, advance["advance_ms"])
    )
