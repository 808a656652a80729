"""Keep credentials out of texts. No input or output."""

from __future__ import annotations

import re
from typing import Final

_SHOWN: Final = re.compile(r"\b(skye|whsec)_[^\s\"'<>]{16,}")
_USER: Final = re.compile(r"//[^/\s]*@")


def redacted(text: str) -> str:
    """Return a text for an error or a log, without credentials.

    >>> redacted("Bearer skye_seat_l6yOVLPmm-CEdpKcTgB-IA"), redacted("http://ann:secret@host")
    ('Bearer skye_...', 'http://...@host')
    """
    return _USER.sub("//...@", _SHOWN.sub(r"\1_...", text))
