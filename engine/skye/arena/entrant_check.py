"""The check of the entrants of a league before its first game."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from random import Random

from skye.arena.bot_process import BotFailed, Budget
from skye.arena.entrants import Entrant, decider_for
from skye.arena.server_game import ServerGame, server_of
from skye.rules.setup import new_game
from skye.tiles.catalogue import COLORS


def check_entrants(entrants: Sequence[Entrant], players: int, budget: Budget) -> None:
    """Let each command choose the first offer of a sample game, and each server create one.

    :param players: the number of seats of the sample game.
    :param budget: the time limit of the decision.
    :raises ValueError: with the failure of every entrant that cannot be started or reached, or sends no move.
    """
    with ThreadPoolExecutor(len(entrants)) as pool:
        failures = list(pool.map(lambda entrant: _failure_of(entrant, players, budget), entrants))
    failed = [
        f"{entrant.name!r} {failure}"
        for entrant, failure in zip(entrants, failures, strict=True)
        if failure is not None
    ]
    if failed:
        raise ValueError("; ".join(failed))


def _failure_of(entrant: Entrant, players: int, budget: Budget) -> str | None:
    """Return how an entrant fails in a sample game, or None when it can play."""
    try:
        decider = decider_for(entrant, budget)
        if entrant.url is not None and decider is None:
            server, bot = server_of(entrant.url)
            names, bots = [entrant.name] * players, [bot, *[None] * (players - 1)]
            with closing(ServerGame(server, names, bots, "sample", budget)) as game_on_server:
                game_on_server.abort()
        elif decider is not None and entrant.builtin is None:
            with closing(decider):
                decider.decide(new_game(COLORS[:players], seed="sample").game, 0, Random(0))
    except BotFailed as failure:
        return str(failure)
    return None
