"""YAML in the form of the contract documents: text blocks, no anchors, and on one line what fits on it.

What does not fit is a block, with two exceptions: small flat collections and the data of examples are flows
of several lines. These break between items, where PyYAML would break within texts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, Final, TypeAlias

import yaml

from skye_server.cooperative_yield import pauser

Scalar: TypeAlias = Callable[[Any], str]
"""Writes a key, a text, a number, a boolean or null within a flow."""

_WIDTH: Final = 120
_LENGTH_OF_FLOW: Final = 300
"""The maximum length of a flat collection that is a flow."""
_DATA: Final = {"value", "payload"}
"""The keys of the data of examples."""
_PLAIN: Final = re.compile(r"\d+\.\d+\.\d+|[A-Za-z_$/.](?:[^:#]|:(?! |$)|(?<! )#)*(?<! )")
_PLAIN_IN_FLOW: Final = re.compile(r"[A-Za-z_$/.][^:#\[\]{},]*(?<! )")
_resolver: Final = yaml.resolver.Resolver()


def as_yaml(document: dict[str, Any], levels: int = 99) -> str:
    """Return a document as YAML, always the same text. The worker serves other requests meanwhile.

    :param levels: the number of levels that can be blocks.
    """
    pause = pauser()
    lines = []
    for line in _block(document, "", levels):
        pause()
        lines.append(line)
    return "\n".join(lines) + "\n"


def flow(value: Any, scalar: Scalar) -> str:
    """Return a value on one line; with `json.dumps` as `scalar`, it is JSON."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{scalar(name)}: {flow(part, scalar)}" for name, part in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow(part, scalar) for part in value) + "]"
    return scalar(value)


def flow_lines(before: str, value: Any, margin: str, scalar: Scalar) -> Iterator[str]:
    """Yield the lines of a flow of several lines.

    :param before: the text before it on its first line.
    :param margin: the indentation of its other lines.
    """
    named = isinstance(value, dict)
    opening, closing = "{}" if named else "[]"
    line, comma = before + opening, ""
    for name, part in value.items() if named else (("", part) for part in value):
        key = f"{scalar(name)}: " if named else ""
        item = key + flow(part, scalar)
        if len(line + item) < _WIDTH - len(", "):
            line += f"{comma and ', '}{item}"
        elif not isinstance(part, dict | list) or len(margin + item) < _WIDTH:
            yield line + comma
            line = margin + item
        else:
            if comma:
                yield line + comma
                line = margin
            inner = flow_lines(line + key, part, margin + "  ", scalar)
            line = next(inner)
            for following in inner:
                yield line
                line = following
        comma = ","
    yield line + closing


def _block(value: Any, margin: str, levels: int) -> Iterator[str]:
    """Yield the lines of a collection whose items begin lines."""
    if isinstance(value, dict):
        for name, part in value.items():
            start = f"{margin}{_text(name, _PLAIN)}:"
            yield from _item(start, part, margin, 0 if name in _DATA else levels - 1)
        return
    for part in value:
        first, *others = _item(f"{margin}-", part, margin, levels - 1)
        if first == f"{margin}-":
            others[0] = f"{first} {others[0].lstrip()}"
            yield from others
        else:
            yield from (first, *others)


def _item(start: str, value: Any, margin: str, levels: int) -> Iterator[str]:
    """Yield the lines of an item of a block, which begins with `start`."""
    if isinstance(value, str):
        yield from _text_lines(start, value, margin + "  ")
    elif not isinstance(value, dict | list):
        yield f"{start} {_scalar(value)}"
    else:
        lines = _flow_of_item(start, value, margin + "  ", levels)
        yield from lines or (start,)
        if not lines:
            in_list = start.endswith("-")
            yield from _block(value, margin + "  " if isinstance(value, dict) or in_list else margin, levels)


def _flow_of_item(start: str, value: Any, margin: str, levels: int) -> Iterable[str]:
    """Return the lines of an item of a block as a flow; none if the value is to be a block too."""
    line = f"{start} {flow(value, _scalar)}" if _room_after(value, _LENGTH_OF_FLOW) > 0 else ""
    if line and len(line) <= _WIDTH and "\\n" not in line:
        return (line,)
    if levels == 0:
        return flow_lines(f"{start} ", value, margin, _scalar)
    if not line or len(line) > _LENGTH_OF_FLOW or not _is_flat(value):
        return ()
    lines = list(flow_lines(f"{start} ", value, margin, _scalar))
    return lines if max(map(len, lines)) <= _WIDTH and "\\n" not in line else ()


def _room_after(value: Any, room: int) -> int:
    """Return how much room for characters a value leaves on a line at most; negative if it is too long."""
    if isinstance(value, dict):
        value = [part for item in value.items() for part in item]
    if not isinstance(value, list):
        return room - len(value) if isinstance(value, str) else room - 1
    for part in value:
        if room > 0:
            room = _room_after(part, room)
    return room


def _is_flat(value: Any, depth: int = 2) -> bool:
    """Return whether no collection within a value has collections of its own, other than references."""
    if not isinstance(value, dict | list) or list(value) == ["$ref"]:
        return True
    parts = value.values() if isinstance(value, dict) else value
    return depth > 0 and all(_is_flat(part, depth - 1) for part in parts)


def _text_lines(start: str, text: str, margin: str) -> Iterator[str]:
    """Yield the lines of a text: as they are if it has several, else broken between words."""
    if "\n" in text and text.replace("\n", "").isprintable() and not text[0].isspace():
        yield f"{start} |" + ("-" if not text.endswith("\n") else "" if not text.endswith("\n\n") else "+")
        yield from (margin + line if line else "" for line in text.removesuffix("\n").split("\n"))
        return
    line, *words = _text(text, _PLAIN).split(" ")
    line = f"{start} {line}"
    for word in words:
        if len(line) + len(word) >= _WIDTH and "  " not in text:
            yield line
            line = margin + word
        else:
            line += f" {word}"
    yield line


@lru_cache(maxsize=4096)
def _text(text: str, plain: re.Pattern[str]) -> str:
    """Return a text, in quotes if it is not a plain scalar."""
    if not text.isprintable():
        return json.dumps(text)
    node_tag = _resolver.resolve(yaml.ScalarNode, text, (True, False))  # type: ignore[no-untyped-call]
    if plain.fullmatch(text) and node_tag == "tag:yaml.org,2002:str":
        return text
    return "'" + text.replace("'", "''") + "'"


def _scalar(value: Any) -> str:
    return _text(value, _PLAIN_IN_FLOW) if isinstance(value, str) else json.dumps(value)
