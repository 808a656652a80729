"""Checks of the arguments of public functions: wrong types and values fail at once, with a sentence.

A class is compared with `is`, which takes a fraction of the time of `isinstance`.
"""

from __future__ import annotations

from skye.rules.state import GameState


def check_seat(game: GameState, seat: int | None, *, spectator: bool = False) -> None:
    """Check that a game has a seat.

    :param spectator: whether None is allowed, for a viewer without a seat.
    :raises TypeError: when the arguments are not a game and a seat, for example because they are swapped.
    :raises ValueError: when there is no such seat.
    """
    if seat.__class__ is int and game.__class__ is GameState and 0 <= seat < len(game.players):
        return
    if game.__class__ is not GameState:
        raise TypeError(f"the first argument is a GameState, not {type(game).__name__}")
    if seat is None and spectator:
        return
    if seat.__class__ is not int:
        raise TypeError(f"a seat is an int, not {type(seat).__name__}")
    raise ValueError(f"there is no seat {seat}: this game has the seats 0 to {len(game.players) - 1}")
