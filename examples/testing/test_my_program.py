"""Ten tests of a program that uses the API, with the fixtures of skye-client: `pytest examples/testing`.

`skye_game` creates a game from the fields of `POST /v1/games`, and `skye_clock` advances its clock. `fault`
injects a fault into a request: see `Skye-Fault` in the guide.
"""

import pytest

from skye_client import ApiError

ROUND_FIVE = {
    "round": 5,
    "phase": "buying",
    "starting_seat": 1,
    "players": [
        {"tiles_on_offer": [{"tile": "L01", "price": 12}, {"tile": "L02", "price": 2}]},
        {"gold": 12},
    ],
}


def types(events):
    """Return the types of events."""
    return [event["type"] for event in events]


def test_purchase_in_round_five_spends_all_gold(skye_game):
    game = skye_game(position=ROUND_FIVE)
    buyer = game.seats[1].buy("L01")["players"][1]
    assert (buyer["gold"], buyer["tiles_to_build"]) == (0, ["L01"])


def test_tile_that_fits_nowhere_returns_to_the_bag(skye_game):
    game = skye_game(scenario="tile_without_place")
    (tile,) = game.view(0)["players"][0]["tiles_to_build"]
    assert types(game.seats[0].actions()) == ["finish_building"]
    game.seats[0].finish_building()
    finished = next(event for event in game.host.events() if event["type"] == "building_finished")
    assert finished["tiles_returned"] == [tile]


def test_missed_deadlines_end_phases_and_the_game(skye_game, skye_clock):
    game = skye_game(options={"clock": "manual", "turn_ms": 60_000})
    assert skye_clock(game, 59_999)["phase"] == "pricing"
    assert skye_clock(game, 1)["phase"] == "buying"
    assert skye_clock(game, 24 * 60 * 60 * 1000)["status"] == "finished"


def test_purchase_counts_once_when_its_response_is_lost(skye_game):
    game = skye_game(position=ROUND_FIVE)
    view = game.seats[1].buy("L01", fault="drop")  # the client retries with the same Idempotency-Key
    assert view["players"][1]["gold"] == 0
    assert types(game.host.event_page()["events"]).count("tile_bought") == 1


def test_tied_game_is_won_by_the_seat_with_more_gold(skye_game):
    game = skye_game(scenario="tie_broken_by_gold")
    view = game.seats[0].finish_building()
    assert len({player["score"] for player in view["players"]}) == 1
    assert view["result"]["winners"] == [0]


def test_nothing_is_taken_back_at_the_undo_limit(skye_game):
    seat = skye_game(scenario="undo_limit").seats[0]
    seat.act(seat.actions()[0])
    with pytest.raises(ApiError) as refused:
        seat.take_back(1)
    assert refused.value.code == "too_many_changes"


def test_price_is_hidden_from_a_rival_until_all_are_set(skye_game):
    game = skye_game()
    discard, *kept = game.seats[0].actions()[0]["constraints"]["tiles"]
    game.seats[0].set_offer(discard, dict.fromkeys(kept, 2))

    def prices(seat):
        return {drawn["price"] for drawn in game.view(seat)["players"][0]["tiles_on_offer"]}

    assert prices(seat=0) == {2, None}  # the tile to discard has no price
    assert prices(seat=1) == {None}


def test_record_replays_to_the_same_result_and_to_a_phase(skye_game):
    played = skye_game(players=[{"bot": "random"}, {"bot": "random"}])
    record = played.host.record()
    assert skye_game(record=record).view()["result"] == played.view()["result"]
    people = record | {"players": [player | {"bot": None} for player in record["players"]]}
    view = skye_game(record=people, stop_at={"round": 4, "phase": "building"}).view()
    assert (view["round"], view["phase"]) == (4, "building")


def test_events_resume_after_the_stream_is_cut(skye_game):
    game = skye_game(players=[{"bot": "random"}, {"bot": "random"}])
    numbers = [event["id"] for event in game.host.events(fault="cut_after=3")]
    assert numbers == list(range(1, game.view()["last_event"] + 1))


def test_decision_on_an_outdated_view_is_refused(skye_game):
    game = skye_game()
    first, second = ((seat, seat.game.get()["version"], seat.actions()[0]) for seat in game.seats)
    first[0].act(first[2], if_match=first[1])
    with pytest.raises(ApiError) as refused:
        second[0].act(second[2], if_match=second[1])
    assert (refused.value.status, refused.value.code) == (412, "version_mismatch")
