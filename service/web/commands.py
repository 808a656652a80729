"""Commands: the idempotency key, `If-Match` and token of a request, and the response to a command."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable

from flask import Request, Response, request
from werkzeug.datastructures import ETags

from service.matches.errors import FieldError, Problem
from service.usecases.commands import CommandResult
from service.usecases.idempotency import Command
from service.web.authentication import bearer_token
from service.web.request_parsing import body_of
from service.web.responses import etag, uncached_json

_IDEMPOTENCY_KEY = re.compile(r"[\x21-\x7e]{1,255}")
_DIGEST_BYTES = 16


def command_from_request() -> Command:
    """Return what a request carries for any command.

    :raises Problem: token_unknown, invalid_parameter, and what `body_of` raises.
    """
    environ = request.environ
    key = environ.get("HTTP_IDEMPOTENCY_KEY")
    if key is not None and not _IDEMPOTENCY_KEY.fullmatch(key):
        detail = "This has not from 1 to 255 visible ASCII characters."
        raise Problem("invalid_parameter", errors=[FieldError("Idempotency-Key", detail)])
    digest = b"" if key is None else _digest(request)
    accepts: Callable[[int], bool] = _any_version
    if "HTTP_IF_MATCH" in environ:
        accepts = _version_in(request.if_match)
    return Command(bearer_token(), key, digest, request.remote_addr or "", accepts)


def command_response(result: CommandResult, status: int = 200, *, location: str | None = None) -> Response:
    """Return the response to a command, with the entity tag of the version that it shows."""
    headers = [("ETag", etag(result.version))]
    if location is not None:
        headers.append(("Location", location))
    return uncached_json(result.view, status, headers)


def _version_in(wanted: ETags) -> Callable[[int], bool]:
    """Return a check that a version is named by one of these entity tags, for any caller and media type."""
    versions = {tag.partition("-")[0] for tag in wanted.as_set() if tag}
    return lambda version: wanted.star_tag or str(version) in versions


def _any_version(_version: int) -> bool:
    return True


def _digest(req: Request) -> bytes:
    """Return a digest of method, path and body: a key must not be reused for another request."""
    digest = hashlib.sha256(f"{req.method} {req.path}\n".encode())
    digest.update(body_of(req))
    return digest.digest()[:_DIGEST_BYTES]
