"""Error responses of the worker itself, to requests that are not valid HTTP or exceed a limit.

Imports of the application are late: gunicorn loads the worker before gevent patches the standard library.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gunicorn.http import errors

from skye_server.worker.client_connection import RequestTimeout

if TYPE_CHECKING:
    from skye_server.error_codes import Problem

_DETAILS: dict[type[Exception], str] = {
    errors.InvalidRequestLine: "The request line is not as HTTP/1.1 has it.",
    errors.InvalidRequestMethod: "A method has from 3 to 20 capital letters.",
    errors.InvalidHTTPVersion: "Only HTTP/1.1 and HTTP/1.0 are spoken here.",
    errors.ExpectationFailed: "The only expectation that can be met is 100-continue.",
    errors.UnsupportedTransferCoding: "The only transfer coding is chunked.",
}
"""The detail by type of exception; all other exceptions concern a header."""

_NAMED_HEADERS = ("CONTENT-LENGTH", "TRANSFER-ENCODING", "HOST")


def problem_for(error: BaseException) -> Problem:
    """Return the problem to report for an exception of gunicorn's request parser."""
    from skye_server.error_codes import Problem  # noqa: PLC0415 - see above

    if isinstance(error, RequestTimeout):
        return Problem("request_timeout")
    if isinstance(error, errors.LimitRequestLine):
        return Problem("uri_too_long")
    if isinstance(error, errors.LimitRequestHeaders):
        return Problem("headers_too_large")
    if isinstance(error, errors.ParseException):
        # Other headers are not repeated: a secret may stand where a name should.
        name = getattr(error, "hdr", None)
        header = f"`{name.title()}`" if name in _NAMED_HEADERS else "A header"
        return Problem("bad_request", _DETAILS.get(type(error), f"{header} is not as HTTP/1.1 has it."))
    return Problem("internal_error")


def encode_response(problem: Problem, application: Any, cors_headers: Sequence[tuple[str, str]]) -> bytes:
    """Return a response as sent on a connection that ends with it, and count it in the metrics.

    :param cors_headers: the headers with which pages can read the response (`cors.headers_without_app`).
    """
    from skye_server.http.framework import collaborators  # noqa: PLC0415 - see above
    from skye_server.http.lab.fault_injection import LAB_HEADER  # noqa: PLC0415 - see above
    from skye_server.http.middleware import default_headers, request_id  # noqa: PLC0415 - see above
    from skye_server.http.problems import response_for  # noqa: PLC0415 - see above

    its = collaborators(application)
    its.metrics.error_sent(problem.code)
    its_id = request_id()
    response = response_for(problem, its_id)
    headers = [*response.headers, *default_headers(its_id), *([LAB_HEADER] if its.lab else []), *cors_headers]
    headers.append(("Connection", "close"))
    head = "".join(f"{name}: {value}\r\n" for name, value in headers)
    return f"HTTP/1.1 {response.status}\r\n{head}\r\n".encode("latin-1") + response.get_data()
