"""The arena against bots of a live server, and the example with local search over HTTP."""

import json
import sys
from contextlib import closing

import pytest

from skye_gym.arena.bot_process import Budget
from skye_gym.arena.command import main
from skye_gym.arena.entrants import decider_for, entrant_from
from skye_gym.arena.match import play_match
from skye_gym.arena.server_game import ServerGame, server_of
from tests.support.launcher import ROOT, call
from tests.support.ports import free_port
from tests.support.programs import run
from tests.support.waiting import MAX_WAIT_S

PYTHONPATH = ":".join(str(ROOT / part) for part in ("engine", "gym", "clients/python"))


@pytest.fixture
def play(tmp_path, monkeypatch):
    """Play a league of one worker and return its results."""
    monkeypatch.setenv("PYTHONPATH", PYTHONPATH)

    def league(*bots, **options):
        out = tmp_path / "league.jsonl"
        arguments = [f"--{name}={value}" for name, value in options.items()]
        assert main([*bots, "--workers=1", f"--budget={MAX_WAIT_S}", f"--out={out}", *arguments]) == 0
        return [json.loads(line) for line in out.read_text().splitlines()[1:]]

    return league


@pytest.mark.parametrize("players", [2, 3])
def test_bot_of_server_plays_a_league(play, url, players):
    results = play("random", f"server={url}?bot=greedy", players=players, games=players, seed="server")
    for result in results:
        assert result["failures"] == {}
        [random_seat] = [seat for seat, bot in enumerate(result["bots"]) if bot == "random"]
        assert random_seat not in result["winners"]
        imported = call(url, "POST", "/v1/games", {"record": result["record"]})["game"]
        assert [player["score"] for player in imported["players"]] == result["scores"]


def test_game_with_bots_of_server_ends_there_with_the_same_scores(url):
    server = ServerGame(url, ["theirs", "theirs"], ["greedy", "random"], "both theirs", Budget(MAX_WAIT_S))
    with closing(server):
        result = play_match(["theirs", "theirs"], [None, None], "both theirs", server)
        assert result["failures"] == {}
        on_server = server.host.get()
    assert on_server["status"] == "finished"
    assert [player["score"] for player in on_server["players"]] == result["scores"]


def test_server_that_cannot_be_reached_loses_its_game():
    address = f"http://127.0.0.1:{free_port()}"
    with closing(ServerGame(address, ["a", "b"], ["greedy", None], "lost", Budget(MAX_WAIT_S))) as server:
        result = play_match(["a", "b"], [None, decider_for(entrant_from("random"), Budget())], "lost", server)
    assert "cannot be reached" in result["failures"]["0"]
    assert result["winners"] == [1]


def test_league_with_a_server_that_cannot_be_reached_is_refused(capsys, tmp_path):
    address = f"http://127.0.0.1:{free_port()}"
    assert main(["random", f"server={address}", f"--out={tmp_path / 'league.jsonl'}"]) == 2
    assert f"'server': {address} cannot be reached" in capsys.readouterr().err


def test_league_with_a_bot_that_server_does_not_have_is_refused(url, capsys, tmp_path):
    assert main(["random", f"server={url}?bot=unknown", f"--out={tmp_path / 'league.jsonl'}"]) == 2
    assert "refused a request: 422 invalid_body" in capsys.readouterr().err


def test_bots_of_two_servers_are_refused(capsys, tmp_path):
    bots = ["one=http://127.0.0.1:1", "other=http://127.0.0.1:2"]
    assert main([*bots, f"--out={tmp_path / 'league.jsonl'}"]) == 2
    assert "same server" in capsys.readouterr().err


def test_address_of_server_is_split_from_name_of_bot():
    assert server_of("http://127.0.0.1:8000/?bot=greedy") == ("http://127.0.0.1:8000", "greedy")
    assert server_of("https://example.org/skye") == ("https://example.org/skye", "strategist")


@pytest.mark.parametrize("against", [["greedy"], ["random", "greedy", "random"]])
def test_program_that_searches_locally_plays_a_whole_game(url, against):
    command = [sys.executable, ROOT / "examples/python/local_search.py", "--api", url, "--seed", "searched"]
    printed = run(*command, "--against", *against, PYTHONPATH=PYTHONPATH)
    scores = {line.split()[1]: int(line.split()[0]) for line in printed.splitlines()}
    assert len(printed.splitlines()) == 1 + len(against)
    assert scores["local"] > scores.get("Random", 0)
