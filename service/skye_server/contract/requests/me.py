"""The request body that replaces a player key."""

from __future__ import annotations

from skye_server.contract.fields import Boolean, PlayerKey
from skye_server.contract.objects import Object


class PlayerKeyToUse(Object):
    """A player key that replaces the bearer token of the request."""

    key = PlayerKey("The new key. Send the same key again to retry.", required=True)
    keep_webhooks = Boolean(
        "Whether webhooks that were made with the old key stay active; they are disabled if left out.",
        load_default=False,
    )
