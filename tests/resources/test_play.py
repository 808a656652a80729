"""Playing over HTTP: legal actions, taking back, trying out, scoring, reports, events and records."""

import copy

import fakeredis
import pytest

from skye_server.store.shards import key_of
from tests.support.comparing import with_fields_of
from tests.support.playing import Service, dice, problem_code

# Legal actions.


def copied(game):
    """Return the same game on a service of its own."""
    redis = fakeredis.FakeRedis(server=fakeredis.FakeServer())
    table, log = (key_of(game.id, part) for part in ("game", "log"))
    redis.set(table, game.service.redis.get(table))
    for entry, fields in game.service.redis.xrange(log):
        redis.xadd(log, fields, entry)
    copied = copy.copy(game)
    copied.service = Service(redis)
    return copied


@pytest.mark.parametrize(("phase", "number"), [("pricing", 2), ("buying", 2), ("building", 3)])
def test_every_action_listed_is_accepted_as_it_stands(service, phase, number):
    game = service.create_game(2)
    view = game.play_to(phase, number, dice(7))
    for seat in range(2):
        actions = game.actions(seat)
        decisions = [action for action in actions if not action["revises"]]
        assert bool(decisions) == (seat in view["waiting_for"])
        for action in actions:
            assert copied(game).send(seat, action).status_code == 200


def test_no_placement_that_is_not_listed_is_accepted(service):
    game = service.create_game(2)
    hand = game.play_to("building", 2, dice(7))["players"][0]["tiles_to_build"]
    listed = [action["body"] for action in game.actions(0) if action["type"] == "place"]
    before = service.stored()
    refused = set()
    for tile in hand:
        for x in range(-3, 4):
            for y in range(-3, 4):
                for rotation in (0, 90, 180, 270):
                    if {"tile": tile, "x": x, "y": y, "rotation": rotation} not in listed:
                        refused.add(problem_code(game.place(0, tile, x, y, rotation)))
    assert refused == {"cell_occupied", "not_adjacent", "terrain_mismatch"}
    assert service.stored() == before


def test_offer_may_be_replaced_within_its_limits(service):
    game = service.create_game(2)
    limits = game.actions(0)[0]["constraints"]
    assert limits == {"tiles": drawn(game, 0), "gold": 5, "minimum": 1}
    assert game.offer(0, 4, 1).json["players"][0]["gold"] == 0
    assert game.actions(0)[0]["constraints"] == limits
    assert game.offer(0, 1, 2, discard=1).json["players"][0]["gold"] == 2
    own = game.view(0)["players"][0]["tiles_on_offer"]
    assert [(tile["price"], tile["discard"]) for tile in own] == [(1, False), (None, True), (2, False)]


def drawn(game, seat):
    """Return the tiles that a seat has drawn."""
    return [tile["tile"] for tile in game.view()["players"][seat]["tiles_on_offer"]]


def test_accepted_action_answers_with_the_callers_own_view(service):
    game = service.create_game(3)
    for phase in ("pricing", "buying", "building"):
        seat = game.play_to(phase)["waiting_for"][0]
        answer = game.send(seat, game.actions(seat)[0])
        assert answer.json == game.view(seat)
        assert answer.headers["ETag"] == f'"{answer.json["version"]}"'


# Taking back.


def test_placements_are_taken_back_last_first(service):
    game = service.create_game(2)
    view = game.play_to("building", 2, dice(3))
    before = view["players"][0]
    while game.view()["players"][0]["tiles_to_build"]:
        if game.actions(0)[0]["type"] != "place":
            break
        game.act_legally(0)
    built = game.view()["players"][0]["territory"]
    placed = len(built) - len(before["territory"])
    assert placed > 0
    for number in range(1, placed + 1):
        answer = game.call("DELETE", f"placements/{placed + 1 - number}", seat=0)
        assert answer.json["players"][0]["territory"] == built[:-number]
    assert sorted(answer.json["players"][0]["tiles_to_build"]) == sorted(before["tiles_to_build"])
    assert problem_code(game.call("DELETE", "placements/1", seat=0)) == "nothing_to_take_back"


def test_nothing_is_taken_back_after_the_build_is_finished(service):
    game = service.create_game(2)
    game.play_until(lambda view: view["players"] and view["players"][0]["building_finished"])
    for method, rest in (("DELETE", "placements/1"), ("POST", "building/finish")):
        assert problem_code(game.call(method, rest, seat=0)) == "building_finished"


# Trying out.


def test_what_if_returns_the_gains_of_a_placement_and_changes_nothing(service):
    game = service.create_game(2)
    game.play_to("building", 3, dice(5))
    before = service.stored()
    for action in [action for action in game.actions(0) if action["type"] == "place"][:10]:
        tried = game.call("POST", "what-if", {"placements": [action["body"]]}, seat=0).json
        assert tried["legal"] is True
        (verdict,) = tried["placements"]
        assert verdict.items() >= action["body"].items()
        assert (verdict["legal"], verdict["in_hand"], verdict["code"]) == (True, True, None)
        copy = copied(game)
        copy.send(0, action)
        after = copy.call("POST", "what-if", {"placements": []}, seat=0).json
        assert {tile["scoring_tile"]: tile["after"] for tile in tried["scoring_tiles"]} == {
            tile["scoring_tile"]: tile["before"] for tile in after["scoring_tiles"]
        }
        assert tried["scroll_points"]["after"] == after["scroll_points"]["before"]
    assert service.stored() == before


