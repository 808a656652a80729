"""Request parsing: bodies and queries by their schemas, bearer tokens, idempotency keys, entity tags."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import cache, wraps
from typing import Any, Final

from flask import Request, current_app, request
from flask_smorest import Blueprint
from marshmallow import RAISE, Schema, ValidationError, fields
from marshmallow.exceptions import SCHEMA
from werkzeug.exceptions import ClientDisconnected, HTTPException

from skye_server.commands.attempts import Command
from skye_server.cooperative_yield import Computation
from skye_server.error_codes import MAX_ERRORS, FieldError, Problem
from skye_server.games.authorization import is_player_key, is_token
from skye_server.http.json_decoding import decode
from skye_server.http.preconditions import version_condition
from skye_server.http.rate_limits import charge_chunked_body
from skye_server.http.request_slots import SLOT, RequestSlot

_JSON: Final = "application/json"
_IDEMPOTENCY_KEY = re.compile(r"[\x21-\x7e]{1,255}")
_DIGEST_BYTES: Final = 16

_LARGE_BODY_BYTES: Final = 16_384
_MANY_CONTAINERS: Final = 1_000
"""Bodies of at least this size, or with that many objects and lists, are decoded one at a time."""

_INCOMPLETE: Final = "The body breaks off, or is not in chunks as it says."

BODY: Final = "skye.body"
"""The key of the received body in the WSGI environment."""

TAKES_QUERY: Final = "_takes_query"
"""The attribute that marks a view that reads the query."""

OF_PLAYER: Final = "_of_player"
"""The attribute that marks a view of what belongs to a player."""

_UNKNOWN_PARAMETER: Final = "There is no such parameter."


class Resource(Blueprint):
    """A blueprint for one resource."""

    def arguments(self, schema: type[Schema] | Schema, **kwargs: Any) -> Any:
        """Document the body or the query of a view as flask-smorest does, and pass it as the first argument.

        It is parsed here and not by webargs, which takes twice as long. A schema is created once, not for
        every request.
        """
        made = schema() if isinstance(schema, type) else schema
        documented = super().arguments(made, **kwargs)
        read = _read_query if kwargs.get("location") == "query" else _read_body

        def decorator(view: Callable[..., Any]) -> Callable[..., Any]:
            @wraps(documented(view))
            def wrapper(*read_before: Any, **named: Any) -> Any:
                return view(*read_before, read(request, made), **named)

            if read is _read_query:
                vars(wrapper)[TAKES_QUERY] = True
            return wrapper

        return decorator


def _read_body(req: Request, schema: Schema) -> Any:
    """Return the body, loaded by its schema.

    :raises Problem: invalid_body, and what `body_of` and `_json_of` raise.
    """
    body = body_of(req)
    is_small = len(body) < _LARGE_BODY_BYTES and body.count(b"[") + body.count(b"{") < _MANY_CONTAINERS
    with nullcontext() if is_small else Computation():
        value = _json_of(req, body)
    try:
        # Long lists are separate computations: a computation within another would wait for its end.
        return schema.load(value, unknown=RAISE)
    except ValidationError as error:
        # Sorted, as marshmallow's order differs by process.
        found = sorted(_flattened(error.messages, value))[:MAX_ERRORS]
        raise Problem("invalid_body", errors=[FieldError(*each) for each in found]) from error


def _read_query(req: Request, schema: Schema) -> Any:
    """Return the query, loaded by its schema.

    :raises Problem: invalid_parameter.
    """
    sent: dict[str, Any] = {}
    for name, values in req.args.lists() if req.query_string else ():
        is_list = isinstance(schema.fields.get(name), fields.List)
        if len(values) > 1 and name in schema.fields and not is_list:
            raise Problem(
                "invalid_parameter", errors=[FieldError(name, "This parameter comes twice.", "query")]
            )
        sent[name] = values if is_list else values[0]
    try:
        return schema.load(sent, unknown=RAISE) if sent else _defaults(schema).copy()
    except ValidationError as error:
        found = sorted(
            (name, detail)
            for name, inner in error.messages_dict.items()
            for _, detail in _flattened(inner, sent.get(name))
        )[:MAX_ERRORS]
        raise Problem("invalid_parameter", errors=[FieldError(*each, "query") for each in found]) from error


@cache
def _defaults(schema: Schema) -> dict[str, Any]:
    """Return the defaults of a query.

    :raises ValidationError: when a parameter is required.
    """
    loaded: dict[str, Any] = schema.load({})
    return loaded


def refuse_unknown_parameters() -> None:
    """Refuse query parameters of an operation of the API that takes none.

    :raises Problem: invalid_parameter.
    """
    if request.method == "OPTIONS" or not f"{request.path}/".startswith("/v1/"):
        return  # a preflight has the query of the request that follows
    view = current_app.view_functions.get(request.endpoint or "")
    if view is None or TAKES_QUERY in vars(view):
        return
    names = list(request.args)[:MAX_ERRORS]
    if not names:
        return
    raise Problem(
        "invalid_parameter", errors=[FieldError(name, _UNKNOWN_PARAMETER, "query") for name in names]
    )


def _flattened(messages: Any, sent: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Flatten marshmallow's nested messages about a value to JSON pointers, each with a sentence."""
    if not isinstance(messages, dict):
        yield from ((path, str(message)) for message in messages)
        return
    members = dict(enumerate(sent)) if isinstance(sent, list) else sent if isinstance(sent, dict) else {}
    for key, inner in messages.items():
        if key == SCHEMA and key not in members:  # the value itself
            yield from _flattened(inner, sent, path)
        else:
            yield from _flattened(inner, members.get(key), f"{path}/{_escaped(key)}")


