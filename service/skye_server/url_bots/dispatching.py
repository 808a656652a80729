"""Ask bots at URLs for their decisions, and play what they answer.

A dispatcher calls `BotDispatch.attend` with `GAME/BOT`, an entry of the due queue. It queues a message to the
bot for each decision. The body of the message holds the name of the decision only: the request is built for
each attempt. The move is committed before the result is recorded: after a crash between the two, the key of
the move shows that it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from threading import BoundedSemaphore
from typing import Any, Final

import msgspec
from marshmallow import ValidationError
from msgspec.structs import replace

from skye import Move, RuleError, SetOffer, TakeBack, legal_moves, offer_limits
from skye.views import move_view
from skye_server.commands.current_games import Games
from skye_server.contract.moves import Offer
from skye_server.contract.objects import json_or_none
from skye_server.error_codes import ERROR_CODES, Problem
from skye_server.games.authorization import Caller
from skye_server.games.due import decision_of
from skye_server.games.game import Game, with_seat
from skye_server.games.player_events import BotMessageType
from skye_server.games.transitions import state_in_play
from skye_server.games.views.actions import legal_actions
from skye_server.games.views.game import game_view, timestamp
from skye_server.outgoing.account_slots import AccountSlots
from skye_server.outgoing.messages import Message, MessageStatus, message_records
from skye_server.outgoing.receiver_store import NextMessage, Progress, ReceiverStore, Recorded
from skye_server.outgoing.retries import circuit_ms, retry_ms
from skye_server.outgoing.sender import MAX_SECONDS, Reply, Sender
from skye_server.url_bots.bots import UrlBot, bot_ref, decode_bot
from skye_server.url_bots.commands import (
    OVERTAKEN,
    Asked,
    give_up_decision,
    play_choice,
    seat_of_bot,
    was_played,
)

ATTEMPTS: Final = 2
"""How often a bot is asked for one decision."""

_MAX_RETRY_AFTER_S: Final = 60
_MAX_WAIT_MS: Final = 60_000
"""How long a decision waits for a slot of the bot's account."""

_MAX_WITHOUT_REQUEST: Final = 32
_MAX_WITHOUT_REQUEST_EACH: Final = 2
"""For how many bots that have failed a process decides at once, and for how many of one account."""

_MAX_WITHOUT_SLOT: Final = 2
"""How many games a process loads at once to note that their bots wait for a slot."""

_CIRCUIT_FAILURES: Final = 4
"""After how many failed requests in a row the server plays for a bot for some time without asking it."""

_LATE: Final = "The answer came when the decision was made already."
_HAS_FAILED: Final = "The bot was not asked: it has failed several times in a row."
_NO_SLOT: Final = "The bot was not asked: too many bots of its owner respond slowly."


