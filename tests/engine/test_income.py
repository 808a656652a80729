"""The schedule of scoring, and the income of a round."""

import pytest

from skye.rules.income import incomes
from skye.rulesets import BASE
from skye.territory.territory import Territory, castle_alone

# The castle's southern road goes on into L69, its western one into L60.
TWO_WHISKY = "castle-red L69@0,1 L60@-1,0/180"


def income_of(notation, scores=(0, 0), round_number=1):
    others = [castle_alone("blue")] * (len(scores) - 1)
    summaries = [territory.summary for territory in (Territory.parse(notation), *others)]
    return incomes(BASE, scores, summaries, round_number)[0]


def catch_up_income(players, round_number):
    """Return the gold of a seat that one other seat is ahead of."""
    return income_of("castle-red", (0, 1, *[0] * (players - 2)), round_number).catch_up


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_every_scoring_tile_is_scored_three_times(players):
    scored = [slot for slots in BASE.rounds(players) for slot in slots]
    assert {slot: scored.count(slot) for slot in BASE.slots} == dict.fromkeys(BASE.slots, 3)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_two_to_four_play_six_rounds(players):
    assert ["".join(slots) for slots in BASE.rounds(players)] == ["A", "B", "AC", "BD", "ACD", "BCD"]
    assert [catch_up_income(players, number) for number in range(1, 7)] == [0, 0, 1, 2, 3, 4]


def test_five_play_five_rounds():
    assert ["".join(slots) for slots in BASE.rounds(5)] == ["AB", "AC", "BD", "ACD", "BCD"]
    assert [catch_up_income(5, number) for number in range(1, 6)] == [0, 0, 1, 2, 3]


def test_castle_alone_brings_five_gold():
    assert income_of("castle-red") == (5, 0, 0)


def test_each_tile_with_whisky_joined_to_the_castle_brings_one_gold():
    assert income_of("castle-red L69@0,1") == (5, 1, 0)
    assert income_of(TWO_WHISKY) == (5, 2, 0)


def test_whisky_without_a_road_to_the_castle_brings_nothing():
    assert income_of("castle-red L38@1,0 L35@0,-1/90") == (5, 1, 0)


def test_whisky_is_joined_by_a_road_around_a_hole_only():
    # L02, L11 and L29 are joined; L30 is not, for no road of L47 or L68 reaches the edge towards it.
    around = "castle-red L02@0,-1/270 L47@1,-1 L30@2,-1/180 L68@2,0/180 L29@2,1/180 L11@1,1 L52@0,1/180"
    assert income_of(around) == (5, 3, 0)


def test_round_five_with_two_whisky_and_two_players_ahead_brings_thirteen():
    paid = income_of(TWO_WHISKY, scores=(10, 11, 30, 9), round_number=5)
    assert paid == (5, 2, 6)
    assert paid.total == 13


def test_player_with_as_many_points_is_not_ahead():
    assert income_of("castle-red", scores=(10, 10, 11), round_number=6).catch_up == 4


def test_each_seat_has_an_income_of_its_own():
    summaries = [Territory.parse(TWO_WHISKY).summary, castle_alone("blue").summary]
    assert incomes(BASE, [3, 2], summaries, 3) == ((5, 2, 0), (5, 0, 1))


@pytest.mark.parametrize("number", [1, 2])
def test_catch_up_income_is_0_in_the_first_two_rounds(number):
    assert income_of("castle-red", scores=(0, 5, 5), round_number=number).catch_up == 0


def test_five_players_catch_up_three_for_each_ahead_in_their_last_round():
    assert income_of("castle-red", scores=(1, 2, 3, 4, 0), round_number=5).catch_up == 9
