"""Generated clients play whole games, against the server of today and one of a later version."""

import re
import shutil

import pytest

from tests.contract.checked import OPENAPI_YAML
from tests.contract.generators.generating import (
    GAMES,
    HERE,
    NEED_GENERATORS,
    NODE,
    PYTHON,
    java_class_path,
    openapi_generator,
    openapi_python_client,
    pydantic_models,
    run,
)
from tests.contract.generators.later_server import later_server

pytestmark = NEED_GENERATORS

PROGRAMS = HERE / "programs"
TSC = (
    "--outDir out --strict --target es2022 --module commonjs --moduleResolution node10 --skipLibCheck "
    "--lib es2022,dom,dom.iterable"
)
LATER = ("auction_held", "hold_auction", "auction_closed")
"""Additions of a later version: a type of events, one of actions, and the code of a refusal."""


@pytest.fixture
def later(live):
    """The address of a server of a later version."""
    with later_server(live.url) as url:
        yield url


def openapi_generator_python(folder):
    openapi_generator("python", folder, "packageName=skye_client")
    return python(folder, "play_openapi_generator.py")


def client_of_openapi_python_client(folder):
    openapi_python_client(folder)
    return python(folder, "play_openapi_python_client.py")


def pydantic(folder):
    pydantic_models(folder)
    return python(folder, "play_pydantic.py")


def python(folder, program):
    """Return the command that runs a program with the client in a folder."""
    return ["env", f"PYTHONPATH={folder}", PYTHON / "python", PROGRAMS / program]


def typescript_fetch(folder):
    client = folder / "client"
    client.mkdir()
    openapi_generator("typescript-fetch", client)
    return typescript(folder, "play_typescript_fetch")


def hey_api(folder):
    client = folder / "client"
    run(NODE / "openapi-ts", "-i", OPENAPI_YAML, "-o", client, "-c", "@hey-api/client-fetch", cwd=HERE)
    return typescript(folder, "play_hey_api")


def typescript(folder, program):
    """Compile a program with the client beside it; return the command that runs it."""
    shutil.copy(PROGRAMS / f"{program}.ts", folder)
    run(NODE / "tsc", *TSC.split(), f"{program}.ts", cwd=folder)
    return ["node", folder / "out" / f"{program}.js"]


CLIENTS = (openapi_generator_python, client_of_openapi_python_client, pydantic, typescript_fetch, hey_api)


@pytest.mark.parametrize("client", CLIENTS)
def test_generated_client_plays_today_and_against_a_later_version(client, tmp_path, live, later):
    command = client(tmp_path)
    for url, additions in ((live.url, ()), (later, LATER)):
        printed = run(*command, url, cwd=tmp_path)
        assert re.findall("[a-z_]+", printed.lower()) == ["finished", "true", *additions]


@pytest.mark.skipif(shutil.which("go") is None, reason="there is no go here")
def test_generated_go_client_plays_a_whole_game(tmp_path, live):
    options = ("packageName=skye", "enumClassPrefix=true", "useOneOfDiscriminatorLookup=true")
    openapi_generator("go", tmp_path, *options)
    program = tmp_path / "play"
    program.mkdir()
    shutil.copy(PROGRAMS / "play.go", program)
    run("go", "mod", "edit", "-replace", f"gopkg.in/validator.v2={HERE / 'validator'}", cwd=tmp_path)
    run("env", "GOFLAGS=-mod=mod", "GOPROXY=off", "go", "build", "-o", "playing", "./play", cwd=tmp_path)
    assert run(tmp_path / "playing", live.url, cwd=tmp_path).startswith("finished true")


@pytest.mark.skipif(shutil.which("javac") is None, reason="there is no javac here")
def test_generated_java_client_plays_a_whole_game(tmp_path, live):
    options = ("library=native", "openApiNullable=false", "useOneOfDiscriminatorLookup=true")
    openapi_generator("java", tmp_path, *options)
    class_path = java_class_path(tmp_path, PROGRAMS / "Play.java")
    assert run("java", "-cp", class_path, "Play", live.url, cwd=tmp_path).startswith("finished true")


GENERATED = {
    "game_openapi_generator.py": lambda folder: openapi_generator(
        "python", folder, "packageName=skye_client"
    ),
    "game_openapi_python_client.py": openapi_python_client,
    "game_pydantic.py": pydantic_models,
}


@pytest.mark.parametrize("name", GENERATED)
def test_python_game_of_the_guide_is_played_as_printed(name, tmp_path, live, skye):
    GENERATED[name](tmp_path)
    (tmp_path / name).write_text(GAMES[name].replace("http://127.0.0.1:8000", live.url))
    before = skye.games.list(status="finished", limit=1)["games"]
    run(PYTHON / "python", name, cwd=tmp_path)
    (latest,) = skye.games.list(status="finished", limit=1)["games"]
    assert latest["id"] not in [game["id"] for game in before]
