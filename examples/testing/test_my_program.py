"""Ten tests of a program that uses the API, on the fixtures of skye-client: `pytest examples/testing`.

`skye_game` creates a game with the fields of `POST /v1/games`, `skye` is a client, `skye_server` its address.
"""

import random
from concurrent.futures import ThreadPoolExecutor

import pytest

from skye_client import ApiError, GameView


def offer(seat):
    """Send the offer that the server suggests."""
    return seat.act(seat.actions()[0])


def play_on(game, until):
    """Let every seat act at random until a condition holds for the game."""
    dice = random.Random(1)
    while not until(view := game.host.get()):
        seat = game.seats[view["waiting_for"][0]]
        seat.act(dice.choice([action for action in seat.actions() if action["type"] != "take_back"]))
    return view


def test_new_game_waits_for_every_seat_to_set_prices(skye_game):
    game = skye_game(players=3)
    assert game.host.get()["phase"] == "pricing"
    assert game.host.get()["waiting_for"] == [0, 1, 2]


def test_same_seed_draws_the_same_tiles(skye_game):
    first, second = (skye_game(options={"seed": "the same"}).created["game"] for _ in range(2))
    tiles = [
        [drawn["tile"] for player in game["players"] for drawn in player["tiles_drawn"]]
        for game in (first, second)
    ]
    assert tiles[0] == tiles[1]


def test_price_of_a_rival_is_hidden_until_all_have_set_theirs(skye_game):
    game = skye_game()
    offer(game.seats[0])
    rival = game.seats[1].game.get()["players"][0]
    assert rival["offer_set"]
    assert [drawn["price"] for drawn in rival["tiles_drawn"]] == [None, None, None]


def test_gold_of_a_rival_is_hidden(skye_game):
    game = skye_game()
    mine = game.seats[0].game.get()["players"]
    assert mine[0]["gold"] is not None
    assert mine[1]["gold"] is None


def test_price_above_the_gold_is_refused(skye_game):
    seat = skye_game().seats[0]
    discard, first, second = seat.actions()[0]["constraints"]["tiles"]
    with pytest.raises(ApiError) as refused:
        seat.set_offer(discard, {first: 999, second: 1})
    assert refused.value.code == "not_enough_gold"


def test_refused_action_changes_nothing(skye_game):
    game = skye_game()
    before = game.host.get()["version"]
    with pytest.raises(ApiError):
        game.seats[0].finish_building()
    assert game.host.get()["version"] == before


def test_request_that_is_sent_twice_counts_once(skye_game):
    game = skye_game()
    action = game.seats[0].actions()[0]
    first, second = (game.seats[0].act(action, idempotency_key="sent-twice-0001") for _ in range(2))
    assert first["version"] == second["version"] == game.host.get()["version"]


def test_both_seats_may_set_prices_at_once(skye_game):
    game = skye_game()
    with ThreadPoolExecutor() as pool:
        list(pool.map(offer, game.seats))
    assert game.host.get()["phase"] == "buying"


def test_view_folded_from_events_equals_the_view_of_the_server(skye_game):
    game = skye_game()
    view = GameView.open(game.spectator)
    play_on(game, lambda current: current["status"] == "finished")
    for _ in view.follow():
        pass
    assert view.data["players"] == game.spectator.get()["players"]


def test_record_of_a_game_replays_to_the_same_scores(skye_game):
    game = skye_game(players=[{"bot": "random"}, {"bot": "random"}])
    again = skye_game(record=game.spectator.record())
    scores = [[player["score"] for player in each.host.get()["players"]] for each in (game, again)]
    assert scores[0] == scores[1]
