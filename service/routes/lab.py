"""What only a server for testers does; see `service.web.fault_injection` for faults on request."""

from __future__ import annotations

from flask import Response

from service.matches.errors import Problem
from service.openapi.components import FAULT
from service.openapi.operations import STORE, ResponseDoc, operation
from service.schemas import responses
from service.web.collaborators import collaborators
from service.web.request_parsing import Resource
from service.web.responses import uncached_json

blueprint = Resource(
    "Lab",
    __name__,
    url_prefix="/v1/lab",
    description="For testers, on servers with `SKYE_LAB=on` only: faults on request, and a store that can be "
    "emptied. Every answer of such a server has the header `X-Skye-Lab: on`.",
)


@blueprint.route("/games", methods=["DELETE"])
@operation(
    ResponseDoc(200, "How many games there were.", responses.EmptiedLab),
    refuses=[*STORE, "lab_off"],
    headers=[FAULT],
)
def empty_lab() -> Response:
    """Delete all games of a lab server.

    All that the service keeps is deleted: games, player keys with their games and events, and the list.
    Other keys of the same Redis stay. Streams of these games end with the reason `game_not_found`. A game
    that is created meanwhile may stay.
    """
    its = collaborators()
    if not its.lab:
        raise Problem("lab_off")
    return uncached_json({"deleted": its.games.delete_all()}, 200, [])
