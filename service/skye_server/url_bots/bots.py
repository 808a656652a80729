"""Bots at URLs: what is stored of them, and the challenge before a seat is given to one.

Such a bot is stored as a receiver, under an owner of its own, with the decisions that it is sent as messages.
The game knows only its id. It is stored before the game, so that no crash leaves a seat without its bot; one
whose game is not created expires.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from skye_server.commands.attempts import Command
from skye_server.commands.current_games import Games
from skye_server.commands.url_bots import NoUrlBots
from skye_server.error_codes import ERROR_CODES, FieldError, Problem
from skye_server.games.game import URL_BOT
from skye_server.outgoing.account_slots import Account, account_of
from skye_server.outgoing.challenges import Challenges
from skye_server.outgoing.messages import Message, message_records
from skye_server.outgoing.receiver_store import PutOutcome, ReceiverRef, ReceiverStore
from skye_server.outgoing.receivers import (
    Receiver,
    ReceiverStatus,
    decode_receiver,
    encode_receiver,
    id_of,
    new_id,
)
from skye_server.outgoing.sender import new_secret
from skye_server.store.commit import MAX_ATTEMPTS
from skye_server.store.redis_store import RedisStore

MAX_URLS: Final = 8
"""How many different URLs, each with its secret, one request may name: each is sent a challenge at once."""

_COMMIT_S: Final = 60
"""The longest time from the storing of a bot to that of its game, after which the record lives."""


class UrlBot(NamedTuple):
    """A bot at a URL.

    :param receiver: its URL, to which the decisions of its seat are sent.
    """

    receiver: Receiver

    @property
    def id(self) -> str:
        """The id by which the seat of the game names it."""
        return self.receiver.id


def bot_owner(url_bot: str) -> str:
    """Return the owner of the receiver of a bot at a URL.

    >>> bot_owner("wh_abc")
    'bot.wh_abc'
    """
    return f"bot.{url_bot}"


def bot_ref(url_bot: str) -> ReceiverRef:
    """Return what names the receiver of a bot in the store."""
    return ReceiverRef(bot_owner(url_bot), url_bot)


def stored_bot(store: RedisStore, url_bot: str) -> UrlBot | None:
    """Return a bot, None if it is deleted or has expired."""
    stored = ReceiverStore(store.calls).get(bot_ref(url_bot))
    return None if stored is None else decode_bot(stored)


def decode_bot(stored: bytes) -> UrlBot:
    """Return a stored bot.

    :raises StoredFormatError: when the bytes are corrupt or of a newer format.
    """
    return UrlBot(decode_receiver(stored).receiver)


def delete_bots(store: RedisStore, *url_bots: str, since_ms: int = 0) -> None:
    """Delete bots with their messages; those that stay after an outage expire.

    :param since_ms: keep those that are older, in milliseconds since 1970.
    """
    with suppress(Problem):
        for url_bot in filter(None, url_bots):
            found = stored_bot(store, url_bot)
            if found is not None and found.receiver.created_ms >= since_ms:
                ReceiverStore(store.calls).delete_all(bot_owner(url_bot))


def bot_messages(store: RedisStore, url_bot: str) -> list[Message]:
    """Return the latest messages to a bot, the latest first; none without a bot."""
    found = ReceiverStore(store.calls).messages(bot_ref(url_bot)) if url_bot else {}
    return [message_records.decode(data) for data in found.values()]


class UrlBots(NoUrlBots):
    """Prepares bots at URLs for the requests that seat them.

    :param charge: called for each URL of a request, to which the server sends a challenge.
    :param dispatched: whether a dispatcher serves this store, so that bots at URLs can play.
    """

    def __init__(
        self, games: Games, challenges: Challenges, charge: Callable[[], None], *, dispatched: bool = True
    ) -> None:
        self._games = games
        self._challenges = challenges
        self._charge = charge
        self._dispatched = dispatched

    def of_games(
        self, command: Command, bodies: Sequence[dict[str, Any]], pointer: str = ""
    ) -> Mapping[str, str]:
        """Prepare the bots at URLs of the games to create; return their secrets by their ids.

        :param pointer: the pointer to each body, with `{}` for its index.
        :raises Problem: what `_prepare` raises.
        """
        players = [
            (f"{pointer.format(number)}/players/{index}", player)
            for number, body in enumerate(bodies)
            for index, player in enumerate(body.get("players", ()))
        ]
        return self._prepare(command, players)

    @contextmanager
    def of_player(self, command: Command, player: dict[str, Any]) -> Iterator[str | None]:
        """Prepare the bot at a URL of a body, and yield its secret; None if there is no such bot.

        If the request is refused, the bot is deleted again, unless an earlier attempt has stored it.

        :raises Problem: what `_prepare` raises.
        """
        started_ms = self._games.now_ms()
        secrets = self._prepare(command, [("", player)])
        try:
            yield next(iter(secrets.values()), None)
        except Problem as problem:
            if ERROR_CODES[problem.code].status < 500:
                delete_bots(self._games.store, *secrets, since_ms=started_ms)
            raise

    def copied(self, url_bot: str, game_id: str) -> str:
        """Store a bot for another game, and return its new id; the same one when this is repeated."""
        copied = id_of(f"copy/{url_bot}/{game_id}".encode())
        found = stored_bot(self._games.store, url_bot)
        if found is not None:
            receiver = replace(found.receiver, id=copied, owner=bot_owner(copied))
            _put(self._games, UrlBot(receiver))
        return copied

    def _prepare(self, command: Command, players: Sequence[tuple[str, dict[str, Any]]]) -> Mapping[str, str]:
        """Challenge and store the bots at URLs among some players; `url_bot` of each is its id then.

        :param players: the players of a request with the pointers to them.
        :returns: the secrets by the ids of the bots. A retry with the same key returns the same ones.
        :raises Problem: too_many_requests, invalid_body, bot_unreachable, idempotency_key_reused,
            server_busy.
        """
        named = [(pointer, player) for pointer, player in players if "bot_url" in player]
        if not named:
            return {}
        targets = [(player["bot_url"], player.get("secret")) for _, player in named]
        for _ in set(targets):
            self._charge()
        if not self._dispatched:
            raise _refused(named[0][0], "This API has no bots at URLs.")
        if len(set(targets)) > MAX_URLS:
            raise _refused(named[0][0], f"One request may name at most {MAX_URLS} URLs.")
        account = account_of(self._games.identities, command)
        bots = [self._bot(command, account, pointer, player) for pointer, player in named]
        unverified = {
            target: (bot, f"{pointer}/bot_url")
            for target, bot, (pointer, _) in zip(targets, bots, named, strict=True)
            if bot.receiver.status == ReceiverStatus.UNVERIFIED
        }
        with ThreadPoolExecutor(MAX_URLS) as threads:
            list(threads.map(self._challenge, *zip(*unverified.values(), strict=True)))
        stored = [
            _put(self._games, UrlBot(replace(bot.receiver, status=ReceiverStatus.ACTIVE)))
            if bot.receiver.status == ReceiverStatus.UNVERIFIED
            else bot
            for bot in bots
        ]
        if any(bot.receiver.digest != command.digest for bot in stored):
            raise Problem("idempotency_key_reused")
        return {bot.id: bot.receiver.secret for bot in stored}

    def _bot(self, command: Command, account: Account, pointer: str, player: dict[str, Any]) -> UrlBot:
        """Return the stored bot of a player, or an unverified one; the player has its id then."""
        url, secret = player.pop("bot_url"), player.pop("secret", "")
        bot_id, stored = self._id_of_bot(command, pointer)
        player |= {"bot": URL_BOT, "url_bot": bot_id}
        if stored is not None:
            return stored
        receiver = Receiver(
            id=bot_id,
            owner=bot_owner(bot_id),
            url=url,
            secret=secret or new_secret(),
            status=ReceiverStatus.UNVERIFIED,
            created_ms=self._games.now_ms(),
            account=account,
            digest=command.digest,
        )
        return UrlBot(receiver)

    def _id_of_bot(self, command: Command, pointer: str) -> tuple[str, UrlBot | None]:
        """Return the id of a bot, and the bot if this request has stored it before.

        An older bot of the key, whose record has expired, is not used: its secret is not shown again.
        """
        oldest_ms = self._games.now_ms() - 1000 * (self._games.settings.idempotency_ttl_s + _COMMIT_S)
        for expired in range(MAX_ATTEMPTS):
            bot_id = new_id(command, f"bot{pointer}/{expired}")
            stored = stored_bot(self._games.store, bot_id)
            if stored is None or stored.receiver.created_ms > oldest_ms:
                return bot_id, stored
        raise Problem("too_much_contention")

    def _challenge(self, bot: UrlBot, pointer: str) -> None:
        challenged, reply = self._challenges.send(bot.receiver, pointer)
        if not reply.is_ok:
            raise Problem("bot_unreachable", errors=[FieldError(pointer, challenged.problem)])


def _put(games: Games, bot: UrlBot) -> UrlBot:
    """Store a bot; return the stored one if another request with its key has been faster."""
    data, ttl_s = encode_receiver(bot.receiver), games.settings.max_game_ttl_s
    outcome = ReceiverStore(games.store.calls).put(bot.receiver.ref, None, data, 1, ttl_s)
    stored = bot if outcome is PutOutcome.DONE else stored_bot(games.store, bot.id)
    if stored is None:
        raise Problem("too_much_contention")
    return stored


def _refused(pointer: str, detail: str) -> Problem:
    return Problem("invalid_body", errors=[FieldError(f"{pointer}/bot_url", detail)])
