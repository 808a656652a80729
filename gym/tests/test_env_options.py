"""Opponents, options, rewards and extras of the environments; skipped without Gymnasium or PettingZoo."""

import itertools
import pickle
import random
import sys
from math import inf

import pytest

pytest.importorskip("gymnasium", reason="Gymnasium is not installed: its environment is not tested")
pytest.importorskip("pettingzoo", reason="PettingZoo is not installed: its environment is not tested")

import gymnasium
import numpy as np

from skye import BOTS, InvalidPosition, SetOffer, TakeBack, game_view, offer_limits
from skye.errors import InvalidSetup
from skye_gym.arena.bot_process import BotFailed
from skye_gym.envs import pettingzoo
from skye_gym.envs.gymnasium import IsleOfSkye
from skye_gym.envs.vector import IsleOfSkyeVector
from tests.engine.playing import for_each_number_of_players
from tests.support.programs import finished


def play_episode(env, seed=1, options=None):
    """Play random actions to the end; return the rewards, and the scores, the agent's first."""
    rng = random.Random(seed)
    _, info = env.reset(seed=seed, options=options)
    rewards, ended = [], False
    while not ended:
        action = rng.choice(info["action_mask"].nonzero()[0])
        _, reward, ended, _, info = env.step(action)
        rewards.append(reward)
    return rewards, info["scores"].tolist()


