"""Send to webhooks: queue the events of their owners as messages, and send what is queued.

A dispatcher calls `WebhookDispatch.attend` with an entry of the due queue:

- `OWNER/OWNER`: events of the owner may be missing in the queues of the owner's webhooks;
- `GAME/OWNER/WEBHOOK`: messages about a game to one webhook are queued. So those about a game are sent in
  order, each after the receiver has accepted the one before, and a receiver that refuses one delays no other
  game. For events about no game, the owner stands in place of the game.

Both are safe to repeat. The result of an attempt is stored only if the message has not changed since it was
read, so a dispatcher that was suspended while it sent one does not send the next.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from skye_server.commands.current_games import Games
from skye_server.error_codes import Problem
from skye_server.games.views.player_events import event_view
from skye_server.outgoing.account_slots import AccountSlots
from skye_server.outgoing.messages import NO_GAME, Message, MessageStatus, message_records
from skye_server.outgoing.receiver_store import (
    CIRCUIT_FAILURES,
    MAX_QUEUED,
    NextMessage,
    Progress,
    ReceiverRef,
    ReceiverStore,
    Recorded,
)
from skye_server.outgoing.receivers import ReceiverStatus
from skye_server.outgoing.retries import circuit_ms, retry_ms
from skye_server.outgoing.sender import Reply, Sender
from skye_server.players.player_games import NO_EVENT
from skye_server.store.shards import PLAYER_OWNER
from skye_server.webhooks.entries import game_of, messages_entry
from skye_server.webhooks.formats import CHAT_SERVICES, WebhookFormat, sentence
from skye_server.webhooks.game_events import (
    DECISION_EVENTS,
    Reported,
    cursor_at,
    decode_cursor,
    encode_cursor,
    is_decision_open,
    report,
)
from skye_server.webhooks.webhook_record import Webhook, decode_webhook
from skye_server.webhooks.webhooks import Webhooks

_PAGE: Final = 200
_TURN_S: Final = 5.0
"""How long one game is served before others of the same dispatcher."""

_QUEUED_LATER_MS: Final = 10_000
_MAX_QUEUEING: Final = 32
_MAX_QUEUEING_EACH: Final = 4
"""For how many owners a process queues events at once, and for how many of one account."""

DISABLED_AFTER_MS: Final = 5 * 86_400_000
"""How long a receiver may fail until its webhook is disabled."""

_GONE: Final = (410,)

_CONFLICT_MS: Final = 1_000
"""When to look at a game again about which another dispatcher has sent the message."""


class _ToSend(NamedTuple):
    """A message that is due."""

    webhook: Webhook
    found: NextMessage
    message: Message


class WebhookDispatch:
    """Sends to the webhooks of a store."""

    def __init__(self, games: Games, webhooks: Webhooks, sender: Sender, slots: AccountSlots) -> None:
        self._games, self._webhooks, self._sender, self._slots = games, webhooks, sender, slots
        self._store, self._due = ReceiverStore(games.store.calls), games.store.due
        self._queueing = AccountSlots(_MAX_QUEUEING, _MAX_QUEUEING_EACH)

    def attend(self, entry: str) -> int | None:
        """Handle an entry of the due queue.

        :returns: when it is due again, in milliseconds since 1970; None for never.
        """
        place, owner, *webhook = entry.split("/")
        if not webhook:
            return self._queue_events(owner)
        return self._send(owner, game_of(owner, place), *webhook)

    # Queue events.

    def _queue_events(self, owner: str) -> int | None:
        active = [hook for hook in self._webhooks.of(owner) if hook.receiver.status == ReceiverStatus.ACTIVE]
        if not active:
            return None
        account = active[0].receiver.account
        with self._queueing.slot(account) as is_granted:
            if not is_granted:
                return self._games.now_ms() + self._queueing.pause_ms(account)
            return self._queue_events_of(active, owner)

    def _queue_events_of(self, active: Sequence[Webhook], owner: str) -> int | None:
        if not owner.startswith(PLAYER_OWNER):
            return min(filter(None, [self._queue_game_events(hook) for hook in active]), default=None)
        player = owner.removeprefix(PLAYER_OWNER)
        times = []
        for webhook in active:
            while (due_ms := self._queue_player_events(webhook, player)) == 0:
                pass
            times.append(due_ms)
        return min(filter(None, times), default=None)

    def _queue_player_events(self, webhook: Webhook, player: str) -> int | None:
        """Queue the next events of a player; return when to continue: 0 for now, None without more events."""
        progress = self._store.progress(webhook.receiver.ref)
        if progress.queued >= MAX_QUEUED:
            return self._games.now_ms() + _QUEUED_LATER_MS
        if not progress.cursor:  # as in `_queue_game_events`
            self._queue(webhook, progress, self._games.players.last_event(player), [])
            return self._games.now_ms()
        try:
            page = self._games.players.events_after(player, progress.cursor, _PAGE)
        except Problem as problem:
            if problem.code != "history_lost":
                raise
            page = self._games.players.events_after(player, NO_EVENT, _PAGE)
        if not page.events:
            return None
        views = [(event.type, event_view(event_id, event)) for event_id, event in page.events]
        is_queued = self._queue(webhook, progress, page.events[-1][0], views)
        return 0 if is_queued else self._games.now_ms()

    def _queue_game_events(self, webhook: Webhook) -> int | None:
        """Queue the events of a game; return when to continue, such as when its deadline is near."""
        progress = self._store.progress(webhook.receiver.ref)
        if progress.queued >= MAX_QUEUED:
            return self._games.now_ms() + _QUEUED_LATER_MS
        cursor = decode_cursor(progress.cursor) if progress.cursor else None
        try:
            owner, after = webhook.receiver.owner, cursor.last_event if cursor else 0
            game, changes = self._games.changes_after(owner, after)
        except Problem as problem:
            if problem.code != "game_not_found":
                raise
            return None
        if cursor:
            reported = report(cursor, game, changes, self._games.time_of(game))
        else:  # Redis has lost the cursor, or the webhook is deleted
            reported = Reported(cursor_at(game), [])
        moved = encode_cursor(reported.cursor)
        if reported.cursor != cursor and not self._queue(webhook, progress, moved, reported.events):
            return self._games.now_ms()
        return None if game.clock_ms is not None else reported.cursor.next_near_ms

    def _queue(
        self, webhook: Webhook, progress: Progress, cursor: str, events: list[tuple[str, dict[str, Any]]]
    ) -> bool:
        """Queue messages; return False if the webhook is deleted or another thread has moved its cursor."""
        now_ms = self._games.now_ms()
        queued: list[Message] = []
        for kind, view in events:
            if kind in webhook.types:
                number = progress.number + len(queued) + 1
                queued.append(_message(webhook, number, kind, view, now_ms))
        entries = {messages_entry(webhook.receiver.ref, each.game, now_ms) for each in queued}
        for entry in entries:  # before the messages, so that a crash between the two delays them only
            self._due.add(entry._replace(due_ms=now_ms + _QUEUED_LATER_MS))
        encoded = [(each.game, each.id, message_records.encode(each)) for each in queued]
        ttl_s = self._webhooks.ttl_s(webhook.receiver.owner)
        is_queued = self._store.queue(webhook.receiver.ref, progress, cursor, encoded, ttl_s)
        if is_queued:
            for entry in entries:
                self._due.add(entry)
        return is_queued

    # Send what is queued.

    def _send(self, owner: str, game_id: str, webhook_id: str) -> int | None:
        ref = ReceiverRef(owner, webhook_id)
        until = time.monotonic() + _TURN_S
        while time.monotonic() < until:
            waiting = self._to_send(ref, game_id, attempts=False)
            if isinstance(waiting, int | None):
                return waiting
            account = waiting.webhook.receiver.account
            with self._slots.slot(account) as is_granted:
                if not is_granted:
                    return self._games.now_ms() + self._slots.pause_ms(account)
                sending = self._to_send(ref, game_id, attempts=True)  # it may have changed meanwhile
                if isinstance(sending, int | None):
                    return sending
                webhook, found, message = sending
                body = self._body(webhook, message)
                if body is None:
                    next_ms = self._skip(webhook, found, message)
                    if next_ms is not None:
                        return next_ms
                    continue
                receiver = webhook.receiver
                secrets = receiver.secrets(self._games.now_ms())
                reply = self._sender.post(receiver.url, secrets, message.id, body)
            if reply.status in _gone(webhook):
                self._webhooks.delete(owner, webhook_id)
                return None
            next_ms = self._record(webhook, found, message, reply)
            if next_ms is not None:
                return next_ms
        return self._games.now_ms()

    def _body(self, webhook: Webhook, message: Message) -> bytes | None:
        """Return the body of a request with an event; None if a chat service must not show it any more."""
        body = msgspec.json.decode(message.body)
        data = body["data"]
        is_stale = message.type in DECISION_EVENTS and self._is_stale(data)
        if webhook.format == WebhookFormat.STANDARD:
            return msgspec.json.encode(body | {"stale": is_stale})
        if is_stale:
            return None
        is_of_player = webhook.receiver.owner.startswith(PLAYER_OWNER)
        text = sentence(message.type, data, to_player=is_of_player)
        return CHAT_SERVICES[webhook.format].body(text)

    def _is_stale(self, data: Mapping[str, Any]) -> bool:
        """Return whether the decision that an event reports is no longer open."""
        try:
            game, changes = self._games.changes_after(data["game_id"], data["game_last_event"])
        except Problem as problem:
            if problem.code != "game_not_found":
                raise
            return True
        return not is_decision_open(game, changes, data["seat"], data["phase"], data["game_last_event"])

    def _skip(self, webhook: Webhook, found: NextMessage, before: Message) -> int | None:
        """Record that a message is not sent; return when the next one about the game is due, None for now."""
        now_ms = self._games.now_ms()
        after = message_records.encode(before.skipped(now_ms))
        result = Recorded(found.data, after, over=True, failed=None, now_ms=now_ms)
        is_recorded = self._store.record(webhook.receiver.ref, before.game, before.id, result)
        return None if is_recorded else now_ms + _CONFLICT_MS

    def _to_send(self, ref: ReceiverRef, game_id: str, *, attempts: bool) -> _ToSend | int | None:
        """Return the message about a game to send now; otherwise when there is one, None for never."""
        now_ms = self._games.now_ms()
        found = self._store.next(ref, game_id, now_ms, attempts=attempts)
        if found.receiver is None:
            return None
        webhook = decode_webhook(found.receiver)
        if webhook.receiver.status != ReceiverStatus.ACTIVE or not found.id:
            return None
        message = message_records.decode(found.data)
        due_ms = max(found.open_until_ms, message.next_ms or 0)
        return due_ms if due_ms > now_ms else _ToSend(webhook, found, message)

    def _record(self, webhook: Webhook, found: NextMessage, before: Message, reply: Reply) -> int | None:
        """Store the result of an attempt; return when the next one about the game is due, None for now."""
        now_ms = self._games.now_ms()
        pause_ms = None if reply.is_ok else retry_ms(before.attempt + 1, reply.retry_after_s)
        after = before.after(reply, now_ms, reply.problem, pause_ms)
        failures = found.failures + 1
        beyond = failures - CIRCUIT_FAILURES
        open_ms = now_ms + circuit_ms(beyond) if not reply.is_ok and beyond >= 0 else 0
        result = Recorded(
            found.data,
            message_records.encode(after),
            after.status != MessageStatus.PENDING,
            not reply.is_ok,
            now_ms,
            open_ms,
        )
        if not self._store.record(webhook.receiver.ref, before.game, before.id, result):
            return now_ms + _CONFLICT_MS
        since_ms = found.failing_since_ms
        if not reply.is_ok and since_ms and now_ms - since_ms >= DISABLED_AFTER_MS:
            self._webhooks.disable(webhook)
            return None
        return None if after.next_ms is None else max(after.next_ms, open_ms)


def _gone(webhook: Webhook) -> Sequence[int]:
    """Return the statuses by which a receiver deletes its webhook."""
    return _GONE if webhook.format == WebhookFormat.STANDARD else CHAT_SERVICES[webhook.format].gone


def _message(webhook: Webhook, number: int, kind: str, view: dict[str, Any], now_ms: int) -> Message:
    game: str = view.get("game_id", NO_GAME)
    href = None if game == NO_GAME else f"/v1/games/{game}"
    body = msgspec.json.encode({"type": kind, "timestamp": view["at"], "href": href, "data": view})
    return Message(webhook.receiver.message_id(number), game, kind, body, now_ms, now_ms)
