"""Repeated changes and take-backs are limited, and the game continues."""

import pytest

from skye_server.games.views.fields import MAX_ACTIONS
from tests.support.playing import problem_code
from tests.support.used_up_changes import game_with_used_up_changes


def types(game, seat):
    return {action["type"] for action in game.actions(seat)}


def test_seat_without_revisions_is_played_without_take_back(service):
    game = game_with_used_up_changes(service, "building")
    assert "take_back" not in types(game, 0)
    assert game.play_out()["status"] == "finished"
    record = service.get(game.path("record"))
    assert len(record["actions"]) <= MAX_ACTIONS
    assert service.call("POST", "/v1/games", {"record": record}).status_code == 201


def test_offer_of_a_seat_without_revisions_is_not_listed_for_replacement(service):
    game = game_with_used_up_changes(service, "pricing")
    assert types(game, 0) == set()
    assert types(game, 1) == {"set_offer"}
    game.play_to("building")


def test_opponent_who_revises_takes_no_revisions_of_others(service):
    game = game_with_used_up_changes(service, "building")
    game.act_legally(1)
    assert "take_back" in types(game, 1)
    assert game.call("DELETE", "placements/1", seat=1).status_code == 200
    assert game.call("POST", "players/1/token", token=game.tokens[1]).status_code == 201
    assert problem_code(game.call("POST", "players/0/token", token=game.tokens[0])) == "too_many_changes"


def test_names_and_tokens_that_a_seat_changes_again_and_again_are_limited(service, monkeypatch):
    monkeypatch.setattr("skye_server.games.transitions.MAX_OPEN_CHANGES", 18)
    game = service.create_game(2, start=False)
    renamed = [game.call("PATCH", seat=0, body={"name": f"Ann {number}"}) for number in range(4)]
    assert [answer.status_code for answer in renamed] == [200, 200, 200, 409]
    assert problem_code(renamed[-1]) == "too_many_changes"
    assert game.call("PATCH", seat=1, body={"name": "Bea"}).status_code == 200


def test_strangers_who_join_and_leave_again_and_again_leave_changes_to_the_host(service, monkeypatch):
    monkeypatch.setattr("skye_server.games.transitions.MAX_OPEN_CHANGES", 20)
    game = service.create_game(1, start=False, seat_count=2)
    for _ in range(20):
        joined = game.call("POST", "players", {"name": "Cy"})
        if joined.status_code != 201:
            break
        assert game.call("DELETE", seat=1, token=joined.json["token"]).status_code == 200
    assert problem_code(joined) == "too_many_changes"
    code = game.call("POST", "invitations", token=game.host).json["invitation"]["code"]
    assert game.call("POST", "players", {"name": "Bea"}, token=code).status_code == 201
    assert game.call("POST", "start", token=game.host).status_code == 200


def test_lobby_with_too_many_changes_frees_seats_and_starts(service, monkeypatch):
    monkeypatch.setattr("skye_server.games.transitions.MAX_LOBBY_CHANGES", 20)
    game = service.create_game(2, start=False, seat_count=4)
    invited = game.call("POST", "invitations", token=game.host).json["invitation"]["id"]
    for _ in range(20):
        joined = game.call("POST", "players", {"name": "Cy"}, token=game.host)
        if joined.status_code != 201:
            break
        assert game.call("DELETE", seat=2, token=game.host).status_code == 200
    assert problem_code(joined) == "too_many_changes"
    assert game.view()["version"] == 20
    assert game.call("DELETE", f"invitations/{invited}", token=game.host).status_code == 200
    assert game.call("DELETE", seat=1).status_code == 200
    assert problem_code(game.call("POST", "start", token=game.host)) == "too_few_players"


def test_renames_of_a_lobby_are_fewer_than_its_changes(service, monkeypatch):
    monkeypatch.setattr("skye_server.games.transitions.MAX_OPEN_CHANGES", 20)
    game = service.create_game(2, start=False, seat_count=2)
    for number in range(20):
        for seat in (0, 1):
            game.call("PATCH", seat=seat, body={"name": f"{seat} {number}"})
    assert game.view()["version"] == 20
    assert game.call("POST", "start", token=game.host).status_code == 200


@pytest.mark.parametrize("phase", ["pricing", "building"])
def test_illegal_move_is_still_refused_by_the_rules(service, phase):
    game = game_with_used_up_changes(service, phase)
    assert problem_code(game.call("PUT", "purchase", {"tile": None}, seat=0)) == "wrong_phase"
