"""The OpenEnv environment of Isle of Skye: its server `app`, and the client `SkyeEnv`.

An episode is a game of two against a bot (`split="game"`), or a task of `skye_gym.evals.tasks` with one step.
A seed gives one game or task: the same positions, draws and moves of the bot.
"""

from __future__ import annotations

import random
from typing import Any
from uuid import uuid4

from openenv.core import EnvClient
from openenv.core.client_types import StepResult
from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field

from skye_gym.agents import PLAIN, TextGame, lesson
from skye_gym.evals.tasks import TASKS, Task, is_correct, task_of

GAME = "game"
SPLITS = (GAME, *TASKS)
TASKS_OF_A_SPLIT = 1000
MAX_POINTS = 100
"""Points with the reward 1. Few games end with more."""


class SkyeAction(Action):
    """The reply of a model; it ends with a JSON object, as the observation asks."""

    reply: str = Field(max_length=100_000, description="The reply, with a JSON object at its end.")


class SkyeObservation(Observation):
    """What the model reads."""

    text: str = Field(default="", description="The decision, the task, or why a reply cannot be used.")
    rules: str = Field(default="", description="The rules of the game; after `reset` only.")


class SkyeEnvironment(Environment[SkyeAction, SkyeObservation, State]):
    """A game against `greedy`, or a task, whose reward is 1 or 0.

    The reward of a game is that of its end: the points of the model, divided by 100 and at most 1.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._state = State(episode_id=str(uuid4()), step_count=0)
        self._episode: TextGame | Task | None = None
        self._done = False

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        split: str = GAME,
        index: int | None = None,
        **_: Any,
    ) -> SkyeObservation:
        """Begin an episode.

        :param seed: the seed of the game or task; random if neither it nor an index is given.
        :param split: `game`, or a kind of task.
        :param index: the number of a task of the split, the same as a seed.
        :raises ValueError: when there is no such split or task.
        """
        self._check(split, index)
        number = next(each for each in (index, seed, random.getrandbits(48)) if each is not None)
        self._state = State(episode_id=episode_id or str(uuid4()), step_count=0)
        self._done = False
        if split == GAME:
            self._episode = TextGame(f"openenv/{number}", seat=number % 2)
            text = self._episode.text()
        else:
            self._episode = task_of(split, "openenv", number, PLAIN)
            text = self._episode.prompt
        return SkyeObservation(text=text, rules=lesson(), reward=0.0, done=False)

    def step(self, action: SkyeAction, timeout_s: float | None = None, **_: Any) -> SkyeObservation:  # noqa: ARG002 - of OpenEnv
        """Make the move of a reply, or judge the answer of a task; a step after the end changes nothing."""
        if self._episode is None:
            raise ValueError("no episode has begun: call reset first")
        if self._done:
            return SkyeObservation(text="The episode is over: call reset.", reward=0.0, done=True)
        self._state.step_count += 1
        if isinstance(self._episode, Task):
            self._done = True
            correct = is_correct(action.reply, self._episode, PLAIN)
            return SkyeObservation(text="Correct." if correct else "Wrong.", reward=float(correct), done=True)
        text = self._episode.reply(action.reply)
        self._done = self._episode.over
        reward = min(self._episode.points / MAX_POINTS, 1.0) if self._done else 0.0
        illegal = {"illegal": self._episode.illegal}
        return SkyeObservation(text=text, reward=reward, done=self._done, metadata=illegal)

    @property
    def state(self) -> State:
        """The id of the episode and the number of its steps."""
        return self._state

    def list_splits(self) -> tuple[str, ...]:
        """Return the splits."""
        return SPLITS

    def num_tasks(self, split: str) -> int:
        """Return the number of tasks of a split."""
        self._check(split, None)
        return TASKS_OF_A_SPLIT

    def list_tasks(self, split: str) -> list[dict[str, Any]]:
        """Return the tasks of a split."""
        return [self.get_task(split, index) for index in range(self.num_tasks(split))]

    def get_task(self, split: str, index: int) -> dict[str, Any]:
        """Return a task; `reset` begins it."""
        self._check(split, index)
        return {"id": f"{split}-{index}", "index": index}

    @staticmethod
    def _check(split: str, index: int | None) -> None:
        if split not in SPLITS:
            raise ValueError(f"there is no split {split!r}; there are {', '.join(SPLITS)}")
        if index is not None and not 0 <= index < TASKS_OF_A_SPLIT:
            raise ValueError(f"there is no task {index}: the numbers are 0 to {TASKS_OF_A_SPLIT - 1}")


class SkyeEnv(EnvClient[SkyeAction, SkyeObservation, State]):
    """The client of a server."""

    def _step_payload(self, action: SkyeAction) -> dict[str, Any]:
        return {"reply": action.reply}

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[SkyeObservation]:
        ended = {"reward": payload.get("reward"), "done": payload.get("done", False)}
        return StepResult(observation=SkyeObservation(**{**payload["observation"], **ended}), **ended)

    def _parse_state(self, payload: dict[str, Any]) -> State:
        return State(**payload)


app = create_app(
    SkyeEnvironment, SkyeAction, SkyeObservation, env_name="isle_of_skye", max_concurrent_envs=64
)
