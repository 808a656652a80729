"""Environments for bot frameworks: the time of a step in random games, beside that of the engine.

The choice of random actions is not measured: it takes longer where the legal ones are in a mask.
"""

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
PLANES = "Gymnasium environment, planes"
LISTED = "Gymnasium environment, summary and list"
AGAINST_RANDOM = "{} games in {} against random"
SYNC, VECTOR = "SyncVectorEnv", "one vector environment"
SIZES = 32, 64
BESIDE = {
    "PettingZoo environment": (ENGINE, "<= 3"),
    "OpenSpiel game": (ENGINE_CHANCE, "<= 3"),
    "Gymnasium environment, summary": (PLANES, "<= 1"),
    "Gymnasium environment, summary and list+gains": (LISTED, "<= 1.5"),
} | {AGAINST_RANDOM.format(games, VECTOR): (AGAINST_RANDOM.format(games, SYNC), "<= 0.33") for games in SIZES}
"""By the environment: what it is compared with, and the goal for the ratio of the times of a step."""

_new_seeds = itertools.count()


def environment_rows(plan: Plan) -> list[Row]:
    """Measure random games in the installed frameworks: of four players, in Gymnasium of two."""
    dice = random.Random(1)
    games: dict[str, Callable[[Clock], int]] = {
        ENGINE: lambda clock: _engine(clock, dice, str(next(_new_seeds))),
        ENGINE_CHANCE: lambda clock: _engine(clock, dice, None),
    }
    games |= _pettingzoo(dice) | _openspiel(dice) | _gymnasium(dice)
    times = in_turn({name: _microseconds(game, plan.games) for name, game in games.items()}, plan.runs)
    rows = []
    for name, taken in times.items():
        other, goal = BESIDE.get(name, (None, None))
        against = None if other is None else (other, times[other])
        rows.append(row(f"{name}: one step", taken, "us", against=against, goal=goal))
    return rows


class Clock:
    """The CPU time of steps."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __enter__(self) -> None:
        self._begun = time.process_time()

    def __exit__(self, *_: object) -> None:
        self.seconds += time.process_time() - self._begun


def _microseconds(one_game: Callable[[Clock], int], games: int) -> Callable[[], float]:
    def measure() -> float:
        clock = Clock()
        steps = sum(one_game(clock) for _ in range(games))
        return clock.seconds / steps * 1e6

    return measure


def _engine(clock: Clock, dice: random.Random, seed: str | None) -> int:
    encoded, steps = EncodedGame(new_game(BASE.colors[:4], seed=seed).game), 0
    while not encoded.game.is_over:
        with clock:
            if encoded.seat == CHANCE:
                chance_outcomes(encoded.game)
            legal = encoded.legal_actions()
        action = dice.choice(legal)
        with clock:
            encoded, _ = encoded.play(action)
        steps += 1
    return steps


def _pettingzoo(dice: random.Random) -> dict[str, Callable[[Clock], int]]:
    try:
        from skye_gym.envs.pettingzoo import env as checked_env
    except ImportError:
        return {}
    env = checked_env(4, actions="grid")  # a step of the engine

    def game(clock: Clock) -> int:
        env.reset(seed=next(_new_seeds))
        for steps, _ in enumerate(env.agent_iter()):
            with clock:
                observation, _, ended, truncated, _ = env.last()
            if ended or truncated:
                return steps
            action = _choose(observation["action_mask"], dice)
            with clock:
                env.step(action)
        raise AssertionError("the game has no end")

    return {"PettingZoo environment": game}


def _choose(mask, dice: random.Random) -> int:
    return int(dice.choice(mask.view(bool).nonzero()[0]))


def _gymnasium(dice: random.Random) -> dict[str, Callable[[Clock], int]]:
    try:
        import gymnasium

        import skye_gym.envs.gymnasium  # noqa: F401 - registers the environment
    except ImportError:
        return {}
    name, options = "skye/IsleOfSkye-v1", {"opponents": ["random"]}
    forms = {
        PLANES: {},
        "Gymnasium environment, summary": {"observation": "summary"},
        LISTED: {"observation": "summary", "actions": "list"},
        "Gymnasium environment, summary and list+gains": {"observation": "summary", "actions": "list+gains"},
    }
    games = {
        title: _game_of_two(gymnasium.make(name, **options, **form).unwrapped, dice)
        for title, form in forms.items()
    }
    for size in SIZES:
        sync = gymnasium.make_vec(name, num_envs=size, vectorization_mode="sync", **options)
        vector = gymnasium.make_vec(name, num_envs=size, copy=False, **options)
        for title, envs in ((SYNC, sync), (VECTOR, vector)):
            games[AGAINST_RANDOM.format(size, title)] = _vector_steps(envs, dice)
    return games


def _game_of_two(env, dice: random.Random) -> Callable[[Clock], int]:
    def game(clock: Clock) -> int:
        _, info = env.reset(seed=next(_new_seeds))
        for steps in itertools.count(1):
            action = _choose(info["action_mask"], dice)
            with clock:
                _, _, ended, _, info = env.step(action)
            if ended:
                return steps
        raise AssertionError("the game has no end")

    return game


def _vector_steps(envs, dice: random.Random) -> Callable[[Clock], int]:
    """Return a function that takes steps; games that have ended start again by themselves."""
    masks = envs.reset(seed=next(_new_seeds))[1]["action_mask"]

    def steps(clock: Clock) -> int:
        nonlocal masks
        for _ in range(20):
            actions = [_choose(mask, dice) for mask in masks]
            with clock:
                masks = envs.step(actions)[-1]["action_mask"]
        return 20 * envs.num_envs

    return steps


def _openspiel(dice: random.Random) -> dict[str, Callable[[Clock], int]]:
    try:
        import pyspiel

        import skye_gym.envs.openspiel  # noqa: F401 - registers the game
    except ImportError:
        return {}
    loaded = pyspiel.load_game("python_isle_of_skye(players=4,actions=grid)")  # a step of the engine

    def game(clock: Clock) -> int:
        state, steps = loaded.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                with clock:
                    outcomes, weights = zip(*state.chance_outcomes(), strict=True)
                action = dice.choices(outcomes, weights)[0]
            else:
                with clock:
                    state.observation_tensor(state.current_player())
                    legal = state.legal_actions()
                action = dice.choice(legal)
            with clock:
                state.apply_action(action)
            steps += 1
        return steps

    return {"OpenSpiel game": game}
