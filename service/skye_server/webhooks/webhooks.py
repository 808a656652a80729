"""Webhooks of players and games: create, list, change, test and delete them, and read what they were sent."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import partial
from typing import Any, Final

from msgspec.structs import replace

from skye_server.commands.attempts import Command
from skye_server.commands.current_games import Games
from skye_server.error_codes import FieldError, Problem
from skye_server.games.authorization import KEY_PREFIX, credential_id, require_host
from skye_server.games.due import events_entry
from skye_server.outgoing.account_slots import account_of
from skye_server.outgoing.challenges import CHALLENGE_SECONDS, Challenges, challenge, new_message_id
from skye_server.outgoing.messages import Message, MessageStatus, message_records
from skye_server.outgoing.receiver_store import PutOutcome, ReceiverRef, ReceiverStore, Recorded
from skye_server.outgoing.receivers import Receiver, ReceiverStatus, new_id
from skye_server.outgoing.sender import Reply, Sender, new_secret
from skye_server.outgoing.targets import TargetError
from skye_server.store.commit import MAX_ATTEMPTS, back_off
from skye_server.store.redis_players import KEY_TTL_S
from skye_server.store.shards import PLAYER_OWNER, key_of, player_owner
from skye_server.webhooks.entries import messages_entry
from skye_server.webhooks.formats import CHAT_SERVICES, TEST_SENTENCE, WebhookFormat
from skye_server.webhooks.webhook_record import Webhook, decode_webhook, encode_webhook

_ID: Final = re.compile("[A-Za-z0-9_]{1,64}")

_COMMIT_MS: Final = 10_000
"""How long a commit of another process takes at most; longer with a larger retry budget."""

MAX_WEBHOOKS: Final = 10
"""How many webhooks a player or a game can have."""

_REPLACED: Final = "The token or key that made it was replaced."


class Webhooks:
    """The webhooks of all players and games of a store."""

    def __init__(self, games: Games, challenges: Challenges) -> None:
        settings = games.settings
        self._games = games
        self._challenges = challenges
        self._game_ttl_s = settings.max_game_ttl_s
        self._commit_ms = max(_COMMIT_MS, 2 * settings.redis_wait_ms)
        self._store = ReceiverStore(games.store.calls)

    def create(self, owner: str, command: Command, body: dict[str, Any], cursor: str) -> Webhook:
        """Create a webhook, after its receiver was sent a challenge; a retry returns the same one.

        :param cursor: the event of the owner after which the webhook reports.
        :returns: the webhook; to a retry without its secret, if that was replaced or is older than the record
            of an idempotency key.
        :raises Problem: invalid_body, too_many_webhooks, idempotency_key_reused, server_busy,
            storage_full.
        """
        webhook_id = new_id(command, f"webhook/{owner}")
        stored = self._store.get(ReceiverRef(owner, webhook_id))
        if stored is not None:
            webhook = decode_webhook(stored)
            if webhook.receiver.digest != command.digest:
                raise Problem("idempotency_key_reused")
            return (
                webhook.with_receiver(secret="") if webhook.receiver.old_secret else self._repeated(webhook)
            )
        if len(self._store.all(owner)) >= MAX_WEBHOOKS:
            raise _too_many()
        self._games.store.reserve.check(key_of(owner, "webhooks"))
        receiver = Receiver(
            id=webhook_id,
            owner=owner,
            url=body["url"],
            secret=body.get("secret") or new_secret(),
            status=ReceiverStatus.UNVERIFIED,
            created_ms=self._games.now_ms(),
            account=account_of(self._games.identities, command),
            digest=command.digest,
        )
        webhook = Webhook(
            receiver,
            types=tuple(body["types"]),
            description=body["description"],
            secret_ms=receiver.created_ms,
            made_with=credential_id(command.token or ""),
            format=body["format"],
        )
        webhook, _ = self._with_url(webhook)
        # Before the webhook, so that no crash loses the entry: for the events after its cursor.
        self._games.store.due.add(events_entry(owner, self._games.now_ms() + self._commit_ms))
        self._put(None, webhook, cursor)
        if owner.startswith(PLAYER_OWNER):
            player = owner.removeprefix(PLAYER_OWNER)
            self._games.identities.check_own(player, lambda: self._put(webhook, None))
        self._check_credential(None, webhook, command.token)
        self._wake(webhook)
        return webhook

    def _put_checked(self, before: Webhook, after: Webhook, token: str | None) -> None:
        """Write a changed webhook, and check the caller's credential then.

        :raises Problem: too_much_contention, what `_check_credential` raises.
        """
        self._put(before, after)
        self._check_credential(before, after, token)

    def _check_credential(self, before: Webhook | None, after: Webhook, token: str | None) -> None:
        """Check that the caller's credential was not replaced while the receiver was asked; undo if it was.

        A replacement looks for webhooks when the old credential is invalid already. So either it finds the
        webhook as it is now, or this check fails. A compare-and-set alone would not do: a replacement leaves
        a webhook as it is that is disabled already.

        :raises Problem: token_unknown, what `Games.read` raises.
        """
        try:
            if after.receiver.owner.startswith(PLAYER_OWNER):
                self._games.identities.require_player(token)
            else:
                require_host(self._games.read(after.receiver.owner, token).caller)
        except Problem:
            self._undo(before, after, credential_id(token or ""))
            raise

    def _undo(self, before: Webhook | None, after: Webhook, made_with: str) -> None:
        """Take a change back; after another change by the same credential disable the webhook.

        :raises Problem: too_much_contention.
        """
        try:
            self._put(after, before)
        except Problem as problem:
            if problem.code != "too_much_contention":
                raise
            stored = self._store.get(after.receiver.ref)
            if stored is not None and (found := decode_webhook(stored)).made_with == made_with:
                self._without_credential(found)

    def of(self, owner: str) -> list[Webhook]:
        """Return the webhooks of an owner, the oldest first."""
        found = [decode_webhook(data) for data in self._store.all(owner).values()]
        return sorted(found, key=lambda webhook: (webhook.receiver.created_ms, webhook.receiver.id))

    def get(self, owner: str, webhook_id: str) -> Webhook:
        """Return a webhook of an owner.

        :raises Problem: webhook_not_found.
        """
        stored = self._store.get(ReceiverRef(owner, webhook_id))
        if stored is None:
            raise Problem("webhook_not_found")
        return decode_webhook(stored)

    def change(self, owner: str, webhook_id: str, body: dict[str, Any], token: str | None) -> Webhook:
        """Change a webhook; a new URL is sent a challenge first, except by a chat service's format.

        :param token: the credential of the caller.
        :raises Problem: what `get` and `_put_checked` raise; invalid_body, server_busy.
        """
        webhook = self.get(owner, webhook_id)
        url, answered = body.get("url", webhook.receiver.url), False
        changed = replace(
            webhook,
            types=tuple(body.get("types", webhook.types)),
            description=body.get("description", webhook.description),
            made_with=credential_id(token or ""),
        )
        if url != webhook.receiver.url:
            moved = changed.with_receiver(url=url, status=ReceiverStatus.UNVERIFIED)
            changed, answered = self._with_url(moved)
            if answered:
                self._store.close_circuit(changed.receiver.ref)
        self._put_checked(webhook, changed, token)
        self._wake(changed, answered=answered)
        return changed

    def test(self, owner: str, webhook_id: str, token: str | None) -> tuple[Webhook, Reply]:
        """Send the challenge again, or a test; a webhook whose receiver answers is active from then on.

        :param token: the credential of the caller.
        :raises Problem: what `get` and `_put_checked` raise; server_busy.
        """
        webhook = self.get(owner, webhook_id)
        changed, reply = self._challenged_again(replace(webhook, made_with=credential_id(token or "")))
        self._put_checked(webhook, changed, token)
        self._wake(changed, answered=reply.is_ok)
        return changed, reply

    def rotate_secret(self, owner: str, webhook_id: str, command: Command, body: dict[str, Any]) -> Webhook:
        """Give a webhook a new secret; the old one signs too for some time. A retry returns the same secret.

        :returns: the webhook; to a retry without its secret, if that is older than the record of a key.
        :raises Problem: what `get` and `_put_checked` raise; idempotency_key_reused.
        """
        webhook, key = self.get(owner, webhook_id), command.record_key or ""
        if key and key == webhook.rotated_by:
            if command.digest != webhook.rotation:
                raise Problem("idempotency_key_reused")
            return self._repeated(webhook)
        now_ms = self._games.now_ms()
        receiver = replace(
            webhook.receiver,
            secret=body.get("secret") or new_secret(),
            old_secret=webhook.receiver.secret,
            old_until_ms=now_ms + body["overlap_ms"],
        )
        changed = replace(
            webhook, receiver=receiver, secret_ms=now_ms, rotated_by=key, rotation=command.digest
        )
        self._put_checked(webhook, changed, command.token)
        return changed

    def _repeated(self, webhook: Webhook) -> Webhook:
        """Return a webhook for a repeated request, without its secret if the first response is long ago."""
        shown_until_ms = webhook.secret_ms + 1000 * self._games.settings.idempotency_ttl_s
        return webhook if self._games.now_ms() < shown_until_ms else webhook.with_receiver(secret="")

    def disable(self, webhook: Webhook) -> None:
        """Disable a webhook whose receiver has failed for long, and report it to its player or host."""
        problem = "The receiver has failed for five days."
        self._put(webhook, webhook.with_receiver(status=ReceiverStatus.DISABLED, problem=problem))
        owner = webhook.receiver.owner
        player = owner.removeprefix(PLAYER_OWNER)
        if player == owner:
            player = self._games.stored.read(owner).host_player
        if player:
            self._games.players.webhook_disabled(player, webhook.receiver.id, self._games.now_ms())

    def of_replaced_key(self, player: str, new_key: str, *, keep: bool) -> list[Webhook]:
        """Disable the webhooks that the replaced keys of a player have made, its own and those of its games.

        :param keep: leave them as they are.
        :returns: these webhooks.
        """
        current = credential_id(new_key)
        found = [webhook for webhook in self.of(player_owner(player)) if webhook.made_with != current]
        games = [game_id for game_id, _ in self._games.store.players.active_games(player)]
        for game_id in self._store.with_any(games):
            game = self._games.stored.find(game_id)
            if game is not None and game.host_player == player:
                made = [webhook for webhook in self.of(game_id) if webhook.made_with.startswith(KEY_PREFIX)]
                found += [webhook for webhook in made if webhook.made_with != current]
        return found if keep else [self._without_credential(webhook) for webhook in found]

    def of_replaced_host_token(self, game_id: str) -> list[Webhook]:
        """Disable the webhooks of a game that replaced host tokens have made; return them."""
        current = self._games.stored.read(game_id).host
        made = [webhook for webhook in self.of(game_id) if not webhook.made_with.startswith(KEY_PREFIX)]
        return [self._without_credential(webhook) for webhook in made if webhook.made_with != current]

    def _without_credential(self, webhook: Webhook) -> Webhook:
        """Disable a webhook whose credential was replaced; return it as it is then.

        :raises Problem: too_much_contention.
        """
        for attempt in range(MAX_ATTEMPTS):
            disabled = webhook.with_receiver(status=ReceiverStatus.DISABLED, problem=_REPLACED)
            if webhook == disabled:
                return disabled
            try:
                self._put(webhook, disabled)
            except Problem as problem:
                if problem.code != "too_much_contention":
                    raise
            else:
                return disabled
            back_off(attempt)
            stored = self._store.get(webhook.receiver.ref)
            if stored is None:
                return disabled
            webhook = decode_webhook(stored)
        raise Problem("too_much_contention")

    def delete(self, owner: str, webhook_id: str) -> None:
        """Delete a webhook with its messages; one that does not exist is deleted already.

        :raises Problem: webhook_not_found, when it is no id of a webhook.
        """
        try:
            found = self.get(owner, webhook_id)
        except Problem as problem:
            if problem.code != "webhook_not_found" or not _ID.fullmatch(webhook_id):
                raise
            return
        self._put(found, None)

    def messages(self, owner: str, webhook_id: str) -> list[Message]:
        """Return the latest messages to a webhook, the latest first.

        :raises Problem: what `get` raises.
        """
        self.get(owner, webhook_id)
        found = self._store.messages(ReceiverRef(owner, webhook_id))
        return [message_records.decode(data) for data in found.values()]

    def retry(self, owner: str, webhook_id: str, message_id: str) -> Message:
        """Send a message again as soon as possible.

        :raises Problem: what `get` raises; delivery_not_found.
        """
        ref = self.get(owner, webhook_id).receiver.ref
        stored = self._store.message(ref, message_id)
        if stored is None:
            raise Problem("delivery_not_found")
        message = message_records.decode(stored)
        again = replace(message, status=MessageStatus.PENDING, attempt=0, next_ms=self._games.now_ms())
        data = message_records.encode(again)
        if not self._store.requeue(ref, message.game, message.id, data, self.ttl_s(owner)):
            raise Problem("delivery_not_found")
        self._games.store.due.add(messages_entry(ref, message.game, self._games.now_ms()))
        return again

    def ttl_s(self, owner: str) -> int:
        """Return how long the webhooks of an owner are stored after their last event, in seconds."""
        return KEY_TTL_S if owner.startswith(PLAYER_OWNER) else self._game_ttl_s

    def _with_url(self, webhook: Webhook) -> tuple[Webhook, bool]:
        """Return a webhook that has a new URL with its status, and whether it is active.

        A chat service gives out URLs to their owners only, and cannot answer a challenge.

        :raises Problem: invalid_body, server_busy.
        """
        if webhook.format == WebhookFormat.STANDARD:
            receiver, reply = self._challenges.send(webhook.receiver)
            return replace(webhook, receiver=receiver), reply.is_ok
        try:
            CHAT_SERVICES[webhook.format].check(webhook.receiver.url)
        except TargetError as error:
            raise Problem("invalid_body", errors=[FieldError("/url", str(error))]) from None
        return webhook.with_receiver(status=ReceiverStatus.ACTIVE, problem=""), True

    def _challenged_again(self, webhook: Webhook) -> tuple[Webhook, Reply]:
        """Send a challenge or a test; an answer ends the failures of the receiver, before it is active."""
        ask = challenge if webhook.format == WebhookFormat.STANDARD else partial(_send_test, webhook.format)
        receiver, reply = self._challenges.send(webhook.receiver, ask=ask)
        if reply.is_ok:
            self._store.close_circuit(receiver.ref)
        return replace(webhook, receiver=receiver), reply

    def _put(self, before: Webhook | None, after: Webhook | None, cursor: str = "") -> None:
        webhook = after or before
        assert webhook is not None
        ref = webhook.receiver.ref
        expected, data = (None if each is None else encode_webhook(each) for each in (before, after))
        outcome = self._store.put(ref, expected, data, MAX_WEBHOOKS, self.ttl_s(ref.owner), cursor)
        if outcome is PutOutcome.TOO_MANY:
            raise _too_many()
        if outcome is PutOutcome.CONFLICT:
            raise Problem("too_much_contention")

    def _wake(self, webhook: Webhook, *, answered: bool = False) -> None:
        """Make a dispatcher send what is queued, and look for events.

        :param answered: whether the receiver has just answered a challenge, so that no message waits longer.
        """
        if webhook.receiver.status != ReceiverStatus.ACTIVE:
            return
        due, ref, now_ms = self._games.store.due, webhook.receiver.ref, self._games.now_ms()
        with suppress(Problem):
            for game in self._store.queued_games(ref):
                if answered:
                    self._end_wait(ref, game, now_ms)
                due.add(messages_entry(ref, game, now_ms))
            due.add(events_entry(ref.owner, now_ms))

    def _end_wait(self, ref: ReceiverRef, game: str, now_ms: int) -> None:
        """Let the first message about a game, if it has failed, be sent now and with all further attempts."""
        found = self._store.next(ref, game, now_ms)
        if not found.id:
            return
        message = message_records.decode(found.data)
        if message.attempt:  # also while the next one is in progress: its failure must begin no other wait
            again = message_records.encode(replace(message, attempt=0, next_ms=now_ms))
            result = Recorded(found.data, again, over=False, failed=False, now_ms=now_ms)
            self._store.record(ref, game, found.id, result)


def _too_many() -> Problem:
    return Problem("too_many_webhooks", have=MAX_WEBHOOKS)


def _send_test(service: str, sender: Sender, receiver: Receiver, now_ms: int) -> Reply:
    """Post a sentence to a chat service.

    :param service: the format of the webhook.
    """
    body, secrets = CHAT_SERVICES[service].body(TEST_SENTENCE), receiver.secrets(now_ms)
    return sender.post(receiver.url, secrets, new_message_id(), body, CHALLENGE_SECONDS)