class BotDispatch:
    """Plays for the bots at URLs of a store."""

    def __init__(self, games: Games, sender: Sender, slots: AccountSlots) -> None:
        self._games, self._sender, self._slots = games, sender, slots
        self._store = ReceiverStore(games.store.calls)
        self._without_request = AccountSlots(_MAX_WITHOUT_REQUEST, _MAX_WITHOUT_REQUEST_EACH)
        self._without_slot = BoundedSemaphore(_MAX_WITHOUT_SLOT)

    def attend(self, entry: str) -> int | None:
        """Ask a bot for the decision that its seat must make, if there is one.

        :returns: when to ask again, in milliseconds since 1970; None if a commit makes the entry due again.
        """
        game_id, url_bot = entry.split("/")
        now_ms = self._games.now_ms()
        found = self._store.next(
            bot_ref(url_bot), game_id, now_ms, max_failures=_CIRCUIT_FAILURES, attempts=False
        )
        if found.receiver is None:
            self._play_without(game_id, url_bot)
            return None
        bot = decode_bot(found.receiver)
        # Decisions without a request follow each other closely.
        slots = self._without_request if found.open_until_ms else self._slots
        with slots.slot(bot.receiver.account) as has_slot:
            if has_slot:
                return self._attend(game_id, bot, has_slot=True)
        is_recent = found.id and now_ms - message_records.decode(found.data).created_ms < _MAX_WAIT_MS
        if is_recent or not self._without_slot.acquire(blocking=False):
            return now_ms + slots.pause_ms(bot.receiver.account)
        try:
            return self._attend(game_id, bot, has_slot=False)  # from then on it has a time
        finally:
            self._without_slot.release()

    def _play_without(self, game_id: str, url_bot: str) -> None:
        """Make the decision of a bot that has expired, or was lost."""
        stored = self._games.stored.find(game_id)
        if stored is None:
            return
        game = self._games.apply_deadlines(stored)
        decision = decision_of(game, seat_of_bot(game, url_bot))
        if decision is not None:
            self._give_up(Asked(game_id, url_bot, decision, f"{url_bot} {decision}"))

    def _attend(self, game_id: str, bot: UrlBot, *, has_slot: bool) -> int | None:
        stored = self._games.stored.find(game_id)
        if stored is None:
            return None
        game = self._games.apply_deadlines(stored)
        found = self._pending(game, bot, decision_of(game, seat_of_bot(game, bot.id)))
        if found is None or not found.id:
            return None
        message = message_records.decode(found.data)
        now_ms = self._games.time_of(game)
        if message.next_ms is not None and message.next_ms > now_ms:
            return None if game.clock_ms is not None else message.next_ms
        return self._ask_or_give_up(game, bot, message, has_slot=has_slot)

    def _pending(self, game: Game, bot: UrlBot, decision: str | None) -> NextMessage | None:
        """Return the message of a decision, after ending those of earlier ones; None for no decision."""
        now_ms = self._games.time_of(game)
        while (found := self._next(game, bot)).id:
            message = message_records.decode(found.data)
            if message.body.decode() == decision:
                return found
            played = was_played(self._games, _asked(bot, message))
            reply = Reply(message.http_status, duration_ms=message.duration_ms or 0)
            after = message.after(reply, now_ms, "" if played else message.error or _LATE, None)
            result = Recorded(
                found.data, message_records.encode(after), over=True, failed=None, now_ms=now_ms
            )
            if not self._store.record(bot.receiver.ref, game.id, message.id, result):
                return None
        if decision is None or found.receiver is None:
            return None
        progress = self._store.progress(bot.receiver.ref)
        self._queue(game, bot, progress, decision)
        return self._next(game, bot)

    def _next(self, game: Game, bot: UrlBot, *, attempts: bool = False) -> NextMessage:
        now_ms = self._games.time_of(game)
        return self._store.next(
            bot.receiver.ref, game.id, now_ms, max_failures=_CIRCUIT_FAILURES, attempts=attempts
        )

    def _queue(self, game: Game, bot: UrlBot, progress: Progress, decision: str) -> None:
        now_ms = self._games.time_of(game)
        message_id = bot.receiver.message_id(progress.number + 1)
        message = Message(message_id, game.id, BotMessageType.DECISION, decision.encode(), now_ms, now_ms)
        queued = [(game.id, message_id, message_records.encode(message))]
        self._store.queue(bot.receiver.ref, progress, decision, queued, self._games.settings.max_game_ttl_s)

    def _ask_or_give_up(self, game: Game, bot: UrlBot, message: Message, *, has_slot: bool) -> int | None:
        """Ask for a decision, unless the bot has failed too often or waited too long; return when next."""
        found = self._next(game, bot, attempts=has_slot)
        if found.id != message.id:  # another dispatcher has ended it
            return self._games.now_ms()
        if has_slot and not found.open_until_ms:
            return self._ask(game, bot, found, message)
        if not found.open_until_ms and self._games.time_of(game) - message.created_ms < _MAX_WAIT_MS:
            return self._games.now_ms() + self._slots.pause_ms(bot.receiver.account)
        self._give_up(_asked(bot, message))
        error = _HAS_FAILED if found.open_until_ms else _NO_SLOT
        ended = replace(message, status=MessageStatus.FAILED, next_ms=None, error=error)
        now_ms = self._games.time_of(game)
        result = Recorded(found.data, message_records.encode(ended), over=True, failed=None, now_ms=now_ms)
        self._store.record(bot.receiver.ref, game.id, message.id, result)
        return None

    def _ask(self, game: Game, bot: UrlBot, found: NextMessage, message: Message) -> int | None:
        """Send a decision and play the answer; return when to ask again."""
        asked_ms = self._games.time_of(game)
        body = decision_body(game, seat_of_bot(game, bot.id), asked_ms, self._last_response_ms(bot, message))
        reply = self._sender.post(bot.receiver.url, bot.receiver.secrets(asked_ms), message.id, body)
        try:
            error = self._played(game, bot, message, reply)
        except Problem as problem:
            if problem.code == "idempotency_key_reused":  # another dispatcher has played another answer
                return self._games.now_ms()
            raise
        now_ms = self._games.time_of(game)
        pause_ms = None
        if error not in ("", _LATE):
            if message.attempt + 1 < ATTEMPTS:
                pause_ms = retry_ms(1, min(reply.retry_after_s, _MAX_RETRY_AFTER_S))
            else:
                self._give_up(_asked(bot, message))
        after = message.after(reply, now_ms, error, pause_ms)
        self._record(bot, found, after, failed=not reply.is_ok)
        return None if pause_ms is None or game.clock_ms is not None else after.next_ms

    def _last_response_ms(self, bot: UrlBot, message: Message) -> int | None:
        """Return how long the last request for this decision took, else that for the decision before it."""
        last = message
        if not message.attempt:
            before = bot.receiver.message_before(message.id)
            found = before and self._store.message(bot.receiver.ref, before)
            last = message_records.decode(found) if found else message
        was_sent = last.http_status is not None or last.duration_ms  # else it was over before
        return last.duration_ms if was_sent else None

    def _played(self, game: Game, bot: UrlBot, message: Message, reply: Reply) -> str:
        """Play an answer; return why that failed, empty if it did not.

        :raises Problem: idempotency_key_reused.
        """
        if not reply.is_ok:
            return reply.problem
        seat = seat_of_bot(game, bot.id)
        assert seat is not None
        try:
            move = chosen_move(game, seat, reply.body)
            play_choice(self._games, _asked(bot, message), move)
        except ValueError as error:
            return str(error)
        except RuleError as error:
            return f"The action is illegal: {error.code}."  # no detail: the host must see no amount
        except Problem as problem:
            if problem.code == OVERTAKEN:
                return _LATE
            if problem.code == "idempotency_key_reused" or ERROR_CODES[problem.code].status >= 500:
                raise
            return problem.detail
        return ""

    def _give_up(self, asked: Asked) -> None:
        try:
            give_up_decision(self._games, asked)
        except Problem as problem:
            if problem.code != OVERTAKEN:
                raise

    def _record(self, bot: UrlBot, found: NextMessage, after: Message, *, failed: bool) -> None:
        """Store the result of an attempt; further failures open the circuit."""
        over, now_ms = after.status != MessageStatus.PENDING, after.at_ms or 0
        beyond = found.failures + 1 - _CIRCUIT_FAILURES
        open_ms = now_ms + circuit_ms(beyond) if failed and beyond >= 0 else 0
        result = Recorded(found.data, message_records.encode(after), over, failed, now_ms, open_ms)
        self._store.record(bot.receiver.ref, after.game, after.id, result)


