"""What webhooks add to a server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from skye_server.features import ErrorCode, Feature, Handler, Joined

if TYPE_CHECKING:
    from flask import Blueprint

    from skye_server.commands.current_games import Games
    from skye_server.games.due import Due
    from skye_server.http.framework import Host
    from skye_server.openapi.sent_requests import Sent
    from skye_server.store.redis_store import RedisStore

_SLOTS: Final = 192
"""How many requests a process sends to webhooks at once."""

_WAITING_AND_SENDING: Final = 512
"""How many webhooks a process handles at once: those that wait for a slot included."""


def _blueprints() -> Mapping[Blueprint, str]:
    from skye_server.webhooks import routes  # noqa: PLC0415 - it depends on what this module adds

    return {routes.blueprint: "Signed requests that report events to a URL (Standard Webhooks 1.0)."}


def _join(host: Host) -> Joined:
    from skye_server.webhooks.webhooks import Webhooks  # noqa: PLC0415

    return Joined(Webhooks(host.games, host.challenges))


def _fields() -> Mapping[str, Mapping[str, Any]]:
    from skye_server.webhooks import replacements  # noqa: PLC0415

    return replacements.FIELDS


def _sent() -> tuple[Sent, ...]:
    from skye_server.webhooks.sent import sent_requests  # noqa: PLC0415

    return sent_requests()


def _key_replaced(player: str, body: Mapping[str, Any]) -> Mapping[str, Any]:
    from skye_server.webhooks import replacements  # noqa: PLC0415

    return replacements.key_replaced(player, body)


def _host_token_replaced(game: str) -> Mapping[str, Any]:
    from skye_server.webhooks import replacements  # noqa: PLC0415

    return replacements.host_token_replaced(game)


def _counts_of_player(store: RedisStore, player: str) -> Mapping[str, int]:
    from skye_server.outgoing.receiver_store import ReceiverStore  # noqa: PLC0415
    from skye_server.store.shards import player_owner  # noqa: PLC0415

    return {"webhooks": len(ReceiverStore(store.calls).all(player_owner(player)))}


def _player_deleted(store: RedisStore, player: str) -> None:
    from skye_server.outgoing.receiver_store import ReceiverStore  # noqa: PLC0415
    from skye_server.store.shards import player_owner  # noqa: PLC0415

    ReceiverStore(store.calls).delete_all(player_owner(player))


def _handlers(games: Games) -> Mapping[str, Handler]:
    from skye_server.outgoing.account_slots import AccountSlots  # noqa: PLC0415
    from skye_server.outgoing.challenges import Challenges  # noqa: PLC0415
    from skye_server.outgoing.sender import Sender  # noqa: PLC0415
    from skye_server.outgoing.targets import TargetPolicy  # noqa: PLC0415
    from skye_server.webhooks.dispatching import WebhookDispatch  # noqa: PLC0415
    from skye_server.webhooks.webhooks import Webhooks  # noqa: PLC0415

    sender = Sender(TargetPolicy(games.settings))
    webhooks = Webhooks(games, Challenges(games, sender))
    dispatch = WebhookDispatch(games, webhooks, sender, AccountSlots(_SLOTS))
    return {"webhook": Handler(dispatch.attend, _WAITING_AND_SENDING)}


def _rebuild(store: RedisStore, owner: str, kind: str, now_ms: int) -> Iterator[Due]:
    """Yield the due entries of the webhooks of a player or a game."""
    from skye_server.games.due import events_entry  # noqa: PLC0415
    from skye_server.outgoing.receiver_store import ReceiverRef, ReceiverStore  # noqa: PLC0415
    from skye_server.store.shards import PLAYER_OWNER  # noqa: PLC0415
    from skye_server.webhooks.entries import messages_entry  # noqa: PLC0415

    if kind != "webhooks" or ("." in owner and not owner.startswith(PLAYER_OWNER)):  # that of a bot
        return
    yield events_entry(owner, now_ms)
    receivers = ReceiverStore(store.calls)
    for webhook in receivers.all(owner):
        ref = ReceiverRef(owner, webhook)
        yield from (messages_entry(ref, game, now_ms) for game in receivers.queued_games(ref))


FEATURE: Final = Feature(
    name="webhooks",
    errors={
        "webhook_not_found": ErrorCode(404, "The player key or the game has no such webhook."),
        "delivery_not_found": ErrorCode(404, "The webhook has no such delivery, or has it no longer."),
        "too_many_webhooks": ErrorCode(409, "The player key or the game has the maximum number of webhooks."),
    },
    pages={"webhooks": "skye_server.webhooks"},
    enumerations=("skye_server.outgoing.enums", "skye_server.webhooks.enums"),
    parameters={
        "webhook": ("The id of the webhook.", {"$ref": "#/components/schemas/WebhookId"}),
        "delivery": ("The id of the delivery.", {"$ref": "#/components/schemas/DeliveryId"}),
    },
    blueprints=_blueprints,
    join=_join,
    fields=_fields,
    sent=_sent,
    key_replaced=_key_replaced,
    host_token_replaced=_host_token_replaced,
    counts_of_player=_counts_of_player,
    player_deleted=_player_deleted,
    due_kinds=("webhook",),
    handlers=_handlers,
    rebuild=_rebuild,
)
