"""One game of a league: decisions, their times, and failures of bots."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from random import Random
from typing import Any, Final

from skye.bots.registry import BOTS, choose_move
from skye.errors import RuleError
from skye.events import Event
from skye.positions import RECORD_FORMAT, draws_to_json
from skye.positions.record import draws_of, move_view
from skye.rules.moves import Move, TakeBack
from skye.rules.play import Outcome, play
from skye.rules.setup import Options, new_game
from skye.rules.state import GameState
from skye.tiles.tile_set import DEFAULT_RULESET
from skye_gym.answers import well_formed, wrong_value_in
from skye_gym.arena.bot_process import BotFailed
from skye_gym.arena.entrants import Decider
from skye_gym.arena.server_game import ServerGame

SUBSTITUTES: Final = ("greedy", "random")
"""The bots that play a seat to the end after its own bot has failed, so that the record is complete:
the first that has no error of its own."""


def play_match(
    names: Sequence[str],
    deciders: Sequence[Decider | None],
    seed: str,
    server: ServerGame | None = None,
    ruleset_id: str = DEFAULT_RULESET,
) -> dict[str, Any]:
    """Play a game to its end; return the result as the file of the league stores it.

    :param names: by seat, the name of the bot. A bot that fails loses, whatever its seat scores afterwards.
    :param deciders: by seat, the decider; None for seats that the server plays.
    :param seed: the seed of the game.
    :param server: the game on a server, if any seat is a bot of that server.
    :param ruleset_id: the ruleset.
    """
    match = _Match(deciders, seed, server, ruleset_id)
    match.play()
    game = match.game
    return {
        "bots": list(names),
        "seed": seed,
        "winners": _winners(game, match.failures),
        "scores": [player.score for player in game.players],
        "failures": {str(seat): well_formed(failure) for seat, failure in match.failures.items()},
        "decisions_ms": _in_ms(match.seconds),
        "starts_ms": _in_ms(match.starts),
        "record": _record(names, match, seed),
    }


def _in_ms(seconds_by_seat: Sequence[Sequence[float]]) -> list[list[float]]:
    return [[round(1000 * seconds, 1) for seconds in of_seat] for of_seat in seconds_by_seat]


class _Match:
    """A game in progress, with its actions, times and failures."""

    def __init__(
        self, deciders: Sequence[Decider | None], seed: str, server: ServerGame | None, ruleset_id: str
    ) -> None:
        self.game, events = new_game(len(deciders), seed=seed, options=Options(ruleset=ruleset_id))
        self.failures: dict[int, str] = {}
        self.seconds: list[list[float]] = [[] for _ in deciders]
        """By seat, the time of each decision in seconds, except of those in `starts`."""
        self.starts: list[list[float]] = [[] for _ in deciders]
        """By seat, the time of each decision that started the bot's process, in seconds."""
        self.actions: list[dict[str, Any]] = []
        self.events: list[Event] = [*events]
        self.starting_seat = self.game.starting_seat
        """The seat that started round 1."""
        self._deciders = deciders
        self._seed = seed
        self._server = server

    def play(self) -> None:
        """Play to the end."""
        while not self.game.is_over:
            seat = self._next_seat()
            decider = self._deciders[seat]
            clock = time.perf_counter if decider is None else decider.clock
            times = self.starts if decider is not None and decider.starting else self.seconds
            begun = clock()
            if decider is None and self._server is not None:
                self._take_moves_of_server(self._server)
            else:
                self._make_move(seat)
            times[seat].append(clock() - begun)

    def _next_seat(self) -> int:
        """Return the next seat: the arena's seats first, so that the server can reveal all offers."""
        waiting_for = self.game.waiting_for
        ours = [seat for seat in waiting_for if self._deciders[seat] is not None]
        return (ours or waiting_for)[0]

    def _make_move(self, seat: int) -> None:
        rng = Random(f"{self._seed}/{len(self.actions)}")
        outcome, move = _decide(self.game, seat, self._deciders[seat], rng, self.failures)
        self._add(outcome, seat, move)
        if self._server is not None:
            with self._failure_of_server_loses():
                self._server.send(seat, move)

    def _take_moves_of_server(self, server: ServerGame) -> None:
        with self._failure_of_server_loses():
            for seat, move in server.moves():
                self._add(play(self.game, seat, move), seat, move)

    def _add(self, outcome: Outcome, seat: int, move: Move) -> None:
        moment = {"round": self.game.round, "phase": str(self.game.phase)}
        self.actions.append({"seat": seat, **moment, **move_view(move)})
        self.events += outcome.events
        self.game = outcome.game

    @contextlib.contextmanager
    def _failure_of_server_loses(self) -> Iterator[None]:
        """If the server fails, let its seats lose, and continue the game without it."""
        try:
            yield
        except (BotFailed, RuleError, KeyError, TypeError, ValueError) as error:
            for seat, decider in enumerate(self._deciders):
                if decider is None:
                    self.failures[seat] = str(error)
            self._server = None


def play_decision(
    game: GameState, seat: int, decide: Callable[[GameState, int, Random], Move], rng: Random
) -> tuple[Outcome, Move]:
    """Play the move that a bot chooses; return the outcome and the move.

    :raises BotFailed: when the bot fails, or its move is illegal.
    """
    move = decide(game, seat, rng)
    if isinstance(move, TakeBack):
        raise BotFailed("took a placement back: `skye.legal_moves` has `TakeBack`, which bots leave out")
    try:
        return play(game, seat, move), move
    except (RuleError, ValueError, TypeError, KeyError, ArithmeticError) as error:
        raise BotFailed(f"made an illegal move: {wrong_value_in(move, error)}") from error


def _decide(
    game: GameState, seat: int, decider: Decider | None, rng: Random, failures: dict[int, str]
) -> tuple[Outcome, Move]:
    if decider is not None and seat not in failures:
        try:
            return play_decision(game, seat, decider.decide, rng)
        except BotFailed as failure:
            failures[seat] = str(failure)
        except Exception as error:  # noqa: BLE001 - an error of a built-in bot loses its game, not the league
            failures[seat] = f"failed: {type(error).__name__}: {error}"
    *others, last = SUBSTITUTES
    for substitute in others:
        with contextlib.suppress(Exception):
            return play_decision(game, seat, partial(choose_move, BOTS[substitute]), rng)
    move = choose_move(BOTS[last], game, seat, rng)
    return play(game, seat, move), move


def _winners(game: GameState, failures: dict[int, str]) -> list[int]:
    """Return the winners among the seats whose bots have not failed; empty if all have."""
    scores, golds = [player.score for player in game.players], [player.gold for player in game.players]
    return [*game.ruleset.final.winners(scores, golds, game.tie_break, [[*failures]])]


def _record(names: Sequence[str], match: _Match, seed: str) -> dict[str, Any]:
    game = match.game
    return {
        "format": RECORD_FORMAT,
        "ruleset": game.ruleset_id,
        "players": [
            {"name": f"{name[:20]} {seat + 1}", "color": game.players[seat].color, "bot": None}
            for seat, name in enumerate(names)
        ],
        "options": {
            "scoring_tiles": None,
            "first_seat": None,
            "tie_break": str(game.tie_break),
            "open_gold": game.open_gold,
            "seed": seed,
        },
        "draws": draws_to_json(draws_of(game.scoring_tiles, match.starting_seat, match.events)),
        "actions": match.actions,
    }
