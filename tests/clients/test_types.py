"""Type checkers find wrong fields, types and enumerations in bodies, and nothing in programs that work."""

import json
import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.clients.test_guide_programs import write_programs
from tests.support.launcher import ROOT
from tests.support.npx import npx
from tests.support.programs import finished
from tests.support.typescript import CLIENT, link_client

BODIES = Path(__file__).with_name("typed") / "bodies.py"
TS_BODIES = BODIES.with_name("bodies.ts")
SOURCES = [ROOT / name for name in ("clients/python", "engine", "gym")]

WRONG = {number for number, line in enumerate(BODIES.read_text().splitlines(), 1) if line.endswith("# error")}


def by_mypy(folder):
    """Return the errors of mypy in the programs of a folder, by file and line; functions may lack types."""
    options = ("--strict", "--allow-untyped-defs", "--allow-untyped-calls", "--python-version", "3.11")
    silent = ("--follow-imports", "silent", "--no-error-summary", "--hide-error-context")
    command = (sys.executable, "-m", "mypy", *options, *silent, *sorted(folder.glob("*.py")))
    done = finished(*command, cwd=folder, MYPYPATH=":".join(map(str, SOURCES)))
    found = re.findall(r"^(.+?):(\d+): error: (.*)$", done.stdout, re.MULTILINE)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return {(Path(file).name, int(line)): text for file, line, text in found}


def by_pyright(folder):
    """Return the errors of pyright in the programs of a folder, by file and line."""
    settings = {"extraPaths": [str(path) for path in SOURCES], "pythonVersion": "3.11"}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    done = npx("pyright", "pyright", "--outputjson", "--pythonpath", sys.executable, cwd=folder)
    return {
        (Path(each["file"]).name, each["range"]["start"]["line"] + 1): each["message"]
        for each in json.loads(done.stdout)["generalDiagnostics"]
        if each["severity"] == "error"
    }


checked = pytest.mark.parametrize("errors_in", [by_mypy, by_pyright])


@checked
def test_wrong_fields_types_and_enumerations_of_bodies_are_errors(errors_in, tmp_path):
    shutil.copy(BODIES, tmp_path)
    found = errors_in(tmp_path)
    assert {line for _, line in found} == WRONG, found


@checked
def test_examples_in_python_have_no_errors(errors_in, tmp_path):
    for example in (ROOT / "examples" / "python").glob("*.py"):
        shutil.copy(example, tmp_path)
    assert len(list(tmp_path.iterdir())) >= 4
    assert errors_in(tmp_path) == {}


def test_python_programs_of_the_texts_pass_pyright(tmp_path):
    write_programs("python", tmp_path, "py")
    assert by_pyright(tmp_path) == {}


@pytest.mark.usefixtures("typescript")
@pytest.mark.parametrize("resolution", ["node16", "bundler", "node10"])
def test_wrong_bodies_are_errors_in_typescript(resolution, tmp_path):
    """Each `@ts-expect-error` of the program has its error, and no other line has one."""
    link_client(tmp_path)
    shutil.copy(TS_BODIES, tmp_path)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    module = {"node16": "node16", "bundler": "esnext", "node10": "esnext"}[resolution]
    options = ("--noEmit", "--strict", "--target", "es2023", "--lib", "es2023,dom,dom.iterable")
    compiler = CLIENT / "node_modules" / "typescript" / "bin" / "tsc"
    options += ("--module", module, "--moduleResolution", resolution)
    done = finished("node", compiler, *options, "bodies.ts", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
