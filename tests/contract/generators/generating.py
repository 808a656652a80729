"""Run the generators of clients that `make generators` installs, and compile what they write."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.contract.conftest import OPENAPI_YAML

HERE = Path(__file__).parent
PYTHON = HERE / ".venv" / "bin"
NODE = HERE / "node_modules" / ".bin"

EXPLAINED_WARNINGS = re.compile(
    # the generator prints this for each document of OpenAPI 3.1
    r"OpenAPI 3\.1 support is still in beta"
    # it asks schemas that are no references for their names (isSelfReference, toDefaultValue)
    r"|Failed to get the schema name: null$"
    # it renames `type`, degrees and media types, which are no identifiers of the target language
    r"|cannot be used as (a |an )?(model name|field/variable name|enum variant name)"
    # Java methods have no examples of bodies that are objects
    r"|Ignoring complex example on request body$"
)
"""Warnings of openapi-generator that the document cannot avoid; the generated code is complete."""

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
    printed = run(
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
    warnings = [line for line in printed.splitlines() if " WARN " in line]
    assert [line for line in warnings if not EXPLAINED_WARNINGS.search(line)] == []


def check_typescript(folder, *files):
    """Check types as strictly as the compiler can."""
    options = "--noEmit --strict --target es2022 --module esnext --moduleResolution bundler --skipLibCheck"
    run(NODE / "tsc", *options.split(), "--lib", "es2022,dom,dom.iterable", *files, cwd=folder)
