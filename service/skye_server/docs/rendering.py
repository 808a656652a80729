"""Renders Markdown as HTML without inline styles or scripts, which the Content-Security-Policy forbids."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from skye_server.docs import Page, Passage, Section
from skye_server.error_codes import ERROR_CODES


def rendered(text: str) -> Page:
    """Return a page; its first heading is its title."""
    tokens = _MARKDOWN.parse(text)
    headings = list(_headings(tokens))
    for opening, section in headings:
        opening.attrSet("id", section.anchor)
    html = _MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {})
    sections = tuple(section for opening, section in headings if opening.tag == "h2")
    return Page(headings[0][1].title, html, sections, tuple(_passages(tokens)))


def indexed(pages: Mapping[str, Page]) -> list[dict[str, str]]:
    """Return the sections of pages and the problem codes, with their text, for the search box."""
    rows = [
        (name, anchor, page.title if title == page.title else f"{page.title}: {title}", text)
        for name, page in pages.items()
        for (anchor, title), text in page.passages
    ]
    rows += [("errors", code, code, kind.meaning.replace("`", "")) for code, kind in ERROR_CODES.items()]
    return [dict(zip(("page", "anchor", "title", "text"), row, strict=True)) for row in rows]


def _passages(tokens: Sequence[Token]) -> Iterator[Passage]:
    """Yield each section with its text."""
    inline = [(number, token) for number, token in enumerate(tokens) if token.type == "inline"]
    starts = [number for number, token in inline if tokens[number - 1].type == "heading_open"]
    for start, end in pairwise([*starts, len(tokens)]):
        texts = (_plain(token) for number, token in inline if start < number < end)
        yield Passage(_section(tokens[start]), " ".join(texts))


def _plain(token: Token) -> str:
    """Return the text of an inline token."""
    return "".join(part.content or " " * (part.type == "softbreak") for part in token.children or ())


def _headings(tokens: Sequence[Token]) -> Iterator[tuple[Token, Section]]:
    """Yield the opening token of each heading, with its section."""
    for number, token in enumerate(tokens):
        if token.type == "heading_open":
            yield token, _section(tokens[number + 1])


def _section(heading: Token) -> Section:
    title = _plain(heading)
    return Section(re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-"), title)


class _Html(RendererHTML):
    """Renders the HTML of the guide; each method renders the type of token that it is named after."""

    def code_inline(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Link a problem code to its description."""
        word = tokens[idx].content
        written = super().code_inline(tokens, idx, options, env)
        return f'<a href="/docs/errors#{word}">{written}</a>' if word in ERROR_CODES else written

    def fence(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Add the name of a program as a caption; the language becomes the class of the figure."""
        kind, _, name = tokens[idx].info.partition(" ")
        written = super().fence(tokens, idx, options, env).replace("<pre>", '<pre tabindex="0">')
        caption = f"<figcaption>{name}</figcaption>\n" if name else ""
        return f'<figure class="{kind or "plain"}">\n{caption}{written}</figure>\n'

    def table_open(self, *_: object) -> str:
        """Make a table scroll sideways where it is wider than the screen."""
        return '<div class="wide" tabindex="0"><table>\n'

    def table_close(self, *_: object) -> str:
        """Close the elements of `table_open`."""
        return "</table></div>\n"


_MARKDOWN = MarkdownIt("commonmark", {"html": False}, renderer_cls=_Html).enable("table")
