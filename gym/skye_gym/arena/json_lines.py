"""Files of JSON lines that grow, and that an interruption may leave with an incomplete last line."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def json_line(value: Mapping[str, Any]) -> str:
    """Return a line of such a file."""
    return json.dumps(value, separators=(",", ":")) + "\n"


def read_json_lines(path: Path, header: Mapping[str, Any], kind: str) -> list[dict[str, Any]]:
    """Truncate an incomplete last line of a file; return its lines after the first.

    A file with another first line stays unchanged.

    :param path: the file, which may be missing.
    :param header: what the first line must be.
    :param kind: what the file belongs to, for the message.
    :raises ValueError: when the first line is another.
    """
    if not path.exists():
        return []
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    first, *others = whole.splitlines() or [data]
    known, _, _ = json_line(header).encode().partition(b'"seed":')  # a random seed is another each time
    is_incomplete = not whole and known.startswith(data[: len(known)])
    if not is_incomplete and not _holds(first, header):
        raise ValueError(f"{path} belongs to another {kind}; name another file: {first[:1000]!r}")
    if whole != data:
        os.truncate(path, len(whole))
    return [json.loads(line) for line in others]


def _holds(line: bytes, header: Mapping[str, Any]) -> bool:
    try:
        return bool(json.loads(line) == header)
    except ValueError:
        return False
