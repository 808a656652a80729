"""Random playouts of other engines that are installed (bench/requirements.txt)."""

from __future__ import annotations

import random
from collections.abc import Callable

NAMES = ("python-chess", "OpenSpiel backgammon", "OpenSpiel gin rummy")


def opponents(dice: random.Random) -> dict[str, Callable[[], int]]:
    """Return by name, if installed, a function that plays a game and returns the number of its decisions."""
    found: dict[str, Callable[[], int]] = {}
    try:
        import chess

        found["python-chess"] = lambda: _chess(chess, dice)
    except ImportError:
        pass
    try:
        import pyspiel

        found["OpenSpiel backgammon"] = lambda: _openspiel(pyspiel.load_game("backgammon"), dice)
        found["OpenSpiel gin rummy"] = lambda: _openspiel(pyspiel.load_game("gin_rummy"), dice)
    except ImportError:
        pass
    return found


def _chess(chess, dice: random.Random) -> int:
    board, number = chess.Board(), 0
    while number < 400 and not board.is_game_over():
        board.push(dice.choice(list(board.legal_moves)))
        number += 1
    return number


def _openspiel(game, dice: random.Random) -> int:
    state, number = game.new_initial_state(), 0
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, weights = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(dice.choices(outcomes, weights)[0])
        else:
            state.apply_action(dice.choice(state.legal_actions()))
            number += 1
    return number
