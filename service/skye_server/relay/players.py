"""The games and events of players: a record of each game, and the events derived up to it, in one step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from skye_server.error_codes import Problem
from skye_server.games.player_events import Derived, FollowedGame, derive, without_role
from skye_server.players.codec import followed_games, player_events
from skye_server.relay.subject import Subject
from skye_server.store.commit_retries import MAX_ATTEMPTS, back_off
from skye_server.store.player_store import GameUpdate, UpdateOutcome
from skye_server.store.redis_players import ACTIVE_SCORE
from skye_server.store.webhook_entries import events_entry, player_owner

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
