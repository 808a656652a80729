"""Scenarios: each is played to what its sentence promises."""

import pytest

from skye import BASE, game_from_view, legal_moves
from skye.views import move_view
from skye_server.games.scenarios import SCENARIOS
from tests.support.playing import problem_code


@pytest.fixture
def begin(service):
    """Return a function that begins a game from a scenario."""

    def begin(name, **body):
        game = service.begin(scenario=name, **body)
        assert game.created["game"]["origin"] == {"type": "scenario", "scenario": name}
        return game

    return begin


def finish(game, seat=0):
    answer = game.call("POST", "building/finish", seat=seat)
    assert answer.status_code == 200, answer.text
    return answer.json


def test_scenarios_are_listed_with_a_sentence_each(service):
    listed = service.get("/v1/scenarios")["scenarios"]
    assert [scenario["name"] for scenario in listed] == list(SCENARIOS)
    assert all(scenario["text"] for scenario in listed)


@pytest.mark.parametrize("name", SCENARIOS)
def test_scenario_begins_the_same_game_as_its_listed_position(service, begin, name):
    listed = {each["name"]: each["position"] for each in service.get("/v1/scenarios")["scenarios"]}
    view = begin(name).view()
    from_position = service.call("POST", "/v1/games", {"position": listed[name]}).json["game"]
    for field in ("round", "phase", "waiting_for", "players", "scoring_tiles", "starting_seat", "bag"):
        assert view[field] == from_position[field]
    tiles = [*view["bag"]["tiles"]]
    for player in view["players"]:
        tiles += [drawn["tile"] for drawn in player["tiles_on_offer"]] + player["tiles_to_build"]
        tiles += [placed["tile"] for placed in player["territory"][1:]]
    assert sorted(tiles) == sorted(BASE.tiles.landscape)


@pytest.mark.parametrize("name", SCENARIOS)
def test_seat_can_search_a_scenario_locally_from_its_view_and_events(begin, name):
    """Games that are played on are searched in `tests/engine/test_positions.py`."""
    game = begin(name)
    for seat, token in enumerate(game.tokens):
        local = game_from_view(game.view(seat), game.service.get(game.path("events"), token)["events"])
        moves = [move_view(move)["type"] for move in legal_moves(local, seat)]
        listed = [action["type"] for action in game.actions(seat)]
        assert {*moves} == {*listed}
        assert moves.count("place") == listed.count("place")


@pytest.mark.parametrize(
    ("name", "players"), [("two_players", 2), ("three_players", 3), ("four_players", 4), ("five_players", 5)]
)
def test_players_begin_their_first_round(begin, name, players):
    view = begin(name).view()
    assert (view["round"], view["phase"], view["round_count"]) == (1, "pricing", 5 if players == 5 else 6)
    assert view["waiting_for"] == list(range(players))


def test_two_slots_are_scored_in_the_first_round_of_five(begin):
    slots = [tile["slot"] for tile in begin("five_players").view()["scoring_tiles"] if 1 in tile["rounds"]]
    assert slots == ["A", "B"]


def test_last_offer_reveals_all(begin):
    game = begin("pricing_last_seat")
    assert game.view()["waiting_for"] == [0]
    limits = game.actions(0)[0]["constraints"]
    discard, *kept = limits["tiles"]
    view = game.call("PUT", "offer", {"discard": discard, "prices": dict.fromkeys(kept, 1)}, seat=0).json
    assert view["phase"] == "buying"
    assert all(drawn["price"] for player in view["players"] for drawn in player["tiles_on_offer"])


def test_last_purchase_returns_unsold_tiles(begin):
    game = begin("buying_last_seat")
    assert game.view()["waiting_for"] == [0]
    view = game.call("PUT", "purchase", {"tile": None}, seat=0).json
    assert view["phase"] == "building"
    assert all(len(player["tiles_to_build"]) == 2 for player in view["players"])


def test_last_build_scores_the_round(begin):
    game = begin("building_last_seat")
    assert game.view()["waiting_for"] == [0]
    view = game.play_until(lambda view: view["round"] == 3)
    assert view["phase"] == "pricing"


def test_tile_without_a_place_returns_to_the_bag(begin):
    game = begin("tile_without_place")
    (tile,) = game.view()["players"][0]["tiles_to_build"]
    assert [action["type"] for action in game.actions(0)] == ["finish_building"]
    finish(game)
    events = game.service.get(game.path("events"))["events"]
    assert next(event for event in events if event["type"] == "building_finished")["tiles_returned"] == [tile]


