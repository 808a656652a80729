"""Run programs on the sources of the TypeScript client, without types and without a server."""

import shutil
import subprocess

import pytest

from tests.support.missing_programs import NO_NODE
from tests.support.typescript import CLIENT
from tests.support.waiting import MAX_RUN_S

FOLDER = CLIENT / "test" / "offline"


def run(*command, text=""):
    """Run a program of node, which must succeed, on a standard input; return its output."""
    if not shutil.which("node"):
        pytest.skip(NO_NODE)
    done = subprocess.run(
        command, cwd=CLIENT, input=text, capture_output=True, text=True, timeout=MAX_RUN_S, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
