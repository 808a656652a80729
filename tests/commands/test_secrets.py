"""Secrets: a seat's hidden information changes no byte of a response to another caller."""

from itertools import combinations, product

import pytest

from tests.commands.twins import SECRET, Twins, assert_nothing_shows, callers
from tests.support.playing import dice, offer
from tests.support.sizes import sampled


@pytest.mark.parametrize(
    ("offers", "open_gold"),
    sampled(product(combinations([((1, 1), 0), ((3, 1), 0), ((1, 1), 2)], 2), [False, True]), 3),
)
def test_offer_is_hidden_until_all_are_set(offers, open_gold):
    twins = Twins(open_gold=open_gold)
    twins.differ(offers)
    twins.set_prices(0)
    assert_nothing_shows(twins)


@pytest.mark.parametrize(
    ("players", "number", "open_gold"), sampled([(2, 2, True), (3, 2, False), (2, 4, False), (5, 2, True)], 2)
)
def test_offer_of_a_later_round_does_not_show_until_all_are_set(players, number, open_gold):
    twins = Twins(players, open_gold=open_gold)
    view = twins.play_to("pricing", number, players)
    others = [seat for seat in range(players) if seat != SECRET]
    twins.set_prices(*others[:-1])
    throw = dice(number)
    limits = twins.games[0].actions(SECRET)[0]["constraints"]
    for game in twins:
        answer = game.call("PUT", "offer", offer(limits, throw), seat=SECRET)
        assert answer.status_code == 200
    assert view["round"] == number
    assert_nothing_shows(twins, range(1, number + 1))


@pytest.mark.parametrize("open_gold", sampled([False, True], 2))
def test_offer_that_was_replaced_does_not_show_until_the_game_is_over(open_gold):
    twins = Twins(2, open_gold=open_gold)
    twins.differ((((1, 1), 0), ((3, 2), 2)), (((2, 2), 1), ((2, 2), 1)))
    twins.set_prices(0)
    assert_nothing_shows(twins)
    twins.play_to("building", 1, 5)
    assert_nothing_shows(twins)
    twins.play_to("pricing", 2, 5)
    assert_nothing_shows(twins, (1, 2))
    one, other = (game.play_out(dice(5)) for game in twins)
    assert one == other
    records = [game.service.get(game.path("record")) for game in twins]
    assert records[0] != records[1]


def test_stream_contains_no_hidden_information():
    twins = Twins()
    twins.differ((((1, 1), 0), ((3, 2), 2)))
    twins.set_prices(0)
    for game in twins:
        assert game.abort().status_code == 200  # which ends the stream
    one, other = twins
    for caller in callers(one):
        assert streamed(one, callers(one)[caller]) == streamed(other, callers(other)[caller]), caller
    assert streamed(one, one.tokens[SECRET]) != streamed(other, other.tokens[SECRET])
    assert_nothing_shows(twins)


def streamed(game, token):
    """Return a whole stream of events, to its end."""
    return game.call("GET", "events/stream", token=token, headers={"X-Request-Id": "the-same"}).data


@pytest.mark.parametrize("open_gold", [False, True])
@pytest.mark.parametrize("on_timeout", ["auto", "bot"])
def test_bot_that_replaces_a_player_knows_no_hidden_information(on_timeout, open_gold):
    twins = Twins(turn_ms=1000, on_timeout=on_timeout, open_gold=open_gold)
    twins.differ((((1, 1), 0), ((3, 2), 2)))
    for game in twins:
        game.service.clock.advance(2)
        assert game.view()["phase"] == "buying"
    chosen = [
        [action for action in game.service.get(game.path("record"))["actions"] if action["seat"] != SECRET][
            :2
        ]
        for game in twins
    ]
    assert [action["type"] for action in chosen[0]] == ["set_offer", "set_offer"]
    assert chosen[0] == chosen[1]
