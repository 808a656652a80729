"""The lobby: opening a table, finding it, taking and leaving seats, starting, aborting."""

import pytest

from skye.draws import commitment
from skye_server.settings import Settings
from skye_server.store.games import EXPIRY_S
from skye_server.store.shards import key_of
from tests.support.playing import NAMES, Service, client_error_code, dice, problem_code

# Opening a table.


def test_game_is_created_with_an_empty_body(service):
    answer = service.call("POST", "/v1/games")
    game = answer.json["game"]
    assert answer.status_code == 201
    assert answer.headers["Location"] == f"/v1/games/{game['id']}"
    assert (game["status"], game["seat_count"], game["players"]) == ("lobby", 5, [])
    assert game["you"] == {"seat": None, "roles": ["host"]}
    assert answer.json["players"] == []
    assert service.get(answer.headers["Location"], answer.json["host_token"]) == game


def test_chosen_options_except_the_seed_are_public(service):
    options = {
        "scoring_tiles": ["sheep", "squares", "most_gold", "most_ships"],
        "first_seat": 1,
        "seed": "skye",
        "tie_break": "total_gold",
        "open_gold": True,
        "turn_ms": 60_000,
        "budget_ms": 600_000,
        "increment_ms": 5000,
        "max_pause_ms": 60_000,
        "on_timeout": "bot",
        "hints": False,
        "public_from": "end",
        "host_may_abort": True,
    }
    view = service.create_game(2, start=False, name="Evening", seat_count=3, options=options).view()
    assert view["options"] == {name: options[name] for name in options if name != "seed"} | {"clock": "real"}
    assert (view["name"], view["seat_count"]) == ("Evening", 3)
    assert [tile["scoring_tile"] for tile in view["scoring_tiles"]] == options["scoring_tiles"]


def test_seed_source_names_who_chose_the_seed(service):
    chosen = service.create_game(2).view()["fairness"]
    drawn = service.call("POST", "/v1/games").json["game"]["fairness"]
    assert (chosen["seed_source"], drawn["seed_source"]) == ("creator", "server")


def test_commitment_to_a_chosen_seed_contains_a_nonce(service):
    first, second = (service.create_game(2).view()["fairness"] for _ in range(2))
    assert len({first["commitment"], second["commitment"], commitment("skye")}) == 3
    assert first["nonce"] is None


def test_nonce_and_seed_are_published_when_the_game_is_over(service):
    game = service.create_game(2)
    committed = game.view()["fairness"]["commitment"]
    fairness = game.play_out(dice(1))["fairness"]
    assert fairness["commitment"] == committed == commitment(fairness["seed"], fairness["nonce"])
    finished = next(
        event
        for event in service.get(game.path("events?limit=1000"))["events"]
        if event["type"] == "game_finished"
    )
    assert finished["nonce"] == fairness["nonce"] == service.get(game.path("record"))["nonce"]


def test_seed_of_the_server_has_no_nonce(service):
    created = service.call("POST", "/v1/games", {"players": [{"bot": "random"}] * 2, "auto_start": True}).json
    fairness = created["game"]["fairness"]
    assert fairness["commitment"] == commitment(fairness["seed"])
    assert fairness["nonce"] is None


def test_players_without_a_colour_get_free_colours(service):
    players = [{"name": "Ann"}, {"name": "Bob", "color": "red"}, {"bot": "random"}]
    answer = service.call("POST", "/v1/games", {"players": players})
    assert answer.status_code == 201
    assert [player["color"] for player in answer.json["game"]["players"]] == ["blue", "red", "yellow"]


def test_bot_has_a_name_and_no_token(service):
    answer = service.call(
        "POST", "/v1/games", {"players": [{"bot": "greedy"}, {"name": "Hal", "bot": "random"}]}
    )
    first, second = answer.json["game"]["players"]
    assert (first["bot"], second["bot"]) == ("greedy", "random")
    assert first["name"]
    assert second["name"] == "Hal"
    assert [player["token"] for player in answer.json["players"]] == [None, None]


def test_game_starts_at_once_when_all_are_seated(service):
    assert service.create_game(2, start=True).view()["status"] == "playing"
    assert service.create_game(2, start=True, seat_count=2).view()["status"] == "playing"


def test_game_starts_when_the_last_player_joins(service):
    game = service.create_game(2, start=True, seat_count=3)
    assert game.view()["status"] == "lobby"
    answer = game.call("POST", "players", {"name": "Cy"})
    assert answer.json["game"]["status"] == "playing"
    assert len(game.view()["players"]) == 3


