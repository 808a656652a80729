"""Rated games: who plays whom, what the game allows, and what becomes of its result."""

import json
import random

import pytest

from skye_server.ladder.verify import Difference, verified
from tests.ladder.support import begin_rated, new_player, ratings_of, seek_rated
from tests.matchmaking.test_tickets import post
from tests.support.dispatching import dispatch
from tests.support.playing import new_key, problem_code


@pytest.fixture
def pair(service):
    return [new_player(service, name) for name in ("ann", "bob")]


def test_rated_ticket_needs_a_profile(service):
    assert problem_code(seek_rated(service, new_key(), "127.0.0.1")) == "profile_required"


@pytest.mark.parametrize(
    ("seat_count", "options"),
    [(3, {}), (2, {"turn_ms": 60_000}), (2, {"budget_ms": 60_000}), (2, {"open_gold": True})],
)
def test_ticket_with_options_of_no_ladder_is_refused(service, pair, seat_count, options):
    answer = seek_rated(service, pair[0], "127.0.0.1", seat_count, options)
    assert problem_code(answer) == "invalid_body"


def test_default_options_are_those_of_a_slow_ladder(service, pair):
    for number, key in enumerate(pair):
        ticket = seek_rated(service, key, f"127.0.0.{number + 1}", options={}).json
    assert service.get(f"/v1/games/{ticket['game_id']}")["rated"]["ladder"] == "slow_2"


def test_tickets_are_not_rated_by_default(service, pair):
    tickets = [post(service, key).json for key in pair]
    assert [ticket["rated"] for ticket in tickets] == [False, False]
    assert service.get(f"/v1/games/{tickets[-1]['game_id']}")["rated"] is None


def test_game_names_its_ladder_and_the_profiles(service, pair):
    game = begin_rated(service, *pair)
    view = game.view()
    assert view["rated"]["ladder"] == "live_2"
    players = view["rated"]["players"]
    assert [player["name"] for player in players] == [player["name"] for player in view["players"]]
    assert {player["rating"] for player in players} == {1500}
    assert (view["fairness"]["seed_source"], view["options"]["turn_ms"]) == ("server", 120_000)


def test_players_of_one_network_do_not_meet(service, pair):
    tickets = [seek_rated(service, key, "2001:db8::1").json for key in pair]
    assert [ticket["status"] for ticket in tickets] == ["waiting", "waiting"]


def test_players_meet_five_times_a_day(service, pair):
    for _ in range(5):
        begin_rated(service, *pair)
        service.clock.advance(11)  # a ticket repeats one that was just matched
    for number, key in enumerate(pair):
        ticket = seek_rated(service, key, f"127.0.0.{number}").json
    assert ticket["status"] == "waiting"


def test_waiting_tickets_are_looked_at_again(service, pair):
    """A player who left three of ten games waits for five minutes longer than others."""
    keys = [*pair, *(new_player(service, f"leaver-{number}") for number in range(3))]
    leaver = keys[0]
    for other in keys[2:]:
        game = begin_rated(service, leaver, other)
        game.call("POST", "resign", seat=game.tokens.index(leaver))
        game.play_out(random.Random(3))
        service.clock.advance(11)
    assert ratings_of(service, "ann")["live_2"]["gave_up"] == 3
    first = seek_rated(service, leaver, "127.0.0.1", ttl_ms=600_000).json
    assert seek_rated(service, pair[1], "127.0.0.2", ttl_ms=600_000).json["status"] == "waiting"
    for _ in range(61):
        service.clock.advance(5)
        dispatch(service)
    found = service.get(f"/v1/matchmaking/tickets/{first['id']}", leaver)
    assert found["status"] == "matched"


def test_game_is_not_aborted_after_the_first_offer(service, pair):
    game = begin_rated(service, *pair)
    types = {each["type"] for each in game.agreements(0)}
    assert "propose_abort" in types or "abort" in types, types
    game.act_legally(0)
    assert problem_code(game.call("POST", "abort", token=game.tokens[0])) == "rated_game"
    assert not {"propose_abort", "abort"} & {each["type"] for each in game.agreements(0)}


def test_finished_game_is_rated_once(service, pair):
    game = begin_rated(service, *pair)
    view = game.play_out(random.Random(1))
    place = {each["seat"]: each["place"] for each in view["result"]["placing"]}
    names = [player["name"] for player in view["rated"]["players"]]
    found = [ratings_of(service, name)["live_2"] for name in names]
    if place[0] != place[1]:
        better = 0 if place[0] < place[1] else 1
        assert found[better]["rating"] > 1500 > found[1 - better]["rating"]
    assert [each["games"] for each in found] == [1, 1]
    assert all(each["provisional"] and each["rank"] is None for each in found)
    dispatch(service)
    assert [ratings_of(service, name)["live_2"] for name in names] == found
    (result,) = service.get(f"/v1/players/{names[0]}")["results"]
    assert [each["before"] for each in result["changes"]] == [1500, 1500]
    assert [each["after"] for each in result["changes"]] == [each["rating"] for each in found]
    assert (result["number"], result["game_id"], result["names"]) == (1, game.id, names)
    assert service.get("/v1/ladders/live_2")["ladder"]["result_count"] == 1


