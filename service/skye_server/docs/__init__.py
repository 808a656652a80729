"""The guide: short pages for authors of clients, in Markdown next to this module.

They are served at /docs. Tests run their commands, and check that every name in them exists.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple

ADDRESS: Final = "http://127.0.0.1:8000"
"""The address in the Markdown; the pages show the address at which they are requested instead."""

FIRST: Final = "index"
"""The page at /docs itself."""

PAGES: Final = (
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
"""The other pages, in reading order."""


class Section(NamedTuple):
    """A part of a page that can be linked to."""

    anchor: str
    title: str


class Page(NamedTuple):
    """A page of the guide; `html` is its whole content, safe to embed."""

    title: str
    html: str
    sections: tuple[Section, ...]


def source(name: str) -> str:
    """Return the Markdown of a page, one of `PAGES` or `FIRST`."""
    return (files(__name__) / f"{name}.md").read_text(encoding="utf-8")


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
