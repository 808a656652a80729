"""The check of the entrants of a league before its first game."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from random import Random

from skye.rules.setup import Options, new_game
from skye.tiles.tile_set import DEFAULT_RULESET
from skye_gym.arena.bot_process import BotFailed, Budget
from skye_gym.arena.entrants import Entrant, decider_for
from skye_gym.arena.server_game import ServerGame, server_of


def check_entrants(
    entrants: Sequence[Entrant], players: int, budget: Budget, ruleset_id: str = DEFAULT_RULESET
) -> None:
    """Let each command choose the first offer of a sample game, and each server create one.

    :param players: the number of seats of the sample game.
    :param budget: the time limit of the decision.
    :param ruleset_id: the ruleset of the sample game.
    :raises ValueError: with the failure of every entrant that cannot be started or reached, or sends no move.
    """
    with ThreadPoolExecutor(len(entrants)) as pool:
        failures = list(pool.map(lambda entrant: _failure_of(entrant, players, budget, ruleset_id), entrants))
    failed = [
        f"{entrant.name!r}: {failure}"
        for entrant, failure in zip(entrants, failures, strict=True)
        if failure is not None
    ]
    if failed:
        raise ValueError("; ".join(failed))


def _failure_of(entrant: Entrant, players: int, budget: Budget, ruleset_id: str) -> str | None:
    """Return how an entrant fails in a sample game, or None when it can play."""
    try:
        decider = decider_for(entrant, budget)
        if entrant.url is not None and decider is None:
            server, bot = server_of(entrant.url)
            names, bots = [entrant.name] * players, [bot, *[None] * (players - 1)]
            with closing(
                ServerGame(server, names, bots, "sample", budget, ruleset_id=ruleset_id)
            ) as game_on_server:
                game_on_server.abort()
        elif decider is not None and entrant.builtin is None:
            game = new_game(players, seed="sample", options=Options(ruleset=ruleset_id)).game
            with closing(decider):
                decider.decide(game, 0, Random(0))
    except BotFailed as failure:
        return str(failure)
    return None
