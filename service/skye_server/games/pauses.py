"""Pauses: no deadline runs, and nobody can act, until a seat resumes the game or the pause is over."""

from __future__ import annotations

from typing import Any, Final

from skye_server.error_codes import Problem
from skye_server.games.absence import absent_ms_of
from skye_server.games.events import GamePaused, GameResumed
from skye_server.games.game import Game, Pause, Status
from skye_server.games.transitions import Transition, advance, state_in_play

MAX_PAUSES: Final = 10
"""How often a game can pause."""


def can_pause(game: Game) -> bool:
    """Return whether a game has a deadline that runs, and may pause once more."""
    is_possible = game.pause_count < MAX_PAUSES and game.options.max_pause_ms > 0
    return game.status is Status.PLAYING and game.deadline_ms is not None and is_possible


def check_can_pause(game: Game) -> None:
    """Check that a game can pause.

    :raises Problem: game_not_started, game_aborted, game_finished, game_paused, pause_not_possible.
    """
    if state_in_play(game).is_over:
        raise Problem("game_finished")
    check_not_paused(game)
    if not can_pause(game):
        raise Problem("pause_not_possible")


def check_not_paused(game: Game) -> None:
    """Check that a game is not paused.

    :raises Problem: game_paused.
    """
    if game.pause is not None:
        raise Problem("game_paused")


def pause(game: Game, now_ms: int) -> Transition:
    """Pause a game.

    :raises Problem: what `check_can_pause` raises.
    """
    check_can_pause(game)
    event, fields = begun(game, now_ms)
    return advance(game, now_ms, [event], **fields)


def begun(game: Game, now_ms: int) -> tuple[GamePaused, dict[str, Any]]:
    """Return the event and the fields of a game that pauses."""
    left_ms = [None if each is None else max(0, each.at_ms - now_ms) for each in game.deadlines]
    event = GamePaused(now_ms + game.options.max_pause_ms, tuple(left_ms))
    return event, {
        "pause": Pause(*event, set_ms=now_ms, began_ms=now_ms),
        "pause_count": game.pause_count + 1,
    }


def resume(game: Game, seat: int | None, now_ms: int) -> Transition:
    """End the pause of a game.

    :param seat: the seat that ends it; None: its time is over, or no person is left.
    :raises Problem: game_not_started, game_aborted, game_finished, game_not_paused.
    """
    if state_in_play(game).is_over:
        raise Problem("game_finished")
    if game.pause is None:
        raise Problem("game_not_paused")
    paused_ms = now_ms - game.pause.began_ms
    absent_ms = [None if time is None else time + paused_ms for time in map(absent_ms_of, game.seats)]
    return advance(game, now_ms, [GameResumed(seat, tuple(absent_ms))], pause=None)