def totals_of(env, seed):
    """Play random actions in an environment of PettingZoo to the end; return the rewards by agent."""
    env.reset(seed=seed)
    rng, totals = random.Random(seed), dict.fromkeys(env.agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, ended, _, _ = env.last()
        totals[agent] += reward
        env.step(None if ended else rng.choice(observation["action_mask"].nonzero()[0]))
    return [*totals.values()]


@for_each_number_of_players
def test_gymnasium_observation_does_not_contain_a_secret_offer(players):
    def asking(price):
        def bot(game, seat, _rng):
            discard, one, other = offer_limits(game, seat).tiles
            return SetOffer(discard, ((one, price), (other, price)))

        return bot

    shown, seats = [], set()
    for price in (1, 2):
        env = IsleOfSkye([asking(price)] * (players - 1), render_mode="ansi")
        for seat in range(players):
            observation, info = env.reset(seed=seat, options={"seat": seat})
            arrays = [array.tobytes() for array in (*observation.values(), *info.values())]
            shown.append((price, arrays, env.render()))
            seats.add(seat)
    assert [each[1:] for each in shown[:players]] == [each[1:] for each in shown[players:]]


def test_opponent_is_a_name_or_a_function():
    scores = [play_episode(IsleOfSkye([each]))[1] for each in ("random", BOTS["random"])]
    assert scores[0] == scores[1]


def test_opponent_is_a_bot_of_a_league():
    env = IsleOfSkye(["gym.tests.arena_bots:sound", "random"], budget_s=20)
    _, scores = play_episode(env)
    assert len(scores) == 3
    env.close()


@pytest.mark.parametrize(
    ("opponents", "error", "reason"),
    [
        ("greedy", TypeError, "give a list"),
        (None, TypeError, "give a list"),
        ([], ValueError, "0 opponents"),
        (["greedy"] * 5, ValueError, "5 opponents"),
        (["gredy"], ValueError, "gredy"),
        ([3], TypeError, "neither a string nor a function"),
        (["far=http://127.0.0.1:1?bot=greedy"], ValueError, "bot of a server"),
        (["mine=no-such-program --fast"], ValueError, "no-such-program"),
    ],
)
def test_bad_opponents_are_refused_at_construction(opponents, error, reason):
    with pytest.raises(error, match=reason):
        IsleOfSkye(opponents)


@pytest.mark.parametrize(
    "argument",
    [
        {"observation": "image"},
        {"actions": "all"},
        {"reward": "money"},
        {"render_mode": "human"},
        {"budget_s": 0},
        {"budget_s": -1},
        {"budget_s": inf},
    ],
)
def test_bad_arguments_are_refused_at_construction(argument):
    [name] = argument
    with pytest.raises(ValueError, match=name.removesuffix("_s")):
        IsleOfSkye(["random"], **argument)


@pytest.mark.parametrize(
    ("players", "error"),
    [(1, ValueError), (6, ValueError), *[(each, TypeError) for each in ("4", 2.0, True)]],
)
def test_pettingzoo_refuses_other_numbers_of_players(players, error):
    with pytest.raises(error, match="players="):
        pettingzoo.env(players)


@pytest.mark.parametrize("number", [np.int64(1), np.uint8(1)])
def test_integers_of_numpy_are_whole_numbers_in_each_form(number):
    env = IsleOfSkye(["random"])
    env.reset(seed=number, options={"seat": number, "first_seat": number})
    assert env.agent.__class__ is int
    assert env.game.starting_seat == env.agent == 1
    vector = IsleOfSkyeVector(number, ["random"], budget_s=number)
    vector.reset(seed=number, options={"seat": number, "first_seat": number})
    assert vector.agent_of(0) == 1
    zoo = pettingzoo.env(number + 1)
    zoo.reset(seed=number, options={"first_seat": number})
    assert zoo.num_agents == 2


@pytest.mark.parametrize("value", [True, np.True_, 1.0, np.float64(1), "1"])
@pytest.mark.parametrize("option", ["seat", "first_seat"])
def test_seat_that_is_no_whole_number_is_refused_by_name(option, value):
    env = IsleOfSkye(["random"])
    env.reset(seed=1)
    before = env.agent, env.game
    for seed in range(3):
        with pytest.raises(TypeError, match=rf"{option}=.*must be a whole number, not a"):
            env.reset(seed=seed, options={option: value})
    assert (env.agent, env.game) == before
    if option == "first_seat":
        with pytest.raises(TypeError, match=r"first_seat=.*must be a whole number"):
            pettingzoo.env(2).reset(options={option: value})


@pytest.mark.parametrize("move", [TakeBack(), SetOffer("L01", ()), SetOffer("L01", 5), None])
def test_illegal_move_of_an_opponent_names_it(move):
    def cheat(_game, _seat, _rng):
        return move

    with pytest.raises(BotFailed, match=r"'cheat': (made an illegal move|took a placement back)"):
        play_episode(IsleOfSkye([cheat]))


def test_reset_options_choose_seat_scoring_tiles_and_start():
    env = IsleOfSkye(["random", "random"], render_mode="ansi")
    tiles = ("squares", "sheep", "most_gold", "most_ships")
    for seat in range(3):
        env.reset(seed=1, options={"seat": seat, "scoring_tiles": tiles, "first_seat": 2})
        assert env.agent == seat
        assert f"start=2 buys=0 tiles={','.join(tiles)}" in env.render()


@pytest.mark.parametrize(
    "position", ["round=5 phase=buying start=1 | gold=3 | gold=12", {"players": [{}, {}]}]
)
def test_reset_option_starts_from_a_position(position):
    env = IsleOfSkye(["random"], render_mode="ansi")
    env.reset(seed=1, options={"position": position, "seat": 1})
    first = env.render()
    assert ("round=5 phase=buying" in first) == isinstance(position, str)
    env.reset(seed=2, options={"position": position, "seat": 1})
    assert env.render() != first  # what the position leaves open follows from the seed
    play_episode(env, options={"position": position})


@pytest.mark.parametrize(
    ("options", "error", "reason"),
    [
        ({"seat_count": 1}, ValueError, "'seat_count'.*scoring_tiles"),
        ({"seat": 2}, ValueError, "seat=2"),
        ({"seat": "1"}, TypeError, "seat='1'"),
        ({"position": 5}, TypeError, "position=5: give an object"),
        ({"scoring_tiles": 5}, TypeError, "scoring_tiles=5: give a list"),
        ({"scoring_tiles": [[]]}, TypeError, "an id is a string"),
        (5, TypeError, "options=5: give a dictionary"),
        ([], TypeError, "options=\\[\\]: give a dictionary"),
        ({"reward": "money"}, ValueError, "money"),
        ({"scoring_tiles": ["sheep"]}, InvalidSetup, "4 different"),
        ({"first_seat": 7}, InvalidSetup, "first seat"),
        ({"position": {"players": [{}, {}, {}]}}, ValueError, "3 seats"),
        ({"position": {"players": [{}, {}], "round": 9}}, InvalidPosition, "round"),
        ({"position": {"players": [{}, {}], "phase": None, "round": 6}}, ValueError, "over"),
        ({"position": {"players": [{}, {}]}, "first_seat": 1}, ValueError, "leave these options out"),
    ],
)
def test_bad_reset_options_are_refused(options, error, reason):
    with pytest.raises(error, match=reason):
        IsleOfSkye(["random"]).reset(options=options)


def test_pettingzoo_refuses_unknown_options():
    env = pettingzoo.env(2)
    with pytest.raises(ValueError, match="unknown options 'colour': there are scoring_tiles"):
        env.reset(seed=1, options={"colour": "red"})
    env.reset(seed=1, options={"first_seat": 1})


ENVIRONMENTS = {
    "gymnasium": lambda: IsleOfSkye(["random"]),
    "vector": lambda: gymnasium.make_vec("skye/IsleOfSkye-v1", num_envs=2, opponents=["random"]),
    "pettingzoo": lambda: pettingzoo.env(2),
    "pettingzoo raw": lambda: pettingzoo.raw_env(2),
}
"""By name: the forms of the environment that take a seed and actions."""


@pytest.fixture(params=ENVIRONMENTS)
def form(request):
    """A form of the environment, and what makes an action for it."""
    return ENVIRONMENTS[request.param](), (lambda one: [one, one] if request.param == "vector" else one)


@pytest.mark.parametrize(
    ("seed", "error"), [(-1, ValueError), *[(each, TypeError) for each in ("1", 3.7, True, np.True_)]]
)
def test_seed_that_is_no_number_from_0_on_is_refused_by_each_form(form, seed, error):
    env, _ = form
    with pytest.raises(error, match="seed="):
        env.reset(seed=seed)


@pytest.mark.parametrize("seed", [[1, -1], [1, "2"]])
def test_bad_seed_of_one_game_resets_no_game(seed):
    env = ENVIRONMENTS["vector"]()
    before, _ = env.reset(seed=5)
    with pytest.raises((TypeError, ValueError), match="seed="):
        env.reset(seed=seed)
    after, *_ = env.step([int(mask.argmax()) for mask in env.action_masks()])
    again = ENVIRONMENTS["vector"]()
    again.reset(seed=5)
    expected, *_ = again.step([int(mask.argmax()) for mask in again.action_masks()])
    assert before.keys() == after.keys()
    assert all((after[name] == expected[name]).all() for name in after)


@pytest.mark.parametrize("action", ["1", 3.7, 0.0, None, [0], True, np.True_])
def test_action_that_is_no_whole_number_is_refused_by_each_form(form, action):
    env, actions_of = form
    env.reset(seed=np.int64(1))
    with pytest.raises(TypeError, match="action="):
        env.step(actions_of(action))
    env.step(actions_of(np.int64(0)))  # the game goes on


BEFORE_RESET = {
    "gymnasium": [
        lambda env: env.step(0),
        lambda env: env.game,
        lambda env: env.agent,
        lambda env: env.action_masks(),
        lambda env: env.render(),
    ],
    "vector": [
        lambda env: env.step([0, 0]),
        lambda env: env.game_of(0),
        lambda env: env.agent_of(0),
        lambda env: env.action_mask_of(0),
        lambda env: env.action_masks(),
    ],
    "pettingzoo raw": [
        lambda env: env.step(0),
        lambda env: env.observe("player_0"),
        lambda env: env.game,
        lambda env: env.render(),
        lambda env: env.state(),
    ],
}


@pytest.mark.parametrize("name", BEFORE_RESET)
def test_each_form_says_that_it_needs_a_reset(name):
    env = ENVIRONMENTS[name]()
    for call in BEFORE_RESET[name]:
        with pytest.raises(gymnasium.error.ResetNeeded, match="call reset first"):
            call(env)
    if name == "vector":  # a game that has not begun is refused before another one moves
        env.reset(seed=1, options={"reset_mask": np.array([True, False])})
        with pytest.raises(gymnasium.error.ResetNeeded, match="call reset first"):
            env.step([0, 0])
        assert pickle.loads(pickle.dumps(env)).game_of(0) == env.game_of(0)


def test_illegal_action_ends_the_episode_until_reset():
    env = IsleOfSkye(["random"])
    _, info = env.reset(seed=1)
    observation, *end, info = env.step(int(info["action_mask"].argmin()))
    assert end == [-1.0, True, False]
    assert info["action_mask"].all()
    for _ in range(3):
        again, *later, info = env.step(0)
        assert later == end
        assert info["action_mask"].all()
        assert all((again[name] == observation[name]).all() for name in observation)
    env.reset(seed=1)
    assert env.step(0)[1:3] == (0.0, False)


def test_illegal_action_ends_one_game_of_the_vector_environment():
    env = gymnasium.make_vec("skye/IsleOfSkye-v1", num_envs=2, opponents=["random"])
    _, info = env.reset(seed=1)
    _, rewards, ended, _, info = env.step([int(info["action_mask"][0].argmin()), 0])
    assert (rewards.tolist(), ended.tolist()) == ([-1.0, 0.0], [True, False])
    assert info["action_mask"][0].all()
    _, rewards, ended, _, info = env.step([0, 1 + int(info["action_mask"][1][1:].argmax())])
    assert (rewards.tolist(), ended.tolist()) == ([0.0, 0.0], [False, False])
    assert not info["action_mask"][0].all()


@pytest.mark.parametrize("seed", range(3))
def test_points_add_up_to_score_and_difference_to_lead(seed):
    env = IsleOfSkye(["random", "random"], reward="points")
    rewards, (score, *_) = play_episode(env, seed)
    assert sum(rewards) == score
    rewards, (score, *others) = play_episode(env, seed, {"reward": "difference"})
    assert sum(rewards) == score - max(others)


@pytest.mark.parametrize("reward", ["win", "rank"])
def test_rewards_at_the_end_have_a_constant_sum(reward):
    for seed in range(5):
        totals = totals_of(pettingzoo.raw_env(4, actions="factored", reward=reward), seed)
        assert sum(totals) == pytest.approx(-2 if reward == "win" else 0)
        assert max(totals) <= 1


def test_rewards_of_ranks_follow_the_scores():
    rewards, (own, *others) = play_episode(IsleOfSkye(["random"] * 3, reward="rank"))
    assert not any(rewards[:-1])
    better, worse = (sum(map(compare, others)) for compare in (own.__lt__, own.__gt__))
    assert rewards[-1] == pytest.approx((worse - better) / 3)


def test_pettingzoo_rewards_all_agents_for_points():
    env = pettingzoo.raw_env(2, reward="points")
    totals = totals_of(env, 4)
    observation = env.observe("player_0")["observation"]
    assert totals == [round(128 * row[1]) for row in observation["seats"]]


def test_mask_after_the_end_allows_every_action():
    for actions in ("grid", "factored", "list"):
        env = gymnasium.make("skye/IsleOfSkye-v1", opponents=["random"], actions=actions)
        _, info = env.reset(seed=1)
        for _ in itertools.count():
            _, *end, info = env.step(env.action_space.sample(info["action_mask"]))
            if end[1]:
                break
        assert info["action_mask"].all()
        assert env.unwrapped.step(0)[1:4] == tuple(end)


@pytest.mark.parametrize(
    ("module", "package"), [("gymnasium", "numpy"), ("pettingzoo", "pettingzoo"), ("openspiel", "pyspiel")]
)
def test_missing_extra_names_the_command_that_installs_it(module, package):
    program = f"import sys; sys.modules[{package!r}] = None; import skye_gym.envs.{module}"
    last = finished(sys.executable, "-c", program).stderr.splitlines()[-1]
    assert last.endswith(f"{package!r} is not installed: pip install 'skye-gym[{module}]'")


def gold_of_all(before, after, seat):
    """Return a reward that needs the true games: hidden purses, and the number of placed tiles."""
    placed = len(after.players[seat].territory.placed) - len(before.players[seat].territory.placed)
    return placed + sum(player.gold for player in after.players) / 1000


gold_of_all.illegal = -7


def test_reward_of_a_function_compares_two_decisions_of_the_seat():
    calls = []

    def reward(before, after, seat):
        calls.append((before, after, seat))
        return len(calls)

    env = IsleOfSkye(["random", "greedy"], reward=reward)
    _, info = env.reset(seed=3)
    ended, taken, befores = False, 0, []
    while not ended:
        befores.append(env.game_of(full=True))
        _, value, ended, _, info = env.step(int(info["action_mask"].nonzero()[0][-1]))
        taken += 1
        if not ended:
            assert (len(calls), value) == (taken, taken)
            assert calls[-1] == (befores[-1], env.game_of(full=True), env.agent)
    assert (len(calls), value) == (taken, taken)
    assert {seat for _, _, seat in calls} == {env.agent}
    assert calls[-1][:2] == (befores[-1], env.game_of(full=True))


def test_reward_of_a_function_is_that_of_each_agent_in_pettingzoo():
    totals = totals_of(pettingzoo.env(3, reward=gold_of_all), seed=2)
    assert len(set(totals)) > 1
    env = pettingzoo.env(3, reward=lambda _before, after, seat: float(after.is_over) * seat)
    assert totals_of(env, seed=2) == [0, 1, 2]


def test_reward_of_a_function_is_pickled_with_its_environment():
    env = IsleOfSkye(["random"], reward=gold_of_all)
    assert play_episode(pickle.loads(pickle.dumps(env)), 5) == play_episode(env, 5)


@pytest.mark.parametrize(
    ("reward", "expected"), [("win", -1), ("points", -1), ("difference", -100), (gold_of_all, -7)]
)
def test_illegal_action_has_the_reward_of_the_scheme(reward, expected):
    env = IsleOfSkye(["random"], actions="list", reward=reward)
    env.reset(seed=1)
    assert env.step(407)[1:3] == (expected, True)
    parallel = pettingzoo.env(2, actions="list", reward=reward)
    parallel.reset(seed=1)
    agent = parallel.agent_selection
    parallel.step(407)
    assert parallel.rewards[agent] == expected


def test_game_of_an_environment_hides_what_its_seat_does_not_know():
    env, vector = IsleOfSkye(["random"]), IsleOfSkyeVector(1, ["random"])
    zoo = pettingzoo.env(2)
    env.reset(seed=1)
    vector.reset(seed=1)
    zoo.reset(seed=1)
    assert env.game.seed is zoo.unwrapped.game.seed is vector.game_of(0).seed is None
    assert env.game_of(full=True).seed
    assert env.game_of(full=True) == vector.game_of(0, full=True)
    assert game_view(env.game, env.agent) == game_view(env.game_of(full=True), env.agent) | {
        "fairness": game_view(env.game, env.agent)["fairness"]
    }
    assert zoo.unwrapped.game_of("player_1", full=True).seed


def test_environments_are_pickled_without_their_spaces():
    for env in (IsleOfSkye(["random"]), pettingzoo.env(2), IsleOfSkyeVector(4, ["random"])):
        env.reset(seed=1)
        data = pickle.dumps(env)
        assert len(data) < 100_000
        copied = pickle.loads(data)
        if env.unwrapped.__class__ is not pettingzoo.raw_env:
            assert copied.observation_space == env.observation_space
        else:
            assert copied.observation_space("player_0") == env.observation_space("player_0")
