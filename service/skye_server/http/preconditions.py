"""Preconditions: `If-Match` and `If-None-Match` of every operation (RFC 9110, section 13.1).

A read compares them with the entity tag of its response. A change of a game compares them with the version of
the game, which is its entity tag, in the attempt that commits (`version_condition`). Every other change
compares them with what a read of its path returns.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from flask import Response, current_app, request
from werkzeug.datastructures import ETags
from werkzeug.exceptions import HTTPException
from werkzeug.http import quote_etag

from skye.errors import RuleError
from skye_server.error_codes import FieldError, Problem

MAX_ENTITY_TAGS_LENGTH: Final = 1024
"""The maximum length of a list of entity tags; those of this service have about ten characters each."""

OF_VERSION: Final = "_of_version"
"""The attribute that marks a view whose commit checks the preconditions."""

_IF_MATCH: Final = "If-Match"
_IF_NONE_MATCH: Final = "If-None-Match"


def entity_tags(name: str) -> str | None:
    """Return the entity tags that a header of the request lists, None without this header.

    :param name: the name of the header.
    :raises Problem: invalid_parameter, when the list is too long.
    """
    sent: str | None = request.environ.get(f"HTTP_{name.upper().replace('-', '_')}")
    if sent is not None and len(sent) > MAX_ENTITY_TAGS_LENGTH:
        detail = f"This is longer than {MAX_ENTITY_TAGS_LENGTH} characters."
        raise Problem("invalid_parameter", errors=[FieldError(name, detail, "header")])
    return sent


def version_condition() -> Callable[[int], bool] | None:
    """Return the check whether the request may change a version of a game; None without preconditions.

    The entity tags for any caller and media type name the version.

    :raises Problem: invalid_parameter.
    """
    environ = request.environ
    if "HTTP_IF_MATCH" not in environ and "HTTP_IF_NONE_MATCH" not in environ:
        return None
    is_wanted, is_unwanted = entity_tags(_IF_MATCH) is not None, entity_tags(_IF_NONE_MATCH) is not None
    wanted, unwanted = request.if_match, request.if_none_match
    return lambda version: (
        (not is_wanted or _names_version(wanted, version))
        and not (is_unwanted and _names_version(unwanted, version, weak=True))
    )


def _names_version(tags: ETags, version: int, *, weak: bool = False) -> bool:
    listed = tags.as_set(include_weak=weak)
    named = {tag.partition("-")[0] for tag in listed if tag}
    return tags.star_tag or str(version) in named


def check() -> Response | None:
    """Check the preconditions of a request that does not change a game; a read is carried out for that.

    :returns: the response to a read with `If-Match`, otherwise None.
    :raises Problem: version_mismatch, invalid_parameter, and what the read raises.
    """
    environ = request.environ
    if "HTTP_IF_MATCH" not in environ and "HTTP_IF_NONE_MATCH" not in environ:
        return None
    is_wanted, is_unwanted = entity_tags(_IF_MATCH) is not None, entity_tags(_IF_NONE_MATCH) is not None
    view = current_app.view_functions.get(request.endpoint or "")
    if view is None or request.method == "OPTIONS":
        return None
    if request.method in ("GET", "HEAD"):
        return _response_of_read() if is_wanted else None  # the view compares If-None-Match
    if OF_VERSION not in vars(view):
        _check_present(is_wanted=is_wanted, is_unwanted=is_unwanted)
    return None


def _response_of_read() -> Response:
    """Return the response to a read whose `If-Match` has its entity tag.

    :raises Problem: version_mismatch.
    """
    response: Response = current_app.make_response(current_app.dispatch_request())
    tag, _ = response.get_etag()
    is_answered = response.status_code < 300 or response.status_code == 304
    if is_answered and not _names(request.if_match, tag):
        response.close()
        raise _mismatch(tag)
    return response


def _check_present(*, is_wanted: bool, is_unwanted: bool) -> None:
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
    if (is_wanted and not _names(request.if_match, tag)) or (
        is_unwanted and _names(request.if_none_match, tag, weak=True)
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
