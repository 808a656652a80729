"""The adapter to Stable-Baselines3; skipped without it."""

import pickle

import pytest

pytest.importorskip(
    "stable_baselines3", reason="Stable-Baselines3 is not installed: its adapter is not tested"
)

import numpy as np
from gymnasium.vector import AutoresetMode
from stable_baselines3.common.vec_env import VecMonitor

from skye_gym.envs.stable_baselines import vec_env
from skye_gym.envs.vector import IsleOfSkyeVector

FORM = {"observation": "summary", "actions": "list+gains", "reward": "difference"}


def test_vec_env_plays_the_games_of_the_vector_environment():
    envs = vec_env(3, ["random"], **FORM)
    vector = IsleOfSkyeVector(3, ["random"], autoreset_mode=AutoresetMode.SAME_STEP, **FORM)
    envs.seed(7)
    observations, (expected, info) = envs.reset(), vector.reset(seed=7)
    ended_games = 0
    for _ in range(150):
        for name, array in expected.items():
            assert (observations[name] == array).all()
        masks = np.stack(envs.env_method("action_masks"))
        assert (masks == info["action_mask"]).all()
        actions = masks.argmax(axis=1)
        observations, rewards, ended, infos = envs.step(actions)
        expected, rewards_expected, terminations, _, info = vector.step(actions)
        assert (rewards == rewards_expected).all()
        assert (ended == terminations).all()
        for game in np.flatnonzero(ended):
            last = infos[game]["terminal_observation"]
            assert (last["summary"] == info["final_obs"][game]["summary"]).all()
            ended_games += 1
    assert ended_games > 1


def test_vec_env_takes_seeds_and_options_of_each_game():
    envs = vec_env(2, ["random"], **FORM)
    envs.seed(1)
    envs.set_options([{"seat": 0}, {"seat": 1}])
    envs.reset()
    assert envs.get_attr("agent") == [0, 1]
    assert [game.seed for game in envs.get_attr("game")] == [None, None]
    assert all(game.seed for game in envs.env_method("game_of", full=True))
    assert not envs.has_attr("no_such_thing")
    assert envs.env_is_wrapped(VecMonitor) == [False, False]


def test_vec_env_refuses_numbers_that_are_not_whole():
    with pytest.raises(TypeError, match=r"num_envs=2\.0: it must be a whole number"):
        vec_env(2.0, ["random"], **FORM)
    with pytest.raises(TypeError, match="seed=True: it must be a whole number"):
        vec_env(2, ["random"], **FORM).seed(True)


def test_vec_env_can_be_pickled():
    envs = vec_env(2, ["random"], **FORM)
    envs.seed(1)
    envs.reset()
    copied = pickle.loads(pickle.dumps(envs))
    first, second = (each.step(np.zeros(2, np.int64))[0] for each in (envs, copied))
    assert (first["summary"] == second["summary"]).all()


def test_maskable_ppo_learns_from_the_vec_env():
    contrib = pytest.importorskip("sb3_contrib", reason="sb3-contrib is not installed: it is not tested")
    envs = VecMonitor(vec_env(4, ["random"], **FORM))
    model = contrib.MaskablePPO("MultiInputPolicy", envs, n_steps=32, batch_size=64, n_epochs=1, seed=1)
    model.learn(256)
    assert model.num_timesteps >= 256
