"""Optimistic locking (optimistic concurrency): attempts of a command, each on a freshly loaded match.

A command is applied to the match as it was loaded, and committed only if no other request changed the match
since (compare-and-set). After a conflict the command is retried on the match as it is then, at most
`MAX_ATTEMPTS` times. Nothing is locked.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, cast

from service.matches import autoplay
from service.matches.authorization import SPECTATOR, Caller, TokenSource, identify_player
from service.matches.error_codes import Problem
from service.matches.match import Match
from service.matches.openings import NewGame
from service.matches.transitions import Transition
from service.matches.view_types import TimedGameView
from service.matches.views import game_view, timestamp
from service.storage.store import StoredResponse
from service.usecases.commit_retries import MAX_ATTEMPTS, back_off
from service.usecases.games import Games
from service.usecases.idempotency import IdempotencyRecord, decode_record, encode_record

_ID_ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789"
_ID_LENGTH = 12
_KEY_BYTES: Final = 16


@dataclass(frozen=True, slots=True)
class Command:
    """The credentials, the idempotency key and the precondition of a command.

    :param digest: identifies method, path and body of the request; empty without an idempotency key.
    :param address: the address of the client.
    :param accepts_version: the condition of `If-Match`.
    :param invite: an invitation code in addition to the token.
    :param include_actions: whether the view of the game has the legal actions of the caller's seat.
    """

    token: str | None = None
    idempotency_key: str | None = None
    digest: bytes = b""
    address: str = ""
    accepts_version: Callable[[int], bool] = lambda _version: True
    invite: str | None = None
    include_actions: bool = False

    @property
    def record_key(self) -> str | None:
        """The name of the idempotency record: the key is scoped to the token, without one to the address.

        A token always has the format that `is_token` checks, so none can equal the scope of an address.
        """
        if self.idempotency_key is None:
            return None
        scope = self.token or f"address:{self.address}"
        return hashlib.sha256(f"{scope}\n{self.idempotency_key}".encode()).hexdigest()[: 2 * _KEY_BYTES]

    def part(self, number: int) -> Command:
        """Return one of several commands in one request, with an idempotency key that no client can send."""
        key = self.idempotency_key
        return self if key is None else replace(self, idempotency_key=f"{key} {number}")


class Committed(NamedTuple):
    """A match after a command, the role of the caller after it, and the tokens that it issued.

    :param now_ms: the time of the response; for a replayed response the time of the first one.
    """

    match: Match
    caller: Caller
    tokens: TokenSource
    now_ms: int

    def game_view(self) -> TimedGameView:
        """Return the game as the caller may see it, with the time of the response."""
        shown = {**game_view(self.match, self.caller), "now": timestamp(self.now_ms)}
        return cast("TimedGameView", shown)  # mypy cannot merge a TypedDict into one with an optional key


class Attempt:
    """One attempt to change a loaded match."""

    def __init__(self, games: Games, command: Command, game_id: str) -> None:
        """Load the match, authenticate the caller, and apply missed deadlines.

        :raises Problem: game_not_found, token_unknown, too_much_contention, game_unreadable,
            store_unavailable.
        """
        stored, stored_record = games.store.load(game_id, command.record_key)
        self._games, self._command = games, command
        self._record = None if stored_record is None else decode_record(stored_record)
        replay = self._replayable
        retired = replay is not None and replay.retired_token
        loaded = games.authenticate(game_id, stored, command.token, invite=command.invite, retired=retired)
        self.match, self.caller = games.apply_deadlines(loaded)
        self.tokens = TokenSource(command.idempotency_key or "")

    @property
    def _replayable(self) -> IdempotencyRecord | None:
        """The record of this very request, if it has been committed before."""
        record = self._record
        return record if record is not None and record.digest == self._command.digest else None

    @property
    def now_ms(self) -> int:
        """The current time, by the clock of the match."""
        return self._games.time_of(self.match)

    def replayed(self) -> Committed | None:
        """Return the result of this request if it has been committed before, otherwise None.

        The caller is authenticated already: with a token that is valid now, or that this request retired.

        :raises Problem: game_unreadable, when the log of the game is lost.
        """
        record = self._replayable
        if record is None:
            return None
        match = self._games.history.at_version(self.match, record.version)
        tokens = record.tokens(self._command.idempotency_key or "")
        return Committed(match, record.caller, tokens, record.now_ms or self.now_ms)

    def check_preconditions(self) -> None:
        """Check the idempotency key and `If-Match`, after authorization (RFC 9110, 13.2.1).

        :raises Problem: idempotency_key_reused, version_mismatch.
        """
        if self._record is not None:
            raise Problem("idempotency_key_reused")
        check_version(self._command, self.match.version)

    def commit(self, transition: Transition) -> Committed | None:
        """Let bots move, then commit; None after a conflict with another request.

        :raises Problem: too_many_games, too_much_contention, store_unavailable, game_unreadable.
        """
        transition = autoplay.play_bots(transition, self.now_ms)
        caller, retired = self._caller_after(transition.match)
        now_ms = self._games.time_of(transition.match)
        committed = Committed(transition.match, caller, self.tokens, now_ms)
        record = new_record(self._games, self._command, committed, retired_token=retired)
        return committed if self._games.matches.commit(self.match, transition, record) else None

    def _caller_after(self, match: Match) -> tuple[Caller, bool]:
        """Return the caller's role after a transition, and whether it retired the caller's token.

        A seat may have been left, or moved up because an earlier one was left.
        """
        token = self._command.token
        if token is None or match.seats is self.match.seats:
            return self.caller, False
        caller = self._games.identify(match, token)
        return caller or SPECTATOR, caller is None


class Creation:
    """One attempt to create a match under a new id; `player` is the id of the caller's player, or empty."""

    def __init__(self, games: Games, command: Command, game_id: str, record: bytes | None) -> None:
        """Decode the idempotency record, and authenticate the caller.

        :raises Problem: token_unknown, game_unreadable, store_unavailable.
        """
        self._games, self._command, self.game_id = games, command, game_id
        self._record = None if record is None else decode_record(record)
        self.tokens = TokenSource(command.idempotency_key or "")
        self.player = games.identities.player_of_key(command.token)

    @property
    def new_game(self) -> NewGame:
        """The values that the service supplies for the new match."""
        return NewGame(self.game_id, self.tokens, self.now_ms, self.player)

    @property
    def now_ms(self) -> int:
        """The current time."""
        return self._games.now_ms()

    def replayed(self) -> Committed | None:
        """Return the result of this request if it has been committed before, otherwise None.

        :raises Problem: idempotency_key_reused, store_unavailable, game_unreadable.
        """
        record = self._record
        if record is None:
            return None
        if record.digest != self._command.digest:
            raise Problem("idempotency_key_reused")
        match = self._games.history.at_version(self._games.matches.current(self.game_id), record.version)
        tokens = record.tokens(self._command.idempotency_key or "")
        return Committed(match, record.caller, tokens, record.now_ms or self.now_ms)

    def commit(self, transition: Transition) -> Committed | None:
        """Let bots move, then commit; None if another match has this id.

        :raises Problem: too_many_games, too_much_contention, store_unavailable, game_unreadable.
        """
        transition = autoplay.play_bots(transition, self.now_ms)
        match, player = transition.match, self.player
        caller = identify_player(match, player) if player else None
        committed = Committed(match, caller or Caller(host=True), self.tokens, self.now_ms)
        record = new_record(self._games, self._command, committed)
        return committed if self._games.matches.commit(None, transition, record) else None


