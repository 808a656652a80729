"""The programs of examples/engine play games, and the notebook runs from top to bottom."""

import ast
import json
import sys

import pytest

from tests.examples.conftest import EXAMPLES, ROOT, call, run
from tests.support.sizes import sized

GAMES = sized(4, 200)


def run_example(name, *arguments):
    path = f"PYTHONPATH={ROOT / 'engine'}"
    return run("env", path, sys.executable, str(EXAMPLES / "engine" / name), *arguments)


def test_play_prints_the_events_and_the_result():
    *events, result = run_example("play.py", "--seed", "play").splitlines()
    assert [ast.literal_eval(event)["type"] for event in events][-2:] == ["round_scored", "game_finished"]
    assert result.startswith("<GameState over: ")


def test_one_ply_bot_wins_against_the_random_bot():
    words = run_example("one_ply.py", "--games", "4").split()
    assert int(words[2]) >= 3


def test_search_plays_a_whole_game():
    assert run_example("search.py", "--candidates", "2", "--playouts", "1").startswith("<GameState over: ")


def test_record_of_a_server_is_replayed(url):
    players = [{"bot": "random"}, {"bot": "greedy"}]
    game = call(url, "POST", "/v1/games", {"players": players, "auto_start": True})["game"]
    *rounds, result, _, _ = run_example(
        "replay_record.py", f"{url}/v1/games/{game['id']}/record"
    ).splitlines()
    scores = [str(player["score"]) for player in call(url, "GET", f"/v1/games/{game['id']}")["players"]]
    assert len(rounds) == 6
    assert " - ".join(scores) in result


@pytest.fixture
def notebook():
    return json.loads((EXAMPLES / "engine" / "games.ipynb").read_text(encoding="utf-8"))


def test_notebook_runs_from_top_to_bottom(notebook, capsys):
    names = {}
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for cell in cells:
        exec(cell.replace("GAMES = 200", f"GAMES = {GAMES}"), names)
    printed = capsys.readouterr().out
    assert f"of {GAMES}" in printed
    assert "round 6" in printed
    assert eval(cells[-1].splitlines()[-1], names)._repr_svg_().startswith("<svg ")


def test_notebook_holds_no_output(notebook):
    assert all(not cell.get("outputs") for cell in notebook["cells"])
