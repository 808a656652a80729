"""Untrusted JSON, such as the response of a webhook's receiver."""

from __future__ import annotations

from typing import Any

import msgspec


def json_or_none(data: bytes | str) -> Any:
    """Return a JSON value; None if the data is not JSON, or nested too deeply.

    >>> json_or_none('{"a": 1}'), json_or_none(1500 * "[" + 1500 * "]")
    ({'a': 1}, None)
    """
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None
