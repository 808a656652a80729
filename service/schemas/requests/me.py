"""What the service takes to replace a player key."""

from __future__ import annotations

from service.schemas.objects import Object
from service.schemas.strings import PlayerKey


class KeyToUse(Object):
    """A player key that replaces the one that is sent as the bearer token."""

    key = PlayerKey("The new key. Send the same one again after a failure.", required=True)
