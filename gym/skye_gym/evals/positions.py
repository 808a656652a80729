"""Positions for tasks: the decisions of games that bots play."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from random import Random
from typing import Final, NamedTuple

from skye.bots.registry import choose_move
from skye.events import Event
from skye.rules.play import play
from skye.rules.setup import new_game
from skye.rules.state import GameState
from skye.rulesets import BASE


class Position(NamedTuple):
    """A decision of a game.

    :param game: the game.
    :param seat: the seat that decides.
    :param events: all events of the game so far.
    """

    game: GameState
    seat: int
    events: tuple[Event, ...]


_GAMES: Final = 10
"""The number of games in which a suitable position is looked for."""


@lru_cache(maxsize=256)
def positions(seed: str, number: int) -> tuple[Position, ...]:
    """Return the decisions of a game of the greedy bot from its second round on.

    :param seed: the seed of the run.
    :param number: the number of the game; two, three and four seats alternate.
    """
    counts = BASE.players[:3]
    players = counts[number % len(counts)]
    return _decisions(players, f"{seed}/{number}", "greedy")


@lru_cache(maxsize=256)
def positions_of_two(seed: str, number: int) -> tuple[Position, ...]:
    """Return the decisions of a game of two from its second round on, which the strategist plays.

    What is a good purchase depends on who made the offers: those of the greedy bot are worse than most.

    :param seed: the seed of the run.
    :param number: the number of the game.
    """
    return _decisions(2, f"{seed}/{number}/of two", "strategist")


def in_random_order(seed: str, number: int, kind: str) -> Iterator[tuple[int, Position]]:
    """Yield decisions, each with its number in its game, in the order in which a kind of task tries them."""
    return _shuffled(positions, seed, number, kind)


def of_two_in_random_order(seed: str, number: int, kind: str) -> Iterator[tuple[int, Position]]:
    """Yield decisions of games of two, likewise."""
    return _shuffled(positions_of_two, seed, number, kind)


def _shuffled(
    games: Callable[[str, int], tuple[Position, ...]], seed: str, number: int, kind: str
) -> Iterator[tuple[int, Position]]:
    for game in range(number, number + 1000 * _GAMES, 1000):
        found = list(games(seed, game))
        Random(f"{seed}/{game}/{kind}").shuffle(found)
        yield from enumerate(found)
    raise ValueError(f"no position for {kind} with the seed {seed!r}")


def _decisions(players: int, seed: str, bot: str) -> tuple[Position, ...]:
    rng = Random(seed)
    game, events = new_game(players, seed=seed)
    found: list[Position] = []
    while not game.is_over:
        seat = game.waiting_for[0]
        if game.round > 1:
            found.append(Position(game, seat, events))
        game, more = play(game, seat, choose_move(bot, game, seat, rng))
        events += more
    return tuple(found)
