"""Files of JSON lines that grow, and that an interruption may leave with an incomplete last line."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final

_MAX_SHOWN: Final = 100
"""The number of characters of a value that a message shows."""

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


def json_line(value: Mapping[str, Any]) -> str:
    """Return a line of such a file."""
    return json.dumps(value, separators=(",", ":")) + "\n"


@contextmanager
def opened_alone(path: Path, option: str = "--out") -> Iterator[IO[str]]:
    """Open a file to append lines, locked until the end of the context; one that stays empty is deleted.

    A device such as /dev/null is not.

    :param option: the option that names another file.
    :raises ValueError: when another process has locked the file.
    """
    with path.open("a", encoding="utf-8") as file:
        if fcntl is not None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise ValueError(f"another process writes {path}: name another file with {option}") from None
        try:
            yield file
        finally:
            file.flush()
            if path.is_file() and not path.stat().st_size:
                path.unlink()


def read_json_lines(  # noqa: PLR0913 - the file, what it must have, and the words of its messages
    path: Path,
    header: Mapping[str, Any],
    kind: str,
    fields: Collection[str] = (),
    option: str = "",
    *,
    arguments: Mapping[str, str] | None = None,
) -> list[dict[str, Any]]:
    """Truncate an incomplete last line of a file; return its lines after the first.

    A file with another first line stays unchanged.

    :param path: the file, which may be missing.
    :param header: what the first line must be.
    :param kind: what the file belongs to, for the message.
    :param fields: the fields that each further line must have.
    :param option: the option that names another file.
    :param arguments: by field of the header, the argument of the command line that sets it.
    :raises ValueError: when the first line is another, or a further line is damaged.
    """
    if not path.exists():
        return []
    remedy = f"name another file with {option}" if option else "name another file"
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    first, *others = whole.splitlines() or [data]
    known, _, _ = json_line(header).encode().partition(b'"seed":')  # a random seed is another each time
    is_incomplete = not whole and known.startswith(data[: len(known)])
    if not is_incomplete and not _holds(first, header):
        differences = _differences(first, header, arguments or {})
        raise ValueError(f"{path} belongs to another {kind}{differences}: {remedy}")
    if whole != data:
        os.truncate(path, len(whole))
    values = []
    for number, line in enumerate(others, 2):
        value = _parsed(line)
        if not isinstance(value, dict) or not value.keys() >= set(fields):
            raise ValueError(f"line {number} of {path} is damaged: delete the line, or {remedy}")
        values.append(value)
    return values


def _differences(first: bytes, header: Mapping[str, Any], arguments: Mapping[str, str]) -> str:
    """Return which arguments differ from those of a file, as the end of a sentence."""
    there = _parsed(first)
    if not isinstance(there, dict):
        return ""
    differing: dict[str, str] = {}
    for field, argument in arguments.items():
        if field in there and there[field] != header[field]:
            values = f"there {_shown(there[field])}, here {_shown(header[field])}"
            differing.setdefault(argument, f"{argument} ({values})")
    return f", which differs in {'; '.join(differing.values())}" if differing else ""


def _shown(value: Any) -> str:
    """Return a value of a header for a message."""
    text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}..."


def _parsed(line: bytes) -> Any:
    """Return the value of a line, None if it is no JSON."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _holds(line: bytes, header: Mapping[str, Any]) -> bool:
    return bool(_parsed(line) == header)
