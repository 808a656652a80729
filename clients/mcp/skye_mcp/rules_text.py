"""The rules of the server's guide as text, by topic."""

from __future__ import annotations

from html.parser import HTMLParser

_HEADINGS = ("h1", "h2")


class _Topics(HTMLParser):
    """Collects the text of a page by its headings, without styles and scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.topics: list[tuple[str, list[str]]] = []
        self._hidden = 0
        self._heading = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002 - overrides HTMLParser
        self._hidden += tag in ("style", "script", "nav")
        if tag in _HEADINGS:
            self._heading = True
            self.topics.append(("", []))
        elif tag in ("p", "li", "tr", "h3"):
            self.handle_data("\n")
        elif tag in ("td", "th"):
            self.handle_data(" ")

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in ("style", "script", "nav")
        if tag in _HEADINGS:
            self._heading = False

    def handle_data(self, data: str) -> None:
        if self._hidden or not self.topics:
            return
        title, parts = self.topics[-1]
        if self._heading:
            self.topics[-1] = (title + data, parts)
        else:
            parts.append(data)


def topics_of(page: str) -> dict[str, str]:
    """Return the text of each section of a page of the guide, by its heading."""
    parser = _Topics()
    parser.feed(page)
    return {title.strip(): "".join(parts).strip() for title, parts in parser.topics if title.strip()}
