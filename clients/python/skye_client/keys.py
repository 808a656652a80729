"""Player keys."""

from __future__ import annotations

import secrets


def new_key() -> str:
    """Return a random player key, of 192 bits."""
    return f"skye_key_{secrets.token_urlsafe(24)}"
