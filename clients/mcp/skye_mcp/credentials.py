"""The player key of a caller, checked before anything is sent."""

from __future__ import annotations

import re
from typing import Final

from skye_client import InvalidCredentialError

_PLAYER_KEY: Final = re.compile(r"skye_key_[A-Za-z0-9_-]{22,64}")


def checked_key(text: str) -> str:
    """Return a player key without white space around it, such as the end of a line in a file.

    :raises InvalidCredentialError: when it is no player key; the message does not contain it.
    """
    key = text.strip()
    if not _PLAYER_KEY.fullmatch(key):
        raise InvalidCredentialError(
            "This is no player key: skye_key_ and from 22 to 64 letters, digits, - or _, and nothing else."
        )
    return key
