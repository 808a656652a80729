"""Manual clocks: the time of a game stands still until the host advances it."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from skye_server.cooperative_yield import Computation
from skye_server.error_codes import Problem
from skye_server.games.autoplay import after_deadline, play_bots
from skye_server.games.events import ClockAdvanced
from skye_server.games.game import Game
from skye_server.games.seat_changes import check_changeable
from skye_server.games.transitions import Transition, advance

MAX_AHEAD_MS: Final = 100 * 366 * 86_400_000
"""How far the clock of a server for testers can be ahead of the real time."""


def advance_clock(game: Game, advance_ms: int) -> Transition:
    """Advance the clock of a game; each deadline that passes is applied at its own time.

    :raises Problem: clock_not_manual, game_aborted, game_finished, too_many_changes.
    """
    if game.clock_ms is None:
        raise Problem("clock_not_manual")
    check_changeable(game)
    target = game.clock_ms + advance_ms
    transition = Transition(game)
    while (due := transition.game.deadline_ms) is not None and due <= target:
        with Computation():
            transition = transition.then(after_deadline(replace(transition.game, clock_ms=due), due))
        transition = play_bots(transition, due)
    return transition.then(advance(transition.game, target, [ClockAdvanced()], clock_ms=target))
