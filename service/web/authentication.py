"""Authentication: the bearer token of a request."""

from __future__ import annotations

from flask import request

from service.matches.errors import Problem
from service.matches.tokens import is_well_formed


def bearer_token() -> str | None:
    """Return the bearer token of the request, None without an Authorization header.

    :raises Problem: token_unknown, when the header is malformed, before any lookup.
    """
    header: str | None = request.environ.get("HTTP_AUTHORIZATION")
    if header is None:
        return None
    scheme, _, value = header.partition(" ")
    token = value.strip()
    if scheme.lower() != "bearer" or not token:
        raise Problem("token_unknown", "Send the token as `Authorization: Bearer TOKEN`.")
    if not is_well_formed(token):
        raise Problem("token_unknown")
    return token
