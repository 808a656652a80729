"""Texts of the contract: from docstrings and from files, and the document as YAML.

The YAML has text blocks, no anchors, and on one line what fits on it.
"""

from __future__ import annotations

import inspect
import io
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec
import yaml

from skye_server.cooperative_yield import pauser

Doc: TypeAlias = dict[str, Any]
"""A part of the document."""


def joined(text: str) -> str:
    """Return a text with the lines of each paragraph joined."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in inspect.cleandoc(text).split("\n\n"))


def text_of(file: str) -> str:
    """Return the text of a file in this package."""
    return Path(__file__).with_name(file).read_text(encoding="utf-8")


_WIDTH: Final = 140
_LENGTH_OF_FLOW: Final = 140
"""The maximum length of a collection, as JSON, that stands on one line."""

_DATA: Final = "value"
"""The key of the data of an example, which fill lines."""

_TAG: Final = "tag:yaml.org,2002:"


def as_yaml(document: dict[str, Any], length: int = _LENGTH_OF_FLOW) -> str:
    """Return a document as YAML, always the same text. The worker serves other requests meanwhile.

    :param length: the maximum length of a collection, as JSON, that is a flow.
    """
    text, pause = _Text(), pauser()

    def mapping(dumper: yaml.CSafeDumper, data: dict[str, Any]) -> yaml.Node:
        pause()
        node = dumper.represent_mapping(f"{_TAG}map", data, flow_style=is_short(data))
        for key, part in node.value:
            if key.value == _DATA and isinstance(part, yaml.CollectionNode):
                part.flow_style = True
        return node

    def sequence(dumper: yaml.CSafeDumper, data: list[Any]) -> yaml.Node:
        return dumper.represent_sequence(f"{_TAG}seq", data, flow_style=is_short(data))

    def is_short(collection: Any) -> bool:
        encoded = msgspec.json.encode(collection)
        return len(encoded) <= length and rb"\n" not in encoded

    class Dumper(yaml.CSafeDumper):
        def ignore_aliases(self, data: Any) -> bool:
            del data
            return True

    Dumper.add_representer(dict, mapping)
    Dumper.add_representer(list, sequence)
    Dumper.add_representer(str, _scalar)
    yaml.dump(document, text, Dumper, width=_WIDTH, sort_keys=False, allow_unicode=True)
    return text.getvalue()


def _scalar(dumper: yaml.CSafeDumper, data: str) -> yaml.Node:
    return dumper.represent_scalar(f"{_TAG}str", data, style="|" if "\n" in data else None)


class _Text(io.StringIO):
    """The written text: the worker can pause between its parts."""

    def __init__(self) -> None:
        super().__init__()
        self._pause = pauser()

    def write(self, part: str) -> int:
        """Append a part."""
        self._pause()
        return super().write(part)
