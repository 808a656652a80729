"""The documentation: the contract itself, and pages that show it without anything from outside."""

from __future__ import annotations

from functools import cache
from http import HTTPStatus
from importlib.resources import files
from pathlib import Path

from flask import Response, current_app, render_template, send_from_directory

from service.contract import contract_of
from service.contract.operations import Answer, never_changes, text
from service.exchange import JSON, Resource, cacheable
from service.problems import KINDS, Problem

blueprint = Resource("Documentation", __name__, description="This document, and pages that show it.")

YAML = "application/yaml"

_KEPT_S = 300
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_OURS = ("docs.css", "docs.js")
_SWAGGER = ("swagger-ui.css", "swagger-ui-bundle.js", "favicon-16x16.png", "favicon-32x32.png")


@blueprint.route("/docs")
@never_changes(Answer(200, "The page.", text("Page"), content_type="text/html"))
def get_docs() -> Response:
    """Read the reference.

    A page that shows every operation of this document, and lets one try them.
    """
    return _page("docs.html")


@blueprint.route("/docs/errors")
@never_changes(Answer(200, "The page.", text("Page"), content_type="text/html"))
def get_errors() -> Response:
    """Read about refusals.

    A page that lists every code with its status and meaning; the `type` of each refusal leads there.
    """
    statuses = sorted({kind.status for kind in KINDS.values()})
    kinds = [
        (HTTPStatus(status), [(code, kind) for code, kind in KINDS.items() if kind.status == status])
        for status in statuses
    ]
    return _page("errors.html", statuses=kinds)


@blueprint.route("/docs/assets/<asset>")
@never_changes(Answer(200, "The file.", text("Asset"), content_type="*/*"), refuses=["not_found"])
def get_docs_asset(asset: str) -> Response:
    """Get a part of a page.

    Style sheets, scripts and icons of the pages, which load nothing from elsewhere.
    """
    if asset in _OURS:
        return send_from_directory(Path(current_app.root_path, "static"), asset, max_age=_KEPT_S)
    if asset in _SWAGGER:
        return send_from_directory(_swagger_folder(), asset, max_age=_KEPT_S)
    raise Problem("not_found")


@blueprint.route("/openapi.yaml")
@never_changes(Answer(200, "The document.", text("ContractText"), content_type=YAML))
def get_contract_as_yaml() -> Response:
    """Get the contract as YAML.

    This document.
    """
    return cacheable(Response(contract_of(current_app).yaml, content_type=YAML), _KEPT_S)


@blueprint.route("/openapi.json")
@never_changes(Answer(200, "The document.", text("Contract")))
def get_contract_as_json() -> Response:
    """Get the contract as JSON.

    This document.
    """
    return cacheable(Response(contract_of(current_app).json, content_type=JSON), _KEPT_S)


def _page(template: str, **context: object) -> Response:
    response = Response(render_template(template, **context), content_type="text/html; charset=utf-8")
    response.headers["Content-Security-Policy"] = _POLICY
    return cacheable(response, _KEPT_S)


@cache
def _swagger_folder() -> Path:
    """Return where the package keeps swagger-ui; nothing else of it is used."""
    return Path(str(files("flask_swagger_ui") / "dist"))
