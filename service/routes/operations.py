"""What operators and their machines ask: is the process alive, can it serve."""

from __future__ import annotations

from flask import Response

from service.exchange import Resource, games, metrics, shown
from service.metrics import CONTENT_TYPE
from service.problems import Problem

blueprint = Resource("Operations", __name__, description="Health and metrics of the service.")


@blueprint.route("/healthz")
def get_health() -> Response:
    """Say that the process is alive."""
    return shown({"status": "ok"})


@blueprint.route("/readyz")
def get_readiness() -> Response:
    """Say that the process can serve: its store answers."""
    games().check()
    return shown({"status": "ok"})


@blueprint.route("/metrics")
def get_metrics() -> Response:
    """Tell Prometheus what the service has counted.

    The counts are those of all worker processes of the server that answers, since it was started. The games
    by status are the store's, and so the same on every server: take their maximum and not their sum.
    """
    try:
        listed = games().listing.sizes()
    except Problem:
        listed = None
    return Response(metrics().text(listed), content_type=CONTENT_TYPE)
