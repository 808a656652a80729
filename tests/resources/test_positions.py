"""Games that begin from positions, and positions of games, over HTTP."""

import random
from itertools import pairwise

import pytest

import skye
from skye_server.store.codec import decode_game
from skye_server.store.shards import key_of
from tests.engine.playing import games
from tests.faults.parts import check_stored_game
from tests.support.comparing import with_fields_of
from tests.support.playing import dice, problem_code

BUYING = {"round": 5, "phase": "buying", "starting_seat": 0, "players": [{"gold": 3}, {"gold": 12}]}


def begun(service, position, **body):
    return service.begin(position=position, **body)


def exported(game, token=None):
    return game.service.get(game.path("position"), token)


def faults_of(answer):
    assert problem_code(answer) == "invalid_body"
    return {error["pointer"]: error["detail"] for error in answer.json["errors"]}


def test_game_begins_from_a_position(service):
    view = begun(service, BUYING).view(1)
    assert (view["round"], view["phase"], view["waiting_for"]) == (5, "buying", [0])
    assert [player["gold"] for player in view["players"]] == [None, 12]
    assert [player["name"] for player in view["players"]] == ["Player 1", "Player 2"]
    assert view["origin"] == {"type": "position", "scenario": None}


def test_game_from_a_position_is_played_to_its_end(service):
    game = begun(service, BUYING)
    view = game.play_out(dice(1))
    assert view["result"]["winners"]
    assert check_stored_game(service.redis, game.id).version == view["version"]


def test_position_with_gold_beyond_the_first_limit_is_imported_again(service):
    game = begun(service, BUYING | {"players": [{"gold": 14_000}, {"gold": 9_999}]})
    exporting = exported(game, game.tokens[0])
    assert exporting["players"][0]["gold"] == 14_000
    assert exported(begun(service, exporting))["round"] == 5


def test_game_from_a_position_seats_named_players_and_bots(service):
    answer = service.begin(position=BUYING, players=[{"name": "Ann"}, {"bot": "greedy"}])
    names = [(player["name"], player["bot"]) for player in answer.created["game"]["players"]]
    assert names == [("Ann", None), ("Greedy", "greedy")]
    assert [player["token"] is None for player in answer.created["players"]] == [False, True]


def test_players_of_a_position_must_be_all_or_none(service):
    body = {"position": BUYING, "players": [{"name": "Ann"}]}
    assert list(faults_of(service.call("POST", "/v1/games", body))) == ["/players"]


def test_game_that_is_over_in_its_position_is_finished(service):
    position = skye.position_of(list(games(3, 3))[-1])
    view = begun(service, position).view()
    assert view["status"] == "finished"
    assert view["result"]["winners"]


# Identity.


@pytest.mark.parametrize(("players", "seed"), [(2, 12), (3, 13), (4, 14), (5, 15)])
def test_exported_position_can_be_imported_after_every_action(service, players, seed):
    for state in games(seed, players):
        position = skye.position_of(state)
        game = begun(service, position)
        again = begun(service, exported(game, game.host))
        assert exported(again, again.host) == exported(game, game.host)
        stored = decode_game(service.redis.get(key_of(again.id, "game")))
        assert stored.state == state


@pytest.mark.parametrize(("players", "seed"), [(2, 22), (5, 25)])
def test_position_of_a_seat_can_start_a_game_after_every_action(service, players, seed):
    rng = random.Random(seed)
    for state in games(seed, players):
        game = begun(service, skye.position_of(state))
        seat = rng.randrange(players)
        seen = exported(game, game.tokens[seat])
        again = begun(service, seen)
        own = [exported(each, each.tokens[seat])["players"][seat] for each in (game, again)]
        assert own[0] == own[1]
        assert again.view()["waiting_for"] == game.view()["waiting_for"]


def test_filled_in_position_is_exported_whole(service):
    game = begun(service, BUYING)
    position = exported(game, game.host)
    assert len(position["scoring_tiles"]) == 4
    assert [len(player["tiles_on_offer"]) for player in position["players"]] == [2, 2]
    assert begun(service, position).view()["players"] == begun(service, position).view()["players"]


# Visibility.


def test_next_draws_are_exported_to_the_host_only(service):
    draws = [f"L{number:02}" for number in range(1, 14)]
    game = begun(service, {"next_draws": draws, "players": [{}, {}]})
    assert exported(game, game.host)["next_draws"] == draws[6:]
    record = service.get(game.path("record"), game.host)
    assert record["position"]["next_draws"] == draws[6:]
    for token in (None, *game.tokens):
        assert "next_draws" not in exported(game, token)
        assert "next_draws" not in service.get(game.path("record"), token)["position"]


