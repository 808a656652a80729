"""Whole games for the tests of positions, observation and chance."""

import os
import sys
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from skye import GameState, new_game, play_out
from skye.bots import Bot
from skye.events import Event
from skye.views import event_view
from tests.reference.play import Beginning, Step, beginning, whole_game
from tests.support.programs import run

for_each_number_of_players = pytest.mark.parametrize("players", [2, 3, 4, 5])


def steps(seed: int, players: int) -> tuple[Beginning, Iterator[Step]]:
    """Return how a random game begins, and its steps."""
    rng = Random(seed)
    begun = beginning(rng, players)
    return begun, whole_game(rng, begun.game())


def games(seed: int, players: int) -> Iterator[GameState]:
    """Yield every position of a random game, the first and the last included."""
    begun, played = steps(seed, players)
    yield begun.game()
    for step in played:
        yield step.after.game


def games_with_events(seed: int, players: int) -> Iterator[tuple[GameState, list[Event]]]:
    """Yield every position of a random game, each with all events so far."""
    begun, played = steps(seed, players)
    game, events = begun.outcome()
    log = list(events)
    yield game, log
    for step in played:
        log = [*log, *step.after.events]
        yield step.after.game, log


def seats_won(bot: Bot | str, rival: Bot | str, players: int) -> int:
    """Return how many of 12 games a bot wins against rivals, one after the other from each seat."""
    won = 0
    for number in range(12):
        bots = [rival] * players
        bots[number % players] = bot
        game = new_game(players, seed=f"held out {number // players}").game
        won += number % players in play_out(game, bots, Random(number)).game.winners
    return won


def printed_by(code: str, hash_seed: str = "random") -> str:
    """Return what another process prints, with a seed of its hashes."""
    path = os.pathsep.join(sys.path)
    return run(sys.executable, "-c", code, PYTHONHASHSEED=hash_seed, PYTHONPATH=path).strip()


def seen_events(seat: int | None, events: list[Event], game: GameState) -> list[dict[str, Any]]:
    return [event_view(game, seat, event) for event in events]
