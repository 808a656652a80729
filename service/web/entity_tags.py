"""The headers that carry the entity tags of a client: `If-Match` and `If-None-Match`."""

from __future__ import annotations

from typing import Final

from flask import request

from service.matches.errors import FieldError, Problem

MAX_ENTITY_TAGS_LENGTH: Final = 1024
"""The most characters of a list of entity tags; those of this service have about ten each."""


def entity_tags(name: str) -> str | None:
    """Return the entity tags that a header of the request lists, None without this header.

    :param name: the name of the header.
    :raises Problem: invalid_parameter, when the list is too long.
    """
    sent: str | None = request.environ.get(f"HTTP_{name.upper().replace('-', '_')}")
    if sent is not None and len(sent) > MAX_ENTITY_TAGS_LENGTH:
        detail = f"This is longer than {MAX_ENTITY_TAGS_LENGTH} characters."
        raise Problem("invalid_parameter", errors=[FieldError(name, detail)])
    return sent
