"""Rematches, and lobbies that start by themselves."""

import pytest

import skye.draws
from skye_server.store.codec import decode_game
from skye_server.store.shards import key_of
from tests.support.playing import PAIR, Game, Service, dice, new_key, problem_code
from tests.support.threads import at_once


def over(service, players=2, **more):
    """Return a game that is over."""
    game = service.create_game(players, **more)
    game.play_out(dice(2))
    return game


def rematch(game, seat, **more):
    return game.call("POST", "rematch", token=game.tokens[seat], **more)


def test_players_meet_again_in_a_new_game(service):
    old = over(service, options={"open_gold": True, "tie_break": "total_gold"}, name="Final")
    first, second = rematch(old, 1), rematch(old, 0)
    assert (first.status_code, first.json["seat"], first.json["game"]["status"]) == (201, 1, "lobby")
    assert (second.status_code, second.json["seat"], second.json["game"]["status"]) == (201, 0, "playing")
    new = second.json["game"]
    assert first.headers["Location"] == f"/v1/games/{new['id']}/players/1"
    assert [player["name"] for player in new["players"]] == ["Ann", "Bob"]
    assert (new["name"], new["options"]["open_gold"], new["options"]["tie_break"]) == (
        "Final",
        True,
        "total_gold",
    )
    assert new["fairness"]["seed_source"] == "server"
    assert service.get(f"/v1/games/{new['id']}", first.json["token"])["you"]["seat"] == 1
    assert service.get(f"/v1/games/{new['id']}", old.host)["you"]["roles"] == ["host"]


def test_bots_are_seated_again_at_once(service):
    old = service.create_game(3, bots={1: "random"})
    old.abort()
    view = rematch(old, 0).json["game"]
    assert [player["bot"] for player in view["players"]] == [None, "random"]
    started = rematch(old, 2).json["game"]
    assert started["status"] == "playing"
    assert started["waiting_for"] == [0, 2]  # the bot of seat 1 has set its offer


@pytest.mark.parametrize("named", [None, 1])
def test_seat_after_the_first_of_the_old_game_starts_a_rematch(service, named):
    game = service.create_game(3, options={} if named is None else {"first_seat": named})
    first = game.view()["starting_seat"]
    for _ in range(3):
        game.play_to("pricing", 2)
        game.abort()
        first = (first + 1) % 3
        joined = [rematch(game, seat).json for seat in (2, 0, 1)]
        assert [seat["game"]["options"]["first_seat"] for seat in joined] == [first] * 3
        assert joined[-1]["game"]["starting_seat"] == first
        again = Game(service, {"game": joined[-1]["game"], "host_token": game.host, "players": []})
        again.tokens = [joined[at]["token"] for at in (1, 2, 0)]
        game = again


def test_rematch_of_a_lobby_that_was_aborted_draws_its_first_seat(service):
    old = service.create_game(2, start=False, options={"first_seat": 1})
    old.abort()
    rematch(old, 0)
    started = rematch(old, 1).json["game"]
    assert (started["status"], started["options"]["first_seat"]) == ("playing", None)


def test_host_who_plays_names_the_first_seat_of_a_rematch(service):
    key = new_key()
    old = service.begin(key, **PAIR, options={"first_seat": 0})
    old.tokens = [key, old.tokens[1]]
    old.play_out(dice(2))
    for seat, named, problem in ((1, 0, "host_only"), (0, 2, "invalid_setup"), (0, 9, "invalid_body")):
        refused = rematch(old, seat, body={"first_seat": named})
        assert problem_code(refused) == problem
    assert service.get(old.path("rematch"))["game"] is None
    opened = rematch(old, 0, body={"first_seat": 0}).json["game"]
    assert opened["options"]["first_seat"] == 0
    assert rematch(old, 1).json["game"]["starting_seat"] == 0


def test_first_seat_of_a_rematch_that_is_open_stays(service):
    key = new_key()
    old = service.begin(key, **PAIR)
    old.tokens = [key, old.tokens[1]]
    old.play_out(dice(2))
    first = rematch(old, 1).json["game"]["options"]["first_seat"]
    assert problem_code(rematch(old, 0, body={"first_seat": 1 - first})) == "invalid_setup"
    assert rematch(old, 0, body={"first_seat": first}).json["game"]["starting_seat"] == first


@pytest.mark.parametrize(
    "begun", [{"scenario": "last_action"}, {"position": {"round": 6, "players": [{}, {}]}}]
)
def test_rematch_of_a_game_from_a_position_is_a_whole_game(service, begun):
    old = service.begin(**begun)
    old.abort()
    rematch(old, 0)
    game = rematch(old, 1).json["game"]
    assert (game["status"], game["origin"], game["round"]) == ("playing", None, 1)


def test_option_of_the_host_is_not_inherited_by_a_rematch(service):
    old = service.create_game(2, options={"host_may_abort": True})
    old.abort()
    assert rematch(old, 0).json["game"]["options"]["host_may_abort"] is False


