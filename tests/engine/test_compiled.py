"""The wheel that mypyc compiles: the tests, moves, hashes, pickles and docstrings of the pure engine."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from deploy.release.commands import run
from tests.support.wheels import built, environment, third_party_packages

pytestmark = pytest.mark.full_size
"""The wheel is compiled for releases only, which takes a minute and a half of CPU time."""

REPOSITORY = Path(__file__).parents[2]

OTHER_SUITES = ("test_build_backend.py", "test_compiled.py", "test_wheels.py")
"""The suites of the wheels and of their build.

Also left out are tests of arguments of wrong types, which mypyc refuses in its own words (`type_error`).
"""

PROGRAM = """
import hashlib, pickle
from random import Random
import skye.rules.play
from skye import choose_move, new_game, play
from skye.positions import game_hash
from skye_gym.bots import LEAGUE_BOTS

digest = hashlib.sha256()
for name in ("random", "greedy", "strategist", "expert"):
    for players in (2, 5):
        game, number = new_game(players, seed=f"{name} {players}").game, 0
        while not game.is_over:
            seat = game.waiting_for[0]
            move = choose_move(LEAGUE_BOTS[name], game, seat, Random(number))
            game, events = play(game, seat, move)
            number += 1
            for value in (game, move, events):
                digest.update(pickle.dumps(value))
                assert pickle.loads(pickle.dumps(value)) == value
            digest.update(repr((game_hash(game), hash(move), game, move, events)).encode())
print(skye.rules.play.__file__.endswith(".py"), digest.hexdigest())
"""

DECODING = """
import sys
sys.path.append(sys.argv[1])
from random import Random
import msgspec
import skye.rules.play
from skye import GameState, choose_move, new_game, play

game, decode = new_game(3, seed="decoded").game, msgspec.json.Decoder(GameState).decode
while not game.is_over:
    seat = game.waiting_for[0]
    game, _ = play(game, seat, choose_move("random", game, seat, Random(0)))
    decoded = decode(msgspec.json.encode(game))
    assert decoded == game, (decoded, game)
    assert type(decoded.players[0]) is type(game.players[0])
    game = decoded
print(skye.rules.play.__file__.endswith(".py"))
"""

HELP = """
import importlib, inspect, json, re, sys
import skye, skye.rules.play


def described(thing):
    try:
        parameters = inspect.signature(thing).parameters.values()
    except (TypeError, ValueError):
        return inspect.getdoc(thing), None
    return inspect.getdoc(thing), [(each.name, repr(each.default)) for each in parameters]


found = {}
for name in ["skye", *re.findall(r"`(skye\\.[\\w.]+)`", skye.__doc__)]:
    module = importlib.import_module(name)
    found[name] = inspect.getdoc(module), None
    listed = getattr(module, "__all__", ())
    for public in {*listed, *vars(module)}:
        thing = getattr(module, public)
        if public[0] == "_" or not (public in listed or getattr(thing, "__module__", "") == name):
            continue
        found[f"{name}.{public}"] = described(thing)
        for member, value in vars(thing).items() if inspect.isclass(thing) else ():
            if member[0] != "_":
                found[f"{name}.{public}.{member}"] = described(getattr(value, "__func__", value))
print(skye.rules.play.__file__.endswith(".py"))
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def compiled_wheel(tmp_path_factory):
    return built(REPOSITORY / "engine", tmp_path_factory.mktemp("compiled"), SKYE_COMPILE="1")


@pytest.fixture(scope="module")
def compiled_python(tmp_path_factory, compiled_wheel):
    """The Python of an environment with only the compiled engine."""
    return environment(tmp_path_factory.mktemp("installed") / "env", compiled_wheel)


def test_compiled_wheel_is_for_this_platform(compiled_wheel):
    assert f"cp{sys.version_info.major}{sys.version_info.minor}" in compiled_wheel.name
    assert "none-any" not in compiled_wheel.name


def test_compiled_engine_has_the_games_hashes_and_pickles_of_the_pure(compiled_python, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    engine, gym = (str(REPOSITORY / part) for part in ("engine", "gym"))  # the latter has the expert
    pure = run(sys.executable, program, cwd=tmp_path, PYTHONHASHSEED="0", PYTHONPATH=f"{engine}:{gym}")
    compiled = run(compiled_python, program, cwd=tmp_path, PYTHONHASHSEED="0", PYTHONPATH=gym)
    assert pure.startswith("True")
    assert compiled.startswith("False")
    assert compiled.split()[1] == pure.split()[1]


def test_help_on_the_compiled_engine_is_that_on_the_pure(compiled_python, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(HELP)
    pure = run(sys.executable, program, cwd=tmp_path, PYTHONPATH=str(REPOSITORY / "engine")).split("\n")
    compiled = run(compiled_python, program, cwd=tmp_path).split("\n")
    assert (pure[0], compiled[0]) == ("True", "False")
    expected, found = json.loads(pure[1]), json.loads(compiled[1])
    assert len(expected) > 300
    assert {name: found.get(name) for name in expected} == expected


def test_state_of_the_compiled_engine_is_decoded_by_its_types(compiled_python, tmp_path):
    third_party = third_party_packages(tmp_path / "third party")
    assert run(compiled_python, "-I", "-c", DECODING, third_party, cwd=tmp_path) == "False\n"


def test_suite_of_the_engine_passes_on_the_compiled_engine(compiled_python, tmp_path):
    third_party = third_party_packages(tmp_path / "third party")
    suites = tmp_path / "suites"
    ignored = shutil.ignore_patterns(*OTHER_SUITES, "__pycache__")
    for room in ("engine", "reference", "support"):
        shutil.copytree(REPOSITORY / "tests" / room, suites / "tests" / room, ignore=ignored)
    shutil.copy(REPOSITORY / "tests" / "costs.tsv", suites / "tests")
    (suites / "pytest.ini").write_text("[pytest]\nmarkers =\n    smoke\n    full\n    full_size\n")
    program = f"""
import sys
sys.path += [{str(third_party)!r}, {str(suites)!r}]
import pytest, skye.rules.play
assert not skye.rules.play.__file__.endswith(".py"), skye.rules.play.__file__
selected = ["-p", "tests.support.tiers", "-m", "not full", "-k", "not type_error"]
options = ["-q", "-p", "no:cacheprovider", "--import-mode=importlib", *selected]
sys.exit(pytest.main([*options, "--rootdir", {str(suites)!r}, {str(suites / "tests" / "engine")!r}]))
"""
    assert " passed" in run(compiled_python, "-I", "-c", program, cwd=tmp_path)
