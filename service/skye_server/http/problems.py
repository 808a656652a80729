"""Problems: render errors as `application/problem+json` (RFC 9457).

The codes are in `skye_server.error_codes`. No other module writes an error response.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Final

import msgspec
from flask import Flask, Response, current_app, request
from werkzeug.exceptions import HTTPException

from skye import RuleError
from skye_server.error_codes import ERROR_CODES, Problem
from skye_server.http.middleware import PROBLEM_CODE, REQUEST_ID, trace_id
from skye_server.observability.logs import facts

CONTENT_TYPE = "application/problem+json"

SERVICE_LINKS: Final = '</openapi.yaml>; rel="service-desc", </docs>; rel="service-doc"'
"""The `Link` header that leads to the contract and the guide (RFC 8631)."""

_ACRONYMS: Final = ("json", "uri")
"""The words of error codes that titles write in capitals."""

MAX_DETAIL: Final = 1000
MAX_FIELD_TEXT: Final = 500
"""Characters of `detail`, and of each text in `errors`."""

RETRY_AFTER_S = 1
"""The `Retry-After` of 429 and 503 that name no other."""


def title_of(status: int) -> str:
    """Return the reason phrase of a status in RFC 9110; Python's own differs between versions."""
    return {413: "Content Too Large", 414: "URI Too Long", 422: "Unprocessable Content"}.get(
        status
    ) or HTTPStatus(status).phrase


def _title_of_code(code: str) -> str:
    """Return the words of an error code.

    >>> _title_of_code("malformed_json")
    'Malformed JSON'
    """
    words = code.split("_")
    title = " ".join(word.upper() if word in _ACRONYMS else word for word in words)
    return title[0].upper() + title[1:]


def response_for(problem: Problem | RuleError, request_id: str, trace: str | None = None) -> Response:
    """Return the problem response for an error of the request with an id.

    :param trace: the id of the trace that the client named.
    """
    error_code = ERROR_CODES[problem.code]
    body: dict[str, Any] = {
        "type": f"/docs/errors#{problem.code}",
        "title": _title_of_code(problem.code),
        "status": error_code.status,
        "detail": _shortened(problem.detail, MAX_DETAIL),
        "instance": f"urn:skye:request:{request_id}",
        "code": problem.code,
    }
    if trace is not None:
        body["trace_id"] = trace
    links = f'</docs/errors#{problem.code}>; rel="describedby", {SERVICE_LINKS}'
    headers: dict[str, str] = {"Cache-Control": "no-store", "Link": links}
    params = problem.facts if isinstance(problem, RuleError) else problem.params
    if params:
        body["params"] = params
    if isinstance(problem, Problem):
        headers |= problem.headers
        if problem.errors is not None:
            body["errors"] = [
                {name: _shortened(text, MAX_FIELD_TEXT) for name, text in error.view.items()}
                for error in problem.errors
            ]
    if error_code.status in (429, 503):
        headers.setdefault("Retry-After", str(RETRY_AFTER_S))
    if error_code.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return Response(msgspec.json.encode(body), error_code.status, headers, content_type=CONTENT_TYPE)


def _shortened(text: str, length: int) -> str:
    """Return a text that may quote the client's input, cut to the length that the contract promises."""
    return text if len(text) <= length else f"{text[: length - 1]}…"


def _handle_problem(problem: Problem | RuleError) -> Response:
    """Return the problem response, and record its code for metrics and the access log."""
    request.environ[PROBLEM_CODE] = problem.code
    return response_for(problem, request.environ[REQUEST_ID], trace_id(request.environ))


_BY_STATUS = {
    400: "bad_request",
    404: "not_found",
    405: "method_not_allowed",
    406: "not_acceptable",
    413: "body_too_large",
    415: "unsupported_media_type",
}


def _http_error(error: HTTPException) -> Response:
    """Return the problem for an error of Flask: unknown path, method, too large a body."""
    code = _BY_STATUS.get(error.code or 500, "bad_request" if (error.code or 500) < 500 else "internal_error")
    headers = {name: value for name, value in error.get_headers() if name == "Allow"}
    return _handle_problem(Problem(code, headers=headers))


def _unexpected(error: Exception) -> Response:
    known = facts(
        request_id=request.environ.get(REQUEST_ID),
        trace_id=trace_id(request.environ),
        method=request.method,
        endpoint=request.endpoint,
    )
    current_app.logger.error("unexpected error", exc_info=error, extra=known)
    return _handle_problem(Problem("internal_error"))


def register(app: Flask) -> None:
    """Register error handlers that render every error as a problem."""
    app.register_error_handler(Problem, _handle_problem)
    app.register_error_handler(RuleError, _handle_problem)
    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(Exception, _unexpected)
