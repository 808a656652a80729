"""What operators and their machines ask: is the process alive, can it serve."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from flask import Response

from service.matches.errors import Problem
from service.matches.match import Status
from service.observability.metrics import CONTENT_TYPE
from service.openapi.operations import ResponseDoc, operation, text
from service.schemas import responses
from service.web.collaborators import collaborators
from service.web.request_parsing import Resource
from service.web.responses import check_accepts, json_response

blueprint = Resource("Operations", __name__, description="Health and metrics of the service.")

TEXT = "text/plain"


@blueprint.route("/healthz")
@operation(ResponseDoc(200, "It is alive.", responses.Health), refuses=["not_acceptable"], limited=False)
def get_health() -> Response:
    """Tell whether the process is alive.

    It asks nothing of the store: a process that answers shall not be restarted because the store is away.
    """
    return json_response(_health())


@blueprint.route("/readyz")
@operation(
    ResponseDoc(200, "It can serve.", responses.Health),
    refuses=["not_acceptable", "store_unavailable"],
    limited=False,
)
def get_readiness() -> Response:
    """Tell whether the process can serve.

    It can when its store answers.
    """
    collaborators().games.check()
    return json_response(_health())


def _health() -> dict[str, object]:
    return {"status": "ok", "lab": collaborators().lab}


@blueprint.route("/metrics")
@operation(
    ResponseDoc(200, "The counts.", text("Metrics"), content_type=TEXT),
    refuses=["not_acceptable"],
    limited=False,
)
def get_metrics() -> Response:
    """Get what the service has counted.

    It is written for Prometheus.

    The counts are those of all worker processes of the server that answers, since it was started. The games
    by status are the store's, and so the same on every server: take their maximum and not their sum.
    """
    check_accepts(CONTENT_TYPE, TEXT)
    games = collaborators().games
    stored: tuple[Mapping[Status, int] | None, int | None] = None, None
    with suppress(Problem):
        stored = games.listing.sizes(), games.pools.waiting(games.now_ms())
    return Response(
        collaborators().metrics.text(*stored),
        headers={"Cache-Control": "no-store"},
        content_type=CONTENT_TYPE,
    )
