"""Health, readiness and metrics, for operators and monitoring."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, Final, Literal, TypedDict

from flask import Blueprint, Response

from skye.fields import Keywords
from skye_server.commands.current_games import Games
from skye_server.error_codes import Problem
from skye_server.features import merged
from skye_server.http.framework import collaborators
from skye_server.http.responses import check_accepts, json_response
from skye_server.observability.metrics import CONTENT_TYPE, StoreState
from skye_server.openapi.operations import ResponseDoc, operation, text
from skye_server.store.connection.server_warnings import is_error
from skye_server.store.layout import UNFINISHED

blueprint = Blueprint("Operations", __name__)


class Health(TypedDict):
    """The health of the server."""

    status: Annotated[Literal["ok"], 'Always "ok".']
    lab: Annotated[bool, "Whether the server is a lab for testers (`SKYE_LAB`)."]


class Readiness(Health):
    """The readiness of the server."""

    warnings: Annotated[
        Sequence[Annotated[str, Keywords(maxLength=200), "A sentence."]],
        Keywords(maxItems=10),
        "What an operator should change: the version, the eviction policy, the persistence, the memory or "
        "the clock of Redis, `SKYE_REDIS_REPLICAS`, if it is below the number of replicas, or "
        "`SKYE_TRUSTED_PROXIES`, if a server at a loopback address is behind a proxy.",
    ]
    dispatchers: Annotated[
        int,
        Keywords(minimum=0),
        "How many dispatchers are alive. Without any, missed deadlines are applied by the next request for "
        "their game.",
    ]


TEXT = "text/plain"

_UNKNOWN_PROXY: Final = (
    "Requests have X-Forwarded-For, so there is a proxy: set SKYE_TRUSTED_PROXIES, or all its clients share "
    "one address"
)


@blueprint.route("/healthz")
@operation(ResponseDoc(200, "The process is alive.", Health), errors=["not_acceptable"], limited=False)
def get_health() -> Response:
    """Get the health of the process.

    The check does not use the store, so that an orchestrator does not restart the process when the store is
    unavailable.
    """
    return json_response(_health())


@blueprint.route("/readyz")
@operation(
    ResponseDoc(200, "The process can serve requests.", Readiness),
    errors=["not_acceptable", "store_unavailable"],
    limited=False,
)
def get_readiness() -> Response:
    """Get the readiness of the process.

    The process is ready if its store responds, and has games of this version's layout only, and all games of
    a restored backup; also without a dispatcher. Until then other operations get 503 too.
    """
    games = collaborators().games
    try:
        games.store.ping()
    except Problem as problem:
        fault = next(filter(is_error, games.store.warnings()), None)
        raise problem if fault is None else Problem("store_unavailable", f"{fault}.") from problem
    if refusal := games.signs.refusal() or (UNFINISHED if games.store.unfinished_restore() else ""):
        raise Problem("store_unavailable", refusal)
    alive = games.store.due.dispatchers(games.now_ms())
    warnings = [*games.store.warnings(), *([_UNKNOWN_PROXY] if games.store.has_noted_proxy() else [])]
    return json_response(_health() | {"warnings": warnings, "dispatchers": alive})


def _signs(games: Games) -> tuple[float, int]:
    """Return how old the last sign of life is, in seconds, and the number of outages in the list."""
    now_s, uptime, *_ = games.store.outages.read()
    return now_s - uptime.sign_ms / 1000 if uptime.sign_ms else 0.0, len(uptime.outages)


def _health() -> dict[str, object]:
    return {"status": "ok", "lab": collaborators().games.settings.lab}


@blueprint.route("/metrics")
@operation(ResponseDoc(200, "The metrics.", text("Metrics"), content_type=TEXT), errors=["not_acceptable"])
def get_metrics() -> Response:
    """Get the metrics.

    They are in the text format of Prometheus.

    They cover all worker processes of this server since its start. The numbers of games by status come from
    the store, so they are the same on every server: use their maximum, not their sum.
    """
    check_accepts(TEXT)
    games = collaborators().games
    stored, now_ms = None, games.now_ms()
    with suppress(Problem):
        stored = StoreState(
            collaborators().listing.sizes(),
            games.store.due.dispatchers(now_ms),
            games.store.due.backlog(now_ms),
            {name: gauge.read(games) for name, gauge in merged("gauges").items()},
            *_signs(games),
            games.store.reserve.used(),
        )
    return Response(
        collaborators().metrics.text(stored),
        headers={"Cache-Control": "no-store"},
        content_type=CONTENT_TYPE,
    )
