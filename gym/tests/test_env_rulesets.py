"""A second ruleset in PettingZoo, Gymnasium and OpenSpiel, whose own test suites check it."""

import pytest

from tests.support.second_ruleset import SECOND, registered

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(autouse=True)
def _known():
    with registered(SECOND):
        yield


@pytest.mark.parametrize("players", [2, 3])
def test_pettingzoo_suite_passes(players):
    pytest.importorskip("pettingzoo", reason="PettingZoo is not installed: its environment is not tested")
    from pettingzoo.test import api_test

    from skye_gym.envs.pettingzoo import env

    for form in ({"actions": "list"}, {"observation": "flat", "actions": "grid"}, {"observation": "summary"}):
        api_test(env(players, ruleset="second", **form), num_cycles=100)


def test_gymnasium_checker_passes():
    pytest.importorskip("gymnasium", reason="Gymnasium is not installed: its environment is not tested")
    from gymnasium.utils.env_checker import check_env

    from skye_gym.envs.gymnasium import IsleOfSkye

    check_env(IsleOfSkye(["random", "random"], ruleset="second"), skip_render_check=True)


def test_openspiel_suite_passes():
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: its game is not tested")
    import skye_gym.envs.openspiel  # noqa: F401 - it registers the game

    for actions in ("factored", "grid"):
        game = pyspiel.load_game(f"python_isle_of_skye(players=3,ruleset=second,actions={actions})")
        pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)


def test_player_count_that_the_ruleset_does_not_have_is_refused():
    pytest.importorskip("pettingzoo", reason="PettingZoo is not installed: its environment is not tested")
    from skye_gym.envs.pettingzoo import env

    with pytest.raises(ValueError, match=r"2 or 3|2 to 3"):
        env(4, ruleset="second")
