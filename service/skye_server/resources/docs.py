"""The documentation: the guide, the contract and the index. Pages load nothing from other servers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.resources import files
from typing import Annotated, TypeAlias, TypedDict

import msgspec
from flask import Blueprint, Response, current_app, render_template, request
from markupsafe import escape

from skye.fields import Keywords
from skye_server import docs as guide
from skye_server.error_codes import ERROR_CODES, Problem
from skye_server.features import merged
from skye_server.http.framework import collaborators, feature
from skye_server.http.problems import SERVICE_LINKS, title_of
from skye_server.http.responses import JSON, cacheable, check_accepts, compressed, json_response
from skye_server.openapi import contract_of, with_address
from skye_server.openapi.operations import ResponseDoc, never_changes, operation, text

blueprint = Blueprint("Documentation", __name__)


_Path: TypeAlias = Annotated[str, Keywords(maxLength=60)]


class LinkTarget(TypedDict):
    """The target of a link."""

    href: Annotated[_Path, "Its path."]
    type: Annotated[str, Keywords(maxLength=100), "Its media type."]


_Targets: TypeAlias = Annotated[Sequence[LinkTarget], Keywords(minItems=1, maxItems=10)]

LinkContext = TypedDict(
    "LinkContext",
    {
        "anchor": Annotated[_Path, "The path of the API."],
        "service-desc": Annotated[_Targets, "The documents of the contract."],
        "service-doc": Annotated[_Targets, "The guide."],
        "status": Annotated[_Targets, "The readiness of the server."],
    },
)
LinkContext.__doc__ = "The links of one API."


class ApiCatalog(TypedDict):
    """A linkset (RFC 9264) with an entry for each API."""

    linkset: Annotated[Sequence[LinkContext], Keywords(minItems=1, maxItems=10), "The APIs."]


class ServiceIndex(TypedDict):
    """The paths to begin with."""

    play: Annotated[_Path, "The web client, for playing in a browser."]
    games: Annotated[_Path, "The public games, and where to create one."]
    tiles: Annotated[_Path, "All tiles."]
    scoring_tiles: Annotated[_Path, "All scoring tiles."]
    scenarios: Annotated[_Path, "All scenarios."]
    bots: Annotated[_Path, "All bots."]
    lab: Annotated[_Path | None, "The laboratory of a server for testers; null on other servers."]
    guide: Annotated[_Path, "The guide."]
    reference: Annotated[_Path, "The reference."]
    contract: Annotated[_Path, "The contract."]


YAML = "application/yaml"
LINKSET = "application/linkset+json"
TEXT = "text/plain"

_MAX_AGE_S = 300
_VALID = timedelta(days=180)
"""How long the contact for reports of vulnerabilities is valid; RFC 9116 recommends less than a year."""

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_PICTURES = ("building.webp", "guide-1440.webp", "guide-360.webp", "territory.svg")
_OWN_ASSETS = ("docs.css", "docs.js", "search.js", *_PICTURES)
_SEARCH_INDEX = "search.json"
_CONTENT_TYPES = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".json": "application/json",
    ".mjs": "text/plain; charset=utf-8",
    ".png": "image/png",
    ".py": "text/plain; charset=utf-8",
    ".svg": "image/svg+xml",
    ".ts": "text/plain; charset=utf-8",
    ".webp": "image/webp",
}
_SWAGGER_ASSETS = ("swagger-ui.css", "swagger-ui-bundle.js", "favicon-16x16.png", "favicon-32x32.png")


_INDEX: dict[str, str | None] = {
    "play": "/play/",
    "games": "/v1/games",
    "tiles": "/v1/tiles",
    "scoring_tiles": "/v1/scoring-tiles",
    "scenarios": "/v1/scenarios",
    "bots": "/v1/bots",
    "lab": None,
    "guide": "/docs",
    "reference": "/docs/reference",
    "contract": "/openapi.yaml",
}


@blueprint.route("/")
@operation(
    ResponseDoc(200, "The paths.", ServiceIndex, headers=["Link"]),
    ResponseDoc(302, "A redirect to the web client, for browsers.", headers=["Location"]),
    errors=["not_acceptable"],
)
def get_start() -> Response:
    """Get the index.

    The paths to begin with. Browsers, which accept `text/html`, are redirected to the web client.
    """
    varies = ("Vary", "Accept")
    if check_accepts(JSON, "text/html") == "text/html":
        return Response(status=302, headers=[("Location", "/play/"), ("Cache-Control", "no-store"), varies])
    return json_response(_index(), more_headers=[varies, ("Link", SERVICE_LINKS)])


@blueprint.route("/v1")
@operation(ResponseDoc(200, "The paths.", ServiceIndex, headers=["Link"]), errors=["not_acceptable"])
def get_index() -> Response:
    """Get the index of this version.

    The paths to begin with.
    """
    return json_response(_index(), more_headers=[("Link", SERVICE_LINKS)])


def _index() -> dict[str, str | None]:
    lab = {"lab": "/v1/lab"} if feature("lab") else {}
    return _INDEX | merged("index") | lab


_CATALOG = {
    "linkset": [
        {
            "anchor": "/v1",
            "service-desc": [
                {"href": "/openapi.yaml", "type": YAML},
                {"href": "/arazzo.yaml", "type": YAML},
            ],
            "service-doc": [{"href": "/docs", "type": "text/html"}],
            "status": [{"href": "/readyz", "type": JSON}],
        }
    ]
}


@blueprint.route("/.well-known/api-catalog")
@never_changes(ResponseDoc(200, "The catalog.", ApiCatalog, content_type=LINKSET), errors=["not_acceptable"])
def get_api_catalog() -> Response:
    """Get the API catalog.

    Links to the contract and the guide, in the form of RFC 9727 for programs that look for APIs.
    """
    check_accepts(LINKSET)
    return cacheable(Response(msgspec.json.encode(_CATALOG), content_type=LINKSET), _MAX_AGE_S)


@blueprint.route("/.well-known/security.txt")
@never_changes(ResponseDoc(200, "The contact.", text("SecurityTxt"), content_type=TEXT), errors=["not_found"])
def get_security_contact() -> Response:
    """Get the contact for reports of vulnerabilities.

    The file of RFC 9116, if the operator has set `SKYE_SECURITY_CONTACT`.
    """
    contact = current_app.config["SECURITY_CONTACT"]
    if not contact:
        raise Problem("not_found")
    check_accepts(TEXT)
    today = datetime.fromtimestamp(collaborators().games.now_ms() // 1000, UTC).date()
    lines = f"Contact: {contact}\nExpires: {today + _VALID}T00:00:00Z\n"
    return cacheable(Response(lines, content_type=f"{TEXT}; charset=utf-8"), _MAX_AGE_S)


_PAGE = ResponseDoc(200, "The page.", text("Page"), content_type="text/html", headers=["Content-Encoding"])


@blueprint.route("/docs")
@never_changes(_PAGE)
def get_guide() -> Response:
    """Read the guide.

    The first page, with links to all others.
    """
    return _guide(guide.FIRST)


@blueprint.route("/docs/<page>")
@never_changes(_PAGE, errors=["not_found"])
def get_guide_page(page: str) -> Response:
    """Read a page of the guide.

    A first game, writing a bot, following a game, and so on.
    """
    if page not in guide.PAGES:
        raise Problem("not_found")
    return _guide(page)


@blueprint.route("/docs/reference")
@never_changes(_PAGE)
def get_reference() -> Response:
    """Read the reference.

    A page that shows every operation of this document and can send requests.
    """
    return _page("reference.html")


@blueprint.route("/docs/errors")
@never_changes(_PAGE)
def get_errors() -> Response:
    """Read about error codes.

    A page that lists every code with its status and meaning; the `type` of each problem links to it.
    """
    statuses = sorted({kind.status for kind in ERROR_CODES.values()})
    kinds = [
        (
            f"{status} {title_of(status)}",
            [(code, kind) for code, kind in ERROR_CODES.items() if kind.status == status],
        )
        for status in statuses
    ]
    return _page(
        "errors.html", statuses=kinds, current="errors", contents=guide.contents(), titles=guide.titles()
    )


@blueprint.route("/docs/assets/<asset>")
@never_changes(
    *(
        ResponseDoc(
            200,
            "The file.",
            text("SearchIndex" if kind == JSON else "Asset"),
            content_type=kind,
            headers=["Content-Encoding"],
        )
        for kind in dict.fromkeys(kind.partition(";")[0] for kind in _CONTENT_TYPES.values())
    ),
    errors=["not_found"],
)
def get_docs_asset(asset: str) -> Response:
    """Get an asset of the documentation.

    Style sheets, scripts, icons and pictures of the pages, the index of their search, and example programs.
    """
    if asset not in (*_OWN_ASSETS, *_SWAGGER_ASSETS, *guide.DOWNLOADS, _SEARCH_INDEX):
        raise Problem("not_found")
    kind = _CONTENT_TYPES[asset[asset.rindex(".") :]]
    return compressed(_read(asset), kind, _MAX_AGE_S)


_DOCUMENTS = {
    "contract": ("openapi", "the contract", "This document."),
    "workflows": (
        "arazzo",
        "the workflows",
        (
            "An Arazzo 1.0 document: create and join, play a round, retry, follow events, replay a record. "
            "Programs that support Arazzo run it as a test, or generate code or agents from it."
        ),
    ),
}
"""The documents of the contract: the names of their operations and files, their titles and descriptions."""


def _add_document(operation: str, form: str, content_type: str) -> None:
    """Add the operation `get_..._as_yaml` or `get_..._as_json` of a document."""
    file, title, description = _DOCUMENTS[operation]
    name = f"{file}.{form}"

    def view() -> Response:
        written = contract_of(current_app).written(name)
        body = with_address(written, request.url_root.rstrip("/"))
        response = compressed(body.encode(), content_type, _MAX_AGE_S, keep=False)
        response.headers["Cache-Control"] = f"private, max-age={_MAX_AGE_S}"
        return response

    view.__name__ = f"get_{operation}_as_{form}"
    view.__doc__ = f"Get {title} as {form.upper()}.\n\n{description}"
    response = ResponseDoc(
        200, "The document.", text("Contract"), content_type=content_type, headers=["Content-Encoding"]
    )
    blueprint.route(f"/{name}")(never_changes(response)(view))


for _operation in _DOCUMENTS:
    _add_document(_operation, "yaml", YAML)
    _add_document(_operation, "json", JSON)


def _guide(name: str) -> Response:
    order = (None, guide.FIRST, *guide.PAGES, None)
    previous, _, following = order[order.index(name) - 1 :][:3]
    page = guide.page(name)
    page = page._replace(html=page.html.replace(guide.ADDRESS, escape(request.url_root.rstrip("/"))))
    turn = (("prev", "Previous:", previous), ("next", "Next:", following))
    names = {"current": name, "contents": guide.contents(), "titles": guide.titles(), "turn": turn}
    response = _page("guide.html", keep=False, page=page, **names)
    # The page shows the host of the request: a shared cache would show it to clients of another host.
    response.headers["Cache-Control"] = f"private, max-age={_MAX_AGE_S}"
    return response


def _page(template: str, *, keep: bool = True, **context: object) -> Response:
    body = render_template(template, **context).encode()
    response = compressed(body, "text/html; charset=utf-8", _MAX_AGE_S, keep=keep)
    response.headers["Content-Security-Policy"] = _POLICY
    return response


@cache
def _read(asset: str) -> bytes:
    """Return the content of an asset: one of the guide, or of flask_swagger_ui."""
    if asset == _SEARCH_INDEX:
        return msgspec.json.encode({"sections": guide.searchable()})
    if asset in guide.DOWNLOADS:
        return guide.DOWNLOADS[asset].read_bytes()
    folder = (
        files("skye_server.docs") / "static" if asset in _OWN_ASSETS else files("flask_swagger_ui") / "dist"
    )
    return (folder / asset).read_bytes()
