"""YAML in the form of the contract documents: text blocks, no anchors, small examples on one line."""

from __future__ import annotations

from io import StringIO
from typing import Any, Final

import yaml

from skye_server.cooperative_yield import pauser

_WIDTH: Final = 110
_WIDTH_OF_PART: Final = 72
"""The maximum length of a collection in an example that is written on one line."""


def as_yaml(document: dict[str, Any]) -> str:
    """Return a document as YAML, always the same text."""
    text = _Text()
    yaml.dump(document, text, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_WIDTH)
    return text.getvalue()


class _Text(StringIO):
    """Receives YAML in parts of 16 KB; the worker serves other requests between them."""

    def __init__(self) -> None:
        super().__init__()
        self._pause = pauser()

    def write(self, text: str) -> int:
        """Add a part."""
        self._pause()
        return super().write(text)


class _Dumper(yaml.CSafeDumper):
    """Writes texts of several lines as blocks, and repeated values in full."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._pause = pauser()

    def ignore_aliases(self, data: object) -> bool:
        """Write repeated values without anchors."""
        del data
        return True

    def represent_mapping(self, tag: str, mapping: Any, flow_style: bool | None = None) -> yaml.MappingNode:
        """Write what is small in examples on one line: they have many small things."""
        self._pause()
        node = super().represent_mapping(tag, mapping, flow_style)
        for key, part in node.value:
            if key.value == "examples" and isinstance(part, yaml.MappingNode):
                _set_in_lines(part)
        return node


def _set_in_lines(node: yaml.Node) -> int:
    """Put a collection on one line if it fits, and a list of words on few; return the length of a node."""
    if not isinstance(node, yaml.CollectionNode):
        return len(node.value)
    parts = [part for pair in node.value for part in (pair if isinstance(pair, tuple) else (pair,))]
    length = sum(_set_in_lines(part) + len(": ") for part in parts)
    of_words = all(isinstance(part, yaml.ScalarNode) for part in parts)
    if length < _WIDTH_OF_PART or (of_words and isinstance(node, yaml.SequenceNode)):
        node.flow_style = True
    return length


def _text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)