def test_last_action_ends_the_game(begin):
    game = begin("last_action")
    assert [action["type"] for action in game.actions(0)] == ["finish_building"]
    view = finish(game)
    assert view["status"] == "finished"
    assert view["result"]["winners"] == [0]


@pytest.mark.parametrize(("name", "winners"), [("tie_broken_by_gold", [0]), ("tie_shared", [0, 1])])
def test_tie_is_broken_by_gold_or_shared(begin, name, winners):
    view = finish(begin(name))
    assert len({player["score"] for player in view["players"]}) == 1
    assert view["result"]["winners"] == winners


def test_sale_pays_for_the_next_purchase(begin):
    game = begin("sale_pays_for_purchase")
    wanted = {"tile": "L01"}
    gold = game.view(1)["players"][1]["gold"]
    assert gold == 0
    assert game.call("PUT", "purchase", {"tile": "L03"}, seat=0).status_code == 200
    assert game.view(1)["players"][1]["gold"] == 6
    assert game.call("PUT", "purchase", wanted, seat=1).status_code == 200


def test_last_seat_gets_the_full_catch_up_income(begin):
    game = begin("full_catch_up")
    finish(game)
    events = game.service.get(game.path("events"))["events"]
    income = next(event for event in events if event["type"] == "income_paid")
    assert [player["catch_up"] for player in income["players"]] == [0, 3, 6, 9, 12]


def test_nothing_can_be_taken_back_at_the_undo_limit(begin):
    game = begin("undo_limit")
    view = game.view()
    (tile,) = view["players"][0]["tiles_to_build"]
    assert game.place(0, tile, 0, -1).status_code == 200
    assert problem_code(game.call("DELETE", "placements/1", seat=0)) == "too_many_changes"
    assert finish(game)["round"] == 3


def test_largest_territory_has_every_tile_and_reaches_the_border(begin):
    view = finish(begin("largest_territory"))
    territory = view["players"][0]["territory"]
    assert len(territory) == 1 + 3 * 6
    assert max(tile["x"] for tile in territory) == 18
    assert view["status"] == "finished"


def test_unknown_scenario_is_refused(service):
    answer = service.call("POST", "/v1/games", {"scenario": "no-such"})
    assert problem_code(answer) == "invalid_body"
    assert answer.json["errors"][0]["pointer"] == "/scenario"


def test_scenario_takes_players_and_time_limits(begin):
    game = begin("two_players", players=[{"name": "Ann"}, {"bot": "greedy"}], options={"turn_ms": 5000})
    view = game.view()
    assert [player["bot"] for player in view["players"]] == [None, "greedy"]
    assert view["deadline"] is not None


@pytest.mark.parametrize(
    ("beginnings", "pointers"),
    [
        (("scenario", "position"), ["/position", "/scenario"]),
        (("record", "scenario"), ["/record", "/scenario"]),
        (("position", "record", "scenario"), ["/position", "/record", "/scenario"]),
    ],
)
def test_beginnings_of_a_game_exclude_each_other(service, beginnings, pointers):
    values = {"scenario": "two_players", "position": {"players": [{}, {}]}, "record": {}}
    answer = service.call("POST", "/v1/games", {name: values[name] for name in beginnings})
    assert problem_code(answer) == "invalid_body"
    assert [error["pointer"] for error in answer.json["errors"]] == pointers
    assert all("exclude each other" in error["detail"] for error in answer.json["errors"])


@pytest.mark.parametrize("option", ["seed", "tie_break", "open_gold", "scoring_tiles", "first_seat"])
@pytest.mark.parametrize(
    ("beginning", "place"),
    [
        ({"scenario": "two_players"}, "GET /v1/scenarios"),
        ({"position": {"players": [{}, {}]}}, "a field of the position"),
        ({"record": {}}, "`options` of the record"),
    ],
)
def test_option_of_a_beginning_is_refused_with_its_place(service, beginning, place, option):
    answer = service.call("POST", "/v1/games", {**beginning, "options": {option: "x", "turn_ms": 5000}})
    details = {error["pointer"]: error["detail"] for error in answer.json["errors"]}
    assert place in details[f"/options/{option}"]


@pytest.mark.parametrize(
    ("field", "beginning", "reason"),
    [
        ("seat_count", "scenario", "has the seats of"),
        ("auto_start", "position", "starts at once"),
        ("stop_at", "scenario", "belongs to a `record`"),
        ("players", "record", "The record has the players"),
    ],
)
def test_field_of_another_beginning_is_refused_with_the_reason(service, field, beginning, reason):
    answer = service.call("POST", "/v1/games", {beginning: {}, field: 2})
    (error,) = answer.json["errors"]
    assert error["pointer"] == f"/{field}"
    assert reason in error["detail"]
