"""Games without hints, and games whose content spectators see at the end only."""

import pytest

from skye_server.http.framework import collaborators
from skye_server.webhooks.game_events import GameCursor, report
from tests.support.playing import NAMES, dice, new_key, problem_code

TILE = "L01"


def hidden_game(service, **more):
    return service.create_game(2, options={"public_from": "end"}, **more)


def content(seat=0):
    """Return the paths of what a game shows of its course."""
    of_game = ("events", "events/stream", "rounds", "rounds/1", "record", "position", "scores", "?at_event=4")
    of_seat = (
        "territory",
        "territory/picture.svg",
        "offer",
        "purchase",
        "placements",
        f"places?tile={TILE}",
        "",
    )
    return [*of_game, *(f"players/{seat}/{rest}".rstrip("/") for rest in of_seat)]


def read(game, rest, token=None):
    path = game.path() + rest if rest.startswith("?") else game.path(rest)
    return game.service.call("GET", path, token=token)


@pytest.mark.parametrize("rest", content())
def test_spectators_see_the_content_of_a_game_at_its_end(service, rest):
    game = hidden_game(service)
    assert problem_code(read(game, rest)) == "not_public_yet"
    assert problem_code(read(game, rest, game.host)) == "not_public_yet"
    if "stream" not in rest:
        assert read(game, rest, game.tokens[1]).status_code == 200
    game.abort()
    assert read(game, rest).status_code in (200, 204)


def test_spectators_see_players_and_status_before_the_end(service):
    game = hidden_game(service)
    lobby, view = service.create_game(2, start=False).view(), game.view()
    same = {name: view["players"][0][name] for name in ("score", "gold", "territory", "tiles_on_offer")}
    assert same == {name: lobby["players"][0][name] for name in same}
    assert (view["status"], view["round"], view["phase"], view["waiting_for"]) == ("playing", 0, None, [])
    assert (view["scoring_tiles"], view["deadline"], view["options"]["public_from"]) == ([], None, "end")
    listed = service.get("/v1/games?status=playing")["games"][0]
    assert (listed["id"], listed["round"], listed["phase"]) == (game.id, 0, None)
    assert [player["name"] for player in listed["players"]] == [*NAMES[:2]]
    assert game.view(0)["round"] == 1
    game.abort()
    assert game.view()["round"] == 1
    past = service.get(game.path() + "?at_event=6")
    assert (past["status"], past["round"]) == ("playing", 1)


def test_spectators_see_no_proposal_and_no_pause_before_the_end(service):
    game = service.create_game(2, options={"public_from": "end", "turn_ms": 60_000})
    shown = ("proposal", "pause")
    assert game.call("POST", "pause", token=game.tokens[0]).json["proposal"]
    assert [game.view()[name] for name in shown] == [None, None]
    paused = game.call("POST", "proposal", {"accept": True}, seat=1).json
    assert paused["pause"]
    assert [game.view()[name] for name in shown] == [None, None]


def test_spectators_do_not_see_how_far_a_game_is_by_a_seat_that_was_given_up(service):
    game = service.create_game(3, options={"public_from": "end"})
    for seat in range(3):
        game.act_legally(seat)
    game.call("POST", "resign", seat=0)
    hidden = {"type": "resigned", "at": None, "bot": "greedy", "round": None, "phase": None}
    hidden |= {"missed_deadlines": 0, "server_decisions": 0, "decisions": 0}
    (listed,) = service.get("/v1/games?status=playing")["games"]
    seen = game.view()["players"], service.get(game.path("players"))["players"], listed["players"]
    assert [players[0]["end"] for players in seen] == [hidden] * 3
    shown = game.view(1)["players"][0]["end"]
    assert (shown["round"], shown["phase"], shown["decisions"]) == (1, "buying", 18)
    assert shown["at"] is not None


def test_host_without_a_seat_and_a_player_who_resigned_are_spectators(service):
    host, guests = new_key(), [new_key(), new_key()]
    invited = {"players": [{"invite": True}, {"invite": True}], "options": {"public_from": "end"}}
    game = service.begin(host, **invited)
    for guest, code, name in zip(guests, game.created["invitations"], NAMES, strict=False):
        body = {"name": name, "invite_code": code["code"]}
        assert service.call("POST", game.path("players"), body, guest).status_code == 201
    started = service.call("POST", game.path("start"), token=host).json
    assert (started["status"], started["round"]) == ("playing", 0)
    own = service.get("/v1/me/games", host)["games"][0]
    assert (own["game"]["round"], own["game"]["phase"]) == (0, None)
    assert service.get("/v1/me/games", guests[0])["games"][0]["game"]["round"] == 1
    left = service.call("POST", game.path("players/me/resign"), token=guests[0]).json
    assert (left["round"], left["players"][0]["end"]["type"]) == (0, "resigned")
    assert problem_code(read(game, "record", guests[0])) == "not_public_yet"


def test_webhook_of_the_host_reports_no_turn_of_a_hidden_game(service):
    def kinds(game):
        games = collaborators(service.app).games
        current, changes = games.changes_after(game.id, 0)
        return {kind for kind, _ in report(GameCursor(0), current, changes, games.now_ms()).events}

    assert "your_turn" in kinds(service.create_game(2))
    assert "your_turn" not in kinds(hidden_game(service))


def test_game_without_hints_shows_no_gains_and_no_bag_until_its_end(service):
    game = service.create_game(2, options={"hints": False})
    view = game.view(0)
    assert (view["bag"]["tiles"], view["options"]["hints"]) == (None, False)
    tries = [
        ("GET", f"players/0/places?tile={TILE}", None),
        ("POST", "players/0/what-if", {"placements": []}),
    ]
    for method, path, body in tries:
        assert problem_code(game.call(method, path, body, token=game.tokens[0])) == "hints_off"
    assert len(game.actions(0)) > 0
    over = game.play_out(dice(1))
    assert len(over["bag"]["tiles"]) == over["bag"]["count"]
    finished = game.service.get(game.path("events?limit=1000"))["events"]
    assert next(event for event in finished if event["type"] == "game_finished")["bag"] == over["bag"]
    for method, path, body in tries:
        unplaced = path.replace(TILE, over["bag"]["tiles"][0])
        assert game.call(method, unplaced, body, token=game.tokens[0]).status_code == 200


def test_options_of_a_serious_game_stay_in_its_rematch_and_records(service):
    game = service.create_game(2, options={"hints": False, "public_from": "end"})
    game.abort()
    view = service.call("POST", game.path("rematch"), token=game.tokens[0]).json["game"]
    assert (view["options"]["hints"], view["options"]["public_from"]) == (False, "end")
    body = {"scenario": "first_round", "options": {"hints": False, "public_from": "end"}}
    assert service.call("POST", "/v1/games", body).json["game"]["options"]["hints"] is False
    wrong = service.call("POST", "/v1/games", {"options": {"hints": "no", "public_from": "later"}})
    assert {error["pointer"] for error in wrong.json["errors"]} == {"/options/hints", "/options/public_from"}
