"""Run the generators of clients that `make generators` installs, and compile what they write."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.contract.conftest import OPENAPI_YAML

HERE = Path(__file__).parent
PYTHON = HERE / ".venv" / "bin"
NODE = HERE / "node_modules" / ".bin"

NEED_GENERATORS = [
    pytest.mark.full_size,
    pytest.mark.skipif(not PYTHON.exists() or not NODE.exists(), reason="`make generators` was not run"),
]


def run(*command, cwd):
    """Run a command, which must succeed; return what it prints."""
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    return done.stdout + done.stderr


def openapi_generator(name, folder, *properties):
    """Generate a client with openapi-generator."""
    if shutil.which("java") is None:
        pytest.skip("openapi-generator needs java")
    options = ["--additional-properties", ",".join(properties)] if properties else []
    run(
        PYTHON / "openapi-generator-cli",
        "generate",
        "-i",
        OPENAPI_YAML,
        "-g",
        name,
        "-o",
        folder,
        *options,
        cwd=folder,
    )


def check_typescript(folder, *files):
    """Check types as strictly as the compiler can."""
    options = "--noEmit --strict --target es2022 --module esnext --moduleResolution bundler --skipLibCheck"
    run(NODE / "tsc", *options.split(), "--lib", "es2022,dom,dom.iterable", *files, cwd=folder)
