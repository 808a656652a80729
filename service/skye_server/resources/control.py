"""The requests of a host about a whole game: start, delete, advance the clock; and the rematch."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from flask import Blueprint, Response

from skye_server.commands import creation_commands as rematches
from skye_server.commands import game_commands
from skye_server.commands.views import TakenSeatView, taken_seat_view
from skye_server.contract.fields import Seat
from skye_server.contract.moves import ClockAdvance
from skye_server.contract.objects import Object
from skye_server.games.views.game import GameSummaryView, summary_view
from skye_server.http.framework import collaborators, url_bots
from skye_server.http.rate_limits import REMATCH_KB, charge_creation, charge_stored
from skye_server.http.request_parsing import bearer_token, command_from_request, takes
from skye_server.http.responses import created_response, game_response, json_response, no_content
from skye_server.openapi.components import IDEMPOTENCY_KEY, IF_MATCH, IF_NONE_MATCH
from skye_server.openapi.documented_errors import BODY_ERRORS, GAME_ERRORS, HOST_ERRORS, WRITE_ERRORS
from skye_server.openapi.operations import NEW_GAME, OWN_VIEW, Describe, Link, ResponseDoc, Token, writes


class Rematch(TypedDict):
    """The rematch of a game."""

    game: Annotated[
        GameSummaryView | None,
        "The new game; null until a player of the old game requests it. A private one is null for callers "
        "without a role in it and a reserved seat.",
    ]


class RematchToOpen(Object):
    """What the host chooses for a rematch."""

    first_seat = Seat("The seat that starts round 1; the one after that of the old game if left out.")


blueprint = Blueprint("control", __name__, url_prefix="/v1/games/<game>")


@blueprint.route("/start", methods=["POST"])
@writes(
    OWN_VIEW,
    errors=[*HOST_ERRORS, "game_already_started", "game_aborted", "too_few_players"],
)
def start_game(game: str) -> Response:
    """Start a game.

    The host starts the game with the 2 to 5 seated players. The first round's income and draws happen at
    once, so the response shows the game in the pricing phase.
    """
    return game_response(game_commands.start_game(collaborators().games, command_from_request(), game))


@blueprint.route("/rematch", methods=["POST"])
@writes(
    ResponseDoc(
        201,
        "The seat in the new game and its token.",
        TakenSeatView,
        links=[
            Link("get_game", "The new game.", NEW_GAME),
            Link("list_events", "Follow it.", NEW_GAME),
            Link("leave_game", "Leave it.", {**NEW_GAME, "seat": "$response.body#/seat"}),
        ],
    ),
    errors=[
        *BODY_ERRORS,
        "token_required",
        "not_your_seat",
        "game_not_over",
        "game_aborted",
        "seat_played_by_bot",
        "already_seated",
        "game_already_started",
        "too_many_games",
        "too_few_players",
        "invalid_setup",
        "host_only",
        "storage_full",
    ],
)
@takes(RematchToOpen, "What the host chooses for the new game.", required=False)
def rematch(choice: dict[str, Any], game: str) -> Response:
    """Play a game again with the same players.

    Each player of a game that is over sends this with the token of the old seat, or with the player key. The
    first request opens the new game, with the same options, another seed and the bots of the old game; the
    others take the reserved seats. The game starts when all seats are taken. The host token stays the same.
    If the host aborts the new game, the next request opens another one, up to 16 times.

    All keep their places at the table. The seat after the one that began the old game begins the new one; the
    player key that is the host and opens the game may name another (`first_seat`). `host_may_abort` is not
    inherited. The rematch of a game that began from a record, a position or a scenario is a whole game.
    """
    games = collaborators().games
    old, _ = games.read(game, bearer_token())
    charge_creation(1 + sum(seat.bot is not None for seat in old.seats))
    charge_stored(REMATCH_KB)
    command, first_seat = command_from_request(), choice.get("first_seat")
    changed = rematches.rematch(games, command, game, url_bots().copied, first_seat)
    view = taken_seat_view(changed)
    return created_response(changed, view, f"/v1/games/{changed.game_id}/players/{view['seat']}")


@blueprint.route("/rematch")
@Describe(
    [
        ResponseDoc(
            200,
            "The new game, if there is one.",
            Rematch,
            links=[Link("get_game", "The new game.", NEW_GAME)],
        )
    ],
    [*GAME_ERRORS, "not_acceptable"],
    Token.OPTIONAL,
)
def get_rematch(game: str) -> Response:
    """Get the rematch of a game.

    Clients that show a game that is over poll this. No event announces the new game: the last event of a game
    is its end. A private rematch is shown to its host, to who holds one of its seats, and to who has a seat
    reserved: not to a watch code of the old game, and not to a player who has given the seat up.
    """
    found = rematches.find_rematch(collaborators().games, game, bearer_token())
    return json_response({"game": None if found is None else summary_view(found)})


@blueprint.route("", methods=["DELETE"])
@Describe(
    [ResponseDoc(204, "The game is deleted, or hidden from the lists of the caller.")],
    errors=[*WRITE_ERRORS, *HOST_ERRORS, "game_not_over"],
    token=Token.REQUIRED,
    headers=[IDEMPOTENCY_KEY, IF_MATCH, IF_NONE_MATCH],
    of_version=True,
)
def delete_game(game: str) -> Response:
    """Delete or hide a game.

    Only a game that is over, finished or aborted. If several people have played it, it stays for the others
    until it expires: it disappears from `GET /v1/me/games` and `GET /v1/me/games/records` of the player key
    that sends this, and nothing else changes: its result stays in the history of the key. A token of a game
    has no such lists, so its request changes nothing.

    The host deletes a game that at most one person has played, one that was aborted in its lobby, and one
    that began from a record, a position or a scenario or has a manual clock: its log, its record, and its
    entries in the list and in the games of its players. All later requests for it get `game_not_found`. The
    events of player keys about the game stay.
    """
    game_commands.delete_game(collaborators().games, command_from_request(), game)
    return no_content()


@blueprint.route("/clock", methods=["POST"])
@writes(
    OWN_VIEW,
    errors=[
        *BODY_ERRORS,
        *HOST_ERRORS,
        "clock_not_manual",
        "game_aborted",
        "game_finished",
        "too_many_changes",
    ],
)
@takes(ClockAdvance, "How far to advance the clock.")
def advance_clock(advance: dict[str, Any], game: str) -> Response:
    """Advance the manual clock of a game.

    The host advances the clock of a game with `"clock": "manual"`. The server applies each deadline that
    passes at its own time, in order, as in real time.
    """
    charge_creation(1)
    command = command_from_request()
    return game_response(
        game_commands.advance_clock(collaborators().games, command, game, advance["advance_ms"])
    )
