"""JSON bodies: decoded within limits, and refused where parsers interpret them differently."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

import msgspec

from skye_server.error_codes import FieldError, Problem

BYTES_PER_VALUE: Final = 8
"""A body may have one value for this many bytes of the maximum body size; decoding more takes too long."""

_BYTES_PER_CONTAINER: Final = 32
"""A body may have one object or list for this many bytes of the maximum body size."""

MIN_CONTAINERS: Final = 8_192
"""The number of objects and lists that a body may have with any maximum body size."""

_CONTAINERS: Final = frozenset((dict, list))

_MAX_DEPTH: Final = 64
"""The maximum depth of nested objects and lists in a body; a record has seven levels."""


def decode(data: bytes, max_bytes: int) -> Any:
    """Return the JSON value of a body.

    :param max_bytes: the maximum size of a body.
    :raises Problem: malformed_json, invalid_body.
    """
    _check_number_of_values(data, max_bytes)
    try:
        value = msgspec.json.decode(data)
        if data.count(b":") != _count_members(value):  # a duplicate, or a colon in a string
            json.loads(data, object_pairs_hook=_refuse_duplicates)
        return value
    except msgspec.ValidationError as error:
        raise Problem("invalid_body", errors=[FieldError("", "A number is out of range.")]) from error
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise Problem("malformed_json") from error


def _check_number_of_values(data: bytes, max_bytes: int) -> None:
    """Limit the number of values in a body before decoding: at most one more than its brackets and commas.

    Those in strings count too.

    :raises Problem: invalid_body.
    """
    limit = max(max_bytes // _BYTES_PER_CONTAINER, MIN_CONTAINERS)
    if len(data) <= limit:
        return
    containers = data.count(b"[") + data.count(b"{")
    if containers > limit:
        raise Problem(
            "invalid_body", errors=[FieldError("", f"The body has more than {limit} objects and lists.")]
        )
    limit = max_bytes // BYTES_PER_VALUE
    if containers + data.count(b",") > limit:
        raise Problem("invalid_body", errors=[FieldError("", f"The body has more than {limit} values.")])


def _count_members(value: Any) -> int:
    """Return the number of members of all objects in a JSON value.

    :raises Problem: malformed_json, for a value nested too deeply, which not every Python would parse.
    """
    count = depth = 0
    parts = [value] if type(value) in _CONTAINERS else []
    while parts:
        depth += 1
        if depth > _MAX_DEPTH:
            raise Problem("malformed_json", f"The body is nested more than {_MAX_DEPTH} levels deep.")
        count += sum(len(part) for part in parts if type(part) is dict)
        parts = [inner for part in parts for inner in _containers_in(part)]
    return count


def _containers_in(part: Any) -> Iterable[Any]:
    """Return the objects and lists directly within an object or a list; most have none."""
    values = part.values() if type(part) is dict else part
    if _CONTAINERS.isdisjoint(map(type, values)):
        return ()
    return [inner for inner in values if type(inner) in _CONTAINERS]


def _refuse_duplicates(members: list[tuple[str, Any]]) -> None:
    """Refuse an object with two members of one name: parsers differ in which one they take (RFC 8259, 4).

    :raises Problem: malformed_json.
    """
    names = {name for name, _ in members}
    if len(names) < len(members):
        twice = next(name for name, count in Counter(name for name, _ in members).items() if count > 1)
        raise Problem("malformed_json", f"An object has two members named {json.dumps(twice)}.")
