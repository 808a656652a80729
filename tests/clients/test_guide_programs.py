"""The programs of the guide and of the READMEs of the client packages run, and pass strict type checkers."""

import json
import re
import sys

import pytest

from skye_server import docs as guide
from tests.support.launcher import ROOT
from tests.support.programs import run
from tests.support.typescript import link_client

_PROGRAM = re.compile(r"^```(python|js)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TEXTS = {
    "clients": guide.source("clients"),
    "leagues": guide.source("leagues"),
    "python": (ROOT / "clients" / "python" / "README.md").read_text(),
    "typescript": (ROOT / "clients" / "typescript" / "README.md").read_text(),
}


def programs(kind, names=TEXTS):
    """Return the programs in a language, by the name of their text and their number in it."""
    return {
        f"{name.replace('-', '_')}_{number}": program
        for name in names
        for number, (language, program) in enumerate(_PROGRAM.findall(TEXTS[name]))
        if language == kind
    }


def of_the_guide(kind):
    """Parametrize a test by the programs of the guide."""
    found = programs(kind, ("clients", "leagues"))
    return pytest.mark.parametrize("program", found.values(), ids=found)


@of_the_guide("python")
def test_python_program_of_the_guide_runs(program, url):
    assert run(sys.executable, "-c", program.replace("http://127.0.0.1:8000", url))


@of_the_guide("js")
@pytest.mark.usefixtures("typescript")
def test_javascript_program_of_the_guide_runs(program, url, tmp_path):
    link_client(tmp_path)
    script = tmp_path / "program.mjs"
    script.write_text(program.replace("http://127.0.0.1:8000", url))
    assert run("node", str(script), cwd=tmp_path)


def write_programs(kind, folder, ending):
    """Write the programs that import their package into a folder."""
    for name, program in programs(kind).items():
        if "import" in program:
            (folder / f"{name}.{ending}").write_text(program)
    assert len(list(folder.iterdir())) >= 6


def test_python_programs_of_the_texts_pass_mypy_strict(tmp_path):
    write_programs("python", tmp_path, "py")
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--follow-imports=silent"]
    run(*command, *tmp_path.iterdir(), cwd=tmp_path, MYPYPATH=str(ROOT / "clients" / "python"))


def test_javascript_programs_of_the_texts_pass_tsc_strict(typescript, tmp_path):
    write_programs("js", tmp_path, "mts")
    link_client(tmp_path)
    strict = {"strict": True, "noEmit": True, "preserveSymlinks": True}
    lib = ["es2023", "dom", "dom.iterable", "dom.asynciterable"]
    options = {**strict, "target": "es2023", "module": "nodenext", "lib": lib, "types": []}
    config = {"compilerOptions": options, "include": ["*.mts"]}
    (tmp_path / "tsconfig.json").write_text(json.dumps(config))
    run(typescript.CLIENT / "node_modules/.bin/tsc", "-p", ".", cwd=tmp_path)
