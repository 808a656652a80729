"""Train an agent for two players with MaskablePPO of sb3-contrib, from its own reward, against `greedy`.

The curve is measured on seeds that no game of the training has, each with both seats.
"""

import argparse
import csv
import time
from collections.abc import Sequence
from pathlib import Path

import torch
from candidate_policy import CandidatePolicy, export
from lead_to_come import change_of_lead
from learner import load_agent
from measure import measure
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

from skye import BOTS
from skye_gym.envs.stable_baselines import vec_env


class Progress(BaseCallback):
    """Anneals the entropy, and writes the weights and the curve.

    :param options: the arguments of the command.
    """

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__()
        self.options = options
        self.curve: list[tuple[int, float, int, float, float]] = []
        self._points = [options.total * point // options.points for point in range(options.points)]
        self._measuring = 0.0

    def _on_step(self) -> bool:
        return True

    def _on_rollout_start(self) -> None:
        self.model.ent_coef = self.options.entropy * annealed(1 - self.num_timesteps / self.options.total)
        if self._points and self.num_timesteps >= self._points[0]:
            del self._points[0]
            self.measure(self.options.games)

    def measure(self, games: int) -> None:
        """Write the weights, and add the win rate on held-out seeds to the curve."""
        options, begun = self.options, time.process_time()
        options.out.mkdir(parents=True, exist_ok=True)
        export(self.model.policy, options.out / "weights.npz")
        bot = load_agent(options.out / "weights.npz")
        rate, lead = measure(bot, options.opponent, games)
        seconds = begun - self._measuring
        self._measuring += time.process_time() - begun
        self.curve.append((self.num_timesteps, round(seconds, 1), games, rate, lead))
        print(f"{self.num_timesteps} steps, {seconds:.0f} s of CPU: {rate:.1%} of {games} games", end=" ")
        print(f"against {options.opponent}, mean lead {lead:.1f}", flush=True)
        with (options.out / "curve.csv").open("w", newline="") as file:
            csv.writer(file).writerows([("steps", "cpu_seconds", "games", "win_rate", "lead"), *self.curve])


def annealed(left: float) -> float:
    """Return the factor of the learning rate and of the entropy, from 1 at the start to 0.05 at the end.

    :param left: the share of the training that is left.
    """
    return 0.05 + 0.95 * max(left, 0)


def arguments(given: Sequence[str] | None) -> argparse.Namespace:
    """Return the arguments of the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--seed", type=int, default=1)
    add("--total", type=int, default=1_500_000, help="decisions of the agent to train with")
    add("--opponent", choices=sorted(BOTS), default="greedy")
    add("--points", type=int, default=10, help="points of the curve before the end")
    add("--games", type=int, default=40, help="games for a point of the curve")
    add("--last", type=int, default=400, help="games of the last measurement")
    add("--entropy", type=float, default=0.01, help="the weight of the entropy at the start")
    add("--out", type=Path, default=Path(__file__).parent / "out")
    return parser.parse_args(given)


def main(given: Sequence[str] | None = None) -> None:
    """Train, and write the weights and the curve."""
    options = arguments(given)
    torch.set_num_threads(1)
    torch.distributions.Distribution.set_default_validate_args(False)
    envs = vec_env(32, [options.opponent], observation="summary", actions="list+gains", reward=change_of_lead)
    model = MaskablePPO(
        CandidatePolicy,
        envs,
        learning_rate=lambda left: 1e-3 * annealed(left),
        n_steps=96,
        batch_size=512,
        n_epochs=4,
        gamma=1.0,
        gae_lambda=0.95,
        vf_coef=0.5,
        seed=options.seed,
        device="cpu",
    )
    progress = Progress(options)
    model.learn(options.total, progress)
    progress.measure(options.last)


if __name__ == "__main__":
    main()