def test_lobby_with_automatic_start_needs_two_players(service):
    assert service.create_game(1, start=True).view()["status"] == "lobby"
    assert service.call("POST", "/v1/games", {"auto_start": True}).json["game"]["status"] == "lobby"


# Taking seats.


def test_joining_player_gets_the_next_seat_and_its_token(service):
    game = service.create_game(2, start=False)
    answer = game.call("POST", "players", {"name": "Cy", "color": "green"})
    assert answer.status_code == 201
    assert (answer.json["seat"], answer.json["game"]["you"]) == (2, {"seat": 2, "roles": ["player"]})
    assert answer.json["game"]["players"][2]["color"] == "green"
    seen = service.get(game.path(), answer.json["token"])
    assert seen == answer.json["game"]


def test_host_seats_a_bot(service):
    game = service.create_game(1, start=False)
    answer = game.call("POST", "players", {"bot": "random"}, token=game.host)
    assert (answer.status_code, answer.json["seat"], answer.json["token"]) == (201, 1, None)
    assert answer.json["game"]["players"][1]["bot"] == "random"


def test_joining_player_sees_the_new_seat_and_the_host_the_game_as_before(service):
    game = service.create_game(1, start=False)
    for name, token, you in (
        ("Bob", game.host, {"seat": None, "roles": ["host"]}),
        ("Cy", game.tokens[0], {"seat": 0, "roles": ["player"]}),
        ("Dee", None, {"seat": 3, "roles": ["player"]}),
    ):
        answer = game.call("POST", "players", {"name": name}, token=token)
        assert answer.json["game"]["you"] == you


def test_seats_do_not_move_when_a_player_leaves_the_lobby(service):
    game = service.create_game(4, start=False)
    answer = game.call("DELETE", seat=1)
    assert answer.status_code == 200
    assert answer.json["you"] == {"seat": None, "roles": []}
    view = game.view()
    assert [(player["seat"], player["name"]) for player in view["players"]] == [
        (0, "Ann"),
        (2, "Cy"),
        (3, "Dee"),
    ]
    assert [game.view(seat)["you"]["seat"] for seat in (0, 2, 3)] == [0, 2, 3]
    assert problem_code(game.call("GET", token=game.tokens[1])) == "token_unknown"
    assert problem_code(service.call("GET", game.path("", 1))) == "seat_not_found"
    assert problem_code(game.call("DELETE", seat=1, token=game.host)) == "seat_not_found"
    assert game.call("GET", seat=2).json["name"] == "Cy"
    assert game.call("POST", "players", {"name": "Bob"}).json["seat"] == 1
    assert game.call("POST", "players", {"name": "Eve"}).json["seat"] == 4


def test_player_names_the_seat_to_take(service):
    game = service.create_game(1, start=False, seat_count=4)
    assert game.call("POST", "players", {"name": "Bob", "seat": 2}).json["seat"] == 2
    assert problem_code(game.call("POST", "players", {"name": "Cy", "seat": 2})) == "seat_taken"
    assert problem_code(game.call("POST", "players", {"name": "Cy", "seat": 4})) == "seat_not_found"
    bot = game.call("POST", "players", {"bot": "random", "seat": 3}, token=game.host)
    assert (bot.json["seat"], bot.json["token"]) == (3, None)
    assert game.call("POST", "players", {"name": "Cy"}).json["seat"] == 1


def test_gaps_between_seats_close_at_the_start(service):
    game = service.create_game(4, start=False)
    game.call("DELETE", seat=1)
    view = game.call("POST", "start", token=game.host).json
    assert [player["seat"] for player in view["players"]] == [0, 1, 2]
    assert [game.view(seat)["you"]["seat"] for seat in (0, 2, 3)] == [0, 1, 2]
    events = service.get(game.path("events"))["events"]
    started = next(event for event in events if event["type"] == "game_started")
    assert [(player["lobby_seat"], player["seat"]) for player in started["players"]] == [
        (0, 0),
        (2, 1),
        (3, 2),
    ]
    assert [player["name"] for player in started["players"]] == ["Ann", "Cy", "Dee"]


