"""What every route needs: the service's parts, who calls, and answers out, written the same way for all."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from typing import Any, Final

import msgspec
from flask import Request, Response, current_app, request
from werkzeug.datastructures import ETags

from service.matches.errors import FieldError, Problem
from service.matches.tokens import SPECTATOR, Caller, is_well_formed
from service.observability.metrics import Metrics
from service.usecases.following import Bell, OpenStreams
from service.usecases.games import Games
from service.usecases.idempotency import Call, Reply
from service.web.framework import Ready
from service.web.request_parsing import body_of
from service.web.response_headers import Header

JSON: Final = "application/json"
_TYPE_JSON: Final = ("Content-Type", JSON)
_NOT_STORED: Final = ("Cache-Control", "no-store")
_PRIVATE: Final = [("Cache-Control", "private, no-cache"), ("Vary", "Authorization, Accept")]
_encoder = msgspec.json.Encoder()
_KEY = re.compile(r"[\x21-\x7e]{1,255}")


def games() -> Games:
    """Return the use cases of the current app."""
    cases: Games = current_app.extensions["skye-games"]
    return cases


def bell() -> Bell:
    """Return what wakes those who follow games in this process."""
    rung: Bell = current_app.extensions["skye-bell"]
    return rung


def metrics() -> Metrics:
    """Return what the current app counts."""
    counts: Metrics = current_app.extensions["skye-metrics"]
    return counts


def open_streams() -> OpenStreams:
    """Return the streams that this process has open."""
    streams: OpenStreams = current_app.extensions["skye-streams"]
    return streams


def token() -> str | None:
    """Return the request's bearer token, or None.

    :raises Problem: token_unknown, when the Authorization header is malformed, before any lookup.
    """
    header: str | None = request.environ.get("HTTP_AUTHORIZATION")
    if header is None:
        return None
    scheme, _, value = header.partition(" ")
    if scheme.lower() != "bearer" or not value.strip():
        raise Problem("token_unknown", "Send the token as `Authorization: Bearer TOKEN`.")
    if not is_well_formed(value.strip()):
        raise Problem("token_unknown")
    return value.strip()


def call() -> Call:
    """Return what of the request matters for a write.

    :raises Problem: token_unknown, invalid_parameter.
    """
    environ = request.environ
    key = environ.get("HTTP_IDEMPOTENCY_KEY")
    if key is not None and not _KEY.fullmatch(key):
        detail = "This has not from 1 to 255 visible ASCII characters."
        raise Problem("invalid_parameter", errors=[FieldError("Idempotency-Key", detail)])
    fingerprint = "" if key is None else _fingerprint(request)
    accepts: Callable[[int], bool] = _any_version
    if "HTTP_IF_MATCH" in environ:
        accepts = _version_in(request.if_match)
    return Call(token(), key, fingerprint, request.remote_addr or "", accepts)


def _version_in(wanted: ETags) -> Callable[[int], bool]:
    """Judge a version by tags that name it, whoever was shown it with them, and in whatever form."""
    versions = {tag.partition("-")[0] for tag in wanted.as_set() if tag}
    return lambda version: wanted.star_tag or str(version) in versions


def _any_version(_version: int) -> bool:
    return True


def _fingerprint(req: Request) -> str:
    digest = hashlib.sha256(f"{req.method} {req.path}\n".encode())
    digest.update(body_of(req))
    return digest.hexdigest()[:32]


def etag(version: int, caller: Caller = SPECTATOR, form: str = "") -> str:
    """Return the entity tag of a version of a game, as a caller sees it, in a form if there are several.

    A browser asks for an address again with the tag that it has, though it was shown to another caller.

    >>> etag(4), etag(4, Caller(seat=1)), etag(4, Caller(host=True)), etag(4, form="-svg")
    ('"4"', '"4-seat1"', '"4-host"', '"4-svg"')
    """
    who = "-host" if caller.host else "" if caller.seat is None else f"-seat{caller.seat}"
    return f'"{version}{who}{form}"'


def accepted(reply: Reply) -> Response:
    """Write the answer to a write."""
    headers = [_TYPE_JSON, _length_of(reply.body), _NOT_STORED, ("ETag", etag(reply.version))]
    if reply.location is not None:
        headers.append(("Location", reply.location))
    return Ready(reply.body, reply.status, headers)


def shown(view: Any, *, tag: str | None = None) -> Response:
    """Write a view as JSON; with an entity tag it can be asked for again by `If-None-Match`."""
    return written(_encoder.encode(view), tag=tag)


def written(body: bytes, *, tag: str | None = None) -> Response:
    """Write JSON that is written already; with an entity tag it can be asked for again by `If-None-Match`."""
    check_accepts(JSON)
    headers = [_TYPE_JSON, _length_of(body)]
    headers += [_NOT_STORED] if tag is None else _tags(tag)
    return Ready(body, 200, headers)


def unchanged(tag: str) -> Response | None:
    """Return 304 when the caller has what this entity tag stands for already."""
    sent = request.environ.get("HTTP_IF_NONE_MATCH")
    if sent is None or not (sent == tag or request.if_none_match.contains_weak(tag[1:-1])):
        return None
    return Ready(b"", 304, _tags(tag))


def tagged(body: str, content_type: str, tag: str) -> Response:
    """Write text that can be asked for again by its entity tag."""
    written = body.encode()
    return Ready(written, 200, [("Content-Type", content_type), _length_of(written), *_tags(tag)])


def _tags(tag: str) -> list[Header]:
    return [("ETag", tag), *_PRIVATE]


def _length_of(body: bytes) -> Header:
    return "Content-Length", str(len(body))


def cacheable(response: Response, seconds: int) -> Response:
    """Let everybody keep an answer for a while; it can be asked for again by `If-None-Match`."""
    response.headers["Cache-Control"] = f"public, max-age={seconds}"
    response.add_etag()
    conditional: Any = response.make_conditional(request)
    answer: Response = conditional
    return answer


def check_accepts(*media_types: str) -> str:
    """Return the media type that the client likes best of those that can be served.

    :raises Problem: not_acceptable.
    """
    accept = request.environ.get("HTTP_ACCEPT")
    if not accept or accept == "*/*":
        return media_types[0]
    best = request.accept_mimetypes.best_match(media_types)
    if best is None:
        raise Problem("not_acceptable", f"This can be served as {' or '.join(media_types)}.")
    return best


def own_seat(caller: Caller, seat: int, seats: int) -> None:
    """See to it that a caller acts for the seat in the path.

    :raises Problem: seat_not_found, token_required, not_your_seat.
    """
    if seat >= seats:
        raise Problem("seat_not_found")
    if caller.seat is None and not caller.host:
        raise Problem("token_required")
    if caller.seat != seat:
        raise Problem("not_your_seat", f"The token is not that of seat {seat}.")


def host_only(caller: Caller) -> None:
    """See to it that a caller is the host.

    :raises Problem: token_required, host_only.
    """
    if caller.host:
        return
    raise Problem("token_required" if caller.seat is None else "host_only")
