"""The routes of lab servers, for testers; see `service.web.fault_injection` for injected faults."""

from __future__ import annotations

from flask import Response

from service.matches.error_codes import Problem
from service.openapi.components import FAULT
from service.openapi.documented_errors import STORE_ERRORS
from service.openapi.operations import ResponseDoc, operation
from service.schemas import responses
from service.web.framework import collaborators
from service.web.request_parsing import Resource
from service.web.responses import uncached_json

blueprint = Resource(
    "Lab",
    __name__,
    url_prefix="/v1/lab",
    description="For testers, only on servers with `SKYE_LAB=on`: injected faults, and deletion of all "
    "games. Every response of such a server has the header `X-Skye-Lab: on`.",
)


@blueprint.route("/games", methods=["DELETE"])
@operation(
    ResponseDoc(200, "The number of deleted games.", responses.EmptiedLab),
    errors=[*STORE_ERRORS, "lab_off"],
    headers=[FAULT],
)
def empty_lab() -> Response:
    """Delete all games of a lab server.

    The server deletes all its data: games, player keys with their games and events, and the list. Other keys
    in the same Redis stay. Streams of the deleted games end with the reason `game_not_found`. A game that a
    client creates at the same time may stay.
    """
    its = collaborators()
    if not its.lab:
        raise Problem("lab_off")
    return uncached_json({"deleted": its.games.delete_all()}, 200, [])
