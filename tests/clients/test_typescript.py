"""The TypeScript client: its types, its dependencies, and its own tests against a live server."""

import json
import re

import pytest

from tests.contract.checked import read_document
from tests.support.programs import run
from tests.support.typescript import CLIENT, link_client


def program_under(heading):
    """Return the first program below a heading of the README."""
    _, section = (CLIENT / "README.md").read_text().split(f"\n## {heading}\n")
    return re.search(r"```js\n(.*?)```", section, re.DOTALL)[1]


built = pytest.mark.usefixtures("typescript")


@built
def test_types_of_the_client_agree_with_the_contract():
    declared = (CLIENT / "types" / "contract.d.ts").read_text()
    contract = read_document()
    operations = [
        one["operationId"]
        for path in contract["paths"].values()
        for one in path.values()
        if "operationId" in one
    ]
    assert all(re.search(rf"^    {name}: {{$", declared, re.MULTILINE) for name in operations)


@built
def test_client_against_live_server_passes_its_tests(url):
    run("npm", "test", cwd=CLIENT, SKYE_URL=url)


@built
def test_game_of_the_readme_is_played_to_its_end(url, tmp_path):
    program = program_under("A game in 15 lines")
    link_client(tmp_path)
    script = tmp_path / "game.mjs"
    script.write_text(program.replace("http://127.0.0.1:8000", url))
    assert re.fullmatch(r"\d+ Ann\n\d+ Greedy\n", run("node", str(script), cwd=tmp_path))


@built
def test_games_for_tests_of_the_readme_begin(url, tmp_path):
    program = program_under("Games for tests")
    link_client(tmp_path)
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


def test_client_has_no_runtime_dependency():
    package = json.loads((CLIENT / "package.json").read_text())
    assert not package.keys() & {"dependencies", "peerDependencies", "optionalDependencies"}
    packages = json.loads((CLIENT / "package-lock.json").read_text())["packages"]
    assert all("integrity" in entry for name, entry in packages.items() if name)
    assert not any("resolved" in entry for entry in packages.values())
