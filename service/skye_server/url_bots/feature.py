"""What bots at URLs add to a server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from skye_server.features import ErrorCode, Feature, Handler, Joined

if TYPE_CHECKING:
    from flask import Blueprint

    from skye_server.commands.current_games import Games
    from skye_server.games.game import Game
    from skye_server.http.framework import Host
    from skye_server.openapi.sent_requests import Sent
    from skye_server.store.redis_store import RedisStore

_SLOTS: Final = 192
"""How many requests a process sends to bots at URLs at once."""

_WAITING_AND_SENDING: Final = 512
"""How many bots a process handles at once: those that wait for a slot included."""


def _blueprints() -> Mapping[Blueprint, str]:
    from skye_server.url_bots import routes  # noqa: PLC0415 - it depends on what this module adds

    return {routes.blueprint: "Let a program at a URL play a seat: the server sends it each decision."}


def _join(host: Host) -> Joined:
    from skye_server.http.rate_limits import charge_receiver_request  # noqa: PLC0415
    from skye_server.url_bots.bots import UrlBots  # noqa: PLC0415

    is_dispatched = not host.is_nested
    return Joined(UrlBots(host.games, host.challenges, charge_receiver_request, dispatched=is_dispatched))


def _sent() -> tuple[Sent, ...]:
    from skye_server.url_bots.sent import sent_requests  # noqa: PLC0415

    return sent_requests()


def _game_deleted(store: RedisStore, game: Game) -> None:
    from skye_server.outgoing.receiver_store import ReceiverStore  # noqa: PLC0415
    from skye_server.url_bots.bots import bot_owner  # noqa: PLC0415

    for url_bot in filter(None, (seat.url_bot for seat in game.seats)):
        ReceiverStore(store.calls).delete_all(bot_owner(url_bot))


def _handlers(games: Games) -> Mapping[str, Handler]:
    from skye_server.outgoing.account_slots import AccountSlots  # noqa: PLC0415
    from skye_server.outgoing.sender import Sender  # noqa: PLC0415
    from skye_server.outgoing.targets import TargetPolicy  # noqa: PLC0415
    from skye_server.url_bots.dispatching import BotDispatch  # noqa: PLC0415

    sender = Sender(TargetPolicy(games.settings))
    return {"bot": Handler(BotDispatch(games, sender, AccountSlots(_SLOTS)).attend, _WAITING_AND_SENDING)}


FEATURE: Final = Feature(
    name="url_bots",
    errors={
        "seat_without_url_bot": ErrorCode(409, "No bot at a URL plays this seat."),
        "bot_unreachable": ErrorCode(
            422, "The URL of a bot has not repeated the challenge; `errors` says which, and why."
        ),
    },
    enumerations=("skye_server.outgoing.enums",),
    blueprints=_blueprints,
    join=_join,
    sent=_sent,
    game_deleted=_game_deleted,
    due_kinds=("bot",),
    handlers=_handlers,
)
