"""How a table changes: one accepted change after another, each with its version and its events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from service.matches.errors import Problem
from service.matches.match import AnyEvent, Change, Status, Table, TurnChanged
from skye import Game, Move, Outcome, SetOffer, TakeBack, play

MOST_CHANGES: Final = 1_500
"""The changes of a game after which nothing is undone: else one could go on for ever, and its log would grow.

No game needs more than 200 that undo nothing, so one that has come so far ends within what a record may have.
"""


class Step(NamedTuple):
    """A table after some changes, and those changes, oldest first."""

    table: Table
    changes: tuple[Change, ...] = ()

    def then(self, later: Step) -> Step:
        """Return this step followed by one that began where this one ended."""
        return Step(later.table, self.changes + later.changes)


def changed(table: Table, now_ms: int, events: Sequence[AnyEvent], **fields: Any) -> Step:
    """Return the table with fields replaced, as one more version.

    Whenever that alters whose turn it is, the deadline is set anew and a `TurnChanged` told last.
    """
    after = replace(table, **fields)
    events = tuple(events)
    if _turn(after) != _turn(table):
        after = replace(after, deadline_ms=_deadline(after, now_ms))
    if _shown_turn(after) != _shown_turn(table):
        events = (*events, TurnChanged(*_shown_turn(after)))
    change = Change(table.version + 1, now_ms, table.last_event + 1, events)
    return Step(replace(after, version=change.version, last_event=change.last_event), (change,))


def make_move(table: Table, seat: int, move: Move, now_ms: int, *before: AnyEvent) -> Step:
    """Make one move in the game; `before` is told before what the move causes.

    :raises Problem: when no game is in play. :raises RuleError: when the rules refuse the move.
    """
    return after_move(table, play(game_in_play(table), seat, move), now_ms, *before)


def after_move(table: Table, outcome: Outcome, now_ms: int, *before: AnyEvent) -> Step:
    """Put the outcome of a move on the table; `before` is told before what the move has caused."""
    game, events = outcome
    status = Status.FINISHED if game.is_over else Status.PLAYING
    return changed(table, now_ms, [*before, *events], game=game, status=status)


def may_not_undo(table: Table) -> bool:
    """Say whether a game has changed so often that nothing of it is undone any more."""
    return table.version >= MOST_CHANGES


def undoes(table: Table, seat: int, move: Move) -> bool:
    """Say whether a move undoes what the seat has done before: a placement, or its offer."""
    if isinstance(move, SetOffer):
        return table.game is not None and bool(table.game.players[seat].prices)
    return isinstance(move, TakeBack)


def game_in_play(table: Table) -> Game:
    """Return the game of a table that has begun and was not aborted; it may be over.

    :raises Problem: game_not_started, game_aborted.
    """
    if table.status is Status.ABORTED:
        raise Problem("game_aborted")
    return game_begun(table)


def game_begun(table: Table) -> Game:
    """Return the game of a table that has begun; it may be over, or aborted.

    :raises Problem: game_not_started.
    """
    if table.game is None:
        raise Problem("game_not_started")
    return table.game


def _turn(table: Table) -> tuple[object, ...]:
    """Return what a deadline belongs to: a phase of a round, and when buying, whose turn it is."""
    game = table.game
    if game is None or table.status is not Status.PLAYING:
        return ()
    return game.round, game.phase, game.buys


def _shown_turn(table: Table) -> tuple[str | None, tuple[int, ...], int | None]:
    """Return what is told of whose turn it is: the phase, the seats that must act, and until when."""
    phase = table.game.phase if table.game and table.status is Status.PLAYING else None
    return phase, table.waiting_for, table.deadline_ms


def _deadline(table: Table, now_ms: int) -> int | None:
    if table.options.turn_ms is None or not table.waiting_for:
        return None
    return now_ms + table.options.turn_ms
