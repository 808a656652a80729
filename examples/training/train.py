"""Train a masked PPO agent for Isle of Skye until it beats the random bot, and write its learning curve.

Observations are scaled. Only moderate prices and cells near the castle have outputs, so that the network
stays small. In addition to the result, each point of lead over the other seats earns a small reward.
"""

import argparse
import csv
import time
from pathlib import Path

import gymnasium
import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

import skye.envs.gymnasium  # noqa: F401 - registers the environment
from skye import BOTS

HERE = Path(__file__).parent
REACH = 6
"""The maximum distance from the castle, in cells, at which the agent can place a tile."""

LEAD = 0.02
"""The reward for each point of lead."""

_PLACEMENTS = 63  # see `skye.encoding`
_SIDE = 37
_MAX_PRICE = 12


def compact_actions() -> np.ndarray:
    """Return the numbers of the actions that the agent can choose."""
    first = [number for number in range(_PLACEMENTS) if not 3 + _MAX_PRICE <= number < 53]
    middle = range(18 - REACH, 18 + REACH + 1)
    placements = [
        _PLACEMENTS + ((tile * _SIDE + y) * _SIDE + x) * 4 + turn
        for tile in range(3)
        for y in middle
        for x in middle
        for turn in range(4)
    ]
    return np.array(first + placements)


class CompactActions(gymnasium.Wrapper):
    """Restricts the agent to an eighth of all actions, and rewards its lead."""

    def __init__(self, env):
        super().__init__(env)
        self._lead = 0
        self._numbers = compact_actions()
        self.action_space = spaces.Discrete(len(self._numbers))
        space = env.observation_space
        self.observation_space = spaces.Box(0.0, 1.0, space.shape, np.float32)

    def reset(self, **options):
        """Start another game."""
        observation, info = self.env.reset(**options)
        self._lead = 0
        return np.log1p(observation) / 7, info

    def step(self, action):
        """Take an action."""
        mask = self.env.unwrapped.action_masks()
        number = int(self._numbers[action])
        if not mask[number] and not mask[self._numbers].any():
            number = int(np.flatnonzero(mask)[0])
        observation, reward, ended, truncated, info = self.env.step(number)
        own, *others = info["scores"]
        lead, self._lead = self._lead, own - max(others)
        return np.log1p(observation) / 7, reward + LEAD * (self._lead - lead), ended, truncated, info

    def action_masks(self):
        """Return the mask of actions; if none is legal, the first one, for any legal action."""
        mask = self.env.unwrapped.action_masks()[self._numbers]
        if not mask.any():
            mask = mask.copy()
            mask[0] = True
        return mask


def environment(opponent: str):
    """Return the environment of the agent."""
    return CompactActions(gymnasium.make("skye/IsleOfSkye-v1", opponents=[opponent], observation="flat"))


def win_rate(model, opponent: str, games: int, seed: int) -> float:
    """Return the rate of games in which the agent has most points; equal scores count half."""
    env = environment(opponent)
    won = 0.0
    for game in range(games):
        observation, _ = env.reset(seed=seed + game)
        ended = False
        while not ended:
            action, _ = model.predict(observation, action_masks=env.action_masks(), deterministic=True)
            observation, _, ended, _, info = env.step(int(action))
        own, *others = info["scores"]
        won += (own > max(others)) + 0.5 * (own == max(others))
    return won / games


class Curve(BaseCallback):
    """Measures the win rate at intervals, and stops training after the time limit."""

    def __init__(self, options):
        super().__init__()
        self._options = options
        self._begun = time.monotonic()
        self.points: list[tuple[int, float, float]] = []

    def _on_rollout_start(self) -> None:
        if self.num_timesteps >= self._options.every * len(self.points):
            self.measure(self._options.games)

    def measure(self, games: int) -> None:
        """Add a point to the curve."""
        rate = win_rate(self.model, "random", games, seed=1_000_000)
        self.points.append((self.num_timesteps, round(time.monotonic() - self._begun, 1), rate))
        print(f"{self.num_timesteps:8} steps {self.points[-1][1]:7} s: {rate:.1%} against random", flush=True)

    def _on_step(self) -> bool:
        return time.monotonic() - self._begun < self._options.seconds


def main() -> None:
    """Train, measure on games of other seeds, and write the curve and the model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=200_000)
    parser.add_argument("--seconds", type=float, default=900, help="time limit of the training in seconds")
    parser.add_argument("--every", type=int, default=20_000, help="steps between two points of the curve")
    parser.add_argument("--games", type=int, default=60, help="games for each point of the curve")
    parser.add_argument("--last", type=int, default=200, help="games for the last measurement")
    parser.add_argument("--opponent", choices=sorted(BOTS), default="random")
    parser.add_argument("--out", type=Path, default=HERE / "out")
    options = parser.parse_args()
    torch.set_num_threads(1)
    model = MaskablePPO(
        "MlpPolicy",
        environment(options.opponent),
        seed=options.seed,
        n_steps=2048,
        batch_size=256,
        gamma=1.0,
        ent_coef=0.01,
        learning_rate=5e-4,
        policy_kwargs={"net_arch": [128, 128]},
    )
    curve = Curve(options)
    model.learn(options.steps, callback=curve)
    curve.measure(options.last)
    options.out.mkdir(exist_ok=True)
    model.save(options.out / "model.zip")
    with (options.out / "curve.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("steps", "seconds", "win_rate"), *curve.points])


if __name__ == "__main__":
    main()
