"""The bots of examples/, on the client packages, play whole games against a real server."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.examples.conftest import EXAMPLES, ROOT, call, run
from tests.support.ports import free_port
from tests.support.programs import finished
from tests.support.waiting import MAX_RUN_S


def check(printed, url):
    """Check that the output of a bot is the result of its game; return the players."""
    first, *received = printed.splitlines()
    game = call(url, "GET", "/v1/games/" + first.removeprefix("playing "))
    assert (game["status"], game["round"]) == ("finished", game["round_count"])
    best_first = sorted(game["players"], key=lambda player: -player["score"])
    assert [line.strip() for line in received] == [
        f"{player['score']} {player['name']}" for player in best_first
    ]
    return game["players"]


@pytest.mark.parametrize("others", [1, 2, 3])
def test_python_bot_plays_a_whole_game(python_bot, url, others):
    players = check(run(*python_bot, "--api", url, "--bots", str(others)), url)
    assert [player["bot"] for player in players] == [None] + others * ["greedy"]


@pytest.mark.parametrize("others", [1, 2, 3])
def test_typescript_bot_plays_a_whole_game(typescript_bot, url, others):
    players = check(run(*typescript_bot, "--api", url, "--bots", str(others)), url)
    assert [player["bot"] for player in players] == [None] + others * ["greedy"]


def test_bots_join_a_game_and_wait_for_each_other(python_bot, typescript_bot, url):
    opened = call(
        url, "POST", "/v1/games", {"seat_count": 5, "auto_start": True, "players": [{"bot": "random"}]}
    )
    game = opened["game"]["id"]
    bots = [
        subprocess.Popen([*bot, "--api", url, "--game", game], stdout=subprocess.PIPE, text=True)
        for bot in (python_bot, typescript_bot, python_bot, typescript_bot)
    ]
    for bot in bots:
        players = check(bot.communicate(timeout=MAX_RUN_S)[0], url)
        assert bot.returncode == 0
        names = sorted(player["name"] for player in players)
        assert names == ["Python", "Python 2", "Random", "TypeScript", "TypeScript 2"]


def test_python_league_is_played_and_its_records_are_exported(python_bot, url, tmp_path):
    *interpreter, _ = python_bot
    records = tmp_path / "records.ndjson"
    program = str(EXAMPLES / "python" / "league.py")
    printed = run(*interpreter, program, "--api", url, "--games", "4", "--records", str(records))
    assert sum(int(line.split()[0]) for line in printed.splitlines()) == 4
    lines = [json.loads(line) for line in records.read_text().splitlines()]
    names = [[player["name"] for player in line["record"]["players"]] for line in lines]
    assert sorted(names) == [["Careful", "Random"]] * 2 + [["Random", "Careful"]] * 2


@pytest.mark.parametrize("program", ["bot.py", "league.py"])
def test_python_example_passes_mypy_strict(program):
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", program]
    run(*command, cwd=EXAMPLES / "python", MYPYPATH=str(ROOT / "clients" / "python"))


def test_lock_of_the_typescript_bot_names_no_registry():
    packages = json.loads((EXAMPLES / "typescript" / "package-lock.json").read_text())["packages"]
    folders = {name for name in packages if "node_modules" not in name}
    assert folders == {"", "../../clients/typescript"}
    links = {name: package["resolved"] for name, package in packages.items() if package.get("link")}
    assert links == {"node_modules/skye-client": "../../clients/typescript"}
    of_registry = [package for name, package in packages.items() if name not in {*folders, *links}]
    assert of_registry
    assert all("integrity" in package and "resolved" not in package for package in of_registry)


@pytest.mark.parametrize(
    ("program", "options", "reason"),
    [
        ("python/bot.py", ["--bots", "0"], "argument --bots: invalid choice: 0"),
        ("python/bot.py", ["--api", "127.0.0.1:8000"], "is not the address of a server"),
        ("python/bot.py", ["--api", "SERVER", "--game", "nosuch"], "404 game_not_found"),
        ("python/bot_host.py", ["--concurrency", "0"], "argument --concurrency: 0 is below 1"),
        ("python/bot_host.py", ["--key", "utf-16"], "utf-16 is no file with a player key"),
        ("python/league.py", ["--games", "101"], "argument --games: 101 is not from 1 to 100"),
        ("python/local_search.py", ["--api", "SERVER", "--against", "nosuch"], "422 invalid_body"),
        ("engine/search.py", ["--playouts", "0"], "argument --playouts: 0 is below 1"),
        ("engine/one_ply.py", ["--games", "-1"], "argument --games: -1 is below 1"),
        ("engine/replay_record.py", ["utf-16"], "utf-16: 'utf-8' codec can't decode"),
        ("engine/replay_record.py", ["SERVER/v1"], "/v1: The record has another format: /options is missing"),
        ("verify_draws.py", [], "Usage: verify_draws.py"),
        ("verify_draws.py", ["127.0.0.1:8000"], "Not verified: 127.0.0.1:8000"),
        ("typescript/dist/bot.js", ["--bots", "0"], "--bots is a number from 1 to 4"),
        ("typescript/dist/bot.js", ["--bots", "-1"], "'--bots' argument is ambiguous"),
        ("typescript/dist/bot.js", ["--api", "http://127.0.0.1:99999"], "is not the address of a server"),
        ("typescript/dist/bot.js", ["--api", "SERVER", "--game", "nosuch"], "404 game_not_found"),
    ],
)
def test_example_reports_unusable_options_without_a_traceback(
    python_bot, typescript_bot, url, program, options, reason, tmp_path
):
    *interpreter, _ = typescript_bot if program.endswith(".js") else python_bot
    (tmp_path / "utf-16").write_text("skye_key_AAAAAAAAAAAAAAAAAAAAAA", encoding="utf-16")
    arguments = [option.replace("SERVER", url) for option in options]
    done = finished(*interpreter, str(EXAMPLES / program), *arguments, cwd=tmp_path)
    assert done.returncode in (1, 2)
    assert reason in done.stderr
    assert "Traceback" not in done.stderr
    assert "    at " not in done.stderr


def test_example_without_a_server_says_in_one_line_what_to_start(python_bot, typescript_bot, tmp_path):
    *interpreter, bot = python_bot
    names = ["bot.py", "bot_host.py", "league.py", "local_search.py"]
    commands = [[*interpreter, str(Path(bot).with_name(name))] for name in names]
    url = f"http://127.0.0.1:{free_port()}"
    started = [
        subprocess.Popen([*command, "--api", url], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
        for command in [*commands, typescript_bot]
    ]
    for example in started:
        error = example.communicate(timeout=MAX_RUN_S)[1]
        assert example.returncode == 1
        assert re.fullmatch(f"no server responds at {url}.*: start one with .*\n", error, re.IGNORECASE)