def test_player_whose_place_was_given_away_gets_another(service):
    old = over(service, players=3)
    new = rematch(old, 0).json["game"]["id"]
    (invitation, _) = service.get(f"/v1/games/{new}/invitations", old.host)["invitations"]
    path = f"/v1/games/{new}/invitations/{invitation['id']}"
    assert service.call("DELETE", path, token=old.host).status_code == 200
    stranger = {"name": "Eve", "seat": 2}
    assert service.call("POST", f"/v1/games/{new}/players", stranger).status_code == 201
    assert rematch(old, 2).json["seat"] == 1


def test_seats_of_a_rematch_begin_without_the_ends_of_the_old_ones(service):
    key = "skye_key_" + 22 * "r"
    old = service.begin(key, players=PAIR["players"], auto_start=True, options={"turn_ms": 1000})
    service.clock.advance(1)
    assert old.view()["players"][1]["end"]["missed_deadlines"] == 1
    old.call("POST", "resign", token=key, seat=0)
    assert old.call("POST", "return", seat=1).status_code == 200
    old.play_out(dice(1))
    view = rematch(old, 1).json["game"]
    assert view["status"] == "playing"
    assert [player["end"]["type"] for player in view["players"]] == ["played", "played"]
    assert [player["end"]["missed_deadlines"] for player in view["players"]] == [0, 0]
    assert [player["end"]["server_decisions"] for player in view["players"]] == [0, 0]
    own = {each["game"]["id"]: each["resigned_seat"] for each in service.get("/v1/me/games", key)["games"]}
    assert own == {old.id: 0, view["id"]: None}  # the host of both


def test_seats_of_a_rematch_are_reserved_for_its_players(service):
    old = over(service)
    new = rematch(old, 0).json["game"]
    assert new["reserved_seats"] == 1
    path = f"/v1/games/{new['id']}/players"
    assert problem_code(service.call("POST", path, {"name": "Eve"})) == "game_full"
    assert problem_code(service.call("POST", path, {"name": "Eve"}, old.tokens[1])) == "token_unknown"


@pytest.mark.parametrize("change", [{"name": "Bob"}, {"color": "blue"}])
def test_player_with_the_name_or_colour_of_another_keeps_nobody_out(service, change):
    old = over(service)
    first = rematch(old, 0).json
    path = f"/v1/games/{first['game']['id']}/players/0"
    assert service.call("PATCH", path, change, first["token"]).status_code == 200
    second = rematch(old, 1)
    assert (second.status_code, second.json["game"]["status"]) == (201, "playing"), second.text
    players = second.json["game"]["players"]
    assert len({player["color"] for player in players}) == len({player["name"] for player in players}) == 2


def test_player_has_one_seat_of_a_rematch_by_any_name(service):
    key = new_key()
    old = service.begin(key, players=[{"name": "Ann"}, {"name": "Bob"}], auto_start=True)
    old.tokens[0] = key
    old.play_out(dice(2))
    new = rematch(old, 0).json["game"]["id"]
    changed = service.call("PATCH", f"/v1/games/{new}/players/0", {"name": "Zoe"}, key)
    assert changed.status_code == 200
    (invitation,) = service.get(f"/v1/games/{new}/invitations", key)["invitations"]
    removed = service.call("DELETE", f"/v1/games/{new}/invitations/{invitation['id']}", token=key)
    assert removed.status_code == 200
    assert problem_code(rematch(old, 0)) == "already_seated"


def test_second_request_of_a_player_names_the_seat_taken(service):
    old = over(service)
    new = rematch(old, 0).json["game"]["id"]
    again = rematch(old, 0)
    assert problem_code(again) == "already_seated"
    assert again.json["params"]["game_id"] == new


def test_player_key_keeps_its_seat_in_a_rematch(service):
    key = "skye_key_" + 22 * "r"
    old = service.begin(key, **PAIR)
    old.abort()
    new = old.call("POST", "rematch", token=key).json["game"]
    assert new["you"] == {"seat": 0, "roles": ["host", "player"]}
    assert new["id"] in [own["game"]["id"] for own in service.get("/v1/me/games", key)["games"]]


def test_rematch_is_found_by_players_and_spectators_of_the_old_game(service):
    old = over(service, players=3)
    assert service.get(old.path("rematch")) == {"game": None}
    new = rematch(old, 0).json["game"]["id"]
    for token in (None, old.host, *old.tokens):
        found = service.get(old.path("rematch"), token)["game"]
        assert (found["id"], found["status"], found["reserved_seats"]) == (new, "lobby", 2)
    assert [player["name"] for player in found["players"]] == ["Ann"]


def test_rematch_is_not_found_while_the_game_is_played(service):
    assert service.get(service.create_game(2).path("rematch")) == {"game": None}


def test_rematch_of_a_private_game_is_hidden_from_strangers(service):
    old = service.create_game(2, visibility="private")
    old.abort()
    rematch(old, 0)
    assert problem_code(service.call("GET", old.path("rematch"))) == "game_not_found"


