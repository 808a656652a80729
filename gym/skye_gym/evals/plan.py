"""What a run consists of: its items, each a task or a game, and how a subject's replies answer it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final, NamedTuple

from skye.views import move_view
from skye_gym.agents import PLAIN, TextGame
from skye_gym.evals.games import OPPONENTS, Result, choose, play_game
from skye_gym.evals.judged import JUDGED, Regret, judged_task, regret, worst_regret
from skye_gym.evals.questions import (
    VARIANTS,
    Ask,
    Question,
    canonical,
    decision_messages,
    messages_of,
    wording_of,
)
from skye_gym.evals.tasks import TASKS, is_correct, task_line, task_of

SECTIONS: Final = ("exact", "judged", "games")
LISTS: Final = ("listed", "unlisted")
"""Games with and without the list of legal actions."""

JUDGED_VARIANTS: Final[Mapping[str, tuple[str, ...]]] = {"placement": (*VARIANTS, "unlisted")}
"""Of a judged task, its variants if they are not `VARIANTS`. Only the list says what a placement gains."""


PUBLISHED: Final = (*TASKS, *JUDGED, *OPPONENTS)
"""What has a published hash: the tasks of each kind, and the games with each opponent."""


def published_line(kind: str, seed: str, number: int) -> bytes:
    """Return a task with both wordings, or the first question of a game, as a line of JSON.

    :param kind: one of `PUBLISHED`.
    :param seed: the seed of the run.
    :param number: the number of the task or game.
    """
    if kind in TASKS:
        return task_line(kind, seed, number)
    if kind in JUDGED:
        task = judged_task(kind, seed, number)
        wordings = {variant: wording_of(variant, f"{seed}/{number}") for variant in VARIANTS}
        texts = {name: decision_messages(*task.position, wording) for name, wording in wordings.items()}
        line = {
            "kind": kind,
            "number": number,
            "questions": texts,
            "moves": [move_view(move) for move in task.moves],
            "values": dict(task.values),
        }
    else:
        game = TextGame(f"{seed}/{number // 2}/game", number % 2, kind)
        texts = {
            name: decision_messages(game.game, game.seat, game.events, PLAIN, listed=name == "listed")
            for name in LISTS
        }
        line = {"kind": kind, "number": number, "questions": texts}
    return canonical(line) + b"\n"


class Item(NamedTuple):
    """A task or a game.

    :param section: one of `SECTIONS`.
    :param kind: the kind of task, or the opponent.
    :param variant: one of `VARIANTS` or `LISTS`.
    :param number: the number of the task or game. Two games share a seed, one from each seat.
    """

    section: str
    kind: str
    variant: str
    number: int

    @property
    def key(self) -> str:
        """What the keys of the item's questions begin with."""
        return "/".join(map(str, self))

    @property
    def group(self) -> int:
        """The number that items with the same seed share."""
        return self.number // 2 if self.section == "games" else self.number


class Plan(NamedTuple):
    """What a run consists of; equal plans ask equal questions.

    :param seed: the seed of all positions and games.
    :param tasks: the number of tasks of each kind.
    :param games: the number of games with each opponent, with and without the list.
    :param sections: some of `SECTIONS`.
    :param reads: whether the subject reads texts. Otherwise there is one variant of everything.
    """

    seed: str = "1"
    tasks: int = 100
    games: int = 20
    sections: tuple[str, ...] = SECTIONS
    reads: bool = True

    def items(self) -> list[Item]:
        """Return the items in order."""
        kinds: Mapping[str, tuple[tuple[str, ...], tuple[str, ...], int]] = {
            "exact": (tuple(TASKS), VARIANTS, self.tasks),
            "judged": (tuple(JUDGED), VARIANTS, self.tasks),
            "games": (OPPONENTS, LISTS, self.games),
        }
        return [
            Item(section, kind, variant, number)
            for section in self.sections
            for kind in kinds[section][0]
            for variant in JUDGED_VARIANTS.get(kind, kinds[section][1])[: None if self.reads else 1]
            for number in range(kinds[section][2])
        ]

    def result(
        self, item: Item, ask: Ask, *, judge: bool = True, left_out: frozenset[str] = frozenset()
    ) -> Result:
        """Ask an item's questions; return its figures.

        :param judge: whether to compute regrets; those of offers take longer than all else.
        :param left_out: the members of the judge that have no part in `regret`.
        """
        seed = f"{self.seed}/{item.group}"
        if item.section == "games":
            listed = item.variant == "listed"
            return play_game(ask, item.key, f"{seed}/game", item.number % 2, item.kind, listed=listed)
        wording = wording_of(item.variant, seed)
        if item.section == "judged":
            task = judged_task(item.kind, self.seed, item.number)
            listed = item.variant != "unlisted"
            choice = choose(ask, item.key, *task.position, attempts=1, listed=listed, wording=wording)
            lost = Regret(0.0, 0.0)
            if judge and choice.move is None:
                lost = worst_regret(task, left_out)
            elif judge and choice.move is not None:
                lost = regret(task, choice.move, left_out)
            return {"regret": lost.value, "regret_of_all": lost.of_all, "illegal": choice.illegal}
        exact = task_of(item.kind, self.seed, item.number, wording)
        options = [wording.text(json.dumps(option)) for option in exact.options]
        reply = ask(Question(item.key, messages_of(exact.prompt, wording), options=options))
        return {"correct": is_correct(reply.text, exact, wording), "unanswered": not reply.text}
