"""The programs of the guide and of the READMEs of the client packages pass the strict type checkers."""

import json
import re
import sys

import pytest

from skye_server import docs as guide
from tests.support.launcher import ROOT
from tests.support.programs import run
from tests.support.typescript import link_client

pytestmark = pytest.mark.slow

_PROGRAM = re.compile(r"^```(python|js)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TEXTS = {
    "client-packages": guide.source("client-packages"),
    "leagues": guide.source("leagues"),
    "python": (ROOT / "clients" / "python" / "README.md").read_text(),
    "typescript": (ROOT / "clients" / "typescript" / "README.md").read_text(),
}


def programs(kind):
    """Return the programs in a language that import their package, by name."""
    return {
        f"{name.replace('-', '_')}_{number}": program
        for name, text in TEXTS.items()
        for number, (language, program) in enumerate(_PROGRAM.findall(text))
        if language == kind and "import" in program
    }


def test_python_programs_of_the_texts_pass_mypy_strict(tmp_path):
    for name, program in programs("python").items():
        (tmp_path / f"{name}.py").write_text(program)
    assert len(list(tmp_path.iterdir())) >= 6
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--follow-imports=silent"]
    run(*command, *tmp_path.iterdir(), cwd=tmp_path, MYPYPATH=str(ROOT / "clients" / "python"))


def test_javascript_programs_of_the_texts_pass_tsc_strict(typescript, tmp_path):
    for name, program in programs("js").items():
        (tmp_path / f"{name}.mts").write_text(program)
    assert len(list(tmp_path.iterdir())) >= 6
    link_client(tmp_path)
    strict = {"strict": True, "noEmit": True, "preserveSymlinks": True}
    lib = ["es2023", "dom", "dom.iterable", "dom.asynciterable"]
    options = {**strict, "target": "es2023", "module": "nodenext", "lib": lib, "types": []}
    config = {"compilerOptions": options, "include": ["*.mts"]}
    (tmp_path / "tsconfig.json").write_text(json.dumps(config))
    run(typescript.CLIENT / "node_modules/.bin/tsc", "-p", ".", cwd=tmp_path)
