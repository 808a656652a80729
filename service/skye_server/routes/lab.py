"""The routes of lab servers, for testers; see `skye_server.http.lab.fault_injection` for injected faults."""

from __future__ import annotations

from typing import Any

from flask import Response

from skye_server.commands.hunts import HUNTS_PATH
from skye_server.commands.laboratory import Laboratory
from skye_server.contract import requests, responses
from skye_server.error_codes import UNREADABLE, FieldError, Problem
from skye_server.games.views.game import time_view
from skye_server.http.framework import collaborators
from skye_server.http.lab import fault_header
from skye_server.http.lab.fault_injection import fault_of, stored_fault
from skye_server.http.request_parsing import Resource
from skye_server.http.responses import uncached_json
from skye_server.openapi.components import FAULT
from skye_server.openapi.documented_errors import BODY_ERRORS, STORE_ERRORS
from skye_server.openapi.operations import ResponseDoc, operation

blueprint = Resource(
    "Lab",
    __name__,
    url_prefix="/v1/lab",
    description="For testers, only on servers with `SKYE_LAB=on`: injected faults, a clock that can be "
    "advanced, and deletion of all games. Every response of such a server has the header `Skye-Lab: on`.",
)

_GAME_ERRORS = (*STORE_ERRORS, "lab_off", "not_found", "game_not_found", *UNREADABLE)


@blueprint.route("")
@operation(
    ResponseDoc(200, "The laboratory.", responses.Lab), errors=[*STORE_ERRORS, "lab_off"], headers=[FAULT]
)
def get_lab() -> Response:
    """Get the laboratory.

    The time of the server, and the paths of the functions for testers.
    """
    return _lab_response(_lab())


@blueprint.route("/clock", methods=["POST"])
@operation(
    ResponseDoc(200, "The laboratory.", responses.Lab),
    errors=[*BODY_ERRORS, *STORE_ERRORS, "lab_off"],
    headers=[FAULT],
)
@blueprint.arguments(requests.ClockAdvance, description="How far to advance the clock.")
def advance_lab_clock(body: dict[str, Any]) -> Response:
    """Advance the clock of a lab server.

    All that expires does so earlier by this time: games, idempotency records, tickets and
    replaced player keys. Deadlines of games with a real clock pass; manual clocks of games stand still. The
    clock runs on, and returns to the real time when all games are deleted.
    """
    lab = _lab()
    lab.advance_clock(body["advance_ms"])
    return _lab_response(lab)


@blueprint.route("/games/<game>/faults", methods=["PUT"])
@operation(
    ResponseDoc(200, "The fault.", responses.RemainingFault),
    errors=[*BODY_ERRORS, *_GAME_ERRORS],
    headers=[FAULT],
)
@blueprint.arguments(requests.GameFault, description="The fault.")
def set_game_faults(body: dict[str, Any], game: str) -> Response:
    """Set the fault of the next requests of a game.

    The server injects the fault into the next requests below `/v1/games/{game}`, for clients that cannot send
    `Skye-Fault`. A request counts if its method is the given one; faults of event streams apply to and
    count streams only. Requests with `Skye-Fault` and preflight requests do not count. The fault replaces
    the one before, and is dropped after a day.
    """
    lab = _lab_with(game)
    try:
        fault_header.parse(body["fault"], is_stream=True)
    except Problem as problem:
        errors = [FieldError("/fault", error.detail) for error in problem.errors or ()]
        raise Problem("invalid_body", errors=errors) from problem
    lab.store.set_faults(game, stored_fault(body["method"], body["fault"]), body["requests"])
    return _faults_response(lab, game)


@blueprint.route("/games/<game>/faults")
@operation(
    ResponseDoc(200, "The fault.", responses.RemainingFault),
    errors=_GAME_ERRORS,
    headers=[FAULT],
)
def get_game_faults(game: str) -> Response:
    """Get the fault of the next requests of a game.

    With the number of requests that still have it.
    """
    return _faults_response(_lab_with(game), game)


@blueprint.route("/games/<game>/faults", methods=["DELETE"])
@operation(
    ResponseDoc(200, "There is no fault any more.", responses.RemainingFault),
    errors=_GAME_ERRORS,
    headers=[FAULT],
)
def delete_game_faults(game: str) -> Response:
    """Remove the fault of the next requests of a game.

    The requests are handled as usual from then on.
    """
    lab = _lab_with(game)
    lab.store.set_faults(game, "", 0)
    return _faults_response(lab, game)


@blueprint.route("/games", methods=["DELETE"])
@operation(
    ResponseDoc(200, "The number of deleted games.", responses.EmptiedLab),
    errors=[*STORE_ERRORS, "lab_off"],
    headers=[FAULT],
)
def empty_lab() -> Response:
    """Delete all games of a lab server.

    The server deletes all its data: games, player keys with their games and events, the list, and the advance
    of its clock. Other keys in the same Redis stay. Streams of the deleted games end with the reason
    `game_not_found`. A game that a client creates at the same time may stay.
    """
    _lab()
    return uncached_json({"deleted": collaborators().games.delete_all()}, 200, [])


def _lab() -> Laboratory:
    """Return the laboratory.

    :raises Problem: lab_off.
    """
    lab = collaborators().lab
    if lab is None:
        raise Problem("lab_off")
    return lab


def _lab_with(game: str) -> Laboratory:
    """Return the laboratory, after checking that a game exists.

    :raises Problem: lab_off, game_not_found, data_corrupt, data_newer, store_unavailable.
    """
    lab = _lab()
    collaborators().games.repository.current(game)
    return lab


def _lab_response(lab: Laboratory) -> Response:
    view = {
        **time_view(collaborators().games.now_ms()),
        "ahead_ms": lab.store.clock_ahead_ms(),
        "clock": "/v1/lab/clock",
        "games": "/v1/lab/games",
        "faults": "/v1/lab/games/{game}/faults",
        "hunts": HUNTS_PATH,
    }
    return uncached_json(view, 200, [])


def _faults_response(lab: Laboratory, game: str) -> Response:
    stored, requests_left = lab.store.faults(game)
    method, fault = (None, None) if stored is None else fault_of(stored)
    return uncached_json({"fault": fault, "requests": requests_left, "method": method}, 200, [])
