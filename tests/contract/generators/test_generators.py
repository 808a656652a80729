"""Clients generated from openapi.yaml compile. `make generators` installs the generators."""

import shutil

import pytest

from tests.contract.checked import OPENAPI_YAML
from tests.contract.generators.generating import (
    HERE,
    NEED_GENERATORS,
    NODE,
    PYTHON,
    check_rust,
    check_typescript,
    openapi_generator,
    pydantic_models,
    run,
    unexplained_warnings,
    write_game,
)
from tests.contract.generators.kotlin_types import undefined_types

pytestmark = NEED_GENERATORS


def test_openapi_generator_python_client_imports(tmp_path):
    openapi_generator("python", tmp_path, "packageName=skye_client")
    run(PYTHON / "python", "-m", "compileall", "-q", "skye_client", cwd=tmp_path)
    run(
        PYTHON / "python",
        "-c",
        "from skye_client import api, models; api.WebhooksApi.create_game_webhook; models.Game",
        cwd=tmp_path,
    )


def test_openapi_generator_python_client_reads_what_a_later_version_sends(tmp_path):
    openapi_generator("python", tmp_path, "packageName=skye_client")
    program = """
import later
from skye_client.models import ActionList, EventList, Problem

events = EventList.from_dict(later.EVENTS).events
assert [type(event.actual_instance).__name__ for event in events] == ["UnknownEvent", "TimedOutEvent"]
actions = ActionList.from_dict(later.ACTIONS).actions
assert [type(action.actual_instance).__name__ for action in actions] == ["UnknownAction", "PassAction"]
assert Problem.from_dict(later.PROBLEM).code == "auction_closed"
"""
    run("env", f"PYTHONPATH={HERE}", PYTHON / "python", "-c", program, cwd=tmp_path)


def test_openapi_generator_typescript_client_compiles(tmp_path):
    (tmp_path / "client").mkdir()
    openapi_generator("typescript-fetch", tmp_path / "client")
    check_typescript(tmp_path, "client/index.ts", write_game(tmp_path, "game_typescript_fetch.ts"))


@pytest.mark.skipif(shutil.which("go") is None, reason="there is no go here")
def test_openapi_generator_go_client_compiles(tmp_path):
    openapi_generator("go", tmp_path, "packageName=skye", "enumClassPrefix=true")
    run("go", "mod", "edit", "-replace", f"gopkg.in/validator.v2={HERE / 'validator'}", cwd=tmp_path)
    run("env", "GOFLAGS=-mod=mod", "GOPROXY=off", "go", "build", ".", cwd=tmp_path)


@pytest.mark.skipif(shutil.which("rustc") is None, reason="there is no rustc here")
def test_openapi_generator_rust_client_compiles(tmp_path):
    openapi_generator("rust", tmp_path)
    check_rust(tmp_path)


def test_openapi_generator_kotlin_client_uses_types_that_are_defined(tmp_path):
    openapi_generator("kotlin", tmp_path)
    sources = tmp_path / "src" / "main" / "kotlin"
    assert undefined_types(sources) == []
    next(sources.rglob("models/Bag.kt")).unlink()
    assert ("org.openapitools.client.models.Bag", "Game.kt") in undefined_types(sources)


def test_datamodel_code_generator_models_import(tmp_path):
    pydantic_models(tmp_path)
    run(PYTHON / "python", "-c", "from models import Event, Game", cwd=tmp_path)


def test_pydantic_models_read_what_a_later_version_sends(tmp_path):
    pydantic_models(tmp_path)
    program = """
import later
from models import ActionList, EventList, Problem

events = EventList.model_validate(later.EVENTS).events
assert [type(event.root).__name__ for event in events] == ["UnknownEvent", "TimedOutEvent"]
actions = ActionList.model_validate(later.ACTIONS).actions
assert [type(action.root).__name__ for action in actions] == ["UnknownAction", "PassAction"]
assert Problem.model_validate(later.PROBLEM).code.root == "auction_closed"
"""
    run("env", f"PYTHONPATH={HERE}:{tmp_path}", PYTHON / "python", "-c", program, cwd=tmp_path)


def test_hey_api_client_compiles(tmp_path):
    printed = run(
        NODE / "openapi-ts",
        "-i",
        OPENAPI_YAML,
        "-o",
        tmp_path / "client",
        "-c",
        "@hey-api/client-fetch",
        cwd=HERE,
    )
    assert "warn" not in printed.lower()
    check_typescript(tmp_path, "client/sdk.gen.ts", write_game(tmp_path, "game_hey_api.ts"))


def test_kubb_client_compiles(tmp_path):
    folders = (f"SKYE_CONTRACT={OPENAPI_YAML}", f"SKYE_OUT={tmp_path / 'client'}")
    printed = run("env", *folders, NODE / "kubb", "generate", "--config", "kubb.config.mjs", cwd=HERE)
    assert "warn" not in printed.lower()
    check_typescript(tmp_path, "--allowImportingTsExtensions", write_game(tmp_path, "game_kubb.ts"))


def test_orval_client_compiles(tmp_path):
    client = tmp_path / "client.ts"
    printed = run(NODE / "orval", "--input", OPENAPI_YAML, "--output", client, "--client", "fetch", cwd=HERE)
    assert "warn" not in printed.lower()
    check_typescript(tmp_path, write_game(tmp_path, "game_orval.ts"))


def test_openapi_typescript_types_compile(tmp_path):
    printed = run(NODE / "openapi-typescript", OPENAPI_YAML, "-o", tmp_path / "types.ts", cwd=HERE)
    warnings = [line for line in printed.splitlines() if "⚠" in line]
    assert unexplained_warnings(warnings, "openapi-typescript") == []
    check_typescript(tmp_path, write_game(tmp_path, "game_openapi_typescript.ts"))
