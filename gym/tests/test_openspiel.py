"""The OpenSpiel game: OpenSpiel's own test suites, a stored playthrough, and hidden information."""

import unittest
from pathlib import Path
from random import Random

import pytest

pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: its game is not tested")

import numpy as np
import pyspiel
from absl import flags

from skye_gym.envs.openspiel import IsleOfSkyeGame, resample
from tests.support.sizes import sampled, sized

pytestmark = pytest.mark.filterwarnings("ignore")
for_each_number_of_players = pytest.mark.parametrize("players", sampled([2, 3, 4, 5], 2))

PLAYTHROUGH = Path(__file__).parent / "playthroughs" / "python_isle_of_skye.txt"
"""Written by `open_spiel.python.examples.playthrough`; write it again when the game's interface changes."""


for_each_encoding = pytest.mark.parametrize("actions", ["factored", "grid"])


def load(players, actions="factored"):
    return pyspiel.load_game(f"python_isle_of_skye(players={players},actions={actions})")


def random_states(players, seed, actions="factored"):
    """Yield each state of a random game in which a seat decides."""
    rng, state = Random(seed), load(players, actions).new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(rng.choice(state.chance_outcomes())[0])
        else:
            yield state
            state.apply_action(rng.choice(state.legal_actions()))


def observer(players, *, public, recall, private):
    return load(players).make_py_observer(
        pyspiel.IIGObservationType(public_info=public, perfect_recall=recall, private_info=private)
    )


@pytest.mark.parametrize("number", [2.0, True, "2"])
def test_number_of_players_that_is_not_whole_is_refused(number):
    with pytest.raises(TypeError, match=r"players=.*must be a whole number"):
        IsleOfSkyeGame({"players": number})


@for_each_encoding
@pytest.mark.parametrize("players", sampled([2, 3, 4, 5], 2))
def test_random_sim_test_passes(players, actions):
    pyspiel.random_sim_test(load(players, actions), num_sims=sized(1, 2), serialize=True, verbose=False)


@for_each_number_of_players
def test_games_sim_test_passes(players):
    from open_spiel.python.tests import games_sim_test

    games_sim_test.GamesSimTest("test_pig").sim_game(load(players))


@for_each_number_of_players
def test_api_test_passes(players):
    from open_spiel.integration_tests import api_test

    game = load(players)
    name = game.get_type().short_name
    case = type("ApiTest", (api_test.EnforceAPIOnPartialTreeBase,), {"game": game, "game_name": name})
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
    assert result.testsRun >= 5
    assert result.failures + result.errors == []


def test_stored_playthrough_is_replayed():
    from open_spiel.python.algorithms import generate_playthrough

    flags.FLAGS.mark_as_parsed()
    expected, actual = generate_playthrough.replay(str(PLAYTHROUGH))
    assert actual == expected


def test_information_state_hides_offers_until_all_are_set():
    state = next(random_states(2, 1))
    for _ in range(3):
        state.apply_action(state.legal_actions()[0])
    assert "0:-1 0:-1 0:-1 |" in state.information_state_string(1)
    assert state.information_state_string(0).endswith("offer=[0, 3, 3]")
    for _ in range(3):
        state.apply_action(state.legal_actions()[0])
    assert "0:0 0:3 0:3 1:0 1:3 1:3 |" in state.information_state_string(1)


@for_each_number_of_players
def test_public_observation_is_the_same_for_all_offers_of_a_seat(players):
    none = pyspiel.PrivateInfoType.NONE
    observers = [observer(players, public=True, recall=recall, private=none) for recall in (False, True)]
    first = next(random_states(players, 1))
    seen = set()
    for offer in ((0, 3, 3), (2, 4, 3)):
        state = first.clone()
        for action in offer:
            state.apply_action(action)
        for each in observers:
            each.set_from(state, 0)
        seen.add(
            (
                *(each.string_from(state, 0) for each in observers),
                *(each.tensor.tobytes() for each in observers),
            )
        )
    assert len(seen) == 1


def test_private_observation_holds_purse_and_secret_offer_alone():
    private = observer(3, public=False, recall=False, private=pyspiel.PrivateInfoType.SINGLE_PLAYER)
    state = next(random_states(3, 1))
    assert private.string_from(state, 0) == "p0 | gold=5 offer=[]"
    for action in (1, 4, 3):
        state.apply_action(action)
    private.set_from(state, 0)
    assert private.string_from(state, 0) == "p0 | gold=2 offer=[1, 4, 3]"
    assert private.tensor.tolist() == [1, 0, 0, 2, 2, 5, 4]
    assert private.string_from(state, 1) == "p1 | gold=5 offer=[]"


