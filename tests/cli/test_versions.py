"""Every command of the distributions tells its version."""

import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.support.launcher import ROOT
from tests.support.programs import run

PROJECTS = [
    tomllib.loads(path.read_text())["project"]
    for folder in (ROOT, ROOT / "clients")
    for path in sorted(folder.glob("*/pyproject.toml"))
]
COMMANDS = {command: each["name"] for each in PROJECTS for command in each.get("scripts", ())}
"""The name of its distribution by that of each command."""


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_command_tells_its_version(command):
    program = Path(sys.executable).with_name(command)
    if not program.exists():
        pytest.skip(f"{COMMANDS[command]} is not installed")
    assert run(program, "--version").split() in (
        [command, version(COMMANDS[command])],
        [f"{command},", "version", version(COMMANDS[command])],
    )