def test_past_lobby_names_the_seat_that_the_caller_had_then(service):
    game = service.create_game(2, start=False, seat_count=5)
    token = game.call("POST", "players", {"name": "Cy", "seat": 4}).json["token"]
    game.call("POST", "players", {"name": "Dee", "seat": 3})
    game.call("POST", "start", token=game.host)
    events = service.get(game.path("events"))["events"]
    joined = next(event["id"] for event in events if event.get("name") == "Cy")
    started = next(event["id"] for event in events if event["type"] == "game_started")
    seats = [service.get(f"{game.path()}?at_event={each['id']}", token)["you"]["seat"] for each in events]
    assert seats == [None] * (joined - 1) + [4] * (started - joined) + [3] * (len(events) - started + 1)


def test_me_in_a_path_is_the_seat_of_the_token(service):
    game = service.create_game(3, start=False)
    game.call("DELETE", seat=0)
    renamed = service.call("PATCH", game.path("players/me"), {"name": "Zoe"}, game.tokens[2])
    assert [player["name"] for player in renamed.json["players"]] == ["Bob", "Zoe"]
    game.call("POST", "start", token=game.host)
    own = service.get(game.path("players/me"), game.tokens[2])
    assert (own["seat"], own["name"]) == (1, "Zoe")
    actions = service.get(game.path("players/me/actions"), game.tokens[2])["actions"]
    assert actions[0]["href"] == game.path("players/1/offer")
    offer = service.call("PUT", game.path("players/me/offer"), actions[0]["body"], game.tokens[2])
    assert offer.status_code == 200
    assert problem_code(service.call("GET", game.path("players/me"))) == "token_required"
    assert problem_code(service.call("GET", game.path("players/me"), token=game.host)) == "not_your_seat"
    left = service.call("POST", game.path("players/me/resign"), token=game.tokens[2])
    assert left.json["players"][1]["bot"] == "greedy"


def test_colour_of_a_player_who_left_is_free(service):
    game = service.create_game(3, start=False)
    left = game.view()["players"][0]["color"]
    game.call("DELETE", seat=0)
    assert game.call("POST", "players", {"name": "Dee", "color": left}).status_code == 201


def test_host_removes_any_player_before_the_start(service):
    game = service.create_game(3, start=False)
    assert game.call("DELETE", seat=1, token=game.host).status_code == 200
    assert len(game.view()["players"]) == 2
    assert problem_code(game.call("DELETE", seat=1, token=game.host)) == "seat_not_found"


def test_player_who_leaves_after_the_start_does_not_resign(service):
    game = service.create_game(3)
    for token in (game.host, game.tokens[1]):
        assert problem_code(game.call("DELETE", seat=1, token=token)) == "game_already_started"
    assert game.view(1)["players"][1]["bot"] is None
    assert problem_code(game.call("POST", "resign", seat=1, token=game.host)) == "not_your_seat"
    waits = service.create_game(2, start=False)
    assert problem_code(waits.call("POST", "resign", seat=1)) == "game_not_started"


# Starting and aborting.


def test_host_starts_a_game_with_free_seats(service):
    game = service.create_game(3, start=False)
    answer = game.call("POST", "start", token=game.host)
    assert answer.status_code == 200
    assert (answer.json["status"], answer.json["round"], answer.json["phase"]) == ("playing", 1, "pricing")
    assert answer.json["waiting_for"] == [0, 1, 2]
    assert all(player["gold"] is None for player in answer.json["players"])


@pytest.mark.parametrize(("players", "rounds"), [(2, 6), (3, 6), (4, 6), (5, 5)])
def test_game_of_two_to_five_players_starts_with_its_rounds(service, players, rounds):
    view = service.create_game(players).view()
    assert (view["status"], view["round_count"]) == ("playing", rounds)
    assert [player["name"] for player in view["players"]] == list(NAMES[:players])


@pytest.mark.parametrize("start", [False, True])
def test_game_that_the_host_aborts_waits_for_nobody(service, start):
    game = service.create_game(2, start=start)
    answer = game.abort()
    assert (answer.status_code, answer.json["status"]) == (200, "aborted")
    assert (answer.json["phase"], answer.json["waiting_for"], answer.json["deadline"]) == (None, [], None)
    assert game.actions(0) == []
    late = {"name": "Late"}
    for rest, body, token in (
        ("abort", None, game.host),
        ("start", None, game.host),
        ("players", late, None),
        ("players/0/resign", None, game.tokens[0]),
    ):
        assert problem_code(game.call("POST", rest, body, token=token)) == "game_aborted"


# Private games.


