"""Moves that no form of a request can ask for are errors of the program, not of the player."""

import pytest

from skye import COLORS, Pass, Place, new_game, play
from skye.territory.territory import castle_alone


@pytest.mark.parametrize("seat", [-1, 2, 99])
def test_seat_that_does_not_exist_is_a_value_error(seat):
    game = new_game(COLORS[:2], seed="seed").game
    with pytest.raises(ValueError, match="no seat"):
        play(game, seat, Pass())


def test_invalid_rotation_is_a_value_error():
    with pytest.raises(ValueError, match="45"):
        castle_alone("red").place(*Place("L01", 0, -1, 45))
