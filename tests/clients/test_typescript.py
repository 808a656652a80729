"""The TypeScript client: its types, its size, and its own tests against a live server."""

import gzip
import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.contract.checked import read_document
from tests.support.waiting import MAX_RUN_S

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
CLIENT = ROOT / "clients" / "typescript"
MAX_COMPRESSED_BYTES = 20_000


def run(*command, cwd, **variables):
    """Run a program, which must succeed; return its output."""
    environ = {**os.environ, **variables}
    done = subprocess.run(
        command, cwd=cwd, env=environ, capture_output=True, text=True, timeout=MAX_RUN_S, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def program_under(heading):
    """Return the first program below a heading of the README."""
    _, section = (CLIENT / "README.md").read_text().split(f"\n## {heading}\n")
    return re.search(r"```js\n(.*?)```", section, re.DOTALL)[1]


@pytest.fixture(scope="session")
def client(typescript):
    """The folder of the client, its types generated from today's contract and checked."""
    return typescript.CLIENT


def test_types_of_the_client_agree_with_the_contract(client):
    declared = (client / "types" / "contract.d.ts").read_text()
    contract = read_document()
    operations = [
        one["operationId"]
        for path in contract["paths"].values()
        for one in path.values()
        if "operationId" in one
    ]
    assert all(re.search(rf"^    {name}: {{$", declared, re.MULTILINE) for name in operations)


def test_client_against_live_server_passes_its_tests(client, url):
    run("npm", "test", cwd=client, SKYE_URL=url)


def test_game_of_the_readme_is_played_to_its_end(client, url, tmp_path):
    program = program_under("A game in 15 lines")
    assert len([line for line in program.splitlines() if line]) <= 15
    folder = tmp_path / "node_modules"
    folder.mkdir()
    (folder / "skye-client").symlink_to(client)
    script = tmp_path / "game.mjs"
    script.write_text(program.replace("http://127.0.0.1:8000", url))
    assert re.fullmatch(r"\d+ Ann\n\d+ Greedy\n", run("node", str(script), cwd=tmp_path))


def test_games_for_tests_of_the_readme_begin(client, url, tmp_path):
    program = program_under("Games for tests")
    folder = tmp_path / "node_modules"
    folder.mkdir()
    (folder / "skye-client").symlink_to(client)
    script = tmp_path / "games.mjs"
    script.write_text(f"""
import {{ Skye }} from "skye-client";
const client = new Skye({url!r});
const players = [{{ bot: "random" }}, {{ bot: "random" }}];
const played = await client.games.create({{ players, auto_start: true }});
const record = await client.game(played.game.id).record();
for (const player of record.players) player.bot = null;
{{
{program}
console.log(game.round, tied.game.status, again.game.phase, before.version === game.version);
}}
""")
    assert run("node", str(script), cwd=tmp_path) == "5 playing buying true\n"


def loaded_by(path):
    """Return a module and all modules that it imports."""
    found, waiting = set(), [path]
    while waiting:
        module = waiting.pop()
        if module not in found:
            found.add(module)
            imported = re.findall(r"""^(?:import|export) .*from "(.+)";$""", module.read_text(), re.MULTILINE)
            waiting += [(module.parent / name).resolve() for name in imported]
    return sorted(found)


@pytest.mark.parametrize("entry", json.loads((CLIENT / "package.json").read_text())["exports"])
def test_compressed_sources_of_an_entry_stay_below_their_limit(entry):
    exports = json.loads((CLIENT / "package.json").read_text())["exports"]
    sources = b"".join(path.read_bytes() for path in loaded_by(CLIENT / exports[entry]["default"]))
    assert 1000 < len(gzip.compress(sources, mtime=0)) < MAX_COMPRESSED_BYTES


def test_client_has_no_runtime_dependency():
    package = json.loads((CLIENT / "package.json").read_text())
    assert not package.keys() & {"dependencies", "peerDependencies", "optionalDependencies"}
    packages = json.loads((CLIENT / "package-lock.json").read_text())["packages"]
    assert all("integrity" in entry for name, entry in packages.items() if name)
    assert not any("resolved" in entry for entry in packages.values())
