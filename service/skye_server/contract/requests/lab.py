"""The request bodies of lab servers."""

from __future__ import annotations

from typing import Any, Final

from marshmallow import fields

from skye_server.contract.enums.http import FaultyMethod
from skye_server.contract.fields import Boolean, Integer
from skye_server.contract.objects import Object

MAX_FAULTY_REQUESTS = 1_000
"""How many requests of a game can have a fault in advance."""

MAX_FAULT_LENGTH = 200

FAULT_KEYWORDS: Final[dict[str, Any]] = {
    "minLength": 1,
    "maxLength": MAX_FAULT_LENGTH,
    "pattern": r"^[a-z_]+(=[0-9]+)?(, ?[a-z_]+(=[0-9]+)?)*$",
    "examples": ["status=503"],
}


class Fault(fields.String):
    """Faults, as in the header `Skye-Fault`."""

    def __init__(self, description: str, **kwargs: Any) -> None:
        super().__init__(metadata={"description": description, **FAULT_KEYWORDS}, **kwargs)


class GameFault(Object):
    """The fault of the next requests of a game."""

    fault = Fault("The fault, as in the header `Skye-Fault`.", required=True)
    requests = Integer(
        1, MAX_FAULTY_REQUESTS, "How many requests have the fault; 1 if left out.", load_default=1
    )
    method = FaultyMethod("The method of these requests; any if left out.", load_default=None)


class InboxAnswer(Object):
    """How an inbox answers requests that are no challenges, or these too."""

    status = Integer(200, 599, "The status; 204 if left out.", load_default=204)
    body = fields.Raw(
        load_default=None,
        allow_none=True,
        metadata={"description": "The body, any JSON; none if left out."},
    )
    fault = Fault("A fault of the response, as in `Skye-Fault`; none if left out.", load_default=None)
    challenges = Boolean("Whether it answers challenges; true if left out.", load_default=True)
    plays = Boolean(
        "Whether it answers decisions of bots at URLs with the first legal action; false if left out.",
        load_default=False,
    )
