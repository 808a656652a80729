"""What operators and their machines ask: is the process alive, can it serve."""

from __future__ import annotations

from flask import Response

from service.exchange import Resource, games, shown

blueprint = Resource("Operations", __name__, description="Health of the service.")


@blueprint.route("/healthz")
def get_health() -> Response:
    """Say that the process is alive."""
    return shown({"status": "ok"})


@blueprint.route("/readyz")
def get_readiness() -> Response:
    """Say that the process can serve: its store answers."""
    games().check()
    return shown({"status": "ok"})