def _escaped(key: object) -> str:
    return str(key).replace("~", "~0").replace("/", "~1")


def _json_of(req: Request, data: bytes) -> Any:
    """Return the JSON value of a request's body; for an empty body an empty object.

    :raises Problem: unsupported_media_type, malformed_json, invalid_body.
    """
    if not data:
        return {}
    if req.mimetype != _JSON:  # not `is_json`: types such as application/merge-patch+json mean another change
        sent = req.mimetype or "nothing"
        raise Problem("unsupported_media_type", f"Send Content-Type: application/json; this names {sent}.")
    if (req.content_encoding or "identity").lower() != "identity":
        raise Problem("unsupported_media_type", "Send the body without Content-Encoding.")
    return decode(data, req.max_content_length or len(data))


def body_of(req: Request) -> bytes:
    """Return a request's body, which is received at the first call.

    :raises Problem: bad_request, body_too_large, request_timeout; too_many_requests for a chunked body.
    """
    body: bytes | None = req.environ.get(BODY)
    if body is None:
        body = req.environ[BODY] = _received(req)
    return body


def _received(req: Request) -> bytes:
    """Receive a body; if it has a length, from the server directly, without the wrappers of Werkzeug.

    :raises Problem: what `body_of` raises.
    """
    length, limit = req.content_length, req.max_content_length or 0
    if length is not None and length > limit:
        raise Problem("body_too_large")
    slot: RequestSlot | None = req.environ.get(SLOT)
    if slot is not None:
        slot.release()  # the client may be slow
    try:
        data: bytes = req.get_data() if length is None else req.environ["wsgi.input"].read(length)
    except Exception as error:  # the server reads the connection, and may raise any exception
        if isinstance(error, HTTPException) and not isinstance(error, ClientDisconnected):
            raise
        if isinstance(error, TimeoutError) or isinstance(error.__context__, TimeoutError):
            raise Problem("request_timeout") from error
        raise Problem("bad_request", _INCOMPLETE) from error
    finally:
        if slot is not None:
            slot.acquire()
    if length is not None and len(data) < length:
        raise Problem("bad_request", "The body breaks off before its Content-Length.")
    if length is None:
        charge_chunked_body(len(data))
        if len(data) == limit:
            raise Problem("body_too_large")  # Werkzeug truncates a chunked body there
    return data


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
    if not is_token(token) and not is_player_key(token):
        raise Problem("token_unknown")
    return token


def command_from_request() -> Command:
    """Return the credentials, the idempotency key and the preconditions of the current request.

    :raises Problem: token_unknown, invalid_parameter, and what `body_of` raises.
    """
    environ = request.environ
    key = environ.get("HTTP_IDEMPOTENCY_KEY")
    if key is not None and not _IDEMPOTENCY_KEY.fullmatch(key):
        detail = "This has not from 1 to 255 visible ASCII characters."
        raise Problem("invalid_parameter", errors=[FieldError("Idempotency-Key", detail, "header")])
    token = bearer_token()
    digest = b"" if key is None else _digest(request)
    address = request.remote_addr or ""
    return Command(token, key, digest, address, version_condition())


def require_idempotency_key() -> None:
    """Check that the request has an idempotency key.

    :raises Problem: invalid_parameter.
    """
    if "HTTP_IDEMPOTENCY_KEY" not in request.environ:
        raise Problem(
            "invalid_parameter", errors=[FieldError("Idempotency-Key", "This header is required.", "header")]
        )


def _digest(req: Request) -> bytes:
    """Return a digest of method, path and body: a key must not be reused for another request."""
    digest = hashlib.sha256(f"{req.method} {req.path}\n".encode())
    digest.update(body_of(req))
    return digest.digest()[:_DIGEST_BYTES]
