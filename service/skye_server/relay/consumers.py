"""The consumers of the relay: the lists of public games; the games, the events and the histories of players.

A game is in the list of its status. A player has a record of each game, and the events derived up to it; one
step writes both. Once the game is finished, another step writes it into the histories of its players, and
counts it in their statistics.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from skye_server.commands.listing import LISTED, index_name, index_of, score_of
from skye_server.error_codes import Problem
from skye_server.games.authorization import players_of
from skye_server.games.due import events_entry
from skye_server.games.game import Change, Game, OriginType, Status
from skye_server.games.past_games import PastGame, counters_of, is_past, past_game, seats_by_player
from skye_server.games.player_events import Derived, FollowedGame, derive, without_role
from skye_server.players.codec import followed_games, past_games, player_events
from skye_server.store.codec import changes_from_log
from skye_server.store.commit import MAX_ATTEMPTS, back_off
from skye_server.store.game_index import Listed, end_of
from skye_server.store.games import header_of
from skye_server.store.history_store import HistoryUpdate
from skye_server.store.redis_players import ACTIVE_SCORE, GameUpdate, UpdateOutcome
from skye_server.store.redis_store import RedisStore
from skye_server.store.shards import player_owner

ALL_LISTS = [index_name(status, origin) for status in LISTED for origin in (None, *OriginType)]


def relay_lists(subject: Subject) -> bool:
    """Put a game into the list of its status; return False if a later version was put there before.

    :raises Problem: store_unavailable; data_corrupt, data_newer, if the log of a finished game is unreadable.
    """
    game, index = subject.game, subject.store.index
    if game is None or game.private:
        if game is None or subject.committed is None:  # the commit of a private game saves the round trip
            index.remove(subject.game_id, ALL_LISTS)
        return True
    origin = None if game.origin is None else game.origin.type
    others = [index_name(status, origin) for status in LISTED if status is not game.status]
    if game.status not in LISTED:
        index.remove(game.id, others)
        return True
    listed = Listed(game.id, game.version, index_of(game), score_of(game, _end_ms(subject, game)))
    return index.put(listed, others, forced=subject.committed is None)


def _end_ms(subject: Subject, game: Game) -> int | None:
    if game.status is not Status.FINISHED:
        return None
    return end_of(subject.since(game.last_event - 1).changes)


_LATEST_MS: Final = 9e12
"""A time after all deadlines, in milliseconds since 1970: the position of waiting games without one."""


def relay_players(subject: Subject, ttl_s: int, now_ms: Callable[[], int]) -> bool:
    """Write the missing events of a game for its players; return False if others have written later ones.

    :param ttl_s: after how many seconds without an event what is stored of a player expires.
    :raises Problem: store_unavailable, too_much_contention; data_corrupt, data_newer, if a record or the log
        cannot be read. The other players have their events then.
    """
    problems, is_done = [], True
    for player in sorted(subject.players):
        try:
            is_done = _relay_player(subject, player, ttl_s, now_ms()) and is_done
        except Problem as problem:
            problems.append(problem)
    if problems:
        raise problems[0]
    return is_done


def _relay_player(subject: Subject, player: str, ttl_s: int, now_ms: int) -> bool:
    store, is_stored = subject.store, subject.committed is None
    for attempt in range(MAX_ATTEMPTS):
        record = store.players.game(player, subject.game_id)
        state = None if record is None else followed_games.decode(record)
        game, changes = subject.since(0 if state is None else state.last_event)
        if not is_stored and state is not None and game is not None and state.version > game.version:
            return False
        if game is None:
            derived = without_role(state, subject.game_id, now_ms)
        else:
            derived = derive(player, state, game, changes, now_ms)
        # Also without a change: another process may have failed to replicate it.
        outcome = store.players.update_game(_update(subject, player, record, derived, ttl_s))
        if outcome is UpdateOutcome.DONE_WITH_WEBHOOKS and (derived.events or is_stored):
            # Also without events: a crash may have come between them and this entry.
            store.due.add(events_entry(player_owner(player), now_ms))
        if outcome is not UpdateOutcome.CONFLICT:
            return True
        back_off(attempt)
    raise Problem("too_much_contention")


def _update(
    subject: Subject, player: str, expected: bytes | None, derived: Derived, ttl_s: int
) -> GameUpdate:
    record = None if derived.state is None else followed_games.encode(derived.state)
    score = 0 if derived.state is None else _score(derived.state)
    events = [player_events.encode(event) for event in derived.events]
    return GameUpdate(player, subject.game_id, expected, record, score, ttl_s, events)


def _score(state: FollowedGame) -> float:
    """Return the score of a game, by which a player's games are listed, the highest first."""
    if state.over:
        return state.since_ms
    if state.turn is None:
        return ACTIVE_SCORE + state.since_ms
    return 3 * ACTIVE_SCORE - min(state.turn.deadline_ms or _LATEST_MS, _LATEST_MS)


