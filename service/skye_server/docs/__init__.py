"""The guide: short pages for authors of clients, in Markdown next to this module.

They are served at /docs. Tests run their commands, and check that every name in them exists.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final, NamedTuple

from skye_server.features import merged

ADDRESS: Final = "http://127.0.0.1:8000"
"""The address in the Markdown; the pages show the address at which they are requested instead."""

FIRST: Final = "index"
"""The page at /docs itself."""

_ORDER: Final = (
    "first-game",
    "client-packages",
    "writing-a-bot",
    "generated-clients",
    "following-a-game",
    "browser-clients",
    "credentials",
    "player-keys",
    "webhooks",
    "matchmaking",
    "leagues",
    "hidden-information",
    "retries",
    "testing",
    "hunts",
    "detection",
    "fairness",
    "rules",
    "limits",
    "versions",
    "glossary",
)
"""All pages in reading order, those of features included."""

_OF_FEATURES: Final[dict[str, str]] = merged("pages")
"""The pages of features, with the packages that have them."""

_TO_PAGE: Final = re.compile(r"\[([^\]]*)\]\(/docs/([a-z-]+)\)")
_ROW_OF_PAGE: Final = re.compile(r"^\| \[[^\]]*\]\(/docs/([a-z-]+)\).*\n", re.MULTILINE)


def _exists(name: str) -> bool:
    return name in _OF_FEATURES or (files(__name__) / f"{name}.md").is_file()


PAGES: Final = (*filter(_exists, _ORDER), *(name for name in _OF_FEATURES if name not in _ORDER))
"""The other pages of this server, in reading order."""

_MISSING: Final = frozenset(_ORDER) - frozenset(PAGES)


class Section(NamedTuple):
    """A part of a page that can be linked to."""

    anchor: str
    title: str


class Page(NamedTuple):
    """A page of the guide; `html` is its whole content, safe to embed."""

    title: str
    html: str
    sections: tuple[Section, ...]


def file(name: str) -> Traversable:
    """Return the file of a page, one of `PAGES` or `FIRST`."""
    return files(_OF_FEATURES.get(name, __name__)) / f"{name}.md"


def source(name: str) -> str:
    """Return the Markdown of a page, one of `PAGES` or `FIRST`."""
    text = file(name).read_text(encoding="utf-8")
    return _without_missing_pages(text) if _MISSING else text


def _without_missing_pages(text: str) -> str:
    """Remove the rows of tables, and the links, that lead to pages of features that this server lacks."""
    text = _ROW_OF_PAGE.sub(lambda found: "" if found[1] in _MISSING else found[0], text)
    return _TO_PAGE.sub(lambda found: found[1] if found[2] in _MISSING else found[0], text)


@cache
def page(name: str) -> Page:
    """Return a page, one of `PAGES` or `FIRST`."""
    from skye_server.docs.rendering import rendered  # noqa: PLC0415 - most processes never render a page

    return rendered(source(name))


@cache
def contents() -> tuple[tuple[str, str], ...]:
    """Return the name and the title of each of `PAGES`."""
    titles = (source(name).partition("\n")[0].removeprefix("# ") for name in PAGES)
    return tuple(zip(PAGES, titles, strict=True))
