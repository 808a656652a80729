"""The web client: the static files of `web/` and of the TypeScript client.

The page loads its files from a path with a hash of all files, so browsers may cache them permanently. Below
that path the files lie as in the repository, so a module finds another one by the same relative path in both.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import NamedTuple

from flask import Blueprint, Response

from skye_server.error_codes import Problem
from skye_server.http.responses import compressed

blueprint = Blueprint("WebClient", __name__)

_INSTALLED = Path(__file__).parents[1] / "browser"
_FOLDER = _INSTALLED if _INSTALLED.exists() else Path(__file__).parents[3]
"""Package data of a wheel, which `setup.py` collects; in a checkout, the root of the repository."""
_CONTENT_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}
_CLIENT = "clients/typescript/src"
_PAGE = "web/index.html"
_TOOLS = ("package.json", "package-lock.json", "tsconfig.json")
_YEAR_S = 31_536_000
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
    "manifest-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)


class _Site(NamedTuple):
    """All files by their path under `/play/`, and the hash of their contents."""

    files: dict[str, bytes]
    version: str


@cache
def _site() -> _Site:
    files: dict[str, bytes] = {}
    digest = hashlib.sha256()
    for path in sorted([*(_FOLDER / "web").rglob("*.*"), *(_FOLDER / _CLIENT).glob("*.js")]):
        if path.suffix in _CONTENT_TYPES and path.name not in _TOOLS and "node_modules" not in path.parts:
            name = path.relative_to(_FOLDER).as_posix()
            files[name] = path.read_bytes()
            digest.update(f"{name}\n".encode() + files[name])
    return _Site(files, digest.hexdigest()[:12])


@blueprint.route("/play/", strict_slashes=False)
def get_web_client() -> Response:
    """Play in a browser.

    The page refers to its files as `/play/-/...`; the response replaces `-` by the hash.
    """
    site = _site()
    page = site.files[_PAGE].replace(b"/play/-/", f"/play/{site.version}/".encode())
    response = compressed(page, _CONTENT_TYPES[".html"], 0)
    response.headers["Content-Security-Policy"] = _POLICY
    return response


@blueprint.route("/play/<folder>/<path:file>")
def get_web_client_file(folder: str, file: str) -> Response:
    """Get a file of the web client, or as `client/...` a module of the TypeScript client.

    A request with the hash of another version gets the current file, uncached.

    :raises Problem: not_found.
    """
    site = _site()
    if file.startswith("client/"):
        file = _CLIENT + file.removeprefix("client")
    if file not in site.files or file == _PAGE:
        raise Problem("not_found")
    content_type = _CONTENT_TYPES[file[file.rindex(".") :]]
    return compressed(site.files[file], content_type, _YEAR_S if folder == site.version else 0)
