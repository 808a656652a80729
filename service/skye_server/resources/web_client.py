"""The web client: the static files of `web/` and of the TypeScript client.

The page loads its files from a path with a hash of all files, so browsers may cache them permanently. Below
that path the files lie as in the repository, so a module finds another one by the same relative path in both.
The page lists the modules and style sheets that its screen imports, so browsers request all of them at once.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from flask import Blueprint, Response, request

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
_MAIN = "web/main.js"
_SHEET = "web/style.css"
_LADDER = ("web/ladder/pages.js",)
_SCREENS = {
    "replay": ("web/game/replay.js",),
    "game": ("web/game/open-game.js", "web/game/game-page.js", "web/shared/menu.js"),
    "ladder": _LADDER,
    "player": _LADDER,
    "profile": _LADDER,
    "hunts": ("web/home/hunts.js",),
}
"""The modules that a screen imports dynamically before it is shown, by its name in the query."""

_FRONT = ("web/home/front.js",)

_STATIC_IMPORT = re.compile(r'\b(?:from|import)\s*"(\.[^"]+)"|@import "([^"]+)"')
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


def _imported(files: dict[str, bytes], first: Iterable[str]) -> list[str]:
    """Return the files that some files import statically, and those files, each once."""
    found = [name for name in first if name in files]
    for name in found:  # grows while it is read
        for script, sheet in _STATIC_IMPORT.findall(files[name].decode()):
            path = posixpath.normpath(posixpath.join(posixpath.dirname(name), script or sheet))
            if path in files and path not in found:
                found.append(path)
    return found


@cache
def _preload_links(screen: str) -> bytes:
    """Return the links of what a screen imports; the page itself refers to the two files that import it."""
    files = _site().files
    kinds = {".js": 'rel="modulepreload"', ".css": 'rel="preload" as="style"'}
    imported = _imported(files, (_MAIN, _SHEET, *_SCREENS.get(screen, _FRONT)))
    links = (
        f'<link {kinds[name[name.rindex(".") :]]} href="/play/-/{name}" />'
        for name in imported
        if name not in (_MAIN, _SHEET)
    )
    return "".join(links).encode()


def _screen() -> str:
    """Return the name in the query that selects the screen; empty for the front page."""
    return next((name for name in _SCREENS if name in request.args), "")


@blueprint.route("/play/", strict_slashes=False)
def get_web_client() -> Response:
    """Play in a browser.

    The page refers to its files as `/play/-/...`; the response replaces `-` by the hash.
    """
    site = _site()
    page = site.files[_PAGE].replace(b"<script ", _preload_links(_screen()) + b"<script ", 1)
    page = page.replace(b"/play/-/", f"/play/{site.version}/".encode())
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