def relay_history(subject: Subject, ttl_s: int, now_ms: Callable[[], int]) -> bool:
    """Write a finished game into the histories of its players, and count it in their statistics.

    A game that is gone stays in histories. A game that is stored and not finished may have lost its end in a
    failover: it is removed.

    :param ttl_s: how long a history has a game after its end.
    :raises Problem: store_unavailable, too_much_contention; data_corrupt, data_newer, if the log or a stored
        past game cannot be read.
    """
    game, is_stored = subject.game, subject.committed is None
    if game is None or not (is_past(game) or is_stored):
        return True
    changes: Sequence[Change] = ()
    if seats_by_player(game) and is_past(game):
        game, changes = subject.since(0)
        if game is None or not is_past(game):
            return False
    for player, seat in seats_by_player(game).items():
        past = past_game(game, changes, seat) if is_past(game) else None
        _relay_past_game(subject, player, past, ttl_s, now_ms())
    return True


def _relay_past_game(subject: Subject, player: str, past: PastGame | None, ttl_s: int, now_ms: int) -> None:
    store, oldest_ms = subject.store.history, now_ms - 1000 * ttl_s
    if past is not None and past.finished_ms <= oldest_ms:
        return
    record = None if past is None else past_games.encode(past)
    known = None if record else store.record(player, subject.game_id)
    for attempt in range(MAX_ATTEMPTS):
        before = None if known is None else past_games.decode(known)
        if before is None and past is None:
            return
        counters = Counter() if past is None else counters_of(past)
        counters.subtract(Counter() if before is None else counters_of(before))
        finished_ms = 0 if past is None else past.finished_ms
        update = HistoryUpdate(
            player, subject.game_id, known, record, finished_ms, oldest_ms, ttl_s, counters
        )
        if store.put(update):
            return
        back_off(attempt)
        known = store.record(player, subject.game_id)
    raise Problem("too_much_contention")


class Since(NamedTuple):
    """A game, None if it is gone, and its changes that have events after a number."""

    game: Game | None
    changes: Sequence[Change]


@dataclass(frozen=True, slots=True)
class Subject:
    """A game that is relayed.

    :param game: the game when its relay began; None if it is gone.
    :param header: how the stored game began then.
    :param players: those for whom there may be something to write.
    :param committed: the changes of the commit that is relayed. None: the game was read from the store, which
        decides; while the process that has just committed may be overtaken by others.
    """

    store: RedisStore
    game_id: str
    game: Game | None
    header: bytes | None
    players: frozenset[str]
    committed: Sequence[Change] | None = None

    def since(self, last_event: int) -> Since:
        """Return the game, and its changes that have events after a number.

        :raises Problem: store_unavailable; data_corrupt, data_newer, if game or log cannot be read.
        """
        if self.game is None:
            return Since(None, ())
        if self.committed and self.committed[0].first_event <= last_event + 1:
            return Since(self.game, [each for each in self.committed if each.last_event > last_event])
        stored, entries = self.store.games.load_with_log(self.game_id, last_event)
        if stored is None:
            return Since(None, ())
        game = self.store.rulesets.decoded(stored)
        return Since(game, changes_from_log(game, last_event, entries))


def stored_subject(store: RedisStore, game_id: str, former: frozenset[str] = frozenset()) -> Subject:
    """Return a game as it is stored now.

    :param former: players who may have lost their role in it.
    :raises Problem: store_unavailable, data_corrupt, data_newer.
    """
    stored, _ = store.games.load(game_id)
    game = None if stored is None else store.rulesets.decoded(stored)
    header = None if stored is None else header_of(stored)
    return Subject(store, game_id, game, header, players_of(game) | former)