def test_private_information_of_all_players_is_refused():
    with pytest.raises(ValueError, match="one player"):
        observer(2, public=True, recall=True, private=pyspiel.PrivateInfoType.ALL_PLAYERS)


def test_game_has_factored_actions_by_default():
    game = pyspiel.load_game("python_isle_of_skye")
    assert (game.num_distinct_actions(), load(2, "grid").num_distinct_actions()) == (511, 16_491)
    with pytest.raises(ValueError, match=r"'list'.*factored"):
        load(2, "list")


def test_factored_placement_is_observed_between_its_actions():
    public = observer(2, public=True, recall=False, private=pyspiel.PrivateInfoType.NONE)
    state = next(
        each for each in random_states(2, 1) if each.action_to_string(each.legal_actions()[0])[:5] == "place"
    )
    seat, seen, described = state.current_player(), [], []
    for _ in range(2):
        action = state.legal_actions()[0]
        described.append(state.action_to_string(action))
        state.apply_action(action)
        assert state.current_player() == seat
        public.set_from(state, 1 - seat)
        seen.append([round(each) for each in public.dict["placement"]])
        assert state.clone().legal_actions() == state.legal_actions() == sorted(state.legal_actions())
    [tile, row, column] = seen[1]
    assert seen[0] == [tile, 0, 0]
    assert described == [f"place tile {tile}", f"in row {row - 1}, column {column - 1} of the window"]
    assert " tile=" in str(state)
    assert " cell=" in public.string_from(state, 1 - seat)
    assert all("turned by" in state.action_to_string(action) for action in state.legal_actions())
    state.apply_action(state.legal_actions()[0])
    public.set_from(state, 1 - seat)
    assert not public.dict["placement"].any()


@pytest.mark.parametrize("action", ["1", 3.7])
def test_action_that_is_no_whole_number_is_refused(action):
    with pytest.raises(TypeError):
        next(random_states(2, 1)).apply_action(action)


@for_each_encoding
@for_each_number_of_players
def test_information_state_tensor_distinguishes_the_same_states_as_string(players, actions):
    tensors = {}
    for state in random_states(players, 2, actions):
        for player in range(players):
            string, tensor = (
                state.information_state_string(player),
                tuple(state.information_state_tensor(player)),
            )
            assert tensors.setdefault(string, tensor) == tensor
    assert len(set(tensors.values())) == len(tensors)


@for_each_number_of_players
def test_resampled_state_looks_the_same_to_the_player(players):
    changed = 0
    for state in random_states(players, 3):
        player = state.current_player()
        sampled = resample(state, player)
        assert sampled.information_state_string(player) == state.information_state_string(player)
        assert sampled.observation_string(player) == state.observation_string(player)
        assert sampled.legal_actions() == state.legal_actions()
        changed += str(sampled) != str(state)
    assert changed > 0


@pytest.mark.parametrize("parts", [1, 2])
def test_resampled_incomplete_offer_of_another_seat_varies(parts):
    state = next(random_states(2, 1))
    for action in (2, 4)[:parts]:
        state.apply_action(action)
    drafts = set()
    for seed in range(50):
        sampled = resample(state, 1, Random(seed))
        assert sampled.information_state_string(1) == state.information_state_string(1)
        assert sampled.secret_actions(0) == list(sampled.encoded.draft)
        drafts.add(sampled.encoded.draft)
        while sampled.current_player() == 0:
            sampled.apply_action(sampled.legal_actions()[-1])
        assert resample(state, 0).encoded.draft == state.encoded.draft
    assert {draft[0] for draft in drafts} == {0, 1, 2}


def test_resampled_states_of_equal_seeds_are_equal():
    state = next(random_states(2, 1))
    for action in (2, 4, 3):
        state.apply_action(action)
    samples = [str(resample(state, 1, Random(seed))) for seed in (1, 1, *range(10))]
    assert samples[0] == samples[1]
    assert len(set(samples)) > 1


@for_each_number_of_players
def test_ismcts_bots_play_a_whole_game_on_resampled_states(players):
    from open_spiel.python.algorithms import ismcts, mcts

    game, rng = load(players), np.random.RandomState(players)
    bots = [
        ismcts.ISMCTSBot(
            game=game,
            uct_c=2.0,
            evaluator=mcts.RandomRolloutEvaluator(1, rng),
            random_state=rng,
            max_simulations=2,
        )
        for _ in range(players)
    ]
    for bot in bots:
        bot.set_resampler(resample)
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            actions, shares = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(rng.choice(actions, p=shares)))
        else:
            state.apply_action(bots[state.current_player()].step(state))
    assert sum(state.returns()) == 2 - players
