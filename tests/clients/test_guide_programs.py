"""The programs of the guide and of the READMEs of the client packages run, and pass strict type checkers."""

import json
import re
import shutil
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


STREAM = """
import { events } from "./events.mjs";
const body = JSON.stringify({ players: [{ bot: "random" }, { bot: "random" }], auto_start: true });
const headers = { "Content-Type": "application/json" };
const created = await (await fetch(`${process.argv[2]}/v1/games`, { method: "POST", headers, body })).json();
const url = `${process.argv[2]}/v1/games/${created.game.id}/events/stream`;
const messages = [];
for await (const message of events(url, created.host_token, 0)) messages.push(message);
const ids = messages.filter(({ name }) => name === "message").map(({ data }) => data.id);
console.log(messages[0].name, messages.at(-1).name, ids.every((id, index) => id === index + 1));
for await (const message of events(url, created.host_token, ids.at(-1))) console.log(message);
"""


def test_reader_of_streams_of_the_guide_yields_each_event_once(url, tmp_path):
    if not shutil.which("node"):
        pytest.skip("there is no Node")
    (tmp_path / "events.mjs").write_text(guide.DOWNLOADS["events.mjs"].read_text())
    (tmp_path / "program.mjs").write_text(STREAM)
    assert run("node", str(tmp_path / "program.mjs"), url, cwd=tmp_path) == "stream end true\n"


def write_programs(kind, folder, ending):
    """Write the programs that import their package into a folder."""
    for name, program in programs(kind).items():
        if "import" in program:
            (folder / f"{name}.{ending}").write_text(program)
    assert len(list(folder.iterdir())) >= 5


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
