"""The use cases: load a table, let something happen at it, commit.

A write is played on the table as it was read and committed only if nobody has changed it since; otherwise
it is read and played again, a bounded number of times. Nothing is locked, and nothing is written by halves.
"""

from __future__ import annotations

import hashlib
import random
import secrets
import time
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import msgspec

from service.matches import autoplay
from service.matches import tokens as auth
from service.matches.errors import ERROR_CODES, Problem
from service.matches.match import Change, Match, Status
from service.matches.tokens import SPECTATOR, Caller, TokenSource
from service.matches.transitions import Transition
from service.observability.metrics import Metrics
from service.settings import Settings
from service.storage.codec import (
    StoredFormatError,
    encode_change,
    encode_history,
    encode_match,
    stored_header,
    version_header,
)
from service.storage.event_log import changes_from_log
from service.storage.store import Commit, LogEntry, Store, StoredResponse
from service.usecases.idempotency import Call, Reply, answer_again, answer_to_keep
from service.usecases.listing import Listing
from service.usecases.match_cache import RecentTables
from skye import RuleError

ATTEMPTS = 20
"""How often a write is played again when others keep changing the game first."""

_ID_ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789"
_ID_LENGTH = 12


class Seen(NamedTuple):
    """A table, and who is looking at it."""

    table: Match
    caller: Caller


Decide: TypeAlias = Callable[[Match, Caller, int, TokenSource], Transition]
"""What a request makes of a table: given the table, the caller, the time and a source of tokens."""

Tell: TypeAlias = Callable[[Match, Caller, TokenSource], tuple[int, Any]]
"""What is answered afterwards: a status and a body."""


