"""Run programs on the sources of the TypeScript client, without types and without a server."""

import shutil

import pytest

from tests.support import programs
from tests.support.missing_programs import NO_NODE
from tests.support.typescript import CLIENT

FOLDER = CLIENT / "test" / "offline"


def run(*command, text=""):
    """Run a program of node, which must succeed, on a standard input; return its output."""
    if not shutil.which("node"):
        pytest.skip(NO_NODE)
    return programs.run(*command, cwd=CLIENT, text=text)