def test_private_rematch_is_found_only_with_a_role_or_a_seat_reserved(service):
    key = new_key()
    people = [{"name": "Ann"}, {"name": "Bob"}, {"name": "Cy"}, {"name": "Dee"}]
    old = service.begin(key, players=people, auto_start=True, visibility="private", options={"seed": "a"})
    watch = old.call("GET", "watch-code", token=key).json["code"]
    assert old.call("POST", "resign", seat=2).status_code == 200
    old.call("POST", "abort", token=key)
    agreed = [old.call("POST", "proposal", {"accept": True}, seat=seat) for seat in (1, 3)]
    assert agreed[-1].json["status"] == "aborted"
    new = rematch(old, 1).json

    def finders():
        callers = {
            "key": key,
            "watch code": watch,
            "bob": old.tokens[1],
            "cy": old.tokens[2],
            "dee": old.tokens[3],
        }
        return {name for name, token in callers.items() if service.get(old.path("rematch"), token)["game"]}

    assert finders() == {"key", "bob", "dee"}
    path = f"/v1/games/{new['game']['id']}/players/1"
    assert service.call("DELETE", path, token=new["token"]).status_code == 200
    assert finders() == {"key", "dee"}
    for seat in (1, 0, 3):
        taken = rematch(old, seat).json
    assert taken["game"]["status"] == "playing"
    assert finders() == {"key", "bob", "dee"}
    path = f"/v1/games/{new['game']['id']}/players/{taken['seat']}/resign"
    assert service.call("POST", path, token=taken["token"]).status_code == 200
    assert finders() == {"key", "bob"}


def test_rematch_that_was_aborted_is_not_found(service):
    old = over(service)
    first = rematch(old, 0).json["game"]["id"]
    service.call("POST", f"/v1/games/{first}/abort", token=old.host)
    assert service.get(old.path("rematch")) == {"game": None}


def test_rematch_that_was_aborted_can_be_opened_again(service):
    old = over(service)
    first = rematch(old, 0).json["game"]["id"]
    service.call("POST", f"/v1/games/{first}/abort", token=old.host)
    assert rematch(old, 0).json["game"]["id"] != first


def test_rematch_that_was_aborted_too_often_is_refused(service):
    old = over(service)
    for _ in range(17):
        new = rematch(old, 0).json["game"]["id"]
        assert service.call("POST", f"/v1/games/{new}/abort", token=old.host).status_code == 200
    assert [problem_code(rematch(old, seat)) for seat in (0, 1)] == ["game_aborted"] * 2
    assert service.get(old.path("rematch")) == {"game": None}


def test_rematch_of_a_private_game_is_private(service):
    old = service.create_game(2, visibility="private")
    old.abort()
    new = rematch(old, 0).json["game"]
    assert new["visibility"] == "private"
    assert problem_code(service.call("GET", f"/v1/games/{new['id']}")) == "game_not_found"
    assert rematch(old, 1).status_code == 201


@pytest.mark.parametrize(
    ("who", "problem"), [("seat", "game_not_over"), ("host", "not_your_seat"), (None, "token_required")]
)
def test_rematch_is_for_players_of_a_game_that_is_over(service, who, problem):
    game = service.create_game(2)
    token = {"seat": game.tokens[0], "host": game.host, None: None}[who]
    assert problem_code(service.call("POST", game.path("rematch"), token=token)) == problem


def test_player_who_resigned_has_no_rematch(service):
    game = service.create_game(3)
    game.call("POST", "resign", seat=0)
    game.abort()
    assert problem_code(rematch(game, 0)) == "token_unknown"


def test_concurrent_rematches_of_all_players_join_one_game(service):
    old = service.create_game(5)
    old.abort()

    clients = [Service(service.redis) for _ in range(5)]

    def ask(seat):
        return clients[seat].call("POST", old.path("rematch"), token=old.tokens[seat]).json

    found = at_once(ask, range(5))
    assert len({answer["game"]["id"] for answer in found}) == 1
    assert sorted(answer["seat"] for answer in found) == [0, 1, 2, 3, 4]
    assert service.get(f"/v1/games/{found[0]['game']['id']}")["status"] == "playing"


@pytest.mark.parametrize("start", [False, True])
def test_lobby_shows_whether_it_starts_by_itself(service, start):
    game = service.create_game(1, start=start, seat_count=2)
    assert game.view()["auto_start"] is start
    listed = service.get("/v1/games?status=lobby")["games"]
    assert [one["auto_start"] for one in listed] == [start]
    created = service.get(game.path("events"))["events"][0]
    assert created["auto_start"] is start
    joined = game.call("POST", "players", {"name": "Eve"}).json["game"]
    assert joined["status"] == ("playing" if start else "lobby")


def test_rematch_of_a_game_with_a_nonce_has_a_seed_without_one(service):
    old = over(service, options={"seed": "chosen"})
    assert old.view()["fairness"]["nonce"]
    new = rematch(old, 0).json["game"]
    rematch(old, 1)
    stored = decode_game(service.redis.get(key_of(new["id"], "game")))
    assert (str(stored.options.seed_source), stored.options.nonce) == ("server", None)
    game = service.get(f"/v1/games/{new['id']}")
    assert game["fairness"]["commitment"] == skye.draws.commitment(stored.options.seed)
