"""The test of validity of skye-eval: what it counts, what is published of it, and that it resumes."""

import json
from pathlib import Path

import pytest

from skye_gym.arena.ratings import Interval
from skye_gym.evals import validity
from skye_gym.evals.command import main
from skye_gym.evals.hybrids import paired_games
from skye_gym.evals.judged import JUDGED
from skye_gym.judge import VERSION

PAGE = Path(validity.__file__).with_name("EVAL.md")


def compared(wins, regret, kind="offer"):
    intervals = [Interval(value, value - 0.05, value + 0.05) for value in (wins, 0.0, regret)]
    return validity.Comparison(kind, "one", "other", 100, *intervals)


@pytest.mark.parametrize(
    ("pairs", "valid"),
    [
        ([compared(0.7, 1), compared(0.3, -1), compared(0.5, 1)], True),
        ([compared(0.7, 1), compared(0.56, -1)], False),  # the other way
        ([compared(0.7, 1), compared(0.7, 0)], False),  # half of the clear pairs
        ([compared(0.7, 1)] * 7 + [compared(0.7, 0)] * 3, True),
        ([compared(0.7, 1), compared(0.56, 0)], True),  # not clear
    ],
)
def test_judge_is_valid_if_it_agrees_with_games(pairs, valid):
    assert validity.is_valid(validity.summary(pairs)["offer"]) == valid


def test_page_shows_the_published_result_of_the_test_of_validity():
    published = json.loads(PAGE.with_name("validity.json").read_text())
    assert [published["judge"], published["games_seed"]] == [VERSION, validity.GAMES_SEED]
    fields = ("wins", "margin", "regret")
    found = [
        validity.Comparison(**{**pair, **{name: Interval(*pair[name]) for name in fields}})
        for pair in published["pairs"]
    ]
    assert validity.result(found, published["tasks"]) == published
    assert validity.tables(found) in PAGE.read_text()


@pytest.mark.parametrize("kind", JUDGED)
def test_games_of_equal_hybrids_are_even(kind):
    wins, margins = paired_games(kind, "greedy", "greedy", "even")
    assert sum(wins) == 1
    assert sum(margins) == 0


def test_test_of_validity_resumes_and_prints_its_tables(tmp_path, capsys):
    out = tmp_path / "games.jsonl"
    command = ["validity", str(out), "--kinds=purchase", "--games=2", "--tasks=2", "--processes=1"]
    assert main(command) == 0
    printed, games = capsys.readouterr().out, out.read_bytes()
    out.write_bytes(games[:-30])
    assert main(command) == 0
    assert (capsys.readouterr().out, out.read_bytes()) == (printed, games)
    assert "| purchase | 15 | 2 |" in printed
    with pytest.raises(SystemExit):
        main(["validity", str(out), "--games=3"])
