"""Preconditions: `If-Match` and `If-None-Match` of every operation (RFC 9110, section 13.1).

A read compares them with the entity tag of its response. A change of a game compares them with the version of
the game, which is its entity tag, in the attempt that commits (`command_from_request`). Every other change
compares them with what a read of its path returns.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Response, current_app, request
from werkzeug.datastructures import ETags
from werkzeug.exceptions import HTTPException
from werkzeug.http import quote_etag

from skye.errors import RuleError
from skye_server.error_codes import Problem
from skye_server.http.request_parsing import entity_tags


def check() -> Response | None:
    """Check the preconditions of a request that does not change a game; a read is carried out for that.

    :returns: the response to a read with `If-Match`, otherwise None.
    :raises Problem: version_mismatch, invalid_parameter, and what the read raises.
    """
    wanted, unwanted = entity_tags("If-Match"), entity_tags("If-None-Match")
    if request.method == "OPTIONS":
        return None
    if request.method in ("GET", "HEAD"):
        return None if wanted is None else _response_of_read(wanted)  # the view compares If-None-Match
    _check_present(wanted, unwanted)
    return None


def _response_of_read(wanted: ETags) -> Response:
    """Return the response to a read whose entity tag is one of those that are wanted.

    :raises Problem: version_mismatch.
    """
    response: Response = current_app.make_response(current_app.dispatch_request())
    tag, _ = response.get_etag()
    is_answered = response.status_code < 300 or response.status_code == 304
    if is_answered and not _names(wanted, tag):
        response.close()
        raise _mismatch(tag)
    return response


def _check_present(wanted: ETags | None, unwanted: ETags | None) -> None:
    """Compare the preconditions of a change with what a read of its path returns now, if it can be read.

    :raises Problem: version_mismatch.
    """
    try:
        adapter = current_app.create_url_adapter(request)
        assert adapter is not None
        endpoint, arguments = adapter.match(method="GET")
        read: Callable[..., Any] = current_app.view_functions[endpoint]
        present: Response = read(**arguments)
    except (HTTPException, Problem, RuleError):
        return  # nothing is there, or the caller must not read it: the change itself says so
    tag, _ = present.get_etag()
    present.close()
    if (wanted is not None and not _names(wanted, tag)) or (
        unwanted is not None and _names(unwanted, tag, weak=True)
    ):
        raise _mismatch(tag)


def _names(tags: ETags, tag: str | None, *, weak: bool = False) -> bool:
    """Return whether a list names an entity tag, by the weak or strong comparison; `*` names all."""
    return tags.star_tag or (tag is not None and tag in tags.as_set(include_weak=weak))


def _mismatch(tag: str | None) -> Problem:
    if tag is None:
        return Problem("version_mismatch", "The present representation has no entity tag.")
    return Problem(
        "version_mismatch", f"The entity tag is {quote_etag(tag)}.", headers={"ETag": quote_etag(tag)}
    )
