"""What the replacement of a player key, or of a host token, does to the webhooks that were made with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Final, TypeAlias

from skye.fields import Keywords
from skye_server.contract.fields import Boolean
from skye_server.http.framework import collaborators, feature
from skye_server.webhooks.views import ReplacedWebhook, replaced_view
from skye_server.webhooks.webhook_record import Webhook
from skye_server.webhooks.webhooks import Webhooks

_KEEP: Final = Boolean(
    "Whether webhooks that were made with the old key stay active; they are disabled if left out.",
    load_default=False,
)

_OfKey: TypeAlias = Annotated[
    Sequence[ReplacedWebhook],
    Keywords(maxItems=10_000),
    "The webhooks that were made with the old key, of the player and of games that the player hosts: "
    "disabled now unless the request keeps them (`keep_webhooks`).",
]

_OfHostToken: TypeAlias = Annotated[
    Sequence[ReplacedWebhook],
    Keywords(maxItems=100),
    "The webhooks of the game that were made with the old token: disabled now.",
]


FIELDS: Final[Mapping[str, Mapping[str, Any]]] = {
    "PlayerKeyToUse": {"keep_webhooks": _KEEP},
    "ReplacedPlayerKey": {"webhooks": _OfKey},
    "HostToken": {"webhooks": _OfHostToken},
}
"""The fields of requests and responses, by the names of the components."""


def key_replaced(player: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """Disable the webhooks that the replaced key of a player has made; return the field of the response."""
    found = _webhooks().of_replaced_key(player, body["key"], keep=body["keep_webhooks"])
    return _replaced(found)


def host_token_replaced(game: str) -> dict[str, Any]:
    """Disable the webhooks that the replaced host token has made; return the field of the response."""
    return _replaced(_webhooks().of_replaced_host_token(game))


def _replaced(found: Iterable[Webhook]) -> dict[str, Any]:
    now_ms = collaborators().games.now_ms()
    return {"webhooks": [replaced_view(webhook, now_ms) for webhook in found]}


def _webhooks() -> Webhooks:
    found: Webhooks = feature("webhooks")
    return found
