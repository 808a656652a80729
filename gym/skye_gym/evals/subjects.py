"""What can be measured beside a model at an endpoint: bots, programs of the league protocol, and scripts."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from random import Random
from threading import Lock
from types import MappingProxyType
from typing import Final, Protocol

from skye.rules.moves import Move
from skye.rules.state import Phase
from skye.views import move_view
from skye_gym.agents import legal_actions
from skye_gym.arena.bot_process import BotFailed, BotUnavailable, Budget
from skye_gym.arena.entrant_check import check_entrants
from skye_gym.arena.entrants import Decider, decider_for, entrant_from
from skye_gym.evals.judged import best_by_rollouts
from skye_gym.evals.positions import Position
from skye_gym.evals.questions import Question, Reply
from skye_gym.evals.scripts import legality_by_coordinates, most_listed_gain, most_neighbours

_PLAYERS: Final = 2
"""The number of seats of the sample game in which a program is checked."""

_ROLLOUTS: Final = 6
"""The number of samples in which the script `rollouts` compares moves."""


class Subject(Protocol):
    """What is measured."""

    @property
    def name(self) -> str:
        """The name in tables."""

    @property
    def builtin(self) -> str | None:
        """The name of the bot or script of this package, whatever its name in tables; None for others."""

    @property
    def reads(self) -> bool:
        """Whether it reads texts; otherwise it gets games, and no tasks in other words."""

    def reply(self, question: Question) -> Reply:
        """Return a reply."""

    def stop(self) -> None:
        """End the pauses of `reply` in other threads: the run has ended."""

    def close(self) -> None:
        """End it."""


class Script:
    """A script, which replies in this process.

    :param name: one of `SCRIPTS`.
    """

    reads = False

    def __init__(self, name: str) -> None:
        self.name = self.builtin = name

    def reply(self, question: Question) -> Reply:
        """Return the reply."""
        return SCRIPTS[self.name](question)

    def stop(self) -> None:
        """Do nothing: it makes no pauses."""

    def close(self) -> None:
        """Do nothing."""


class Player:
    """A bot or a program that plays in leagues; only `random` replies to tasks that ask for no move.

    :param argument: as for `skye-arena`.
    :param budget: the time limit of a decision.
    :raises ValueError: when the argument names none, or one that cannot be started or makes no decision.
    """

    reads = False

    def __init__(self, argument: str, budget: Budget) -> None:
        entrant = entrant_from(argument)
        decider = decider_for(entrant, budget)
        if decider is None:
            raise ValueError("bots of a server play on that server alone: skye-arena measures them")
        check_entrants([entrant], _PLAYERS, budget)
        self.name = entrant.name
        self.builtin = entrant.builtin
        self._decider: Decider = decider
        self._lock = Lock()

    def reply(self, question: Question) -> Reply:
        """Return the reply; a failure of the program is a reply without text.

        :raises BotUnavailable: when the program cannot be started or reached, which is no reply.
        """
        rng = Random(question.key)
        if question.game is None:
            return Reply(
                rng.choice(question.options) if self.builtin == "random" and question.options else ""
            )
        try:
            with self._lock:
                return _chosen(self._decider.decide(question.game, question.seat, rng))
        except BotUnavailable as failure:
            raise BotUnavailable(f"{self.name!r}: {failure}") from None
        except BotFailed as failure:
            return Reply("", None, str(failure))

    def stop(self) -> None:
        """Do nothing: it makes no pauses."""

    def close(self) -> None:
        """End the program."""
        self._decider.close()


def subject_of(argument: str, budget: Budget) -> Subject:
    """Return the script, bot or program of an argument of the command line.

    :raises ValueError: when the argument names none, or one that cannot be started or makes no decision.
    """
    return Script(argument) if argument in SCRIPTS else Player(argument, budget)


def _chosen(move: Move) -> Reply:
    return Reply(json.dumps(move_view(move), sort_keys=True))


def _first(question: Question) -> Reply:
    if question.game is None:
        return Reply(question.options[0] if question.options else "")
    return _chosen(legal_actions(question.game, question.seat)[0])


def _most_listed_gain(question: Question) -> Reply:
    """Return the placement of most listed gain in this round; otherwise the first legal action."""
    if question.game is None or question.game.phase is not Phase.BUILDING:
        return _first(question)
    return _chosen(most_listed_gain(question.game, question.seat))


def _by_coordinates(question: Question) -> Reply:
    """Return what coordinates alone say.

    A placement is on the cell with most neighbours; it is said to be legal if the cell has one neighbour.
    """
    if question.game is None:
        kind = question.key.split("/")[1]
        return Reply(legality_by_coordinates(question.messages) if kind == "legality" else "")
    if question.game.phase is not Phase.BUILDING:
        return _first(question)
    return _chosen(most_neighbours(question.game, question.seat))


def _best_by_rollouts(question: Question) -> Reply:
    if question.game is None:
        return Reply("")
    position = Position(question.game, question.seat, ())
    return _chosen(best_by_rollouts(position, Random(question.key), _ROLLOUTS))


SCRIPTS: Final[Mapping[str, Callable[[Question], Reply]]] = MappingProxyType(
    {
        "first": _first,
        "coordinates": _by_coordinates,
        "listed_gain": _most_listed_gain,
        "rollouts": _best_by_rollouts,
    }
)
"""The scripts by name: the first legal action or option, what coordinates alone say, the placement of most
listed gain in this round, and the best move in samples of its own."""
