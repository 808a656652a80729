"""Texts of the contract: from docstrings, and from files."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any, TypeAlias

Doc: TypeAlias = dict[str, Any]
"""A part of the document."""


def joined(text: str) -> str:
    """Return a text with the lines of each paragraph joined."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in inspect.cleandoc(text).split("\n\n"))


def text_of(file: str) -> str:
    """Return the text of a file in this package."""
    return Path(__file__).with_name(file).read_text(encoding="utf-8")