def test_host_of_a_new_game_exports_what_everybody_may_know(service):
    game = service.create_game(2)
    assert game.offer(0, 2, 1).status_code == 200
    assert exported(game, game.host) == exported(game)
    position = exported(game)
    assert "seed" not in position
    assert position["players"][0]["offer_set"]
    assert "gold" not in position["players"][0]
    assert all(set(drawn) == {"tile"} for drawn in position["players"][0]["tiles_on_offer"])


def test_position_of_a_finished_game_is_whole_for_everybody(service):
    game = service.create_game(2, seed="a seed")
    game.play_out(dice(3))
    assert exported(game)["seed"] == "a seed"
    assert exported(game) == exported(game, game.tokens[1])


def test_position_of_an_aborted_game_stays_hidden(service):
    game = service.create_game(2)
    game.abort()
    assert "seed" not in exported(game)


def test_position_of_a_lobby_is_refused(service):
    assert problem_code(service.create_game(2, start=False).call("GET", "position")) == "game_not_started"


# Events and records.


def test_events_of_a_game_from_a_position_begin_with_it(service):
    game = begun(service, BUYING)
    events = service.get(game.path("events"), game.tokens[1])["events"]
    types = [event["type"] for event in events]
    assert types == [
        "game_created", "player_joined", "player_joined", "game_started", "position_set", "end_changed",
        "end_changed", "turn_changed",
    ]  # fmt: skip
    (event,) = (event for event in events if event["type"] == "position_set")
    view = game.view(1)
    for name in ("round", "round_count", "starting_seat", "scoring_tiles", "bag", "result"):
        assert event[name] == view[name]
    for seat, player in enumerate(event["players"]):
        expected = player | {"name": f"Player {seat + 1}", "bot": None, "clock": None}
        assert with_fields_of(expected, view["players"][seat]) == expected
    assert event["seed"] is None
    assert [pair[1]["id"] - pair[0]["id"] for pair in pairwise(events)] == [1] * 7


def test_record_of_a_game_from_a_position_replays_to_the_same_game(service):
    game = begun(service, BUYING)
    end = game.play_out(dice(5))
    record = service.get(game.path("record"))
    assert record["position"]["round"] == 5
    again = service.call("POST", "/v1/games", {"record": record}).json["game"]
    assert again["result"] == end["result"]
    assert again["origin"] == {"type": "record", "scenario": None}


def test_record_in_play_hides_the_position_it_began_from(service):
    position = skye.position_of(list(games(4, 2))[1])
    record = service.get(begun(service, position).path("record"))
    assert "seed" not in record["position"]
    assert all("gold" not in player for player in record["position"]["players"])


def test_replayed_creation_from_a_position_is_the_same(service):
    headers = {"Idempotency-Key": "position-0123456789abcdefghijk"}
    body = {"position": BUYING}
    one, other = (service.call("POST", "/v1/games", body, headers=headers).json for _ in range(2))
    assert one == other


# Refusals.


TILE = {"tile": "L01", "x": 0, "y": 1}


@pytest.mark.parametrize(
    ("pointer", "player"),
    [
        ("/position/players/0/tiles_to_build/0", {"territory": [TILE], "tiles_to_build": ["L01"]}),
        ("/position/players/0/territory/0", {"territory": [TILE | {"y": 5}]}),
        ("/position/players/0/placed_this_round", {"placed_this_round": 1}),
        ("/position/players/0/tiles_to_build/0", {"tiles_to_build": ["L99"]}),
        ("/position/players/0/gold", {"gold": -1}),
        ("/position/players/0/luck", {"luck": 1}),
        ("/position/players/0/tiles_on_offer", {"tiles_on_offer": [{"tile": f"L0{n}"} for n in range(1, 5)]}),
    ],
)
def test_fault_of_a_position_is_named_with_its_place(service, pointer, player):
    body = {"position": {"round": 3, "phase": "buying", "players": [player, {}]}}
    faults = faults_of(service.call("POST", "/v1/games", body))
    assert pointer in faults
    assert faults[pointer].endswith(".")
    assert not faults[pointer].endswith("..")
    assert "None" not in faults[pointer]


