"""Texts of the contract: descriptions from docstrings."""

from __future__ import annotations

import inspect
from typing import Any, TypeAlias

Doc: TypeAlias = dict[str, Any]
"""A part of the document."""


def joined(text: str) -> str:
    """Return a text with the lines of each paragraph joined."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in inspect.cleandoc(text).split("\n\n"))