def test_what_if_reports_why_a_placement_is_illegal(service):
    game = service.create_game(2)
    (tile, *_) = game.play_to("building")["players"][0]["tiles_to_build"]
    wrong = {"tile": tile, "x": 5, "y": 5, "rotation": 0}
    tried = game.call("POST", "what-if", {"placements": [wrong, wrong]}, seat=0).json
    assert tried["legal"] is False
    assert [verdict["code"] for verdict in tried["placements"]] == ["not_adjacent"]
    assert all(scored["after"] is None for scored in tried["scoring_tiles"])
    mine = {"tile": tile, "x": 0, "y": 1}
    for number in (0, 21):
        answer = game.call("POST", "what-if", {"placements": [mine] * number}, seat=0)
        assert answer.status_code == (200 if number == 0 else 422)


# Scores and reports.


@pytest.fixture(scope="module")
def over():
    """A game that is over."""
    game = Service().create_game(3)
    game.play_out(dice(11))
    return game


def test_scores_by_round_add_up(over):
    view = over.view()
    scores = over.service.get(over.path("scores"))["players"]
    for player, standing in zip(view["players"], scores, strict=True):
        by_round = [tile["points"] for received in standing["rounds"] for tile in received["scoring_tiles"]]
        final = standing["final"]
        assert len(standing["rounds"]) == view["round_count"]
        assert sum(by_round) + final["scroll_points"] + final["gold_points"] == player["score"]
        assert standing["projected_score"] == standing["score"] == player["score"]
        for received in standing["rounds"]:
            for tile in received["scoring_tiles"]:
                assert sum(award["points"] for award in tile["awards"]) == tile["points"]


def test_result_has_the_sources_of_points(over):
    view = over.view()
    for player, received in zip(view["players"], view["result"]["players"], strict=True):
        by_tile = sum(tile["points"] for tile in received["scoring_tiles"])
        assert by_tile + received["scroll_points"] + received["gold_points"] == player["score"]
    best = max(player["score"] for player in view["players"])
    assert all(view["players"][seat]["score"] == best for seat in view["result"]["winners"])


def test_actions_that_revise_a_decision_are_marked(service):
    game = service.create_game(2)
    assert [action["revises"] for action in game.actions(0)] == [False]
    game.offer(0, 1, 1)
    assert 0 not in game.view()["waiting_for"]
    assert [action["revises"] for action in game.actions(0)] == [True]
    game.play_to("building")
    game.act(0, next(action for action in game.actions(0) if action["type"] == "place"))
    assert all(action["revises"] is (action["type"] == "take_back") for action in game.actions(0))


def test_same_purchase_again_in_the_round_changes_nothing(service):
    game = service.create_game(2, options={"first_seat": 0})
    game.play_to("buying")
    assert service.get(game.path("purchase", 0))["purchase"] is None
    for seat in (0, 1):
        passed = game.call("PUT", "purchase", {"tile": None}, seat=seat)
        again = game.call("PUT", "purchase", {"tile": None}, seat=seat)
        assert (again.status_code, again.json["version"]) == (200, passed.json["version"])
        made = {"seat": seat, "tile": None, "seller": None, "price": None}
        assert with_fields_of(made, service.get(game.path("purchase", seat))["purchase"]) == made
    other = game.call("PUT", "purchase", {"tile": drawn(game, 0)[0] if drawn(game, 0) else "L01"}, seat=0)
    assert problem_code(other) == "wrong_phase"


def test_retried_take_back_takes_nothing_else_back(service):
    game = service.create_game(2)
    game.play_until(lambda view: len(view["players"][0]["territory"]) > 2, dice(1))
    numbers = [placed["number"] for placed in service.get(game.path("placements", 0))["placements"]]
    assert numbers == [1, 2]
    assert game.call("DELETE", "placements/2", seat=0).status_code == 200
    again = game.call("DELETE", "placements/2", seat=0)
    assert (problem_code(again), again.json["params"]) == ("not_last_placement", {"last": 1})


def test_report_of_a_round_grows_with_it(service):
    game = service.create_game(2, options={"first_seat": 0})
    report = service.get(game.path("rounds/1"))
    assert [player["income"]["total"] for player in report["players"]] == [5, 5]
    assert [player["tiles_drawn"] for player in report["players"]] == [drawn(game, 0), drawn(game, 1)]
    assert [player["offer"] for player in report["players"]] == [None, None]
    game.offer(0, 1, 1)
    assert service.get(game.path("rounds/1"))["players"][0]["offer"] is None
    assert service.get(game.path("rounds/1"), game.tokens[0])["players"][0]["offer"]["prices"]
    game.offer(1, 1, 1)
    report = service.get(game.path("rounds/1"))
    assert len(report["tiles_discarded"]) == 2
    assert all(player["offer"] for player in report["players"])
    game.call("PUT", "purchase", {"tile": None}, seat=0)
    assert [purchase["tile"] for purchase in service.get(game.path("rounds/1"))["purchases"]] == [None]
    game.play_to("building")
    assert not service.get(game.path("rounds/1"))["complete"]
    assert problem_code(game.call("GET", "rounds/2")) == "round_not_found"
    game.play_to("pricing", 2)
    assert service.get(game.path("rounds/1"))["complete"]
    assert not service.get(game.path("rounds/2"))["complete"]


