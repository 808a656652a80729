"""The wheel, built and installed beside that of the engine into an empty environment."""

import json
import shutil
from pathlib import Path
from zipfile import ZipFile

import pytest

from deploy.release.commands import run
from tests.support.sizes import sized
from tests.support.wheels import built, environment, third_party_packages

GYM = Path(__file__).parents[1]
REPOSITORY = GYM.parent
SELECTED = sized(["-k", "[2] and not ismcts and not sim_test"], [])
"""Arguments of pytest: in the small size few games of two, since the same suites run on the sources too."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return built(GYM, tmp_path_factory.mktemp("gym"))


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    return built(REPOSITORY / "engine", tmp_path_factory.mktemp("engine"))


@pytest.fixture(scope="module")
def python(tmp_path_factory, engine, wheel):
    """The Python of an environment with only the engine and the gym."""
    return environment(tmp_path_factory.mktemp("installed") / "env", engine, wheel)


def test_wheel_holds_every_file_of_the_package_and_nothing_else(wheel):
    files = [path.relative_to(GYM) for path in (GYM / "skye_gym").rglob("*") if path.is_file()]
    names = {path.as_posix() for path in files if "__pycache__" not in path.parts}
    held = {name for name in ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert held == names


def test_installed_arena_plays_a_league(tmp_path, python):
    run(python.with_name("skye-arena"), "expert@1/1", "random", "--games=2", cwd=tmp_path)
    (league,) = tmp_path.glob("league-*.jsonl")
    results = [json.loads(line) for line in league.read_text().splitlines()[1:]]
    assert [result["failures"] for result in results] == [{}, {}]


def test_installed_bench_commits_to_a_seed(tmp_path, python):
    run(python.with_name("skye-bench"), "commit", cwd=tmp_path)
    assert (tmp_path / "skye-bench" / "seed.txt").exists()


def test_readme_program_is_run(tmp_path, python):
    text = (GYM / "README.md").read_text(encoding="utf-8")
    program = text.split("```python\n")[1].split("```")[0]
    assert run(python, "-I", "-c", program, cwd=tmp_path)


DIGEST = """
import hashlib
from random import Random
import skye, skye_gym.bots.trained_evaluation as module
from skye_gym.bots import expert, expert_1
from skye_gym.encoding import EncodedGame
from skye_gym.envs.actions import ListedGains
from skye_gym.envs.planes import OwnPlanes, planes_of
digest = hashlib.sha256()
rng, encoded = Random(1), EncodedGame(skye.new_game(3, seed="compiled").game)
layout = planes_of(skye.BASE)
memory = bytearray(layout.window**2 * layout.own_planes)
planes = OwnPlanes(layout, memoryview(memory))
while not encoded.game.is_over:
    player = encoded.game.players[encoded.seat]
    planes.show_own(player.territory, player.tiles_on_offer + player.tiles_to_build)
    digest.update(ListedGains(encoded).features() + memory)
    encoded, _ = encoded.play(rng.choice(encoded.legal_actions()))
for players, bot in ((2, expert), (3, expert), (3, expert_1(50))):
    outcome = skye.play_out(skye.new_game(players, seed="compiled").game, bot, Random(1))
    digest.update(repr(outcome).encode())
print(module.__file__.endswith(".py"), digest.hexdigest())
"""

HELP = """
import inspect
from skye_gym.bots import expert, trained_evaluation
for module in (inspect.getmodule(expert), trained_evaluation):
    print(inspect.getdoc(module))
    for name, thing in sorted(vars(module).items()):
        if getattr(thing, "__module__", "") == module.__name__:
            print(name, inspect.getdoc(thing))
            for member, value in sorted(vars(thing).items() if inspect.isclass(thing) else ()):
                if member[0] != "_" and inspect.getdoc(value):
                    print(name, member, inspect.getdoc(value))
"""


@pytest.mark.full_size
def test_compiled_wheel_moves_and_observes_as_the_pure(tmp_path, engine, python):
    of_python = run(python, "-I", "-c", DIGEST, cwd=tmp_path).split()
    compiled = built(GYM, tmp_path, SKYE_COMPILE="1", MYPYPATH=str(REPOSITORY / "engine"))
    installed = environment(tmp_path / "env", engine, compiled)
    of_mypyc = run(installed, "-I", "-c", DIGEST, cwd=tmp_path).split()
    assert (of_python[0], of_mypyc[0]) == ("True", "False")
    assert of_python[1] == of_mypyc[1]
    assert run(installed, "-I", "-c", HELP, cwd=tmp_path) == run(python, "-I", "-c", HELP, cwd=tmp_path)


@pytest.mark.parametrize(
    ("suite", "needs"), [("test_envs.py", "pettingzoo"), ("test_openspiel.py", "pyspiel")]
)
def test_framework_suites_pass_on_installed_gym(tmp_path, python, suite, needs):
    pytest.importorskip(needs, reason=f"{needs} is not installed: its environment is not tested")
    third_party = str(third_party_packages(tmp_path / "third party"))
    suites = tmp_path / "suites"
    suites.mkdir()
    shutil.copy(Path(__file__).parent / suite, suites)
    (suites / "tests" / "support").mkdir(parents=True)
    shutil.copy(REPOSITORY / "tests" / "support" / "sizes.py", suites / "tests" / "support")
    shutil.copytree(Path(__file__).parent / "playthroughs", suites / "playthroughs")
    (suites / "pytest.ini").touch()
    program = f"""
import sys
sys.path += [{third_party!r}, {str(suites)!r}]
import pytest, skye_gym
assert skye_gym.__file__.startswith({str(python.parents[1])!r}), skye_gym.__file__
suites = {str(suites)!r}
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "--rootdir", suites, suites, *{SELECTED}]))
"""
    assert " passed" in run(python, "-I", "-c", program, cwd=tmp_path)
