"""Cross-origin requests: pages of the allowed origins may call the API; bearer tokens need no cookies."""

from __future__ import annotations

from http import HTTPStatus

from flask import Flask, Response, request

from skye_server.settings import Settings

_EXPOSED_HEADERS = (
    "ETag, Date, Location, Link, Retry-After, Allow, X-Request-Id, RateLimit, RateLimit-Policy, "
    "Deprecation, Sunset, Skye-Lab"
)
_EXPOSED = ("Access-Control-Expose-Headers", _EXPOSED_HEADERS)
_ACCEPTED_HEADERS = (
    "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, X-Request-Id, "
    "Skye-Fault, traceparent, tracestate"
)
_PREFLIGHT_S = 86_400


def headers_for_all_origins(settings: Settings) -> list[tuple[str, str]]:
    """Return the headers of every response if pages of all origins may call the API."""
    if not settings.allows_all_origins:
        return []
    return [("Access-Control-Allow-Origin", "*"), _EXPOSED]


def headers_without_app(settings: Settings, origin: str | None) -> list[tuple[str, str]]:
    """Return the headers of a response that the worker sends without the application.

    :param origin: that of the request, None if it is unknown.

    >>> dict(headers_without_app(Settings(cors_origins=("https://a.example",)), "https://b.example"))
    {'Vary': 'Origin'}
    """
    if settings.allows_all_origins or not settings.cors_origins:
        return headers_for_all_origins(settings)
    is_allowed = origin is not None and settings.allows_origin(origin)
    allowed = [("Access-Control-Allow-Origin", origin)] if origin and is_allowed else []
    return [("Vary", "Origin"), *allowed, *([_EXPOSED] if allowed else [])]


def register(app: Flask, settings: Settings) -> None:
    """Respond to preflights, and add CORS headers to responses for the allowed origins."""
    all_origins = settings.allows_all_origins
    options_of_flask = app.make_default_options_response

    def add_headers(response: Response) -> Response:
        response.headers.add("Vary", "Origin")  # without an Origin too: a shared cache may keep the response
        origin = request.headers.get("Origin")
        if origin is None or not settings.allows_origin(origin):
            return response
        response.headers["Access-Control-Allow-Origin"] = origin
        response.headers["Access-Control-Expose-Headers"] = _EXPOSED_HEADERS
        return response

    def respond_to_options() -> Response:
        response = options_of_flask()
        response.status_code = HTTPStatus.NO_CONTENT
        del response.headers["Content-Type"]  # HTML, by default
        allowed = all_origins or settings.allows_origin(request.headers.get("Origin"))
        if allowed and "Access-Control-Request-Method" in request.headers:
            response.headers["Access-Control-Allow-Methods"] = "GET, POST, PUT, PATCH, DELETE, OPTIONS"
            response.headers["Access-Control-Allow-Headers"] = _ACCEPTED_HEADERS
            response.headers["Access-Control-Max-Age"] = str(_PREFLIGHT_S)
        return response

    app.make_default_options_response = respond_to_options  # type: ignore[method-assign]  # for OPTIONS only
    if not all_origins:
        app.after_request(add_headers)
