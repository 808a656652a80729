"""The README is correct: its commands print what it shows, and its tables and lists are complete."""

import re
import shutil

import pytest

from tests.contract.readme import (
    README,
    WRITTEN,
    as_documented,
    blocks,
    formatted_json,
    recorded,
    settled,
    with_documented_values,
    with_written_parts,
)
from tests.support.launcher import ROOT

TEXT = README.read_text()


def test_every_command_answers_as_it_shows(url):
    missing = [program for program in ("curl", "openssl", "python3") if not shutil.which(program)]
    if missing:
        pytest.skip(f"the README's commands need {' and '.join(missing)}")
    assert [block.answer is not None for block in blocks(TEXT)] == [True, True]
    assert settled(recorded(TEXT, url)) == settled(TEXT), "python -m tests.contract.readme records it again"


def laid_out(salt):
    """Return the lines of answers of many lengths that have this salt in the ids of events."""
    answers = ({"id": f"2-{salt}", "text": "x" * length, "last": f"1-{salt}"} for length in range(90))
    return [settled(formatted_json({"events": [answer, answer]})) for answer in answers]


@pytest.mark.parametrize("salt", ["7", "1234567"])
def test_lines_of_an_answer_do_not_depend_on_a_random_salt(salt):
    assert laid_out(salt) == laid_out("4294967295")


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: page.parent.name + "/" + page.name)
def test_written_parts_of_a_page_match_the_code(page):
    assert with_written_parts(page) == page.read_text(), "python -m tests.contract.readme writes them again"


def test_readme_links_and_make_targets_exist():
    links = re.findall(r"\]\(([^)]+)\)", TEXT)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []
    targets = re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert set(re.findall(r"(?:`|^    )make ([a-z-]+)", TEXT, re.MULTILINE)) <= set(targets)


@pytest.mark.parametrize(
    ("kind", "documented", "printed", "same"),
    [
        ("json", '{"a": 1}', '{"a": 1}', True),
        ("json", '{"a": 1}', '{"a": 2}', False),
        ("json", '{"a": 1}', '{"a": 1, "b": 2}', False),
        ("json", '{"a": 1, ...}', '{"b": 2, "a": 1}', True),
        ("json", '{"a": 1, ...}', '{"b": 2}', False),
        ("json", '{"a": ...}', '{"a": [1, 2]}', True),
        ("json", "[1, ...]", "[1, 2, 3]", True),
        ("json", "[1, ..., 3]", "[1, 2, 3]", True),
        ("json", "[1, ..., 4]", "[1, 2, 3]", False),
        ("json", "[1, 2]", "[1, 2, 3]", False),
        ("text", "one\ntwo", "one\ntwo", True),
        ("text", "one\ntwo", "one\n2", False),
        ("text", "one\n...\nfour", "one\ntwo\nthree\nfour", True),
        ("text", "one\n...\nfour", "one\ntwo", False),
        ("text", "one.", "one!", False),
    ],
)
def test_answer_is_the_documented_one_but_for_what_that_leaves_out(kind, documented, printed, same):
    assert (as_documented(kind, f"{documented}\n", f"{printed}\n") == f"{documented}\n") is same


def test_ids_tokens_and_times_may_differ_and_nothing_else():
    first = (
        '{"id": "abcdefghijkm", "at": "2026-01-02T03:04:05Z", "token": "skye_seat_0123456789abcdefghijkl"}'
    )
    other = (
        '{"id": "22222222222z", "at": "2027-11-12T13:14:15Z", "token": "skye_seat_l_-bcdefghij9876543210"}'
    )
    assert settled(first) == settled(other)
    assert settled(first) != settled(other.replace("at", "on"))
    assert settled(first) != settled(other.replace("seat", "host"))


def test_recorded_page_keeps_documented_ids_in_changed_lines():
    before = '{"id": "aaaaaaaaaaaa"}\n{"game_id": "aaaaaaaaaaaa", "round": 1}\n'
    after = '{"id": "bbbbbbbbbbbb"}\n{"game_id": "bbbbbbbbbbbb", "round": 2}\n{"game_id": "cccccccccccc"}\n'
    assert with_documented_values(before, after) == (
        '{"id": "aaaaaaaaaaaa"}\n{"game_id": "aaaaaaaaaaaa", "round": 2}\n{"game_id": "cccccccccccc"}\n'
    )


def test_recorded_answer_has_the_times_of_one_recording():
    def answer(hour, also=""):
        times = [f'"{name}": "2026-11-22T{hour}:00:0{name[0]}.000Z",' for name in ("1_at", "2_at")]
        return f"```json\n{times[0]}\n{also}{times[1]}\n```\n"

    before, after = answer(10) + answer(11), answer(20, '"x": 1, ') + answer(21)
    assert with_documented_values(before, after) == answer(20, '"x": 1, ') + answer(11)
