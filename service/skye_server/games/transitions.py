"""Transitions of a match: accepted changes, each with its version and its events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from skye import GameState, Move, Outcome, SetOffer, TakeBack, play
from skye_server.error_codes import Problem
from skye_server.games.events import AnyEvent, TurnChanged
from skye_server.games.game import Change, Match, Status

MAX_CHANGES: Final = 1_500
"""The number of changes after which nothing can be undone; otherwise a game and its log could grow forever.

A game without undos has fewer than 200 changes, so every game ends within the size limit of a record.
"""


class Transition(NamedTuple):
    """A match after zero or more changes, and those changes, oldest first."""

    match: Match
    changes: tuple[Change, ...] = ()

    def then(self, later: Transition) -> Transition:
        """Return this transition extended by one that starts where this one ends."""
        return Transition(later.match, self.changes + later.changes)


def advance(match: Match, now_ms: int, events: Sequence[AnyEvent], **fields: Any) -> Transition:
    """Replace fields of a match as one change, which increments its version.

    A change of the seats that must act sets a new deadline and appends a `TurnChanged` event.
    """
    after = replace(match, **fields)
    events = tuple(events)
    if _turn(after) != _turn(match):
        after = replace(after, deadline_ms=_deadline(after, now_ms))
    if _shown_turn(after) != _shown_turn(match):
        events = (*events, TurnChanged(*_shown_turn(after)))
    change = Change(match.version + 1, now_ms, match.last_event + 1, events)
    return Transition(replace(after, version=change.version, last_event=change.last_event), (change,))


def make_move(match: Match, seat: int, move: Move, now_ms: int, *before: AnyEvent) -> Transition:
    """Make one move in the game.

    :param before: events that precede those of the move.
    :raises Problem: game_not_started, game_aborted.
    :raises RuleError: if the move is illegal.
    """
    return after_move(match, play(game_in_play(match), seat, move), now_ms, *before)


def after_move(match: Match, outcome: Outcome, now_ms: int, *before: AnyEvent) -> Transition:
    """Apply the outcome of a move; the events `before` precede those of the move."""
    game, events = outcome
    status = Status.FINISHED if game.is_over else Status.PLAYING
    return advance(match, now_ms, [*before, *events], game=game, status=status)


def undo_limit_reached(match: Match) -> bool:
    """Return whether a match has reached the number of changes after which nothing can be undone."""
    return match.version >= MAX_CHANGES


def is_undo(match: Match, seat: int, move: Move) -> bool:
    """Return whether a move replaces the seat's offer or takes back its placement."""
    if isinstance(move, SetOffer):
        return match.game is not None and bool(match.game.players[seat].prices)
    return isinstance(move, TakeBack)


def game_in_play(match: Match) -> GameState:
    """Return the game of a match that was started and not aborted; it may be over.

    :raises Problem: game_not_started, game_aborted.
    """
    if match.status is Status.ABORTED:
        raise Problem("game_aborted")
    if match.game is None:
        raise Problem("game_not_started")
    return match.game


def game_begun(match: Match) -> GameState:
    """Return the game of a match that was started; it may be over or aborted.

    :raises Problem: game_not_started.
    """
    if match.game is None:
        raise Problem("game_not_started")
    return match.game


def _turn(match: Match) -> tuple[object, ...]:
    """Return the turn to which a deadline applies: round, phase and number of buying turns."""
    game = match.game
    if game is None or match.status is not Status.PLAYING:
        return ()
    return game.round, game.phase, game.buys


def _shown_turn(match: Match) -> tuple[str | None, tuple[int, ...], int | None]:
    """Return the published turn: the phase, the seats that must act, and their deadline."""
    phase = match.game.phase if match.game and match.status is Status.PLAYING else None
    return phase, match.waiting_for, match.deadline_ms


def _deadline(match: Match, now_ms: int) -> int | None:
    if match.options.turn_ms is None or not match.waiting_for:
        return None
    return now_ms + match.options.turn_ms
