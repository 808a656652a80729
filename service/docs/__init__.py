"""The guide: short pages for those who write clients, in Markdown beside this module.

They are shown at /docs. Tests run their commands, and see that whatever they name exists.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple

FIRST: Final = "index"
"""The page that /docs itself shows."""

PAGES: Final = (
    "first-game",
    "writing-a-bot",
    "following-a-game",
    "hidden-information",
    "retries",
    "testing",
    "fairness",
    "rules",
    "limits",
    "versions",
)
"""The other pages, in reading order."""


class Section(NamedTuple):
    """A part of a page that can be linked to."""

    anchor: str
    title: str


class Page(NamedTuple):
    """A page of the guide; `html` is all of it, safe to be shown as it stands."""

    title: str
    html: str
    sections: tuple[Section, ...]


def source(name: str) -> str:
    """Return the Markdown of a page, one of `PAGES` or `FIRST`."""
    return (files(__name__) / f"{name}.md").read_text(encoding="utf-8")


@cache
def page(name: str) -> Page:
    """Return a page, one of `PAGES` or `FIRST`."""
    from service.docs.rendering import rendered  # noqa: PLC0415 - most processes never show a page

    return rendered(source(name))


@cache
def contents() -> tuple[tuple[str, str], ...]:
    """Return the name and the title of each of `PAGES`."""
    titles = (source(name).partition("\n")[0].removeprefix("# ") for name in PAGES)
    return tuple(zip(PAGES, titles, strict=True))
