"""The enumerations of the laboratory."""

from __future__ import annotations

from skye_server.contract.fields import StringEnum


class FaultyMethod(StringEnum):
    """The method of requests that have a fault.

    There will be no others under `/v1`.
    """

    choices = ("GET", "POST", "PUT", "PATCH", "DELETE")
    are_listed = True
