"""Enumerations of requests and errors."""

from __future__ import annotations

from skye_server.contract.fields import StringEnum
from skye_server.error_codes import ERROR_CODES


class FaultyMethod(StringEnum):
    """The method of requests that have a fault: `GET`, `POST`, `PUT`, `PATCH` or `DELETE`.

    There will be no others under `/v1`.
    """

    choices = ("GET", "POST", "PUT", "PATCH", "DELETE")


class ErrorPlace(StringEnum):
    """A part of a request.

    `body`: a value in the body. `path`, `query`: a parameter in the path or the query. `header`: a header.

    There will be no others under `/v1`.
    """

    choices = ("body", "path", "query", "header")


class ProblemCode(StringEnum):
    """The code of an error; see `GET /docs/errors`.

    A code never changes its meaning. There may be new ones.
    """

    extensible = True
    choices = ERROR_CODES
