"""The published procedure of draws; `test_whole_games` compares the draws of whole games with it."""

import hashlib
import hmac

import pytest

from skye.draws import SeededDraws


@pytest.mark.parametrize("seed", ["", "skye", "s" * 64, "s" * 65, "Ünïcode " * 30])
def test_draw_follows_from_the_hmac_of_its_label(seed):
    number = int.from_bytes(hmac.new(seed.encode(), b"draw/1/0/1", hashlib.sha256).digest(), "big")
    assert SeededDraws(seed).index("draw/1/0/1", 2**256) == number
    assert SeededDraws(seed).index("draw/1/0/1", 73) == number % 73


def test_draw_of_a_label_does_not_depend_on_earlier_draws():
    labels = [f"draw/1/0/{n}" for n in (1, 2, 3)]
    draws = SeededDraws("skye")
    in_turn = [draws.index(label, 73) for label in (*labels, *reversed(labels))]
    afresh = [SeededDraws("skye").index(label, 73) for label in labels]
    assert in_turn == [*afresh, *reversed(afresh)]


def test_drawn_element_is_removed_from_the_list():
    left = ["a", "b", "c"]
    assert {SeededDraws("skye").draw(f"draw/1/0/{n}", left) for n in (1, 2, 3)} == {"a", "b", "c"}
    assert not left
