"""The responses of lab servers."""

from __future__ import annotations

from service.schemas.fields import Integer
from service.schemas.responses.shape import ResponseObject


class EmptiedLab(ResponseObject):
    """The result of deleting all games."""

    deleted = Integer(0, 2**31 - 1, "The number of deleted games.")
