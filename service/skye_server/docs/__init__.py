"""The guide: short pages for authors of clients, in Markdown next to this module.

They are served at /docs. Tests run their commands, and check that every name in them exists. A comment names
where the figure after it comes from: `<!-- games.pauses.MAX_PAUSES -->10<!-- end -->`.
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

GROUPS: Final = (
    ("Play", ("rules", "if-somebody-leaves", "fairness", "ladder")),
    (
        "Build a client",
        (
            "first-game",
            "clients",
            "following-a-game",
            "credentials",
            "retries",
            "webhooks",
        ),
    ),
    ("Write a bot", ("writing-a-bot", "enter-your-bot", "leagues")),
    ("Test software", ("testing", "hunts")),
    ("Look up", ("limits", "versions")),
)
"""All pages in reading order, those of features included, by the readers that they are for."""

_ORDER: Final = tuple(name for _, names in GROUPS for name in names)

_OF_FEATURES: Final[dict[str, str]] = merged("pages")
"""The pages and parts of features, with the packages that have them."""

PARTS: Final[dict[str, str]] = merged("parts")
"""The Markdown of features that is the end of a page, with the name of that page."""

_FOLDERS: Final = [
    files(package) / "downloads" for package in (__name__, *dict.fromkeys(_OF_FEATURES.values()))
]

DOWNLOADS: Final[dict[str, Traversable]] = {
    file.name.removesuffix(".txt"): file
    for folder in _FOLDERS
    if folder.is_dir()
    for file in folder.iterdir()
}
"""The programs that pages link to, served at /docs/assets; stored as texts, because they are no modules."""

_TO_PAGE: Final = re.compile(r"\[([^\]]*)\]\(/docs/([a-z-]+)((?:#[a-z0-9-]+)?)\)")
_COMMENT: Final = re.compile(r"<!-- .*? -->")
_ROW_OF_PAGE: Final = re.compile(r"^\| \[[^\]]*\]\(/docs/([a-z-]+)\).*\n", re.MULTILINE)
_BUILT: Final = frozenset({"errors", "reference", "assets"})
"""What lies below /docs without Markdown."""


def _exists(name: str) -> bool:
    return name in _OF_FEATURES or (files(__name__) / f"{name}.md").is_file()


_OF_PLUGINS: Final = tuple(name for name in _OF_FEATURES if name not in _ORDER and name not in PARTS)

PAGES: Final = (*filter(_exists, _ORDER), *_OF_PLUGINS)
"""The other pages of this server, in reading order."""


class Section(NamedTuple):
    """A part of a page that can be linked to."""

    anchor: str
    title: str


class Passage(NamedTuple):
    """The text of a section without examples, for the search."""

    section: Section
    text: str


class Page(NamedTuple):
    """A page of the guide; `html` is its whole content, safe to embed."""

    title: str
    html: str
    sections: tuple[Section, ...]
    passages: tuple[Passage, ...]


def file(name: str) -> Traversable:
    """Return the file of a page, one of `PAGES` or `FIRST`."""
    return files(_OF_FEATURES.get(name, __name__)) / f"{name}.md"


def source(name: str) -> str:
    """Return the Markdown of a page, one of `PAGES` or `FIRST`, or of one of `PARTS`, without comments."""
    text = _COMMENT.sub("", file(name).read_text(encoding="utf-8"))
    return _TO_PAGE.sub(_link, _ROW_OF_PAGE.sub(lambda row: row[0] if _leads(row[1]) else "", text))


def _leads(name: str) -> bool:
    """Return whether this server has a page or a part."""
    return name in _BUILT or name in PAGES or name in PARTS


def _link(found: re.Match[str]) -> str:
    """Return a link, or its text only where it leads to a page of a feature that this server lacks."""
    return found[0] if _leads(found[2]) else found[1]


@cache
def page(name: str) -> Page:
    """Return a page, one of `PAGES` or `FIRST`."""
    from skye_server.docs.rendering import rendered  # noqa: PLC0415 - most processes never render a page

    text = "\n".join([source(name), *(source(part) for part, of in PARTS.items() if of == name)])
    return rendered(_TO_PAGE.sub(_link_to_part, text))


def _link_to_part(found: re.Match[str]) -> str:
    """Return a link; one to a part leads to the page that it belongs to."""
    label, name, anchor = found.groups()
    return f"[{label}](/docs/{PARTS[name]}{anchor or f'#{name}'})" if name in PARTS else found[0]


@cache
def titles() -> dict[str, str]:
    """Return the titles of `PAGES`, by their names."""
    return {name: source(name).partition("\n")[0].removeprefix("# ") for name in PAGES}


@cache
def contents() -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the readers, each with the names of the pages for them that this server has."""
    groups = [(reader, tuple(filter(titles().__contains__, names))) for reader, names in GROUPS]
    reader, names = groups.pop()
    return (*groups, (reader, (*names, *_OF_PLUGINS)))


@cache
def searchable() -> list[dict[str, str]]:
    """Return all sections and problem codes for the search box: `page`, `anchor`, `title` and `text`."""
    from skye_server.docs.rendering import indexed  # noqa: PLC0415 - as said

    return indexed({FIRST: page(FIRST), **{name: page(name) for name in PAGES}})