def test_private_game_is_found_only_with_one_of_its_tokens(service):
    game = service.create_game(2, visibility="private", start=False)
    for caller in (None, "skye_wrong", service.create_game(2).tokens[0]):
        for method, rest, body in (
            ("GET", "", None),
            ("GET", "events", None),
            ("GET", "players/0/territory", None),
            ("POST", "players", {"name": "Eve"}),
            ("POST", "start", None),
            ("DELETE", "", None),
        ):
            one_id = {"X-Request-Id": "one"}
            answer = game.call(method, rest, body, token=caller, headers=one_id)
            nowhere = service.call(method, f"/v1/games/nowhere/{rest}".rstrip("/"), body, caller, one_id)
            assert (answer.status, answer.data) == (nowhere.status, nowhere.data)
    assert game.view(0)["visibility"] == "private"
    assert game.call("POST", "players", {"name": "Eve"}, token=game.host).status_code == 201


# Expiry.


@pytest.mark.usefixtures("stopped_clock")
def test_change_of_a_game_prolongs_its_expiry():
    service = Service(game_ttl_lobby_s=1000, game_ttl_playing_s=2000)
    game = service.create_game(1, start=False)
    key = key_of(game.id, "game")
    service.redis.expire(key, 10)
    game.view()
    assert service.redis.ttl(key) <= 10
    game.call("POST", "players", {"name": "Bob"})
    assert 990 < service.redis.ttl(key) - EXPIRY_S <= 1000
    game.call("POST", "start", token=game.host)
    assert 1990 < service.redis.ttl(key) - EXPIRY_S <= 2000
    assert Settings().game_ttl_playing_s > Settings().game_ttl_lobby_s


def test_game_with_a_first_seat_out_of_range_is_refused(service):
    answer = service.call("POST", "/v1/games", {"seat_count": 2, "options": {"first_seat": 3}})
    assert (answer.status_code, answer.json["code"]) == (422, "invalid_setup")
    assert service.call("GET", "/v1/games").json["games"] == []


def lobby_with_a_gap(service, first_seat):
    """Return a lobby of seats 1 and 3, in which seats 0 and 2 have been left."""
    game = service.create_game(4, start=False, options={"first_seat": first_seat})
    for seat in (0, 2):
        game.call("DELETE", seat=seat)
    return game


@pytest.mark.parametrize(("first_seat", "named"), [(1, 0), (3, 1), (2, None), (4, None), (None, None)])
def test_player_who_sits_in_the_first_seat_at_the_start_begins(service, first_seat, named):
    game = lobby_with_a_gap(service, first_seat)
    lobby = game.view()
    assert (lobby["options"]["first_seat"], lobby["starting_seat"]) == (first_seat, first_seat)
    started = game.call("POST", "start", token=game.host).json
    assert (started["status"], started["options"]["first_seat"]) == ("playing", named)
    assert named in (None, started["starting_seat"])
    record = service.get(game.path("record"))
    assert (record["options"]["first_seat"], record["draws"]["starting_seat"]) == (
        named,
        started["starting_seat"],
    )
    past = service.get(game.path() + f"?at_event={lobby['last_event']}")
    assert past["options"]["first_seat"] == first_seat
    now = service.get(game.path() + f"?at_event={started['last_event']}")
    assert (now["options"]["first_seat"], now["starting_seat"]) == (named, started["starting_seat"])


def test_player_who_takes_a_first_seat_that_was_left_begins(service):
    game = lobby_with_a_gap(service, 2)
    joined = game.call("POST", "players", {"name": "Eve", "seat": 2})
    assert joined.status_code == 201
    started = game.call("POST", "start", token=game.host).json
    assert started["players"][started["starting_seat"]]["name"] == "Eve"


def test_first_seat_that_is_hidden_is_that_of_the_players_shown(service):
    game = service.create_game(3, start=False, options={"first_seat": 2, "public_from": "end"})
    game.call("DELETE", seat=0)
    game.call("POST", "start", token=game.host)
    shown = game.view()
    assert (shown["options"]["first_seat"], shown["starting_seat"], len(shown["players"])) == (1, 1, 2)


def test_seat_of_a_private_game_that_seats_another_is_refused(service):
    game = service.create_game(2, visibility="private", start=False)
    for player in ({"name": "Third"}, {"bot": "random"}):
        assert client_error_code(game.call("POST", "players", player, token=game.tokens[0])) == "host_only"
    assert game.call("POST", "players", {"name": "Third"}, token=game.host).status_code == 201
