"""Bots move within the request that makes it their turn."""

import random

import pytest

from skye import BASE, BOTS, choose_move, new_game
from skye.bots import on_checkpoint
from skye_server import cooperative_yield
from tests.support.playing import NAMES, Service, dice, problem_code


def bots_for(players, *, but=()):
    """Return random bots for all seats but some."""
    return {seat: "random" for seat in range(players) if seat not in but}


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_game_of_bots_alone_is_over_at_once(service, players):
    view = service.create_game(players, bots=bots_for(players)).view()
    assert (view["status"], view["round"], view["waiting_for"]) == ("finished", view["round_count"], [])
    assert view["result"]["winners"]


@pytest.mark.parametrize("bot", BOTS)
def test_each_bot_plays_a_game(service, bot):
    view = service.create_game(2, bots={0: bot, 1: bot}).view()
    assert (view["status"], view["players"][0]["bot"]) == ("finished", bot)


def test_last_to_join_may_be_a_bot_that_ends_the_game(service):
    game = service.create_game(2, start=True, seat_count=3, bots=bots_for(2))
    answer = game.call("POST", "players", {"bot": "random"}, token=game.host)
    assert answer.json["game"]["status"] == "finished"


@pytest.mark.parametrize(("players", "seat"), [(2, 0), (3, 1), (5, 4)])
def test_one_player_among_bots_never_waits(service, players, seat):
    game = service.create_game(players, bots=bots_for(players, but=[seat]))
    view = game.view()
    throw = dice(4)
    actions = 0
    while view["status"] == "playing":
        assert view["waiting_for"] == [seat]
        view = game.act_legally(seat, throw)
        actions += 1
    assert view["status"] == "finished"
    assert actions < 60


def test_actions_of_bots_are_events_like_those_of_players(service):
    game = service.create_game(2, bots=bots_for(2))
    events = service.get(game.path("events"))["events"]
    assert [event["id"] for event in events] == list(range(1, len(events) + 1))
    versions = [event["version"] for event in events]
    assert versions == sorted(versions)
    assert set(versions) == set(range(1, game.view()["version"] + 1))
    actions = service.get(game.path("record"))["actions"]
    assert {action["seat"] for action in actions} == {0, 1}
    assert len({event["at"] for event in events}) == 1


def test_bots_make_the_same_moves_with_the_same_seed():
    one, other = (Service().create_game(3, bots=bots_for(3)) for _ in range(2))
    records = [game.service.get(game.path("record")) for game in (one, other)]
    assert records[0]["actions"] == records[1]["actions"]
    third = Service().create_game(3, bots=bots_for(3), seed="another")
    assert third.service.get(third.path("record"))["actions"] != records[0]["actions"]


def test_seat_of_a_bot_is_refused_to_every_token(service):
    game = service.create_game(2, bots={1: "random"})
    for token in (game.host, game.tokens[0]):
        assert problem_code(game.call("POST", "resign", seat=1, token=token)) == "not_your_seat"
        assert problem_code(game.call("GET", "actions", seat=1, token=token)) == "not_your_seat"


# Resigning.


@pytest.mark.parametrize("phase", ["pricing", "buying", "building"])
def test_bot_plays_on_for_a_player_who_resigns(service, phase):
    game = service.create_game(3, options={"first_seat": 1})
    game.play_to(phase, 2)
    leaver = game.view()["waiting_for"][0]
    answer = game.call("POST", "resign", seat=leaver)
    assert answer.status_code == 200
    assert answer.json["you"] == {"seat": None, "roles": []}
    assert answer.json["players"][leaver]["bot"] in BOTS
    assert leaver not in answer.json["waiting_for"]
    events = service.get(game.path("events"))["events"]
    (received,) = [event for event in events if event["type"] == "bot_took_over"]
    assert (received["seat"], received["reason"]) == (leaver, "resigned")
    view = game.play_out(dice(1))
    assert view["players"][leaver]["name"] == NAMES[leaver]


def test_player_who_resigned_cannot_act(service):
    game = service.create_game(3)
    game.call("POST", "resign", seat=0)
    for method, rest in (("GET", "actions"), ("DELETE", ""), ("PUT", "offer"), ("GET", "territory")):
        body = {"discard": "L01", "prices": {}} if method == "PUT" else None
        assert problem_code(game.call(method, rest, body, seat=0)) == "token_unknown"
    assert service.get(game.path("territory", 0))


def test_game_is_finished_by_bots_when_the_last_player_resigns(service):
    game = service.create_game(3, bots={2: "random"})
    assert game.call("POST", "resign", seat=0).json["status"] == "playing"
    answer = game.call("POST", "resign", seat=1)
    assert answer.json["status"] == "finished"
    assert answer.json["players"][1]["gold"] is not None


def test_resignation_from_a_game_that_is_over_is_refused(service):
    game = service.create_game(2, options={"turn_ms": 1000})
    while game.view()["status"] == "playing":
        service.clock.advance(1)
    assert problem_code(game.call("POST", "resign", seat=0)) == "game_finished"


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_strategist_reaches_checkpoints_while_it_chooses_an_offer(players):
    game = new_game(BASE.colors[:players], seed=f"checkpoints {players}").game
    reached = []
    reset = on_checkpoint.set(lambda: reached.append(None))
    try:
        choose_move(BOTS["strategist"], game, 0, random.Random(1))
    finally:
        on_checkpoint.reset(reset)
    assert len(reached) > 20


def test_worker_yields_while_a_strategist_chooses(service, monkeypatch):
    yields = []
    monkeypatch.setattr(cooperative_yield, "_SLICE_S", 0)
    monkeypatch.setattr(cooperative_yield.time, "sleep", yields.append)
    game = service.create_game(2, bots={1: "strategist"})
    assert len(yields) > 20
    assert game.view()["waiting_for"] == [0]
