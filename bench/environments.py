"""Environments for bot frameworks: the time of a step in random games, beside that of the engine."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable

from bench.plan import Plan
from bench.rows import Row, in_turn, row
from skye import CHANCE, chance_outcomes, new_game
from skye.rulesets import BASE
from skye_gym.encoding import EncodedGame

ENGINE = "engine, encoded actions"
ENGINE_CHANCE = "engine, encoded actions and explicit chance"
SYNC = "64 games in SyncVectorEnv against random"
BESIDE = {
    "PettingZoo environment": (ENGINE, "<= 3"),
    "OpenSpiel game": (ENGINE_CHANCE, "<= 3"),
    "64 games in one vector environment against random": (SYNC, "<= 0.33"),
}
"""By the environment: what it is compared with, and the goal for the ratio of the times of a step."""

_new_seeds = itertools.count()


def environment_rows(plan: Plan) -> list[Row]:
    """Measure random games in the installed frameworks: of four players, in Gymnasium of two."""
    dice = random.Random(1)
    games: dict[str, Callable[[], int]] = {
        ENGINE: lambda: _engine(dice, str(next(_new_seeds))),
        ENGINE_CHANCE: lambda: _engine(dice, None),
    }
    games |= _pettingzoo(dice) | _openspiel(dice) | _gymnasium(dice)
    times = in_turn({name: _microseconds(game, plan.games) for name, game in games.items()}, plan.runs)
    rows = []
    for name, taken in times.items():
        other, goal = BESIDE.get(name, (None, None))
        against = None if other is None else (other, times[other])
        rows.append(row(f"{name}: one step", taken, "us", against=against, goal=goal))
    return rows


def _microseconds(one_game: Callable[[], int], games: int) -> Callable[[], float]:
    def measure() -> float:
        before = time.process_time()
        steps = sum(one_game() for _ in range(games))
        return (time.process_time() - before) / steps * 1e6

    return measure


def _engine(dice: random.Random, seed: str | None) -> int:
    encoded, steps = EncodedGame(new_game(BASE.colors[:4], seed=seed).game), 0
    while not encoded.game.is_over:
        if encoded.seat == CHANCE:
            chance_outcomes(encoded.game)
        encoded, _ = encoded.play(dice.choice(encoded.legal_actions()))
        steps += 1
    return steps


def _pettingzoo(dice: random.Random) -> dict[str, Callable[[], int]]:
    try:
        from skye_gym.envs.pettingzoo import raw_env
    except ImportError:
        return {}
    env = raw_env(4, actions="grid")  # a step of the engine

    def game() -> int:
        env.reset(seed=next(_new_seeds))
        for steps, _ in enumerate(env.agent_iter()):
            observation, _, ended, truncated, _ = env.last()
            if ended or truncated:
                return steps
            env.step(int(dice.choice(observation["action_mask"].view(bool).nonzero()[0])))
        raise AssertionError("the game has no end")

    return {"PettingZoo environment": game}


def _gymnasium(dice: random.Random) -> dict[str, Callable[[], int]]:
    try:
        import gymnasium

        import skye_gym.envs.gymnasium  # noqa: F401 - registers the environment
    except ImportError:
        return {}
    name, options = "skye/IsleOfSkye-v1", {"opponents": ["random"]}
    sync = gymnasium.make_vec(name, num_envs=64, vectorization_mode="sync", **options)
    vector = gymnasium.make_vec(name, num_envs=64, copy=False, **options)
    titles = (SYNC, "64 games in one vector environment against random")
    return {title: _vector_steps(envs, dice) for title, envs in zip(titles, (sync, vector), strict=True)}


def _vector_steps(envs, dice: random.Random) -> Callable[[], int]:
    """Return a function that takes steps; games that have ended start again by themselves."""
    masks = envs.reset(seed=next(_new_seeds))[1]["action_mask"]

    def steps() -> int:
        nonlocal masks
        for _ in range(20):
            actions = [int(dice.choice(mask.view(bool).nonzero()[0])) for mask in masks]
            masks = envs.step(actions)[-1]["action_mask"]
        return 20 * envs.num_envs

    return steps


def _openspiel(dice: random.Random) -> dict[str, Callable[[], int]]:
    try:
        import pyspiel

        import skye_gym.envs.openspiel  # noqa: F401 - registers the game
    except ImportError:
        return {}
    loaded = pyspiel.load_game("python_isle_of_skye(players=4,actions=grid)")  # a step of the engine

    def game() -> int:
        state, steps = loaded.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(dice.choices(outcomes, weights)[0])
            else:
                state.observation_tensor(state.current_player())
                state.apply_action(dice.choice(state.legal_actions()))
            steps += 1
        return steps

    return {"OpenSpiel game": game}