def _asked(bot: UrlBot, message: Message) -> Asked:
    # With the decision: when Redis loses the messages, but not the game, their ids begin again.
    decision = message.body.decode()
    return Asked(message.game, bot.id, decision, f"{message.id} {decision}")


def decision_body(game: Game, seat: int | None, now_ms: int, last_response_ms: int | None = None) -> bytes:
    """Return the request to the bot of a seat: its view of the game, its actions and the time left.

    :param last_response_ms: how long the last request to the bot took, None if it is not known.
    """
    assert seat is not None
    limit_ms = round(1000 * MAX_SECONDS)
    deadline_ms = game.turn.deadline_of(seat)
    left_ms = limit_ms if deadline_ms is None else max(0, min(limit_ms, deadline_ms - now_ms))
    data = {
        "seat": seat,
        "time_left_ms": left_ms,
        "last_response_ms": last_response_ms,
        "game": game_view(game, Caller(seat).in_game(game)),
        "actions": _actions(game, seat),
    }
    kind, href = BotMessageType.DECISION, f"/v1/games/{game.id}"
    message = {"type": kind, "timestamp": timestamp(now_ms), "href": href, "data": data}
    return msgspec.json.encode(message)


def _actions(game: Game, seat: int) -> list[Any]:
    """Return the actions between which a bot chooses; it takes nothing back."""
    seats = with_seat(game.seats, seat, replace(game.seats[seat], bot=None))
    listed = legal_actions(replace(game, seats=seats), seat)
    return [action for action in listed if not action["revises"]]


def chosen_move(game: Game, seat: int, body: bytes) -> Move:
    """Return the move of an answer: one of the actions, an offer with other values.

    :raises ValueError: if it is none, with the reason.
    """
    answer = json_or_none(body)
    if not isinstance(answer, dict) or not isinstance(answer.get("type"), str):
        raise ValueError("The response is not an action: a JSON object with `type` and `body`.")
    listed = [action for action in _actions(game, seat) if action["type"] == answer["type"]]
    if not listed:
        raise ValueError("The response has the type of no legal action.")
    if answer.get("href", listed[0]["href"]) != listed[0]["href"]:
        raise ValueError("The action of the response is not one of this decision: its `href` is another.")
    if answer["type"] == "set_offer":
        return _offer(answer.get("body"))
    sent = answer.get("body")
    state = state_in_play(game)
    for move in legal_moves(state, seat) if offer_limits(state, seat) is None else ():
        if not isinstance(move, TakeBack) and _is_sent(move_view(move), answer["type"], sent):
            return move
    raise ValueError("The action of the response is illegal.")


def _is_sent(view: Mapping[str, Any], kind: str, body: Any) -> bool:
    """Return whether a move has a type, and its fields are those of a body."""
    fields = {name: value for name, value in view.items() if name != "type"}
    return view["type"] == kind and fields == ({} if kind == "pass" else body or {})


def _offer(body: Any) -> Move:
    try:
        offer = Offer().load(body)
    except ValidationError:
        raise ValueError("The body of the response is not an offer.") from None
    return SetOffer(offer["discard"], tuple(offer["prices"].items()))
