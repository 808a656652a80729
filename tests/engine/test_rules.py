"""Moves that no form of a request can ask for are errors of the program, not of the player."""

import pytest

from skye import COLORS, Pass, Place, new_game, play
from skye.territory import castle_alone


@pytest.mark.parametrize("seat", [-1, 2, 99])
def test_a_seat_that_nobody_has_is_an_error_of_the_program(seat):
    game = new_game(COLORS[:2], "seed").game
    with pytest.raises(ValueError, match="no seat"):
        play(game, seat, Pass())


def test_a_rotation_between_the_four_is_an_error_of_the_program():
    with pytest.raises(ValueError, match="45"):
        castle_alone("red").place(*Place("L01", 0, -1, 45))
