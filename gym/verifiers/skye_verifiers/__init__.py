"""The verifiers environment of Isle of Skye: games by tool calls, or tasks with exact answers.

In a game of two against a bot the model calls the tool `act` until the game is over; the reward is its
points. In a task, of a kind of `skye_gym.evals.tasks`, the reward is 1 for the right answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import verifiers.v1 as vf

from skye_gym.agents import PLAIN, TextGame, legal_actions, lesson
from skye_gym.evals.tasks import TASKS, Task, is_correct, task_of
from skye_verifiers.game_server import SkyeData, SkyeState, SkyeToolset

__all__ = ["SkyeTaskset", "load_environment"]

GAME = "game"
MAX_POINTS = 100
"""Points with the reward 1. Few games end with more."""

_TOOL = "Play with the tool `act`, whose argument is that object, until it says that the game is over."


class SkyeTaskConfig(vf.TaskConfig):
    """The knobs of a task; `kind` is `game`, or a kind of task with exact answers."""

    kind: str = GAME
    opponent: str = "greedy"
    tools: vf.ToolsetConfig = vf.ToolsetConfig()


class SkyeTask(vf.Task[SkyeData, SkyeState, SkyeTaskConfig]):
    """A game or a task."""

    @classmethod
    def toolsets(cls, config: SkyeTaskConfig) -> list[vf.Toolset]:
        """Return the tool server of a game."""
        return [SkyeToolset(config.tools)] if config.kind == GAME else []

    @vf.reward(weight=1.0)
    async def points(self, trace: vf.Trace) -> float:
        """Return the points of a finished game / 100, at most 1; or whether the answer is right."""
        if self.data.seed:
            return min(trace.state.points / MAX_POINTS, 1.0) if trace.state.over else 0.0
        return float(is_correct(trace.last_reply or "", Task("", self.data.answer), PLAIN))

    @vf.metric
    async def figures(self, trace: vf.Trace) -> dict[str, float]:
        """Return the points of the model minus those of the bot, and the number of illegal actions."""
        return {"margin": float(trace.state.margin), "illegal": float(trace.state.illegal)}

    async def validate(self, runtime: vf.Runtime) -> bool:  # noqa: ARG002 - of the framework
        """Return whether the reference answer is right, or the game can be played to its end."""
        if not self.data.seed:
            return is_correct(json.dumps(self.data.answer), Task("", self.data.answer), PLAIN)
        game = TextGame(self.data.seed, self.data.seat)
        while not game.over:
            game.play(legal_actions(game.game, game.seat)[0])
        return game.points > 0


class SkyeConfig(vf.TasksetConfig):
    """The number of tasks, and the seed of the first."""

    num_tasks: int = 100
    first: int = 0
    task: SkyeTaskConfig = SkyeTaskConfig()


class SkyeTaskset(vf.Taskset[SkyeTask, SkyeConfig]):
    """Games or tasks; a number always gives the same one."""

    def load(self) -> Iterator[SkyeTask]:
        """Yield the tasks; :raises ValueError: when there is no such kind."""
        config = self.config.task
        if config.kind != GAME and config.kind not in TASKS:
            raise ValueError(f"there is no kind {config.kind!r}; there are {', '.join([GAME, *TASKS])}")
        for number in range(self.config.first, self.config.first + self.config.num_tasks):
            yield SkyeTask(_data(config.kind, number, config.opponent), config)


def load_environment(kind: str = GAME, num_tasks: int = 100, opponent: str = "greedy") -> vf.Env:
    """Return the environment of `game`, or of a kind of task with exact answers."""
    task = SkyeTaskConfig(kind=kind, opponent=opponent)
    taskset = SkyeConfig(id="skye_verifiers", num_tasks=num_tasks, task=task)
    return vf.load_environment(vf.SingleAgentEnvConfig(taskset=taskset))


def _data(kind: str, number: int, opponent: str) -> SkyeData:
    common = {"name": f"{kind}-{number}", "system_prompt": lesson()}
    if kind != GAME:
        task = task_of(kind, "verifiers", number, PLAIN)
        return SkyeData(prompt=task.prompt, answer=task.answer, **common)
    seed, seat = f"verifiers/{number}", number % 2
    prompt = f"{TextGame(seed, seat, opponent).text()}\n\n{_TOOL}"
    return SkyeData(prompt=prompt, seed=seed, seat=seat, opponent=opponent, **common)
