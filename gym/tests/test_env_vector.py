"""The vector environment plays the same games as Gymnasium's; skipped without Gymnasium."""

import pickle
from copy import deepcopy

import pytest

pytest.importorskip("gymnasium", reason="Gymnasium is not installed: its environment is not tested")

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode

import skye_gym.envs.gymnasium  # noqa: F401 - registers the environment
from skye_gym.envs.vector import IsleOfSkyeVector

ID = "skye/IsleOfSkye-v1"
GAMES = 3


def equal(one, other):
    """Return whether two results of environments are equal."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(equal(one[name], other[name]) for name in one)
    if isinstance(one, np.ndarray) and one.dtype == object:
        return all(equal(*pair) for pair in zip(one, other, strict=True))
    if isinstance(one, tuple):
        return all(equal(*pair) for pair in zip(one, other, strict=True))
    return np.array_equal(one, other)


FLAT = {"observation": "flat", "actions": "factored"}
LIST = {"actions": "list", "reward": "points", "copy": False}
SUMMARY = {"observation": "summary"}
BOTH = {"observation": "summary", "actions": "list+gains"}
GRID = {"actions": "grid"}
NEXT, SAME = AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP


@pytest.mark.parametrize(
    ("mode", "form"),
    [
        *[(NEXT, {}), (SAME, FLAT), (NEXT, LIST), (SAME, {}), (NEXT, FLAT), (SAME, LIST)],
        *[(NEXT, SUMMARY), (SAME, BOTH), (NEXT, GRID)],
    ],
)
def test_vector_environment_plays_the_games_of_sync_vector_env(mode, form):
    shared = {"opponents": ["random", "greedy"], **form}
    own = gymnasium.make_vec(ID, num_envs=GAMES, autoreset_mode=mode, **shared)
    shared.pop("copy", None)
    sync = gymnasium.make_vec(
        ID, num_envs=GAMES, vectorization_mode="sync", vector_kwargs={"autoreset_mode": mode}, **shared
    )
    assert own.observation_space == sync.observation_space
    assert own.action_space == sync.action_space
    results = own.reset(seed=5), sync.reset(seed=5)
    rng, ended = np.random.default_rng(1), 0
    for _ in range(160):
        assert equal(*results)
        masks = results[0][-1]["action_mask"]
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        results = own.step(actions), sync.step(actions)
        ended += results[0][2].sum()
    assert ended >= GAMES


@pytest.mark.parametrize("form", [{}, FLAT, LIST, SUMMARY, BOTH, GRID])
@pytest.mark.parametrize("copied", [deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copied_vector_environment_continues_the_same_games(copied, form):
    own = gymnasium.make_vec(ID, num_envs=GAMES, opponents=["random"], **form)
    copied(own)
    results = own.reset(seed=5)
    other = copied(own)
    for _ in range(20):
        actions = np.array([np.flatnonzero(mask)[-1] for mask in results[-1]["action_mask"]])
        results = own.step(actions)
        assert equal(results, other.step(actions))


def test_masks_of_many_games_can_be_sampled_through_their_ends():
    envs = gymnasium.make_vec(ID, num_envs=GAMES, opponents=["random"], actions="factored")
    _, info = envs.reset(seed=1)
    envs.action_space.seed(1)
    ended = 0
    for _ in range(200):
        actions = envs.action_space.sample(tuple(info["action_mask"]))
        observations, rewards, terminations, _, info = envs.step(actions)
        ended += terminations.sum()
        assert (rewards[~terminations] == 0).all()
        assert observations["own"].shape[0] == GAMES
    assert ended >= GAMES


def test_disabled_autoreset_needs_the_reset_mask():
    envs = IsleOfSkyeVector(2, ["random"], actions="list", autoreset_mode=AutoresetMode.DISABLED)
    _, info = envs.reset(seed=[1, None])
    terminations = np.zeros(2, np.bool_)
    while not terminations.any():
        _, _, terminations, _, info = envs.step(np.zeros(2, np.int64))
    with pytest.raises(ValueError, match="reset_mask"):
        envs.step(np.zeros(2, np.int64))
    envs.reset(options={"reset_mask": terminations})
    envs.step(np.zeros(2, np.int64))
    assert info["_action_mask"].all()


@pytest.mark.parametrize(
    "mask", [[True, False], np.array([1, 0]), np.array([True]), np.array([False, False])]
)
def test_bad_reset_mask_is_refused(mask):
    with pytest.raises(ValueError, match="2 booleans"):
        IsleOfSkyeVector(2, ["random"]).reset(options={"reset_mask": mask})


def test_bad_arguments_of_the_vector_environment_are_refused():
    for argument in ({"num_envs": 0}, {"num_envs": 2, "render_mode": "ansi"}, {"autoreset_mode": "Never"}):
        with pytest.raises(ValueError, match=r"num_envs|render_mode|Never"):
            IsleOfSkyeVector(opponents=["random"], **argument)
    envs = IsleOfSkyeVector(2, ["random"])
    with pytest.raises(ValueError, match="3 seeds"):
        envs.reset(seed=[1, 2, 3])
    envs.reset(seed=1)
    with pytest.raises(ValueError, match="3 actions"):
        envs.step([0, 0, 0])


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"num_envs": True}, "num_envs=True: it must be a whole number"),
        ({"num_envs": "3"}, "num_envs='3': it must be a whole number"),
        ({"num_envs": 2.0}, "num_envs=2.0: it must be a whole number"),
        ({"budget_s": "1"}, "budget_s='1': it must be a number"),
        ({"budget_s": True}, "budget_s=True: it must be a number"),
    ],
)
def test_arguments_of_a_wrong_type_are_refused_by_name(arguments, reason):
    with pytest.raises(TypeError, match=reason):
        IsleOfSkyeVector(opponents=["random"], **arguments)


def test_step_and_reset_of_many_games_refuse_a_single_number():
    envs = IsleOfSkyeVector(2, ["random"])
    envs.reset(seed=1)
    with pytest.raises(TypeError, match="actions=5: give one for each of the 2 games"):
        envs.step(5)
    with pytest.raises(TypeError, match="options=5: give a dictionary"):
        envs.reset(options=5)


def test_info_of_a_partial_reset_is_about_the_games_that_started():
    envs = IsleOfSkyeVector(3, ["random"], autoreset_mode=AutoresetMode.DISABLED)
    _, before = envs.reset(seed=1)
    mask = np.array([False, True, False])
    _, info = envs.reset(options={"reset_mask": mask})
    assert info["_action_mask"].tolist() == info["_scores"].tolist() == mask.tolist()
    assert (info["action_mask"][0] == before["action_mask"][0]).all()


def test_copies_are_independent_and_shared_arrays_are_not():
    for copy in (True, False):
        envs = IsleOfSkyeVector(1, ["random"], actions="list", copy=copy)
        first, _ = envs.reset(seed=1)
        second, *_ = envs.step([0])
        assert np.shares_memory(first["seats"], second["seats"]) != copy


def test_shared_observations_are_read_only():
    envs = gymnasium.make_vec(ID, num_envs=2, opponents=["random"], copy=False)
    observations, _ = envs.reset(seed=1)
    with pytest.raises(ValueError, match="read-only"):
        observations["own"][0] = 1