@pytest.mark.parametrize("beginning", ["position", "record"])
def test_beginning_of_an_unknown_ruleset_is_refused(service, beginning):
    game = service.create_game(2)
    sent = service.get(f"/v1/games/{game.id}/{beginning}")
    assert sent["ruleset"] == "base"
    faults = faults_of(service.call("POST", "/v1/games", {beginning: sent | {"ruleset": "druids"}}))
    assert f"/{beginning}/ruleset" in faults


@pytest.mark.parametrize("path", ["/v1/games", "/v1/records"])
def test_list_takes_known_rulesets_only(service, path):
    assert service.call("GET", f"{path}?ruleset=base").status_code == 200
    assert problem_code(service.call("GET", f"{path}?ruleset=druids")) == "invalid_parameter"


def integers_of(shape, components, pointer=""):
    """Yield each integer of a schema with its pointer and its bounds; an array has one element."""
    while "$ref" in shape or "allOf" in shape or "anyOf" in shape:
        shape = (shape.get("allOf") or shape.get("anyOf") or [shape])[0]
        shape = components[shape["$ref"].rpartition("/")[2]] if "$ref" in shape else shape
    if "minimum" in shape:
        yield pointer, shape["minimum"], shape["maximum"]
    for name, inner in shape.get("properties", {}).items():
        yield from integers_of(inner, components, f"{pointer}/{name}")
    if "items" in shape:
        yield from integers_of(shape["items"], components, f"{pointer}/0")


def test_integers_of_positions_have_the_range_that_the_contract_has(service):
    components = service.get("/openapi.json")["components"]["schemas"]
    found = list(integers_of(components["Position"], components))
    assert len(found) == 14
    for pointer, least, most in found:
        for value in (least - 1, most + 1):
            position = holding(pointer, value)
            position["players"] = [*position.get("players", [{}]), {}]
            faults = faults_of(service.call("POST", "/v1/games", {"position": position}))
            assert f"/position{pointer}" in faults, (pointer, value)


def holding(pointer, value):
    """Return the smallest JSON value that has a value at a pointer."""
    for part in reversed(pointer.split("/")[1:]):
        value = [value] if part == "0" else {part: value}
    return value


def test_position_with_chance_decisions_is_refused(service):
    body = {"position": {"seed": None, "round": 0, "players": [{}, {}]}}
    assert "/position/round" in faults_of(service.call("POST", "/v1/games", body))


# Lists.


def test_games_from_positions_are_listed_only_with_the_filter(service):
    new, positioned = service.create_game(2), begun(service, BUYING)

    def listed(query=""):
        return [game["id"] for game in service.get(f"/v1/games{query}")["games"]]

    assert listed() == listed("?status=playing") == [new.id]
    assert listed("?origin=position") == listed("?origin=position&status=playing") == [positioned.id]
    assert listed("?origin=record") == []
    positioned.play_out(dice(2))
    assert listed("?origin=position&status=finished") == [positioned.id]
    assert listed("?origin=position&status=playing") == []


@pytest.mark.parametrize("phase", ["pricing", "buying", "building"])
def test_round_of_a_position_has_a_report_of_what_followed(service, phase):
    game = begun(service, {**BUYING, "phase": phase})
    report = service.get(game.path("rounds/5"))
    assert (report["round"], report["starting_seat"], report["complete"]) == (5, 0, False)
    assert [player["placements"] for player in report["players"]] == [[], []]
    before, later = game.call("GET", "rounds/4"), game.call("GET", "rounds/6")
    assert problem_code(before) == problem_code(later) == "round_not_found"
    assert before.json["detail"] == "This round was before the game's position."
    assert later.json["detail"].startswith("The round has not begun")
    game.play_until(lambda view: view["round"] == 6, dice(1))
    assert service.get(game.path("rounds/5"))["complete"]
    assert service.get(game.path("rounds/6"))["round"] == 6
    assert [report["round"] for report in service.get(game.path("rounds"))["rounds"]] == [5, 6]


def test_tile_placed_before_a_position_can_be_taken_back_in_its_report(service):
    before = service.create_game(2, options={"first_seat": 0})
    before.play_to("building")
    before.play_until(lambda _: len(before.view()["players"][0]["territory"]) > 1, dice(1))
    game = begun(service, exported(before, before.tokens[0]))
    assert game.call("DELETE", "placements/1", seat=0).status_code == 200
    assert service.get(game.path("rounds/1"))["players"][0]["placements"] == []
