"""Player keys and tokens: make keys, and check credentials before they are sent."""

from __future__ import annotations

import re
import secrets
from typing import Final

from skye_client.errors import InvalidCredentialError

MAX_CREDENTIAL_LENGTH: Final = 512

_CREDENTIAL: Final = re.compile(r"[A-Za-z0-9._~+/-]+=*")


def new_key() -> str:
    """Return a random player key, of 192 bits."""
    return f"skye_key_{secrets.token_urlsafe(24)}"


def checked_credential(text: str) -> str:
    """Return a player key or token without white space around it, such as the end of a line in a file.

    :raises InvalidCredentialError: when it has characters that no bearer token has (RFC 6750, 2.1), or too
        many.
    """
    stripped = text.strip()
    if not stripped:
        raise InvalidCredentialError("The player key or token is empty.")
    if len(stripped) > MAX_CREDENTIAL_LENGTH:
        raise InvalidCredentialError(
            f"The player key or token has {len(stripped)} characters, more than {MAX_CREDENTIAL_LENGTH}."
        )
    if not _CREDENTIAL.fullmatch(stripped):
        raise InvalidCredentialError(
            "The player key or token has other characters than letters, digits and ._~+/-= within it."
        )
    return stripped