def test_who_gives_up_is_last(service, pair):
    game = begin_rated(service, *pair)
    game.act_legally(0)
    game.act_legally(1)
    name = game.view()["players"][0]["name"]
    game.call("POST", "resign", seat=0)
    game.play_out(random.Random(2))
    rating = ratings_of(service, name)["live_2"]
    assert (rating["games"], rating["gave_up"]) == (1, 1)
    assert rating["rating"] < 1500


def test_game_without_a_winner_is_counted_but_not_rated(service, pair):
    game = begin_rated(service, *pair)
    for seat in (0, 1):
        game.call("POST", "resign", seat=seat)
    assert game.view()["status"] == "finished"
    for name in ("ann", "bob"):
        rating = ratings_of(service, name)["live_2"]
        assert (rating["games"], rating["gave_up"], rating["rating"]) == (0, 1, 1500)
    (result,) = service.get("/v1/players/ann")["results"]
    assert (result["counted"], result["gave_up"]) == (False, [0, 1])
    assert {(each["before"], each["after"]) for each in result["changes"]} == {(1500, 1500)}


def test_ladder_is_recomputed_from_its_export(service):
    keys = [new_player(service, f"player{number}") for number in range(6)]
    for number in range(6):  # of players whose ratings stay near each other
        chosen = keys[number], keys[(number + 1) % 6]
        begin_rated(service, *chosen).play_out(random.Random(number))
        service.clock.advance(11)
    lines = export(service)
    assert verified(lines) == ("live_2", 6, len({line["player"] for line in lines_of(lines, "rating")}))
    result = next(number for number, line in enumerate(lines) if b'"type":"result"' in line)
    changed = json.loads(lines[result])
    changed["places"] = [place + 1 for place in changed["places"]]
    for wrong in (
        [*lines[:result], json.dumps(changed).encode(), *lines[result + 1 :]],
        lines[:result] + lines[result + 1 :],
        lines[:-1],
    ):
        with pytest.raises(Difference):
            verified(wrong)


def export(service, ladder="live_2"):
    answer = service.call("GET", f"/v1/ladders/{ladder}/export")
    assert answer.status_code == 200, answer.text
    return answer.data.splitlines()


def lines_of(lines, kind):
    return [line for line in map(json.loads, lines) if line["type"] == kind]


def test_old_results_become_a_checkpoint(service, monkeypatch):
    monkeypatch.setattr("skye_server.ladder.rated_games._FORGET_EVERY", 1)
    keys = [new_player(service, name) for name in ("ann", "bob")]
    begin_rated(service, *keys).play_out(random.Random(1))
    before = export(service)
    service.clock.advance(401 * 86_400)
    begin_rated(service, *keys).play_out(random.Random(2))
    lines = export(service)
    assert [line["number"] for line in lines_of(lines, "result")] == [2]
    assert [line | {"type": "rating"} for line in lines_of(lines, "checkpoint")] == lines_of(before, "rating")
    assert verified(lines) == ("live_2", 1, 2)
    assert [len(service.redis.hkeys(key)) for key in service.redis.keys("*ladder.live_2:changes")] == [1]
    assert not [
        key for key in service.redis.keys("*ladder*") if b"met." in key and service.redis.ttl(key) < 0
    ]


def test_records_of_a_player_are_those_of_rated_games(service, pair):
    game = begin_rated(service, *pair)
    game.play_out(random.Random(1))
    answer = service.call("GET", "/v1/players/ann/records?ladder=live_2")
    (line,) = map(json.loads, answer.data.splitlines())
    assert (line["cursor"], line["record"]["game_id"]) == ("1", game.id)
    created = service.call("POST", "/v1/games", {"record": line["record"]})
    assert created.status_code == 201, created.text
    assert service.call("GET", "/v1/players/ann/records?ladder=live_2&cursor=1").data == b""


def test_game_that_ends_again_keeps_its_first_result(service, pair):
    """A failover can lose the end of a game whose result the ladder has."""
    game = begin_rated(service, *pair)
    dice = random.Random(1)
    game.play_until(
        lambda view: (
            view["round"] == view["round_count"]
            and len(view["waiting_for"]) == 1
            and view["phase"] == "building"
        ),
        dice,
    )
    stored = {key: service.redis.dump(key) for key in service.redis.keys(f"*:{game.id}:*")}
    game.play_out(dice)
    rated = export(service)
    for key, data in stored.items():
        service.redis.restore(key, 0, data, replace=True)
    game.call("POST", "resign", seat=0)
    game.play_out(random.Random(9))
    assert export(service) == rated


def test_deleted_profile_leaves_ratings_without_a_name(service, pair):
    begin_rated(service, *pair).play_out(random.Random(1))
    before = export(service)
    service.call("DELETE", "/v1/me/profile", token=pair[0])
    assert export(service) == before
    assert service.get("/v1/players/bob")["results"][0]["names"].count("ann") == 1