def test_reports_of_all_rounds_add_up_to_the_game(over):
    view = over.view()
    reports = [
        over.service.get(over.path(f"rounds/{number}")) for number in range(1, view["round_count"] + 1)
    ]
    for seat, player in enumerate(view["players"]):
        placed = [placement for report in reports for placement in report["players"][seat]["placements"]]
        assert placed == player["territory"][1:]
        scored = [tile for report in reports for tile in report["players"][seat]["scoring_tiles"]]
        in_all = view["result"]["players"][seat]["scoring_tiles"]
        for tile in in_all:
            assert tile["points"] == sum(
                t["points"] for t in scored if t["scoring_tile"] == tile["scoring_tile"]
            )
        assert {(t["slot"], t["scoring_tile"]) for t in scored} == {
            (t["slot"], t["scoring_tile"]) for t in in_all
        }
    listed = over.service.get(over.path("rounds"))["rounds"]
    assert [report | {"version": view["version"]} for report in listed] == reports
    for report in reports:
        assert report["complete"]
        assert len(report["purchases"]) == 3
    for number in (0, 7, 999):
        assert problem_code(over.call("GET", f"rounds/{number}")) == "round_not_found"


def test_scored_territories_have_the_points_of_the_game(over):
    view = over.view()
    body = {
        "territories": [{"tiles": player["territory"], "gold": player["gold"]} for player in view["players"]],
        "scoring_tiles": [tile["scoring_tile"] for tile in view["scoring_tiles"]],
    }
    scored = over.service.call("POST", "/v1/scoring", body).json["territories"]
    last = over.service.get(over.path("scores"))["players"]
    for received, standing, final in zip(scored, last, view["result"]["players"], strict=True):
        assert received["scroll_points"] == final["scroll_points"]
        assert received["gold_points"] == final["gold_points"]
        points = {tile["scoring_tile"]: tile["points"] for tile in received["scoring_tiles"]}
        for tile in standing["rounds"][-1]["scoring_tiles"]:
            assert points[tile["scoring_tile"]] == tile["points"]
    seat = over.service.get(over.path("territory", 1))
    assert scored[1]["areas"] == seat["areas"]


CASTLE = {"tile": "castle-red", "x": 0, "y": 0}


@pytest.mark.parametrize(
    ("tiles", "at"),
    [
        ([{"tile": "L01", "x": 0, "y": 0}], None),
        ([{**CASTLE, "x": 1}], None),
        ([CASTLE, {"tile": "castle-blue", "x": 0, "y": 1}], 1),
        ([CASTLE, {"tile": "L01", "x": 0, "y": 0}], 1),
        ([CASTLE, {"tile": "L01", "x": 3, "y": 0}], 1),
        ([CASTLE, {"tile": "castle-red", "x": 0, "y": 1}], 1),
    ],
)
def test_illegal_territory_is_refused_at_its_first_wrong_tile(service, tiles, at):
    right = {"tiles": [CASTLE]}
    answer = service.call("POST", "/v1/scoring", {"territories": [right, {"tiles": tiles}]})
    assert problem_code(answer) == "invalid_territory"
    (error,) = answer.json["errors"]
    assert error["pointer"].startswith("/territories/1/tiles")
    assert at is None or error["pointer"] == f"/territories/1/tiles/{at}"


def test_cells_of_areas_are_the_regions_of_the_tiles_as_they_lie(over):
    service = over.service
    regions = {tile["id"]: tile["regions"] for tile in service.get("/v1/tiles")["tiles"]}
    sides = ["north", "east", "south", "west"]

    def turned(region, rotation):
        return [sides[(sides.index(side) + rotation // 90) % 4] for side in region["sides"]]

    for seat in range(3):
        report = service.get(over.path("territory", seat))
        lying = {tile["tile"]: tile for tile in report["tiles"]}
        seen = []
        for area in report["areas"]:
            assert sorted({cell["tile"] for cell in area["cells"]}) == sorted(area["tiles"])
            for cell in area["cells"]:
                placed, region = lying[cell["tile"]], regions[cell["tile"]][cell["region"]]
                assert (cell["x"], cell["y"]) == (placed["x"], placed["y"])
                assert cell["sides"] == turned(region, placed["rotation"])
                assert (area["terrain"], cell["center"]) == (region["terrain"], region["center"])
                seen.append((cell["tile"], cell["region"]))
        assert sorted(seen) == sorted(
            (tile, number) for tile in lying for number in range(len(regions[tile]))
        )
