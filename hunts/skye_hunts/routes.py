"""Bug hunts of lab servers: open one, report what its API does wrong, see the score, reveal the defects."""

from __future__ import annotations

import csv
import io
from typing import Any

from flask import Blueprint, Response, request

from skye_hunts import requests, responses
from skye_hunts.enums import DEFECT_CLASSES
from skye_hunts.hunts import HUNTS_PATH, Hunts
from skye_hunts.plugin import NAME
from skye_server.error_codes import Problem
from skye_server.http.framework import feature
from skye_server.http.request_parsing import TAKES_QUERY, takes
from skye_server.http.responses import JSON, check_accepts, json_response, uncached_json
from skye_server.openapi.components import FAULT
from skye_server.openapi.documented_errors import BODY_ERRORS, STORE_ERRORS
from skye_server.openapi.operations import Describe, Link, ResponseDoc, operation, text

blueprint = Blueprint("Bug hunts", __name__, url_prefix="/v1/lab")

_HUNT_ERRORS = (*STORE_ERRORS, "lab_off", "not_found", "hunt_not_found")
_THIS_HUNT = {"hunt": "$request.path.hunt"}
_CSV = "text/csv"
_SCHEME = "hunt"


@blueprint.route("/defects/classes")
@operation(ResponseDoc(200, "The classes.", responses.DefectClassList), errors=["lab_off"], headers=[FAULT])
def list_defect_classes() -> Response:
    """List the classes of defects.

    With their meanings. `POST /v1/lab/hunts` and reports name them.
    """
    _hunts()
    classes = [{"class": name, "description": meaning} for name, meaning in DEFECT_CLASSES.items()]
    return uncached_json({"classes": classes})


@blueprint.route("/hunts", methods=["POST"])
@operation(
    ResponseDoc(
        201,
        "The hunt.",
        responses.OpenedBugHunt,
        headers=["Location"],
        links=[
            Link("get_hunt", "The hunt.", {"hunt": "$response.body#/id"}),
            Link("report_defect", "Report a defect.", {"hunt": "$response.body#/id"}),
            Link("get_hunt_score", "The score.", {"hunt": "$response.body#/id"}),
        ],
    ),
    errors=[*BODY_ERRORS, *STORE_ERRORS, "lab_off", "hunt_not_found", "hunt_ended", "too_many_hunts"],
    headers=[FAULT],
)
@takes(requests.HuntToOpen, "The defects.", required=False)
def open_hunt(body: dict[str, Any]) -> Response:
    """Open a bug hunt.

    Below `api` there is the whole API, event streams included, with its own games, and with as many defects
    as `defects` says; nothing else is wrong there. It expires after a day. The id of a hunt is known to its
    testers only; its `key` reveals it. A teacher opens a hunt and gives its id to a class: each student opens
    a copy with `copy_of`.
    """
    hunt = _hunts().open(body)
    return uncached_json(hunt, 201, [("Location", f"{HUNTS_PATH}/{hunt['id']}")])


@blueprint.route("/hunts/<hunt>")
@operation(ResponseDoc(200, "The hunt.", responses.BugHunt), errors=_HUNT_ERRORS, headers=[FAULT])
def get_hunt(hunt: str) -> Response:
    """Get a bug hunt.

    Without its defects.
    """
    hunts = _hunts()
    return uncached_json(hunts.view(hunts.hunt(hunt)))


@blueprint.route("/hunts/<hunt>/reports", methods=["POST"])
@operation(
    ResponseDoc(
        200,
        "The verdict.",
        responses.ReportResult,
        links=[Link("get_hunt_score", "The score.", _THIS_HUNT)],
    ),
    errors=[*BODY_ERRORS, *_HUNT_ERRORS, "hunt_ended", "too_many_reports"],
    headers=[FAULT],
)
@takes(requests.DefectReport, "The report.")
def report_defect(body: dict[str, Any], hunt: str) -> Response:
    """Report a defect.

    The server replays the evidence twice on a new copy of the hunt, and twice on a server without defects. It
    accepts the report if the operation then responds differently because of a defect of this class.
    """
    return uncached_json(_hunts().report(hunt, body))


@blueprint.route("/hunts/<hunt>/score")
@operation(ResponseDoc(200, "The score.", responses.HuntScore), errors=_HUNT_ERRORS, headers=[FAULT])
def get_hunt_score(hunt: str) -> Response:
    """Get the score of a bug hunt.

    What has been found, how many defects of each class are left, false reports, and the time.
    """
    hunts = _hunts()
    return uncached_json(hunts.score(hunts.hunt(hunt)))


@blueprint.route("/hunts/<hunt>/reveal", methods=["POST"])
@Describe(
    [ResponseDoc(200, "The defects.", responses.RevealedHunt)],
    [*_HUNT_ERRORS, "hunt_key_required"],
    headers=[FAULT],
    scheme=_SCHEME,
)
def reveal_hunt(hunt: str) -> Response:
    """Reveal a bug hunt.

    It ends the hunt, and shows each defect with the shortest requests that show it, and with the sentence of
    the contract or of the rules that it breaks. The key of the original reveals copies too.
    """
    return uncached_json(_hunts().reveal(hunt, _key()))


@blueprint.route("/hunts/<hunt>/scores")
@Describe(
    [
        ResponseDoc(200, "The scores.", responses.HuntScores),
        ResponseDoc(200, "The scores.", text("ScoreTable"), _CSV),
    ],
    [*_HUNT_ERRORS, "hunt_key_required", "not_acceptable"],
    headers=[FAULT],
    scheme=_SCHEME,
)
def list_hunt_scores(hunt: str) -> Response:
    """List the scores of a bug hunt and of its copies.

    For the teacher of a class. With `Accept: text/csv` as a table.
    """
    scores = _hunts().scores(hunt, _key())
    if check_accepts(JSON, _CSV) == _CSV:
        headers = {"Cache-Control": "no-store", "Vary": "Authorization, Accept"}
        return Response(_table(scores), headers=headers, content_type=f"{_CSV}; charset=utf-8")
    return json_response({"scores": scores})


def _table(scores: list[dict[str, Any]]) -> str:
    """Return scores as CSV (RFC 4180); a name that a spreadsheet would take for a formula gets a quote."""
    table = io.StringIO()
    rows = csv.writer(table)
    rows.writerow(["hunt", "name", "defects", "found", "false_reports", "seconds"])
    for score in scores:
        name = score["name"]
        shown = f"'{name}" if name[0] in "=+-@" else name
        found = len(score["found"])
        rows.writerow(
            [score["hunt"], shown, score["defects"], found, score["false_reports"], score["seconds"]]
        )
    return table.getvalue()


def _hunts() -> Hunts:
    """Return the hunts of a lab server.

    :raises Problem: lab_off.
    """
    hunts: Hunts | None = feature(NAME)
    if hunts is None:
        raise Problem("lab_off")
    return hunts


def _key() -> str | None:
    scheme, _, value = request.environ.get("HTTP_AUTHORIZATION", "").partition(" ")
    return value.strip() if scheme.lower() == "bearer" else None


api_blueprint = Blueprint("HuntApi", __name__)
"""The requests to the API of a hunt for which there is none: those of others never arrive here."""


@api_blueprint.route(
    f"{HUNTS_PATH}/<hunt>/api/<path:path>", methods=["GET", "POST", "PUT", "PATCH", "DELETE"]
)
def refuse_api(hunt: str, path: str) -> Response:
    """Say why a hunt has no API."""
    del path
    _hunts().running(hunt)
    raise Problem("not_found")


vars(refuse_api)[TAKES_QUERY] = True
