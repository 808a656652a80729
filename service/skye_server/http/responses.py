"""Responses: JSON, entity tags and caching headers, and content negotiation."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, Final
from urllib.parse import urlencode

import msgspec
from flask import Response, request
from werkzeug.datastructures import MIMEAccept

from skye_server.commands.attempts import Attempt
from skye_server.commands.views import changed_view
from skye_server.error_codes import Problem
from skye_server.games.authorization import SPECTATOR, Caller
from skye_server.games.game import Game
from skye_server.games.public_counters import counters_for
from skye_server.games.views.actions import seat_actions
from skye_server.http.middleware import Header
from skye_server.http.request_parsing import entity_tags

JSON: Final = "application/json"
SVG: Final = "image/svg+xml"
_NOT_STORED: Final = ("Cache-Control", "no-store")
_PRIVATE: Final = [("Cache-Control", "private, no-cache"), ("Vary", "Authorization, Accept")]
_encoder = msgspec.json.Encoder()


def etag(version: int, caller: Caller = SPECTATOR, form: str = "") -> str:
    """Return the entity tag of a version of a game for a caller.

    The caller is part of it: a browser sends the tag that it has with the token of another caller.

    :param form: a suffix for what else distinguishes the representations of a path.

    >>> etag(4), etag(4, Caller(seat=1)), etag(4, Caller(seat=1, host=True)), etag(4, form="-svg")
    ('"4"', '"4-seat1"', '"4-host-seat1"', '"4-svg"')
    """
    role = ("-host" if caller.host else "") + ("-invited" if caller.invited else "")
    seat = "" if caller.seat is None else f"-seat{caller.seat}"
    return f'"{version}{role}{seat}{form}"'


def etag_of(game: Game, caller: Caller, form: str = "") -> str:
    """Return the entity tag of a game for a caller, with the version that the caller may see."""
    return etag(counters_for(game, caller).version, caller, form)


def uncached_json(view: Any, status: int = 200, headers: Sequence[Header] = ()) -> Response:
    """Return a view as JSON that no cache stores."""
    return Response(_encoder.encode(view), status, [_NOT_STORED, *headers], content_type=JSON)


def json_response(view: Any, *, tag: str | None = None, more_headers: Sequence[Header] = ()) -> Response:
    """Return a view as JSON; with an entity tag, 304 when the client already has it.

    :raises Problem: not_acceptable; with a tag invalid_parameter.
    """
    cached = None if tag is None else not_modified(tag)
    return cached or encoded_json_response(_encoder.encode(view), tag=tag, more_headers=more_headers)


def versioned_json(game: Game, caller: Caller, view: Mapping[str, object]) -> Response:
    """Return a view of a game as the caller may see it, with the version of the game, also as its entity tag.

    :raises Problem: not_acceptable, invalid_parameter.
    """
    version = counters_for(game, caller).version
    return json_response({"version": version, **view}, tag=etag_of(game, caller))


def link_to_next(path: str, query: Mapping[str, object]) -> list[Header]:
    """Return the `Link` header (RFC 8288) that names the next page.

    >>> link_to_next("/v1/games", {"cursor": "42", "limit": 2})
    [('Link', '</v1/games?cursor=42&limit=2>; rel="next"')]
    """
    return [("Link", f'<{path}?{urlencode(query)}>; rel="next"')]


def encoded_json_response(
    body: bytes, *, tag: str | None = None, more_headers: Sequence[Header] = ()
) -> Response:
    """Return JSON that is encoded already, with its entity tag if it can be revalidated by `If-None-Match`.

    :raises Problem: not_acceptable.
    """
    check_accepts(JSON)
    headers = [*more_headers, *([_NOT_STORED] if tag is None else _cache_headers(tag))]
    return Response(body, 200, headers, content_type=JSON)


def json_with(encoded: bytes, members: Mapping[str, object]) -> bytes:
    """Return an encoded JSON object, which is not empty, with additional members.

    >>> json_with(b'{"a":1}', {"b": 2})
    b'{"a":1,"b":2}'
    """
    return encoded[:-1] + b"," + _encoder.encode(members)[1:]


NDJSON: Final = "application/x-ndjson"
"""One JSON object on each line."""


def ndjson_response(lines: Iterable[bytes]) -> Response:
    """Return lines of JSON as they become known, compressed if the client accepts gzip."""
    headers = {"Cache-Control": "no-store", "Vary": "Accept-Encoding"}
    if request.accept_encodings["gzip"] > 0:
        headers["Content-Encoding"] = "gzip"
        lines = _gzipped(lines)
    return Response(lines, headers=headers, content_type=NDJSON)


def _gzipped(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield compressed lines; flush after each, so that the client can decompress every line it receives."""
    compressor = zlib.compressobj(wbits=31)
    for line in lines:
        yield compressor.compress(line) + compressor.flush(zlib.Z_SYNC_FLUSH)
    yield compressor.flush()