class Games:
    """All games of a store."""

    def __init__(
        self,
        store: Store,
        settings: Settings,
        clock: Callable[[], float] = time.time,
        metrics: Metrics | None = None,
    ) -> None:
        self._store = store
        self._settings = settings
        self._clock = clock
        self._metrics = metrics or Metrics()
        self._recent = RecentTables()
        self.listing = Listing(store, self.now_ms)

    def read(self, game_id: str, token: str | None) -> Seen:
        """Return a table as it is now, and who the caller is.

        :raises Problem: game_not_found, token_unknown, game_unreadable, store_unavailable.
        """
        stored, _ = self._store.load(game_id)
        return self._brought_up(self._admit(game_id, stored, token))

    def view(self, seen: Seen) -> bytes:
        """Return the game as the caller may see it, in JSON."""
        return self._recent.view(*seen)

    def read_with_log(
        self, game_id: str, token: str | None, after: int = 0, limit: int | None = None
    ) -> tuple[Seen, list[Change]]:
        """Return a table, the caller, and the changes that hold events beyond number `after`.

        With `limit` no more of the log is read than so many events need.

        :raises Problem: what `read` raises; game_unreadable also when some of these changes are lost.
        """
        stored, entries = self._store.load_with_log(game_id, after, limit)
        seen = self._admit(game_id, stored, token)
        current = self._brought_up(seen)
        if current.table is not seen.table:
            return self.read_with_log(game_id, token, after, limit)
        return seen, changes_from_log(seen.table, after, entries, limit)

    def write(self, game_id: str, call: Call, decide: Decide, tell: Tell) -> Reply:
        """Let something happen at a table, once.

        :raises Problem: what `read` and `decide` raise, version_mismatch, idempotency_key_reused,
            too_much_contention. :raises RuleError: what `decide` raises.
        """
        for attempt in range(ATTEMPTS):
            stored, remembered = self._store.load(game_id, call.answer_key)
            reused = None
            if remembered is not None:
                try:
                    return answer_again(remembered, call)
                except Problem as problem:
                    reused = problem
            seen = self._brought_up(self._admit(game_id, stored, call.token))
            version = seen.table.version
            if reused is not None:
                raise self._forbidden(seen, decide) or reused
            if not call.accepts_version(version):
                detail, headers = f"The game is at version {version}.", {"ETag": f'"{version}"'}
                mismatch = Problem("version_mismatch", detail, headers=headers)
                raise self._forbidden(seen, decide) or mismatch
            reply = self._try(seen, call, decide, tell)
            if reply is not None:
                return reply
            _pause(attempt)
        raise Problem("too_much_contention")

    def create(self, call: Call, make: Callable[[str, int, TokenSource], Transition], tell: Tell) -> Reply:
        """Open a new table. `make` is given the new id, the time and a source of tokens."""
        forgotten = 0
        for _ in range(ATTEMPTS):
            game_id = _new_id(call, forgotten)
            if call.answer_key is not None:
                stored, remembered = self._store.load(game_id, call.answer_key)
                if remembered is not None:
                    return answer_again(remembered, call)
                if stored is not None:  # of an older game with this key the answer is forgotten
                    forgotten += 1
                    continue
            now_ms = self.now_ms()
            tokens = TokenSource(call.idempotency_key or "")
            step = autoplay.play_bots(make(game_id, now_ms, tokens), now_ms)
            self.listing.follow(None, step.match)
            reply = _reply(step.match, Caller(host=True), tokens, tell)._replace(
                location=f"/v1/games/{game_id}"
            )
            if self._commit(None, step, self._to_keep(call, reply, tokens)):
                return reply
        raise Problem("too_much_contention")

    def check(self) -> None:
        """Do nothing if the store answers.

        :raises Problem: store_unavailable.
        """
        self._store.ping()

    def _try(self, seen: Seen, call: Call, decide: Decide, tell: Tell) -> Reply | None:
        """Play and commit; None when somebody else changed the table in between."""
        now_ms = self.now_ms()
        tokens = TokenSource(call.idempotency_key or "")
        step = autoplay.play_bots(decide(seen.table, seen.caller, now_ms, tokens), now_ms)
        caller = self._still(seen, step.match, call.token)
        reply = _reply(step.match, caller, tokens, tell)
        if self._commit(seen.table, step, self._to_keep(call, reply, tokens)):
            self.listing.follow(seen.table, step.match)
            return reply
        return None

    def _forbidden(self, seen: Seen, decide: Decide) -> Problem | None:
        """Return why the caller may not do this at all, or None if there is nothing against it.

        That goes before any condition on a request (RFC 9110, 13.2.1).
        """
        try:
            decide(seen.table, seen.caller, self.now_ms(), TokenSource())
        except Problem as problem:
            return problem if ERROR_CODES[problem.code].status in (401, 403, 404) else None
        except RuleError:  # which is no question of who asks
            return None
        return None

    def _to_keep(self, call: Call, reply: Reply, tokens: TokenSource) -> StoredResponse | None:
        return answer_to_keep(call, reply, tokens, self._settings.idempotency_ttl_s)

    @staticmethod
    def _still(seen: Seen, table: Match, token: str | None) -> Caller:
        """Return who the caller is after a change: a seat may have been left, or have moved up."""
        if token is None or table.seats is seen.table.seats:
            return seen.caller
        return auth.identify(table, token) or SPECTATOR

    def _admit(self, game_id: str, stored: bytes | None, token: str | None) -> Seen:
        table = self._decoded(game_id, stored)
        caller = SPECTATOR if token is None else auth.identify(table, token)
        if table.private and caller in (None, SPECTATOR):
            raise Problem("game_not_found")
        if caller is None:
            raise Problem("token_unknown")
        return Seen(table, caller)

    def _decoded(self, game_id: str, stored: bytes | None) -> Match:
        if stored is None:
            raise Problem("game_not_found")
        try:
            return self._recent.decoded(game_id, stored)
        except StoredFormatError as error:
            raise Problem("game_unreadable", f"{str(error).capitalize()}.") from error

    def _brought_up(self, seen: Seen) -> Seen:
        """Apply a deadline that has passed, whoever is the first to come by."""
        table = seen.table
        for attempt in range(ATTEMPTS):
            step = autoplay.apply_missed_deadline(table, self.now_ms())
            if not step.changes:
                return seen if table is seen.table else Seen(table, seen.caller)
            if self._commit(table, step, None):
                self.listing.follow(table, step.match)
                return Seen(step.match, seen.caller)
            _pause(attempt)
            table = self._decoded(table.id, self._store.load(table.id)[0])
        raise Problem("too_much_contention")

    def _commit(self, before: Match | None, step: Transition, answer: StoredResponse | None) -> bool:
        table = step.match
        is_over = table.status in (Status.FINISHED, Status.ABORTED)
        if is_over:
            history = [*self._history(before), *step.changes]
            entries = [LogEntry(table.last_event, encode_history(history))]
        else:
            entries = [LogEntry(change.last_event, encode_change(change)) for change in step.changes]
        expected = None if before is None else self._header(before)
        stored, ttl_s = encode_match(table), self._ttl_s(table.status)
        done = self._store.commit(
            Commit(table.id, expected, stored, entries, ttl_s, answer, replaces_log=is_over)
        )
        if done:
            self._recent.keep(stored, table)
            self._metrics.game_changed(before.status if before else None, table.status)
        else:
            self._metrics.commit_conflicted()
        return done

    def _header(self, table: Match) -> bytes:
        """Return how the stored table must begin for a change to be made to this one.

        The checksum in it matters when Redis has lost a second or two, and what was played then has led to
        another table of the same version.
        """
        stored = self._recent.stored_as(table)
        return version_header(table.version) if stored is None else stored_header(stored)

    def _history(self, table: Match | None) -> list[Change]:
        """Return all changes that led to a table; should it have changed since, the commit will fail."""
        if table is None:
            return []
        stored, entries = self._store.load_with_log(table.id)
        return [] if stored is None else changes_from_log(table, 0, entries)

    def _ttl_s(self, status: Status) -> int:
        return {
            Status.LOBBY: self._settings.game_ttl_lobby_s,
            Status.PLAYING: self._settings.game_ttl_playing_s,
            Status.FINISHED: self._settings.game_ttl_finished_s,
            Status.ABORTED: self._settings.game_ttl_aborted_s,
        }[status]

    def now_ms(self) -> int:
        """Return the time by the service's clock, in milliseconds since 1970."""
        return int(self._clock() * 1000)


def _pause(attempt: int) -> None:
    """Transition aside for a moment, longer each time, so that those who contend do not meet again."""
    time.sleep(random.uniform(0, 0.002 * 1.5 ** min(attempt, 10)))  # noqa: S311 - jitter, not secrets


def _new_id(call: Call, forgotten: int) -> str:
    """Return an id: random, or for an idempotency key the one it leads to, so that it meets itself again.

    `forgotten` is how many older games the key has led to.
    """
    if call.answer_key is None:
        return "".join(secrets.choice(_ID_ALPHABET) for _ in range(_ID_LENGTH))
    digest = hashlib.sha256(f"{call.answer_key}/{forgotten}".encode()).digest()
    return "".join(_ID_ALPHABET[byte % 32] for byte in digest[:_ID_LENGTH])


def _reply(table: Match, caller: Caller, tokens: TokenSource, tell: Tell) -> Reply:
    status, body = tell(table, caller, tokens)
    return Reply(status, msgspec.json.encode(body), table.version)
