"""What a server for testers answers."""

from __future__ import annotations

from service.schemas.fields import Integer
from service.schemas.responses.shape import ResponseObject


class EmptiedLab(ResponseObject):
    """A store that was emptied."""

    deleted = Integer(0, 2**31 - 1, "How many games there were.")
