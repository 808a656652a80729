"""Requests in, answers out: reading what a client sent and writing JSON, the same way for every route."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NoReturn

import msgspec
from flask import Request, Response, current_app, request
from flask_smorest import Blueprint
from marshmallow import Schema, ValidationError
from webargs.flaskparser import FlaskParser
from werkzeug.datastructures import ETags
from werkzeug.exceptions import ClientDisconnected, HTTPException

from service.auth import Caller
from service.envelope import Header
from service.framework import Ready
from service.games import Games
from service.metrics import Metrics
from service.problems import FieldError, Problem
from service.retries import Call, Reply
from service.streams import Bell, OpenStreams

JSON: Final = "application/json"
_TYPE_JSON: Final = ("Content-Type", JSON)
_NOT_STORED: Final = ("Cache-Control", "no-store")
_PRIVATE: Final = [("Cache-Control", "private, no-cache"), ("Vary", "Authorization, Accept")]
_encoder = msgspec.json.Encoder()
_KEY = re.compile(r"[\x21-\x7e]{1,255}")

_BROKEN = "The body breaks off, or is not in chunks as it says."

MOST_FAULTS = 20
"""How many faults of one body are told: a body of nothing but faults must not have a far larger answer."""


class Parser(FlaskParser):
    """Reads bodies and queries by their schemas, and refuses in the service's own form."""

    DEFAULT_UNKNOWN_BY_LOCATION = FlaskParser.DEFAULT_UNKNOWN_BY_LOCATION | {
        "json": "raise",
        "query": "exclude",
    }

    def load_json(self, req: Request, schema: Schema) -> Any:
        """Return the JSON of the body; an empty body is an empty object."""
        del schema
        return read_json(req)

    def handle_error(
        self,
        error: ValidationError,
        req: Request,
        schema: Schema,
        *,
        error_status_code: int | None,
        error_headers: Mapping[str, str] | None,
    ) -> NoReturn:
        """Refuse what does not fit its schema, with every place that is wrong.

        :raises Problem: invalid_body, invalid_parameter.
        """
        messages: dict[str, Any] = error.messages  # type: ignore[assignment]
        if "json" in messages:
            raise Problem("invalid_body", errors=_faults(messages["json"]))
        found = [
            FieldError(path.lstrip("/"), detail) for path, detail in _faults(messages.get("query", messages))
        ]
        raise Problem("invalid_parameter", errors=found)


class Resource(Blueprint):
    """A blueprint for one resource, whose arguments are read by our parser."""

    ARGUMENTS_PARSER = Parser()

    def arguments(self, schema: type[Schema] | Schema, **kwargs: Any) -> Any:
        """See flask-smorest. A schema is made once, not for every request."""
        return super().arguments(schema() if isinstance(schema, type) else schema, **kwargs)


def _faults(messages: Any) -> list[FieldError]:
    """Return the first faults by place; marshmallow's own order differs from process to process."""
    return [FieldError(*place) for place in sorted(_places(messages))[:MOST_FAULTS]]


def _places(messages: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Flatten marshmallow's nested messages to JSON pointers, each with a sentence."""
    if isinstance(messages, dict):
        for key, inner in messages.items():
            # "_schema" is the object itself.
            yield from _places(inner, path if key == "_schema" else f"{path}/{_escaped(key)}")
    else:
        for message in messages:
            yield path, str(message)


def _escaped(key: object) -> str:
    return str(key).replace("~", "~0").replace("/", "~1")


def read_json(req: Request) -> Any:
    """Return the JSON value of a request's body; of an empty body an empty object.

    :raises Problem: unsupported_media_type, malformed_json, invalid_body.
    """
    data = _body(req)
    if not data:
        return {}
    if not req.is_json:
        sent = req.mimetype or "nothing"
        raise Problem("unsupported_media_type", f"Send Content-Type: application/json; this names {sent}.")
    try:
        return msgspec.json.decode(data)
    except msgspec.ValidationError as error:
        raise Problem("invalid_body", errors=[FieldError("", f"{error}.")]) from error
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        if req.content_encoding:
            raise Problem("unsupported_media_type", "Send the body without Content-Encoding.") from error
        raise Problem("malformed_json") from error


def _body(req: Request) -> bytes:
    """Return a request's body.

    :raises Problem: bad_request, body_too_large, request_timeout.
    """
    try:
        data = req.get_data()
    except ClientDisconnected as error:
        late = isinstance(error.__context__, TimeoutError)
        raise Problem("request_timeout" if late else "bad_request", None if late else _BROKEN) from error
    except HTTPException:
        raise
    except Exception as error:  # what reads the connection is the server's, and so are its errors
        raise Problem("bad_request", _BROKEN) from error
    if req.content_length is not None and len(data) < req.content_length:
        raise Problem("bad_request", "The body breaks off before its Content-Length.")
    if req.content_length is None and len(data) == req.max_content_length:
        raise Problem("body_too_large")  # Werkzeug cuts a body in chunks off there
    return data


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

    :raises Problem: token_unknown, when there is an Authorization header of another kind.
    """
    header: str | None = request.environ.get("HTTP_AUTHORIZATION")
    if header is None:
        return None
    scheme, _, value = header.partition(" ")
    if scheme.lower() != "bearer" or not value.strip():
        raise Problem("token_unknown", "Send the token as `Authorization: Bearer TOKEN`.")
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
    return lambda version: wanted.contains(str(version))


def _any_version(_version: int) -> bool:
    return True


def _fingerprint(req: Request) -> str:
    digest = hashlib.sha256(f"{req.method} {req.path}\n".encode())
    digest.update(_body(req))
    return digest.hexdigest()[:32]


def etag(version: int, form: str = "") -> str:
    """Return the entity tag of a version of a game, in a form of its own if there are several."""
    return f'"{version}{form}"'


def accepted(reply: Reply) -> Response:
    """Write the answer to a write."""
    headers = [_TYPE_JSON, _length_of(reply.body), _NOT_STORED, ("ETag", etag(reply.version))]
    if reply.location is not None:
        headers.append(("Location", reply.location))
    return Ready(reply.body, reply.status, headers)


def shown(view: Any, *, version: int | None = None) -> Response:
    """Write a view as JSON; with a version it can be asked for again by `If-None-Match`."""
    return written(_encoder.encode(view), version=version)


def written(body: bytes, *, version: int | None = None) -> Response:
    """Write JSON that is written already; with a version it can be asked for again by `If-None-Match`."""
    check_accepts(JSON)
    headers = [_TYPE_JSON, _length_of(body)]
    headers += [_NOT_STORED] if version is None else _tags(etag(version))
    return Ready(body, 200, headers)


def unchanged(version: int, form: str = "") -> Response | None:
    """Return 304 when the caller has this version already, in this form if there are several."""
    sent, tag = request.environ.get("HTTP_IF_NONE_MATCH"), etag(version, form)
    if sent is None or not (sent == tag or request.if_none_match.contains_weak(tag[1:-1])):
        return None
    return Ready(b"", 304, _tags(tag))


def tagged(body: str, content_type: str, version: int, form: str) -> Response:
    """Write text that shows a version in a form of its own, so that it can be asked for again."""
    written = body.encode()
    headers = [("Content-Type", content_type), _length_of(written), *_tags(etag(version, form))]
    return Ready(written, 200, headers)


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
