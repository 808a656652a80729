"""The training example: its command in a small size, and its committed weights; skipped without NumPy."""

import csv
import json
import sys
from importlib import import_module
from pathlib import Path
from random import Random

import pytest

pytest.importorskip("numpy", reason="NumPy is not installed: the training is not tested")

import numpy as np

from gym.tests.playing import check_wins_against_random_bots
from skye import new_game, play_out
from tests.support.programs import finished

TRAINING = Path(__file__).parents[1] / "examples" / "training"


def run(*arguments):
    return finished(sys.executable, *arguments)


@pytest.fixture
def agent(monkeypatch):
    monkeypatch.syspath_prepend(TRAINING)
    return import_module("agent")


def test_training_writes_weights_that_play_in_a_league(tmp_path):
    sizes = ["--teacher-games=2", "--passes=2", "--points=2", "--games=2", "--last=4"]
    done = run(TRAINING / "train.py", *sizes, "--workers=1", f"--out={tmp_path}")
    assert done.returncode == 0, done.stderr
    header, *points = csv.reader((tmp_path / "curve.csv").read_text().splitlines())
    assert header == ["updates", "seconds", "games", "win_rate", "lead"]
    assert [games for _, _, games, *_ in points] == ["2", "4"]
    entrant = f"trained={sys.executable} {TRAINING / 'agent.py'} {tmp_path / 'weights.npz'}"
    results = tmp_path / "league.jsonl"
    played = run("-m", "skye_gym.arena.command", "random", entrant, "--games=2", f"--out={results}")
    assert played.returncode == 0, played.stderr
    assert [json.loads(line)["failures"] for line in results.read_text().splitlines()[1:]] == [{}, {}]


@pytest.mark.parametrize(
    "argument",
    ["--opponent=nobody", "--teacher=nobody", "--teacher-games=0", "--workers=0", "--passes=-1", "--games=x"],
)
def test_training_refuses_bad_arguments(argument):
    done = run(TRAINING / "train.py", argument)
    assert done.returncode == 2
    assert argument.split("=")[0] in done.stderr


def test_committed_weights_win_against_random_bots(agent):
    check_wins_against_random_bots(agent)


@pytest.mark.parametrize("players", [3, 5])
def test_agent_plays_with_more_players_than_it_was_trained_for(agent, players):
    bots = [agent.load_agent(), *["random"] * (players - 1)]
    assert play_out(new_game(players, seed="more").game, bots, Random(1)).game.is_over


@pytest.mark.parametrize("content", [b"", b"no weights", "misfit", "empty", "missing"])
def test_corrupt_weights_are_refused(agent, tmp_path, content):
    path = tmp_path / "weights.npz"
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content != "missing":
        shapes = [(30, 8), (8,), (9, 1), (1,)] if content == "misfit" else []
        np.savez(path, *[np.zeros(shape) for shape in shapes])
    with pytest.raises(ValueError, match="has no weights"):
        agent.load_agent(path)
    done = run(TRAINING / "agent.py", path)
    assert done.returncode == 1
    assert "has no weights" in done.stderr


def test_weights_for_other_features_are_refused(agent, tmp_path):
    path = tmp_path / "weights.npz"
    np.savez(path, *[np.zeros(shape) for shape in [(7, 8), (8,), (8, 1), (1,)]])
    with pytest.raises(ValueError, match="7 features"):
        agent.load_agent(path)
