"""Environments for bot frameworks: steps of random games, compared with the engine and other games."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable

from bench.plan import Plan
from bench.rows import Row, in_turn, row
from skye import CHANCE, COLORS, chance_outcomes, new_game
from skye.encoding import EncodedGame

GOAL = "<= 3"
"""The goal for the time of a step divided by that of the engine."""

_ENGINE = "engine, encoded actions"
_ENGINE_CHANCE = "engine, encoded actions and explicit chance"
_AEC = "PettingZoo environment"
_SPIEL = "OpenSpiel game"
_GYM = {bot: f"Gymnasium environment against {bot}" for bot in ("random", "greedy")}
_SYNC = "64 games in SyncVectorEnv against random"
_VECTOR = "64 games in one vector environment against random"

VECTOR_GOAL = "<= 0.33"
"""The goal for the time of a step of the vector environment divided by that of `SyncVectorEnv`."""

_new_seeds = itertools.count()


def environment_rows(plan: Plan) -> list[Row]:
    """Measure random games in the installed frameworks: of four players, in Gymnasium of two."""
    dice = random.Random(1)
    games: dict[str, Callable[[], int]] = {
        _ENGINE: lambda: _engine(dice, str(next(_new_seeds))),
        _ENGINE_CHANCE: lambda: _engine(dice, None),
    }
    games |= _pettingzoo(dice) | _openspiel(dice) | _gymnasium(dice)
    times = in_turn({name: _microseconds(game, plan.games) for name, game in games.items()}, plan.runs)
    beside = {_AEC: (_ENGINE, GOAL), _SPIEL: (_ENGINE_CHANCE, GOAL), _VECTOR: (_SYNC, VECTOR_GOAL)}
    beside |= dict.fromkeys(_GYM.values(), (_ENGINE, None))
    rows = []
    for name, taken in times.items():
        other, goal = beside.get(name, (None, None))
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
    encoded, steps = EncodedGame(new_game(COLORS[:4], seed=seed).game), 0
    while not encoded.game.is_over:
        if encoded.seat == CHANCE:
            chance_outcomes(encoded.game)
        encoded, _ = encoded.play(dice.choice(encoded.legal_actions()))
        steps += 1
    return steps


def _pettingzoo(dice: random.Random) -> dict[str, Callable[[], int]]:
    found: dict[str, Callable[[], int]] = {}
    try:
        from skye.envs.pettingzoo import raw_env
    except ImportError:
        return found
    ours = raw_env(4)
    found[_AEC] = lambda: _aec(ours, dice)
    try:
        from pettingzoo.classic import chess_v6
    except ImportError:
        return found
    chess = chess_v6.raw_env()
    found["PettingZoo chess_v6"] = lambda: _aec(chess, dice)
    return found


def _aec(env, dice: random.Random) -> int:
    env.reset(seed=next(_new_seeds))
    steps = 0
    for _ in env.agent_iter():
        observation, _, ended, truncated, _ = env.last()
        if ended or truncated:
            break
        env.step(int(dice.choice(observation["action_mask"].view(bool).nonzero()[0])))
        steps += 1
    return steps


def _gymnasium(dice: random.Random) -> dict[str, Callable[[], int]]:
    try:
        import gymnasium

        import skye.envs.gymnasium  # noqa: F401 - registers the environment
    except ImportError:
        return {}
    name, random_bot = "skye/IsleOfSkye-v1", {"opponents": ["random"], "actions": "factored"}
    sync = gymnasium.make_vec(name, num_envs=64, vectorization_mode="sync", **random_bot)
    vector = gymnasium.make_vec(name, num_envs=64, copy=False, **random_bot)
    found = {_SYNC: _vector_steps(sync, dice), _VECTOR: _vector_steps(vector, dice)}
    for bot, title in _GYM.items():
        single = gymnasium.make(name, opponents=[bot])
        found[title] = lambda single=single: _gym(single, dice)
    return found


def _gym(env, dice: random.Random) -> int:
    _, info = env.reset(seed=next(_new_seeds))
    steps, ended = 0, False
    while not ended:
        _, _, ended, _, info = env.step(int(dice.choice(info["action_mask"].view(bool).nonzero()[0])))
        steps += 1
    return steps


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
        from open_spiel.python import games as _games  # noqa: F401 - registers the games in Python

        import skye.envs.openspiel  # noqa: F401 - registers the game
    except ImportError:
        return {}
    found = {
        _SPIEL: "python_isle_of_skye(players=4)",
        "OpenSpiel Python game block_dominoes": "python_block_dominoes",
    }
    found["OpenSpiel Python game tic_tac_toe"] = "python_tic_tac_toe"
    loaded = {name: pyspiel.load_game(game) for name, game in found.items()}
    return {name: (lambda game=game: _spiel(game, dice)) for name, game in loaded.items()}


def _spiel(game, dice: random.Random) -> int:
    state, steps = game.new_initial_state(), 0
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, weights = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(dice.choices(outcomes, weights)[0])
        else:
            state.observation_tensor(state.current_player())
            state.apply_action(dice.choice(state.legal_actions()))
        steps += 1
    return steps
