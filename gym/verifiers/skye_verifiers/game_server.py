"""The tool server of a game: `act` makes an action, and returns the next decision."""

from __future__ import annotations

import json
from typing import Any

import verifiers.v1 as vf

from skye_gym.agents import TextGame


class SkyeData(vf.TaskData):
    """A task: `seed` is that of a game, `answer` that of a task with an exact answer."""

    seed: str = ""
    seat: int = 0
    opponent: str = "greedy"
    answer: Any = None


class SkyeState(vf.State):
    """What the rewards follow from."""

    points: int = 0
    margin: int = 0
    illegal: int = 0
    over: bool = False


class SkyeToolset(vf.Toolset[vf.ToolsetConfig, SkyeState]):
    """One game for each rollout."""

    TOOL_PREFIX = None

    async def setup_task(self, task: SkyeData) -> None:
        """Begin the game."""
        self._game = TextGame(task.seed, task.seat, task.opponent)

    @vf.tool
    def act(self, action: dict[str, Any]) -> str:
        """Make an action, such as {"number": 3}; return your next decision, or why it is not legal."""
        game, state = self._game, self.state
        text = game.text() if game.over else game.reply(json.dumps(action))
        state.points, state.margin = game.points, game.margin
        state.illegal, state.over = game.illegal, game.over
        return text


if __name__ == "__main__":
    SkyeToolset.run()
