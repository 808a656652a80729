"""One game of a league: who decided what, how long it took, and who failed."""

from __future__ import annotations

import time
from collections.abc import Sequence
from random import Random
from typing import Any, Final

from skye.arena.bot_process import BotFailed
from skye.arena.entrants import Decider
from skye.bots import BOTS, choose_move
from skye.errors import RuleError
from skye.final_scoring import winners
from skye.game import Game
from skye.moves import Move, TakeBack
from skye.record import move_view
from skye.rules import Outcome, play
from skye.setup import new_game
from skye.tiles import COLORS

RECORD_FORMAT: Final = 1
"""The form of records that the HTTP API exports and imports."""

SUBSTITUTE: Final = "greedy"
"""The bot that plays a seat to the end after its own bot has failed, so that the record is complete."""


def play_match(names: Sequence[str], deciders: Sequence[Decider], seed: str) -> dict[str, Any]:
    """Play a game to its end and return what the league's file keeps of it.

    :param names: of the bots by seat. A bot that fails has lost, whatever its seat scores afterwards.
    """
    game = new_game(COLORS[: len(names)], seed).game
    failures: dict[int, str] = {}
    slowest = [0.0] * len(names)
    actions = []
    number = 0
    while not game.is_over:
        seat, rng = game.waiting_for[0], Random(f"{seed}/{number}")
        begun = time.perf_counter()
        outcome, move = _decide(game, seat, deciders[seat], rng, failures)
        slowest[seat] = max(slowest[seat], time.perf_counter() - begun)
        actions.append({"seat": seat, **move_view(move)})
        game, number = outcome.game, number + 1
    return {
        "bots": list(names),
        "seed": seed,
        "winners": _winners(game, failures),
        "scores": [player.score for player in game.players],
        "failures": {str(seat): failure for seat, failure in failures.items()},
        "slowest_ms": [round(1000 * seconds, 1) for seconds in slowest],
        "record": _record(names, game, seed, actions),
    }


def _decide(
    game: Game, seat: int, decider: Decider, rng: Random, failures: dict[int, str]
) -> tuple[Outcome, Move]:
    if seat not in failures:
        try:
            move = decider.decide(game, seat, rng)
            if isinstance(move, TakeBack):
                raise BotFailed("took a placement back, which bots may not")
            return play(game, seat, move), move
        except BotFailed as failure:
            failures[seat] = str(failure)
        except (RuleError, ValueError, TypeError, KeyError, ArithmeticError) as error:
            failures[seat] = f"made an illegal move: {error}"
    move = choose_move(BOTS[SUBSTITUTE], game, seat, rng)
    return play(game, seat, move), move


def _winners(game: Game, failures: dict[int, str]) -> list[int]:
    """Return the winners among the seats whose bots have not failed; nobody wins if all have."""
    playing = [seat for seat in range(len(game.players)) if seat not in failures]
    if not playing:
        return []
    scores = [game.players[seat].score for seat in playing]
    golds = [game.players[seat].gold for seat in playing]
    return [playing[at] for at in winners(scores, golds, game.tie_break)]


def _record(names: Sequence[str], game: Game, seed: str, actions: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "format": RECORD_FORMAT,
        "players": [
            {"name": f"{name[:20]} {seat + 1}", "color": game.players[seat].color, "bot": None}
            for seat, name in enumerate(names)
        ],
        "options": {
            "scoring_tiles": None,
            "starting_seat": None,
            "tie_break": str(game.tie_break),
            "open_gold": game.open_gold,
            "seed": seed,
        },
        "actions": actions,
    }
