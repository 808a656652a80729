"""Both wheels, built and installed into empty environments outside the repository."""

import re
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

import skye
from deploy.release import versions
from deploy.release.commands import run
from tests.support.wheels import built, environment, third_party_packages

REPOSITORY = Path(__file__).parents[2]
PROGRAM = """
import copy
import random

import skye


def choose(game: skye.GameState, seat: int, rng: random.Random) -> skye.Move:
    return skye.choose_move("random", game, seat, rng)


game = skye.new_game(3, seed="installed").game
rng = random.Random(1)
while not game.is_over:
    seat = game.waiting_for[0]
    game, _ = skye.play(game, seat, choose(game, seat, rng))
scores: list[int] = [player.score for player in game.players]
print(skye.__version__, max(scores), copy.deepcopy(game).winners)
"""


@pytest.fixture(scope="module")
def engine_wheel(tmp_path_factory):
    return built(REPOSITORY / "engine", tmp_path_factory.mktemp("engine"))


@pytest.fixture(scope="module")
def service_wheel(tmp_path_factory):
    return built(REPOSITORY / "service", tmp_path_factory.mktemp("service"))


@pytest.fixture(scope="module")
def engine_python(tmp_path_factory, engine_wheel):
    """The Python of an environment with only the engine."""
    return environment(tmp_path_factory.mktemp("installed") / "env", engine_wheel)


@pytest.fixture
def program(tmp_path):
    """The file of a program that plays with the engine."""
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


def test_functions_that_the_readme_names_are_in_the_module():
    readme = (REPOSITORY / "engine" / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([a-z_]+)\(", readme))
    assert "game_hash" in named
    assert named - set(skye.__all__) == set()


def test_engine_wheel_holds_every_file_of_the_package(engine_wheel):
    folder = REPOSITORY / "engine"
    files = [path.relative_to(folder) for path in (folder / "skye").rglob("*") if path.is_file()]
    kept = [path for path in files if not any(part.startswith((".", "__pycache__")) for part in path.parts)]
    names = {path.as_posix() for path in kept if path.suffix != ".so"} - {"skye/ruff.toml"}
    assert names <= set(ZipFile(engine_wheel).namelist())


def test_engine_wheel_alone_plays_a_game(tmp_path, engine_python, program):
    version, score, _ = run(engine_python, "-I", program, cwd=tmp_path).split(maxsplit=2)
    assert version == versions.version()
    assert int(score) > 0


def test_program_on_installed_engine_passes_strict_mypy(tmp_path, engine_python, program):
    arguments = (
        "--strict",
        "--python-executable",
        engine_python,
        "--cache-dir",
        tmp_path / "cache",
        program,
    )
    assert "no issues" in run(sys.executable, "-m", "mypy", *arguments, cwd=tmp_path)


def test_readme_game_of_fifteen_lines_is_played(tmp_path, engine_python):
    text = (REPOSITORY / "engine" / "README.md").read_text(encoding="utf-8")
    program = text.split("```python\n")[1].split("```")[0]
    assert run(engine_python, "-I", "-c", program, cwd=tmp_path).startswith("(")


def test_service_wheel_holds_all_that_the_app_needs(tmp_path, engine_wheel, service_wheel):
    python = environment(tmp_path / "env", engine_wheel, service_wheel)
    third_party = str(third_party_packages(tmp_path / "third party"))
    program = (
        f"import sys; sys.path.append({third_party!r}); import skye_server.app; print(skye_server.__file__)"
    )
    assert str(tmp_path) in run(python, "-I", "-c", program, cwd=tmp_path)
