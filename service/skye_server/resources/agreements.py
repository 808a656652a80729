"""What the players of a game agree on: propose to abort or pause it, answer, resume, ask for a take-over."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response

from skye_server.commands import game_commands
from skye_server.contract.moves import ProposalAnswer
from skye_server.contract.objects import ViewQuery
from skye_server.http.framework import collaborators
from skye_server.http.request_parsing import command_from_request, takes
from skye_server.http.responses import game_response
from skye_server.openapi.documented_errors import BODY_ERRORS, HOST_ERRORS, OWN_SEAT_ERRORS
from skye_server.openapi.operations import OWN_VIEW, writes

blueprint = Blueprint("agreements", __name__, url_prefix="/v1/games/<game>")


@blueprint.route("/abort", methods=["POST"])
@writes(
    OWN_VIEW,
    errors=[
        *HOST_ERRORS,
        "game_aborted",
        "game_finished",
        "seat_played_by_bot",
        "rated_game",
        "proposal_open",
        "already_proposed",
        "too_many_changes",
    ],
)
@takes(query=ViewQuery)
def abort_game(query: dict[str, Any], game: str) -> Response:
    """Abort a game, or propose it.

    An aborted game is over, permanently and without a result. It stays readable until it expires, with the
    status `aborted` and the `abort_reason`.

    Once a game that several people play has begun, this makes a proposal: the response shows `proposal`, the
    status is still `playing`, and the others accept it, refuse it, or let it expire (`answer_proposal`).
    Meanwhile the game goes on. Every person who plays may propose it once in a round, and again a day after
    the last time: each repetition in a round counts as a revision. A proposal is open for the time of a
    decision, at least ten minutes and at most seven days; a day in a game without a deadline. A host whose
    token acts for no seat proposes it to all of them.

    The host aborts the game at once in the lobby, while at most one seat has been held by a person since the
    start, in a game that began from a record, a position or a scenario or has a manual clock, and in a game
    that was created with `host_may_abort`. Seats of the host count as those of any person, and a seat counts
    also after its player has resigned. A rated game can be aborted until the first offer is set.
    """
    changed = game_commands.abort_game(collaborators().games, command_from_request(), game)
    return game_response(changed, with_actions="include" in query)


@blueprint.route("/pause", methods=["POST"])
@writes(
    OWN_VIEW,
    errors=[
        "token_required",
        "not_your_seat",
        "game_not_started",
        "game_aborted",
        "game_finished",
        "game_paused",
        "pause_not_possible",
        "seat_played_by_bot",
        "proposal_open",
        "already_proposed",
        "too_many_changes",
    ],
)
@takes(query=ViewQuery)
def pause_game(query: dict[str, Any], game: str) -> Response:
    """Pause a game, or propose it.

    While a game pauses no deadline runs, and nobody can act: `waiting_for` is empty. Every player can end the
    pause (`resume_game`); it ends by itself after `max_pause_ms`. Then the open decisions have the time that
    was left. A game can pause ten times.

    A person who plays alone, with bots, pauses the game at once. Otherwise this makes a proposal, as
    `abort_game` does.
    """
    changed = game_commands.pause_game(collaborators().games, command_from_request(), game)
    return game_response(changed, with_actions="include" in query)


@blueprint.route("/resume", methods=["POST"])
@writes(
    OWN_VIEW,
    errors=[
        "token_required",
        "not_your_seat",
        "game_not_started",
        "game_aborted",
        "game_finished",
        "game_not_paused",
        "seat_played_by_bot",
    ],
)
@takes(query=ViewQuery)
def resume_game(query: dict[str, Any], game: str) -> Response:
    """Resume a game.

    A player ends the pause of the game for all; not one who has given the seat up for good.
    """
    changed = game_commands.resume_game(collaborators().games, command_from_request(), game)
    return game_response(changed, with_actions="include" in query)


@blueprint.route("/players/<seat:seat>/proposal", methods=["POST"])
@writes(
    OWN_VIEW,
    errors=[
        *BODY_ERRORS,
        *OWN_SEAT_ERRORS,
        "game_not_started",
        "game_aborted",
        "game_finished",
        "seat_played_by_bot",
        "no_open_proposal",
    ],
)
@takes(ProposalAnswer, "The answer.", query=ViewQuery)
def answer_proposal(query: dict[str, Any], answer: dict[str, Any], game: str, seat: int) -> Response:
    """Answer the open proposal.

    A person who plays accepts or refuses the `proposal` of the game. It is accepted when all agree who must,
    and ends as soon as one refuses. The seat that made it withdraws it with `"accept": false`. `agreements`
    of the seat lists the answers.

    A pause needs the agreement of those who are present, the end of the game also that of those who can take
    their seats back, until they count as absent (`counts_as_absent_at`). Nobody agrees for a seat that is
    taken over: its player returns first. A seat needs no agreement after a resignation, or without time.
    """
    command, games = command_from_request(), collaborators().games
    changed = game_commands.answer_proposal(games, command, game, seat, accept=answer["accept"])
    return game_response(changed, with_actions="include" in query)


@blueprint.route("/players/<seat:seat>/takeover", methods=["POST"])
@writes(
    OWN_VIEW,
    errors=[
        *OWN_SEAT_ERRORS,
        "game_not_started",
        "game_aborted",
        "game_finished",
        "game_paused",
        "seat_played_by_bot",
        "takeover_not_possible",
    ],
)
@takes(query=ViewQuery)
def request_takeover(query: dict[str, Any], game: str, seat: int) -> Response:
    """Ask for the seat of a slow player to be taken over.

    In a game without `turn_ms` and `budget_ms` that has waited for a day in one phase, or for one buyer, a
    player for whom it does not wait can ask for this, with the token of the own seat. The player of the seat
    then has a day; after that the server plays the seat until its player takes it back (`return_to_seat`).
    `agreements` of the own seat lists this while it is possible. To place a tile is no decision.
    """
    changed = game_commands.request_takeover(collaborators().games, command_from_request(), game, seat)
    return game_response(changed, with_actions="include" in query)
