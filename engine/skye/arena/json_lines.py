"""Files of JSON lines that grow, and that an interruption may leave with an incomplete last line."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def read_json_lines(path: Path, header: Mapping[str, Any] | None, kind: str) -> list[dict[str, Any]]:
    """Truncate an incomplete last line of a file; return its lines after the first.

    :param path: the file, which may be missing.
    :param header: what the first line must be; None for any.
    :param kind: what the file belongs to, for the message.
    :raises ValueError: when the first line is another.
    """
    if not path.exists():
        return []
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    if whole != data:
        os.truncate(path, len(whole))
    lines = [json.loads(line) for line in whole.splitlines()]
    if lines and header is not None and lines[0] != header:
        raise ValueError(f"{path} belongs to another {kind}; name another file: {lines[0]}")
    return lines[1:]
