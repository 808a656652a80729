"""Requests to take a seat over in games without a clock, where no deadline ends a wait.

When such a game has waited for a day in one phase, or for one buyer, a person for whom it does not wait can
ask for that. The seat then has a day for its decision. After that deadline the server decides for it, and has
taken it over.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from skye_server.error_codes import Problem
from skye_server.games.events import TakeoverRequested
from skye_server.games.game import Deadline, Game, Status
from skye_server.games.pauses import check_not_paused
from skye_server.games.seat_ends import DAY_MS
from skye_server.games.transitions import Transition, advance, state_in_play

WAITED_MS: Final = DAY_MS
"""For how long a game has waited before a person can ask."""

ASKED_MS: Final = DAY_MS
"""How long the seat has for its decision from then on."""


def requestable(game: Game, by: int, now_ms: int) -> Iterator[int]:
    """Yield the seats that a seat can ask to be taken over."""
    is_running = game.status is Status.PLAYING and game.pause is None
    if not is_running or not game.seats[by].is_present:
        return
    for number in game.waiting_for:
        if _obstacle(game, number, by, now_ms) is None:
            yield number


def request_takeover(game: Game, seat: int, by: int, now_ms: int) -> Transition:
    """Give a seat a day for its decision, after which it is taken over.

    :param by: the seat whose player asks for it.
    :raises Problem: game_not_started, game_aborted, game_finished, game_paused, seat_played_by_bot,
        takeover_not_possible.
    """
    if state_in_play(game).is_over:
        raise Problem("game_finished")
    check_not_paused(game)
    if not game.seats[by].is_present:
        raise Problem("seat_played_by_bot")
    if obstacle := _obstacle(game, seat, by, now_ms):
        raise Problem("takeover_not_possible", obstacle)
    deadline = Deadline(now_ms + ASKED_MS, now_ms)
    deadlines = (*game.deadlines[:seat], deadline, *game.deadlines[seat + 1 :])
    return advance(game, now_ms, [TakeoverRequested(seat, by, deadline.at_ms)], deadlines=deadlines)


def _obstacle(game: Game, seat: int, by: int, now_ms: int) -> str | None:
    """Return why a seat cannot ask for another to be taken over now; None if it can."""
    if game.is_timed:
        return "The game has a clock: the server decides for a seat that misses its deadline."
    if by in game.waiting_for:
        return "The game waits for the seat that asks."
    if seat not in game.waiting_for or not game.seats[seat].is_present:
        return "The game does not wait for the player of this seat."
    if game.deadlines[seat] is not None:
        return "A player has asked for it already: the seat has a deadline."
    if now_ms < game.turn_began_ms + WAITED_MS:
        return "The game has waited for less than a day."
    return None
