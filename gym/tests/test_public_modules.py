"""The public modules that need no framework: examples, what they check, and values that survive copying."""

import copy
import doctest
import importlib
import pickle
import pkgutil

import pytest

import skye
import skye_gym
from skye_gym import encoding
from tests.support.reference import functions_without_example

MODULES = [module.name for module in pkgutil.walk_packages(skye_gym.__path__, "skye_gym.")]


@pytest.fixture
def game():
    return skye.new_game(3, seed="interface").game


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples_of_a_module_pass(name):
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        pytest.skip(f"{error.name} is not installed")
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("name", ["skye_gym.agents", "skye_gym.bots", "skye_gym.encoding"])
def test_every_public_function_has_an_example(name):
    assert functions_without_example(name) == []


TAKES_A_SEAT = {
    "decode_action": lambda game, seat: encoding.decode_action(game, seat, 61),
    "encode_move": lambda game, seat: encoding.encode_move(game, seat, skye.Pass()),
}


@pytest.mark.parametrize("name", TAKES_A_SEAT)
@pytest.mark.parametrize(("seat", "error"), [(skye.CHANCE, ValueError), (3, ValueError), ("0", TypeError)])
def test_seat_that_does_not_exist_is_refused(game, name, seat, error):
    with pytest.raises(error, match="seat"):
        TAKES_A_SEAT[name](game, seat)


@pytest.mark.parametrize("name", TAKES_A_SEAT)
def test_swapped_arguments_are_a_type_error(game, name):
    with pytest.raises(TypeError, match="the first argument is a GameState, not int"):
        TAKES_A_SEAT[name](0, game)


def test_draw_that_does_not_exist_is_a_value_error():
    with pytest.raises(ValueError, match="L99"):
        encoding.encoding_of(skye.BASE).encode_draw(skye.Draw("L99"))


def test_encoded_game_survives_pickling_and_copying(game):
    encoded = encoding.EncodedGame(game)
    assert pickle.loads(pickle.dumps(encoded)) == encoded
    assert copy.copy(encoded) == encoded
    assert copy.deepcopy(encoded) == encoded
