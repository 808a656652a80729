"""Environments: the frameworks' own test suites; skipped where a framework is not installed."""

import copy
import math
import pickle
import warnings

import pytest

from skye import BOTS

pytestmark = pytest.mark.filterwarnings("ignore")
FORMS = (
    {},
    {"actions": "grid"},
    {"observation": "flat"},
    {"observation": "summary"},
    {"actions": "list", "reward": "points"},
    {"observation": "summary", "actions": "list+gains", "reward": "difference"},
    {"observation": "summary", "actions": "list"},
)
"""Arguments of the environments, the defaults first."""

for_each_form = pytest.mark.parametrize("form", FORMS)
for_each_number_of_players = pytest.mark.parametrize("players", [2, 3, 4, 5])


@pytest.fixture
def pettingzoo_env():
    pytest.importorskip("pettingzoo", reason="PettingZoo is not installed: its environment is not tested")
    from skye_gym.envs.pettingzoo import env

    return env


@pytest.mark.parametrize("players", [2, 5, 3, 4])
def test_pettingzoo_suite_passes(pettingzoo_env, players):
    from pettingzoo.test import api_test, render_test, seed_test
    from pettingzoo.test.state_test import test_state, test_state_space

    for form in FORMS:
        api_test(pettingzoo_env(players, **form), num_cycles=300)
        seed_test(lambda form=form: pettingzoo_env(players, **form), num_cycles=60)
        test_state_space(pettingzoo_env(players, **form))
        test_state(pettingzoo_env(players, **form), num_cycles=60)
    render_test(lambda render_mode: pettingzoo_env(players, render_mode=render_mode))


def test_pettingzoo_rewards_one_winner(pettingzoo_env):
    env = pettingzoo_env(3)
    env.reset(seed=3)
    for agent in env.possible_agents:
        env.action_space(agent).seed(3)  # in about one random game in a hundred, two players share the win
    totals = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, ended, _, info = env.last()
        totals[agent] += reward
        assert env.state_space.contains(env.state())
        if not ended:
            assert (observation["action_mask"] == info["action_mask"]).all()
        env.step(None if ended else env.action_space(agent).sample(observation["action_mask"]))
    assert sorted(totals.values()) == [-1, -1, 1]


@for_each_number_of_players
def test_pettingzoo_observation_does_not_contain_a_secret_offer(pettingzoo_env, players):
    shown = []
    for offer in ((0, 3, 3), (2, 4, 3)):
        env = pettingzoo_env(players)
        env.reset(seed=7)
        for action in offer:
            env.step(action)
        rival = env.agent_selection
        observation = env.observe(rival)
        info = env.infos[rival]
        arrays = [*observation["observation"].values(), observation["action_mask"], *info.values()]
        shown.append([each.tobytes() for each in arrays])
    assert shown[0] == shown[1]


@for_each_form
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copied_pettingzoo_environment_continues_the_same_game(pettingzoo_env, copied, form):
    env = pettingzoo_env(3, **form)
    env.reset(seed=3)
    env.last()
    other = copied(env)
    for _ in range(20):
        assert (env.state() == other.state()).all()
        observation, *_ = env.last()
        action = int(observation["action_mask"].argmax())
        env.step(action)
        other.step(action)


@for_each_form
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copied_gymnasium_environment_continues_the_same_game(copied, form):
    pytest.importorskip("gymnasium", reason="Gymnasium is not installed: its environment is not tested")
    from skye_gym.envs.gymnasium import IsleOfSkye

    env = IsleOfSkye(["random", BOTS["greedy"]], **form)
    _, info = env.reset(seed=3)
    other = copied(env)
    for _ in range(20):
        action = int(info["action_mask"].argmax())
        _, *result, info = env.step(action)
        _, *others, _ = other.step(action)
        assert result == others
        assert env.render() == other.render()


def test_defaults_are_small(pettingzoo_env):
    pytest.importorskip("gymnasium", reason="Gymnasium is not installed: its environment is not tested")
    from skye_gym.envs.gymnasium import IsleOfSkye

    env = IsleOfSkye()
    assert env.action_space.n == pettingzoo_env(2).action_space("player_0").n == 511
    assert (
        sum(space.dtype.itemsize * math.prod(space.shape) for space in env.observation_space.values())
        < 52_000
    )


@for_each_number_of_players
def test_gymnasium_check_env_passes(players):
    pytest.importorskip("gymnasium", reason="Gymnasium is not installed: its environment is not tested")
    import gymnasium
    from gymnasium.utils.env_checker import check_env

    import skye_gym.envs.gymnasium  # noqa: F401 - registers the environment

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for form in ({"observation": "flat", "actions": "list"}, *FORMS):
            opponents = ["greedy"] * (players - 1)
            env = gymnasium.make("skye/IsleOfSkye-v1", opponents=opponents, render_mode="ansi", **form)
            check_env(env.unwrapped)
        _, info = env.reset(seed=players)
        ended = False
        while not ended:
            _, reward, ended, _, info = env.step(env.action_space.sample(info["action_mask"]))
    assert reward in (-1.0, 0.0, 1.0)
