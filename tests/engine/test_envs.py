"""Environments: the frameworks' own test suites; skipped where a framework is not installed."""

import warnings

import pytest

pytestmark = pytest.mark.filterwarnings("ignore")
for_each_number_of_players = pytest.mark.parametrize("players", [2, 3, 4, 5])


@pytest.fixture
def pettingzoo_env():
    pytest.importorskip("pettingzoo", reason="PettingZoo is not installed: its environment is not tested")
    from skye.envs.pettingzoo import env

    return env


@for_each_number_of_players
def test_pettingzoo_suite_passes(pettingzoo_env, players):
    from pettingzoo.test import api_test, render_test, seed_test

    api_test(pettingzoo_env(players), num_cycles=300)
    seed_test(lambda: pettingzoo_env(players), num_cycles=60)
    render_test(lambda render_mode: pettingzoo_env(players, render_mode=render_mode))


def test_pettingzoo_rewards_one_winner(pettingzoo_env):
    env = pettingzoo_env(3)
    env.reset(seed=3)
    totals = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, ended, _, info = env.last()
        totals[agent] += reward
        if not ended:
            assert (observation["action_mask"] == info["action_mask"]).all()
        env.step(None if ended else env.action_space(agent).sample(observation["action_mask"]))
    assert sorted(totals.values()) == [-1, -1, 1]


@for_each_number_of_players
def test_gymnasium_check_env_passes(players):
    pytest.importorskip("gymnasium", reason="Gymnasium is not installed: its environment is not tested")
    import gymnasium
    from gymnasium.utils.env_checker import check_env

    import skye.envs.gymnasium  # noqa: F401 - registers the environment

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        env = gymnasium.make("skye/IsleOfSkye-v1", opponents=["greedy"] * (players - 1), render_mode="ansi")
        check_env(env.unwrapped)
        _, info = env.reset(seed=players)
        ended = False
        while not ended:
            _, reward, ended, _, info = env.step(env.action_space.sample(info["action_mask"].astype("int8")))
    assert reward in (-1.0, 0.0, 1.0)


@pytest.fixture
def pyspiel():
    module = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: its game is not tested")
    import skye.envs.openspiel  # noqa: F401 - registers the game

    return module


@for_each_number_of_players
def test_openspiel_random_sim_test_passes(pyspiel, players):
    game = pyspiel.load_game(f"python_isle_of_skye(players={players})")
    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)


def test_openspiel_information_state_hides_offers_until_all_are_set(pyspiel):
    from random import Random

    rng = Random(1)
    state = pyspiel.load_game("python_isle_of_skye(players=2)").new_initial_state()
    while state.is_chance_node():
        state.apply_action(rng.choice(state.chance_outcomes())[0])
    for _ in range(3):
        state.apply_action(state.legal_actions()[0])
    assert state.information_state_string(1).endswith("0:-1 0:-1 0:-1")
    assert not state.information_state_string(0).endswith("-1")
    for _ in range(3):
        state.apply_action(state.legal_actions()[0])
    assert "-1 " not in state.information_state_string(1).replace("-1:", "")


def test_openspiel_ismcts_plays_a_game_on_resampled_states(pyspiel):
    import numpy as np
    from open_spiel.python.algorithms import ismcts, mcts

    from skye.envs.openspiel import resample

    game = pyspiel.load_game("python_isle_of_skye(players=2)")
    rng = np.random.RandomState(1)
    bot = ismcts.ISMCTSBot(
        game=game,
        uct_c=2.0,
        evaluator=mcts.RandomRolloutEvaluator(1, rng),
        random_state=rng,
        max_simulations=2,
    )
    bot.set_resampler(resample)
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            actions, shares = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(rng.choice(actions, p=shares)))
        else:
            if state.current_player() == 1:
                known = resample(state, 1)
                assert known.information_state_string(1) == state.information_state_string(1)
                assert known.legal_actions() == state.legal_actions()
            action = (
                bot.step(state) if state.current_player() == 0 else int(rng.choice(state.legal_actions()))
            )
            state.apply_action(action)
    assert sum(state.returns()) == 0