def game_response(changed: Attempt[Game], *, with_actions: bool = False) -> Response:
    """Return a changed game as the caller may see it, with the legal actions of the seat if asked."""
    view = changed_view(changed)
    if with_actions:
        view["actions"] = seat_actions(changed.game, changed.caller)["actions"]
    return uncached_json(view, headers=[("ETag", tag_to_match(changed))])


def created_response(changed: Attempt[Game], view: Mapping[str, object], location: str) -> Response:
    """Return a view of what a command has created, with the entity tag of the version of the game."""
    return uncached_json(view, 201, [("ETag", tag_to_match(changed)), ("Location", location)])


def tag_to_match(changed: Attempt[Game]) -> str:
    """Return the entity tag of a changed game for `If-Match` of the next change."""
    return etag(counters_for(changed.game, changed.caller).version)


def not_modified(tag: str) -> Response | None:
    """Return 304 when the client already has the representation with this entity tag, otherwise None.

    :raises Problem: invalid_parameter.
    """
    known = entity_tags("If-None-Match")
    if known is None or not known.contains_weak(tag[1:-1]):
        return None
    response = Response(status=304, headers=_cache_headers(tag))
    del response.headers["Content-Type"]
    return response


def text_response(text: str, content_type: str, tag: str) -> Response:
    """Return text that can be revalidated by its entity tag."""
    return Response(text, 200, _cache_headers(tag), content_type=content_type)


def _cache_headers(tag: str) -> list[Header]:
    return [("ETag", tag), *_PRIVATE]


def cacheable(response: Response, seconds: int) -> Response:
    """Let every cache store a response for a while; it can be revalidated by `If-None-Match`.

    :raises Problem: invalid_parameter.
    """
    entity_tags("If-None-Match")
    response.headers["Cache-Control"] = f"public, max-age={seconds}"
    response.add_etag()
    # Werkzeug's comparison of If-Match would refuse `*`: the middleware compares it.
    environ = {name: value for name, value in request.environ.items() if name != "HTTP_IF_MATCH"}
    conditional: Any = response.make_conditional(environ)
    revalidated: Response = conditional
    return revalidated


def compressed(body: bytes, content_type: str, seconds: int, *, keep: bool = True) -> Response:
    """Return a body that every cache stores for a while, compressed by gzip if the client accepts that.

    Only for bodies that are the same for all callers: the size of a compressed response that mixes a secret
    with what the request sent would reveal the secret (BREACH).

    :param keep: whether to keep the compressed body permanently. Of bodies that the request determines a part
        of, such as the address, the latest are kept.
    """
    accepts_gzip = request.accept_encodings["gzip"] > 0
    response = Response(content_type=content_type)
    if not accepts_gzip:
        response.data = body
    else:
        response.data = gzipped(body) if keep else _gzipped_lately(body)
    response.headers["Vary"] = "Accept-Encoding"
    if accepts_gzip:
        response.headers["Content-Encoding"] = "gzip"
    return cacheable(response, seconds)


@cache
def gzipped(body: bytes) -> bytes:
    """Return a compressed body, without a time in it, so that its entity tag is the same in every process.

    Pictures, which are mostly numbers, are smaller by Z_FILTERED (54,995 bytes, not 57,145, for the sheet
    of all tiles), texts by the default strategy: the smaller result counts.
    """
    return min(_gzipped_by(zlib.Z_DEFAULT_STRATEGY, body), _gzipped_by(zlib.Z_FILTERED, body), key=len)


def _gzipped_by(strategy: int, body: bytes) -> bytes:
    """Return a body compressed by a strategy of zlib, with a header of gzip (its window is 16 more)."""
    compressor = zlib.compressobj(
        zlib.Z_BEST_COMPRESSION, zlib.DEFLATED, 16 + zlib.MAX_WBITS, zlib.DEF_MEM_LEVEL, strategy
    )
    return compressor.compress(body) + compressor.flush()


@lru_cache(maxsize=8)
def _gzipped_lately(body: bytes) -> bytes:
    return gzip.compress(body, mtime=0)


def check_accepts(*media_types: str) -> str:
    """Return the media type among those offered that the client prefers.

    Parameters of a media range, such as `charset=utf-8`, exclude nothing: each type has one form here.

    :raises Problem: not_acceptable.
    """
    accept = request.environ.get("HTTP_ACCEPT")
    if not accept or accept == "*/*":
        return media_types[0]
    ranges = [
        (media_range.partition(";")[0].strip(), quality) for media_range, quality in request.accept_mimetypes
    ]
    best = MIMEAccept(ranges).best_match(media_types)
    if best is None:
        raise Problem("not_acceptable", f"This can be served as {' or '.join(media_types)}.")
    return best


def no_content() -> Response:
    """Return a response without a body, and so without a content type."""
    response = Response(status=204, headers={"Cache-Control": "no-store"})
    del response.headers["Content-Type"]
    return response