def check_version(command: Command, version: int) -> None:
    """Check the condition of `If-Match`.

    :raises Problem: version_mismatch.
    """
    if not command.accepts_version(version):
        detail, headers = f"The game is at version {version}.", {"ETag": f'"{version}"'}
        raise Problem("version_mismatch", detail, headers=headers, version=version)


def attempts(games: Games, command: Command, game_id: str) -> Iterator[Attempt]:
    """Yield attempts to change a match, with a random growing pause between them.

    :raises Problem: what `Attempt` raises.
    """
    for number in range(MAX_ATTEMPTS):
        yield Attempt(games, command, game_id)
        back_off(number)


def creations(games: Games, command: Command) -> Iterator[Creation]:
    """Yield attempts to create a match.

    With an idempotency key the id derives from the key, so that a retry finds the record of its match. An
    older match of this key whose record has expired is not used.

    :raises Problem: what `Creation` raises.
    """
    expired = 0
    for _ in range(MAX_ATTEMPTS):
        game_id = _new_id(command, expired)
        record = None
        if command.record_key is not None:
            stored, record = games.store.load(game_id, command.record_key)
            if (stored is None) is not (record is None):
                expired += 1
                continue
        yield Creation(games, command, game_id, record)


def new_record(
    games: Games, command: Command, committed: Committed, *, retired_token: bool = False
) -> StoredResponse | None:
    """Return the idempotency record to store with a commit, None for a command without a key."""
    if command.record_key is None:
        return None
    tokens, caller = committed.tokens, committed.caller
    roles = list(tokens.given)
    record = IdempotencyRecord(
        command.digest,
        committed.match.version,
        caller.seat,
        caller.host,
        retired_token,
        roles,
        tokens.nonce if roles else b"",
        committed.now_ms,
    )
    return StoredResponse(command.record_key, encode_record(record), games.idempotency_ttl_s)


def _new_id(command: Command, expired: int) -> str:
    """Return the id of a new match: random, or derived from the idempotency key.

    :param expired: how many older matches were created with the key.
    """
    if command.record_key is None:
        return "".join(secrets.choice(_ID_ALPHABET) for _ in range(_ID_LENGTH))
    return id_from(hashlib.sha256(f"{command.record_key}/{expired}".encode()).digest())


def id_from(digest: bytes) -> str:
    """Return the id of a match that derives from a digest."""
    return "".join(_ID_ALPHABET[byte % 32] for byte in digest[:_ID_LENGTH])
