"""The rules of the server's guide as text, by topic."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html.parser import HTMLParser

_HEADINGS = ("h1", "h2")
_BREAK = "\0"
"""Where a paragraph or row begins; the line breaks of the page are white space."""

_MAX_LINES = 20
_MIN_STEM = 3


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
            self.handle_data(_BREAK)
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
    """Return the text of each section of a page, by its heading; a line is a paragraph or row."""
    parser = _Topics()
    parser.feed(page)
    return {title.strip(): _lines("".join(parts)) for title, parts in parser.topics if title.strip()}


def _lines(text: str) -> str:
    lines = (" ".join(line.split()) for line in text.split(_BREAK))
    return "\n".join(line for line in lines if line)


def text_about(topic: str, texts: Mapping[str, str]) -> str:
    """Return the section with a title, or the rules with the words of a topic, those that begin so first.

    :param texts: the text of each section by its title.
    """
    words = [_stem(word) for word in re.findall(r"\w+", topic.lower())]
    if not words:
        return _none_about(topic, texts)
    for title, text in texts.items():
        if topic.lower().strip() in title.lower():
            return text
    found = [
        (not line.lower().startswith(words[0]), number, f"{title}: {line}")
        for title, text in texts.items()
        for number, line in enumerate(text.splitlines())
        if all(re.search(rf"\b{re.escape(word)}", line.lower()) for word in words)
    ]
    return "\n".join(line for *_, line in sorted(found)[:_MAX_LINES]) or _none_about(topic, texts)


def _none_about(topic: str, texts: Mapping[str, str]) -> str:
    return f"No rule has {topic[:40]!r}. Topics: {', '.join(texts)}."


def _stem(word: str) -> str:
    """Return the beginning of a word that its forms share, such as `buy` for `buying`."""
    for end in ("ing", "es", "s"):
        if word.endswith(end) and len(word) - len(end) >= _MIN_STEM:
            return word.removesuffix(end)
    return word
