"""The handlers of due work, one for each kind of entry in the due queue."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

from skye_server.commands.current_games import Games
from skye_server.features import Handler, installed
from skye_server.games.due import Due, next_attention_ms
from skye_server.relay.relay import Relay
from skye_server.webhooks.account_slots import AccountSlots
from skye_server.webhooks.bot_dispatch import BotDispatch
from skye_server.webhooks.dispatching import WebhookDispatch
from skye_server.webhooks.sender import Sender
from skye_server.webhooks.targets import TargetPolicy
from skye_server.webhooks.webhooks import Webhooks

_SLOTS: Final = 192
"""How many requests a process sends to webhooks at once, and how many to bots at URLs."""

_WAITING_AND_SENDING: Final = 512
"""How many webhooks, and how many bots, a process handles at once: those that wait for a slot included."""


def handlers(games: Games, relay: Relay) -> Mapping[str, Handler]:
    """Return the handler of each kind of work."""
    sender = Sender(TargetPolicy(games.settings))
    webhook_slots, bot_slots = (AccountSlots(_SLOTS) for _ in range(2))
    webhooks = WebhookDispatch(games, Webhooks(games, games.settings, sender), sender, webhook_slots)
    of_features = [feature.handlers(games) for feature in installed()]
    own = {
        "game": Handler(partial(attend_game, games), 32),
        "relay": Handler(relay.attend, 32),
        "parked": Handler(relay.attend_parked, 4),
        "webhook": Handler(webhooks.attend, _WAITING_AND_SENDING),
        "bot": Handler(BotDispatch(games, sender, bot_slots).attend, _WAITING_AND_SENDING),
    }
    return {kind: handler for part in (own, *of_features) for kind, handler in part.items()}


def attend_game(games: Games, game_id: str) -> int | None:
    """Apply the missed deadline of a game, or delete a game whose time is over."""
    found, left_ms = games.repository.find_to_attend(game_id)
    if found is None:  # it has expired while no dispatcher lived: lists may name it still
        games.store.due.add(Due("relay", game_id, games.now_ms()))
        return None
    if left_ms <= 0:
        games.repository.delete(found, None)
        return None
    game = games.apply_deadlines(found)
    return next_attention_ms(game, games.now_ms() + left_ms)
