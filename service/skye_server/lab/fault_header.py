"""The grammar of `Skye-Fault`: the faults that a lab server injects into a request.

A list of `NAME=NUMBER` or `NAME`, separated by commas: a dictionary of RFC 9651 with integers and flags.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from skye_server.error_codes import ErrorPlace, FieldError, Problem
from skye_server.http.middleware import FAULT_HEADER

_MAX_EVENTS: Final = 1000


class _Numbers(NamedTuple):
    """The valid numbers of a fault: all from `minimum` to `maximum`, or only those of `choices`."""

    minimum: int
    maximum: int
    choices: tuple[int, ...] = ()

    @property
    def requirement(self) -> str:
        """The error text for other numbers."""
        if self.choices:
            return f"want one of {', '.join(map(str, self.choices))}"
        return f"want a whole number from {self.minimum} to {self.maximum}"


_FLAG: Final = _Numbers(1, 1)

_NUMBERS: Final = {
    "delay_before_ms": _Numbers(1, 30_000),
    "delay_after_ms": _Numbers(1, 30_000),
    "status": _Numbers(429, 503, (429, 500, 503)),
    "drop": _FLAG,
    "bytes_per_s": _Numbers(64, 1_000_000),
    "cut_after": _Numbers(0, _MAX_EVENTS),
    "heartbeats_after": _Numbers(0, _MAX_EVENTS),
    "silence_after": _Numbers(0, _MAX_EVENTS),
    "hold_ms": _Numbers(1, 600_000),
}
_STREAM_FAULTS: Final = ("cut_after", "heartbeats_after", "silence_after")
_HOLDING_FAULTS: Final = ("heartbeats_after", "silence_after")
_ENDS: Final = ("status", "drop", *_STREAM_FAULTS)
_MEMBER: Final = re.compile(r"([a-z_]+)(?:=(0|[1-9][0-9]{0,8}))?")


@dataclass(frozen=True, slots=True)
class Faults:
    """The faults to inject into a request; see the header in the contract.

    :param hold_ms: how long a stream sends heartbeats or nothing before its connection is cut.
    """

    delay_before_ms: int = 0
    delay_after_ms: int = 0
    status: int | None = None
    drop: bool = False
    bytes_per_s: int | None = None
    cut_after: int | None = None
    heartbeats_after: int | None = None
    silence_after: int | None = None
    hold_ms: int = 60_000

    @property
    def events(self) -> int | None:
        """How many events a stream sends before its fault, None without one."""
        named = (self.cut_after, self.heartbeats_after, self.silence_after)
        return next((events for events in named if events is not None), None)


def parse(header: str, *, is_stream: bool) -> Faults:
    """Return the faults that a header names.

    >>> parse("delay_before_ms=200, drop", is_stream=False).drop
    True

    :param is_stream: whether the request opens an event stream.
    :raises Problem: invalid_fault.
    """
    named: dict[str, Any] = {}
    for member in header.split(","):
        name, value = _fault(member.strip())
        if name in named:
            raise _invalid(f"{name}: is named twice")
        named[name] = value
    _check_together(named, is_stream=is_stream)
    return Faults(**named)


def _fault(member: str) -> tuple[str, int | bool]:
    """Return the name and the value of one fault.

    :raises Problem: invalid_fault.
    """
    name = member.partition("=")[0]
    numbers = _NUMBERS.get(name)
    if numbers is None:
        raise _invalid(f"{name[:40]!r} is no fault; there are {', '.join(_NUMBERS)}")
    found = _MEMBER.fullmatch(member)
    if numbers is _FLAG:
        if found is None or found[2] is not None:
            raise _invalid(f"{name}: takes no number")
        return name, True
    number = int(found[2]) if found is not None and found[2] is not None else -1
    in_range = numbers.minimum <= number <= numbers.maximum
    if not in_range or (numbers.choices and number not in numbers.choices):
        raise _invalid(f"{name}: {numbers.requirement}")
    return name, number


def _check_together(named: dict[str, Any], *, is_stream: bool) -> None:
    """Check that faults can be combined, and that they apply to the request.

    :raises Problem: invalid_fault.
    """
    ends = [name for name in _ENDS if name in named]
    if len(ends) > 1:
        raise _invalid(f"{ends[0]}, {ends[1]}: a response can end in one way only")
    if ends and ends[0] in _STREAM_FAULTS and not is_stream:
        raise _invalid(f"{ends[0]}: is for event streams, and this request opens none")
    if "hold_ms" in named and not named.keys() & set(_HOLDING_FAULTS):
        raise _invalid(f"hold_ms: wants {' or '.join(_HOLDING_FAULTS)}")


def _invalid(detail: str) -> Problem:
    return Problem("invalid_fault", errors=[FieldError(FAULT_HEADER, f"{detail}.", ErrorPlace.HEADER)])
