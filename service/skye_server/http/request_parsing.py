"""Request parsing, in the order of a request: query, body, idempotency key, token, preconditions."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from copy import deepcopy
from functools import cache, partial, wraps
from typing import Any, Final, NoReturn

from flask import Request, current_app, g, request
from marshmallow import RAISE, Schema, ValidationError, fields
from marshmallow.exceptions import SCHEMA
from werkzeug.datastructures import ETags
from werkzeug.exceptions import ClientDisconnected, HTTPException
from werkzeug.http import parse_etags

from skye_server.commands.attempts import Command
from skye_server.cooperative_yield import Computation
from skye_server.error_codes import MAX_ERRORS, ErrorPlace, FieldError, Problem
from skye_server.games.authorization import is_player_key, is_token
from skye_server.http.framework import collaborators
from skye_server.http.rate_limits import charge_chunked_body, charge_own_games
from skye_server.http.request_slots import SLOT, RequestSlot

BODY: Final = "skye.body"
"""The key of the received body in the WSGI environment."""

DOCUMENTATION: Final = "_documentation"
"""The attribute of a view with its Operation Object of OpenAPI, in which marshmallow schemas stand."""

TAKES_QUERY: Final = "_takes_query"
"""The attribute that marks a view that reads the query."""

OF_PLAYER: Final = "_of_player"
"""The attribute that marks a view of what belongs to a player."""

OF_VERSION: Final = "_of_version"
"""The attribute that marks a view whose commit checks the preconditions."""

_JSON: Final = "application/json"
_IDEMPOTENCY_KEY = re.compile(r"[\x21-\x7e]{1,255}")
_DIGEST_BYTES: Final = 16

_LARGE_BODY_BYTES: Final = 16_384
_MANY_CONTAINERS: Final = 1_000
"""Bodies of at least this size, or with that many objects and lists, are decoded one at a time."""

BYTES_PER_VALUE: Final = 8
"""A body may have one value for this many bytes of the maximum body size; decoding more takes too long."""

_BYTES_PER_CONTAINER: Final = 32
"""A body may have one object or list for this many bytes of the maximum body size."""

MIN_CONTAINERS: Final = 8_192
"""The number of objects and lists that a body may have with any maximum body size."""

_MAX_DEPTH: Final = 64
"""The maximum depth of nested objects and lists in a body; a record has seven levels."""

MAX_ENTITY_TAGS_LENGTH: Final = 1024
"""The maximum length of a list of entity tags; those of this service have about ten characters each."""


def takes(
    body: type[Schema] | None = None,
    description: str = "",
    *,
    query: type[Schema] | None = None,
    required: bool = True,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Document the query and the body of a view, and pass them as its first arguments, the query first.

    :param description: of the body.
    :param required: whether a request must have a body; without one it is an empty object.
    """
    query_schema = None if query is None else query()  # created once, not for every request
    body_schema = None if body is None else body()

    def decorator(view: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(view)
        def parsed(**path: Any) -> Any:
            arguments = []
            if query_schema is not None:
                arguments.append(_read_query(request, query_schema))
            if body_schema is not None:
                arguments.append(_read_body(request, body_schema))
            return view(*arguments, **path)

        operation: dict[str, Any] = deepcopy(vars(view).get(DOCUMENTATION, {}))
        if query_schema is not None:
            operation["parameters"] = [{"in": "query", "schema": query_schema}]
            vars(parsed)[TAKES_QUERY] = True
        if body_schema is not None:
            content = {_JSON: {"schema": body_schema}}
            operation["requestBody"] = {"description": description, "required": required, "content": content}
        vars(parsed)[DOCUMENTATION] = operation
        return parsed

    return decorator


def _read_query(req: Request, schema: Schema) -> Any:
    """Return the query, loaded by its schema.

    :raises Problem: invalid_parameter.
    """
    sent: dict[str, Any] = {}
    for name, values in req.args.lists() if req.query_string else ():
        is_list = isinstance(schema.fields.get(name), fields.List)
        if len(values) > 1 and name in schema.fields and not is_list:
            error = FieldError(name, "This parameter comes twice.", ErrorPlace.QUERY)
            raise Problem("invalid_parameter", errors=[error])
        sent[name] = values if is_list else values[0]
    try:
        return schema.load(sent, unknown=RAISE) if sent else _defaults(schema).copy()
    except ValidationError as error:
        found = sorted(
            (name, detail)
            for name, inner in error.messages_dict.items()
            for _, detail in _flattened(inner, sent.get(name))
        )[:MAX_ERRORS]
        errors = [FieldError(*each, ErrorPlace.QUERY) for each in found]
        raise Problem("invalid_parameter", errors=errors) from error


@cache
def _defaults(schema: Schema) -> dict[str, Any]:
    """Return the defaults of a query.

    :raises ValidationError: when a parameter is required.
    """
    loaded: dict[str, Any] = schema.load({})
    return loaded


def _read_body(req: Request, schema: Schema) -> Any:
    """Return the body, loaded by its schema; an empty body is an empty object.

    :raises Problem: unsupported_media_type, invalid_body, and what `body_of` and `decode` raise.
    """
    value, body = {}, body_of(req)
    if body:
        if req.mimetype != _JSON:  # not `is_json`: application/merge-patch+json, for one, is another change
            sent = req.mimetype or "nothing"
            raise Problem(
                "unsupported_media_type", f"Send Content-Type: application/json; this names {sent}."
            )
        if (req.content_encoding or "identity").lower() != "identity":
            raise Problem(
                "unsupported_media_type",
                "Send the body without Content-Encoding.",
                headers={"Accept-Encoding": "identity"},  # RFC 9110, section 15.5.16
            )
        is_small = len(body) < _LARGE_BODY_BYTES and body.count(b"[") + body.count(b"{") < _MANY_CONTAINERS
        with nullcontext() if is_small else Computation():
            value = decode(body, req.max_content_length or len(body))
    try:
        # Long lists are separate computations: a computation within another would wait for its end.
        return schema.load(value, unknown=RAISE)
    except ValidationError as error:
        # Sorted, as marshmallow's order differs by process.
        found = sorted(_flattened(error.messages, value))[:MAX_ERRORS]
        raise Problem("invalid_body", errors=[FieldError(*each) for each in found]) from error


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
        raise Problem("bad_request", "The body breaks off, or is not in chunks as it says.") from error
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


def decode(data: bytes, max_bytes: int) -> Any:
    """Return the JSON value of a body, within limits; refuse what parsers interpret differently.

    The number of values is limited before decoding: a body has at most one more than its brackets and commas,
    those in texts included.

    :param max_bytes: the maximum size of a body.
    :raises Problem: malformed_json, invalid_body.
    """
    containers = data.count(b"[") + data.count(b"{")
    limit = max(max_bytes // _BYTES_PER_CONTAINER, MIN_CONTAINERS)
    if containers > limit:
        raise _invalid_body(f"The body has more than {limit} objects and lists.")
    if len(data) > limit and containers + data.count(b",") > max_bytes // BYTES_PER_VALUE:
        raise _invalid_body(f"The body has more than {max_bytes // BYTES_PER_VALUE} values.")
    try:
        value = _DECODER.decode(data.decode())
        if b"\\u" in data:
            json.dumps(value, ensure_ascii=False).encode()  # fails for half of a surrogate pair
    except (json.JSONDecodeError, UnicodeError, RecursionError) as error:
        raise Problem("malformed_json") from error
    except ValueError as error:  # an integer of more than 4,300 digits
        raise _invalid_body("A number is out of range.") from error
    if containers > _MAX_DEPTH:
        _check_depth(value)
    return value


def _members(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; one with two members of one name means different things to parsers (RFC 8259, 4).

    :raises Problem: malformed_json.
    """
    found = dict(members)
    if len(found) < len(members):
        twice = next(name for name, count in Counter(name for name, _ in members).items() if count > 1)
        raise Problem("malformed_json", f"An object has two members named {json.dumps(twice)}.")
    return found


def _float(text: str) -> float:
    """Return a number with a fraction or an exponent.

    :raises ValueError: if it is out of range.
    """
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError(text)
    return number


def _refuse_constant(name: str) -> NoReturn:
    """Refuse `NaN`, `Infinity` and `-Infinity`, which Python's decoder would take."""
    raise json.JSONDecodeError("not JSON", name, 0)


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_members, parse_float=_float, parse_constant=_refuse_constant
)


def _check_depth(value: Any) -> None:
    """Limit the depth of a JSON value, which not every Python would parse.

    :raises Problem: malformed_json.
    """
    level, depth = [value], 0
    while level := [part for part in level if isinstance(part, dict | list)]:
        depth += 1
        if depth > _MAX_DEPTH:
            raise Problem("malformed_json", f"The body is nested more than {_MAX_DEPTH} levels deep.")
        level = [inner for part in level for inner in (part.values() if isinstance(part, dict) else part)]


def _invalid_body(detail: str) -> Problem:
    return Problem("invalid_body", errors=[FieldError("", detail)])


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
            escaped = str(key).replace("~", "~0").replace("/", "~1")
            yield from _flattened(inner, members.get(key), f"{path}/{escaped}")


def command_from_request() -> Command:
    """Return the credentials, the idempotency key and the preconditions of the current request.

    :raises Problem: token_unknown, invalid_parameter, and what `body_of` raises.
    """
    key = request.environ.get("HTTP_IDEMPOTENCY_KEY")
    if key is not None and not _IDEMPOTENCY_KEY.fullmatch(key):
        raise _invalid_header("Idempotency-Key", "This has not from 1 to 255 visible ASCII characters.")
    token, digest = bearer_token(), b""
    if key is not None:  # which must not be reused for another method, path or body
        hashed = hashlib.sha256(f"{request.method} {request.path}\n".encode())
        hashed.update(body_of(request))
        digest = hashed.digest()[:_DIGEST_BYTES]
    return Command(token, key, digest, request.remote_addr or "", _version_condition())


def require_idempotency_key() -> None:
    """Check that the request has an idempotency key.

    :raises Problem: invalid_parameter.
    """
    if "HTTP_IDEMPOTENCY_KEY" not in request.environ:
        raise _invalid_header("Idempotency-Key", "This header is required.")


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


def _version_condition() -> Callable[[int], bool] | None:
    """Return the check whether the request may change a version of a game; None without preconditions.

    The entity tags for any caller and media type name the version.

    :raises Problem: invalid_parameter.
    """
    wanted, unwanted = entity_tags("If-Match"), entity_tags("If-None-Match")
    if wanted is None and unwanted is None:
        return None

    def accepts(version: int) -> bool:
        named = [
            tags is not None
            and (tags.star_tag or str(version) in {tag.partition("-")[0] for tag in tags.as_set(weak) if tag})
            for tags, weak in ((wanted, False), (unwanted, True))
        ]
        return named == [wanted is not None, False]

    return accepts


def entity_tags(name: str) -> ETags | None:
    """Return the entity tags that a header of the request lists, None without this header.

    :param name: the name of the header.
    :raises Problem: invalid_parameter, when the list is too long.
    """
    sent: str | None = request.environ.get(f"HTTP_{name.upper().replace('-', '_')}")
    if sent is not None and len(sent) > MAX_ENTITY_TAGS_LENGTH:
        raise _invalid_header(name, f"This is longer than {MAX_ENTITY_TAGS_LENGTH} characters.")
    return None if sent is None else parse_etags(sent)


def _invalid_header(name: str, detail: str) -> Problem:
    return Problem("invalid_parameter", errors=[FieldError(name, detail, ErrorPlace.HEADER)])


def refuse_unknown_parameters() -> None:
    """Refuse query parameters of an operation of the API that takes none.

    :raises Problem: invalid_parameter.
    """
    if request.method == "OPTIONS" or not f"{request.path}/".startswith("/v1/"):
        return  # a preflight has the query of the request that follows
    view = current_app.view_functions.get(request.endpoint or "")
    if view is None or TAKES_QUERY in vars(view):
        return
    if names := list(request.args)[:MAX_ERRORS]:
        unknown = [FieldError(name, "There is no such parameter.", ErrorPlace.QUERY) for name in names]
        raise Problem("invalid_parameter", errors=unknown)


def player_of_request() -> str:
    """Return the player of a request about what belongs to the player, found once for each request.

    :raises Problem: what `require_player` raises.
    """
    if "player" not in g:
        g.player = collaborators().games.identities.require_player(bearer_token())
    player: str = g.player
    return player


def charged_player(*, active: bool = True) -> str:
    """Return the player of a request that reads all games of the player, and charge for them.

    :param active: whether the request reads only games that are not over.
    :raises Problem: too_many_requests, store_unavailable.
    """
    games, player = collaborators().games, player_of_request()
    charge_own_games(partial(games.players.count_games, player, active=active))
    return player
