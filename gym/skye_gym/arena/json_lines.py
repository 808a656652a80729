"""Files of JSON lines that grow, and that an interruption may leave with an incomplete last line."""

from __future__ import annotations

import json
import os
from collections import ChainMap
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

    :param option: the option that names another file; empty if the file is an argument without one.
    :raises ValueError: when another process has locked the file.
    """
    with path.open("a", encoding="utf-8") as file:
        if fcntl is not None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise ValueError(f"another process writes {path}: {_remedy(option)}") from None
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
    truncate: bool = True,
) -> list[dict[str, Any]]:
    """Return the lines of a file after the first, without an incomplete last line.

    A file with another first line stays unchanged.

    :param path: the file, which may be missing.
    :param header: what the first line must be.
    :param kind: what the file belongs to, for the message.
    :param fields: the fields that each further line must have.
    :param option: the option that names another file; empty if the file is an argument without one.
    :param arguments: by field of the header, or of an object in it, the argument of the command line that
        sets it.
    :param truncate: whether to truncate the incomplete line. Another process may still be writing it, unless
        this one has the file alone (`opened_alone`).
    :raises ValueError: when the first line is another, or a further line is damaged.
    """
    if not path.exists():
        return []
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    first, *others = whole.splitlines() or [data]
    known, _, _ = json_line(header).encode().partition(b'"seed":')  # a random seed is another each time
    is_incomplete = not whole and known.startswith(data[: len(known)])
    if not is_incomplete and not _holds(first, header):
        differences = _differences(first, header, arguments or {})
        raise ValueError(f"{path} belongs to another {kind}{differences}: {_remedy(option)}")
    if truncate and whole != data:
        os.truncate(path, len(whole))
    values = []
    for number, line in enumerate(others, 2):
        value = _parsed(line)
        if not isinstance(value, dict) or not value.keys() >= set(fields):
            raise ValueError(f"line {number} of {path} is damaged: delete the line, or {_remedy(option)}")
        values.append(value)
    return values


def _differences(first: bytes, header: Mapping[str, Any], arguments: Mapping[str, str]) -> str:
    """Return which arguments differ from those of a file, as the end of a sentence."""
    there = _parsed(first)
    if not isinstance(there, dict):
        return ""
    differing: dict[str, str] = {}
    found, wanted = (ChainMap(*_objects_in(each)) for each in (there, header))
    for field, argument in arguments.items():
        if field in found and found[field] != wanted.get(field):
            values = f"there {_shown(found[field])}, here {_shown(wanted.get(field))}"
            differing.setdefault(argument, f"{argument} ({values})")
    return f", which differs in {'; '.join(differing.values())}" if differing else ""


def _objects_in(header: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a header and the objects in it."""
    return [dict(header), *(value for value in header.values() if isinstance(value, dict))]


def _remedy(option: str) -> str:
    return f"name another file with {option}" if option else "name another file"


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
