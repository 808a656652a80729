"""Invitations, rotation of tokens, and changes of name and colour in the lobby."""

import pytest

from skye_server.games.authorization import hash_token
from skye_server.games.game import MAX_ENDED_INVITATIONS
from tests.support.playing import KEY, new_key, problem_code
from tests.support.threads import at_once


def invited(service, players=1, **more):
    """Return a private game for one player more than are seated, and the code of the player to invite."""
    seated = [{"name": name} for name in ("Ann", "Bob", "Cy")[:players]]
    body = {"visibility": "private", "players": [*seated, {"invite": True}], **more}
    game = service.begin(**body)
    return game, game.created["invitations"][0]["code"]


def join(game, token, name="Eve", **more):
    body = {"name": name} | ({"invite_code": more.pop("invite_code")} if "invite_code" in more else {})
    return game.call("POST", "players", body, token=token, **more)


# Invitations.


def test_player_to_invite_gets_a_code_instead_of_a_token(service):
    game, code = invited(service, 2)
    view = service.get(game.path(), game.host)
    assert (len(view["players"]), view["reserved_seats"], view["seat_count"]) == (2, 1, 5)
    assert len({game.host, code, *game.tokens}) == 4


def test_invited_player_takes_a_seat_with_a_token_of_its_own(service):
    game, code = invited(service)
    joined = join(game, code)
    assert (joined.status_code, joined.json["seat"]) == (201, 1)
    assert joined.json["token"] not in (code, game.host, *game.tokens)
    assert joined.json["game"]["you"] == {"seat": 1, "roles": ["player"]}
    assert joined.json["game"]["reserved_seats"] == 0
    assert service.get(game.path(), joined.json["token"]) == joined.json["game"]


def test_code_reads_a_private_lobby_as_a_spectator(service):
    game, code = invited(service)
    view = service.get(game.path(), code)
    assert view["you"] == {"seat": None, "roles": ["invited"]}
    assert service.get(f"{game.path()}/events", code)["events"]


def end_of(answer):
    """Check that a response says that an invitation is over; return why."""
    assert (answer.status_code, problem_code(answer)) == (410, "invitation_over")
    return answer.json["params"]["invitation_end"]


@pytest.mark.parametrize("visibility", ["private", "public"])
def test_used_code_is_refused(service, visibility):
    game, code = invited(service, visibility=visibility)
    assert join(game, code).status_code == 201
    for answer in (
        join(game, code, "Fay"),
        game.call("GET", token=code),
        join(game, new_key(), "Fay", invite_code=code),
    ):
        assert end_of(answer) == "used"


def test_code_neither_acts_for_a_seat_nor_for_the_host(service):
    game, code = invited(service, 2)
    assert problem_code(game.call("POST", "start", token=code)) == "host_only"
    assert problem_code(game.call("POST", "invitations", token=code)) == "host_only"
    assert problem_code(game.call("POST", "abort", token=code)) == "host_only"
    assert problem_code(game.call("DELETE", seat=0, token=code)) == "not_your_seat"
    assert problem_code(game.call("POST", "players", {"bot": "random"}, token=code)) == "host_only"


def test_code_of_another_game_is_refused(service):
    game, other = invited(service)[0], invited(service)[1]
    assert problem_code(join(game, other)) == "game_not_found"


def test_unused_code_is_refused_after_the_start(service):
    game, code = invited(service, 2)
    started = game.call("POST", "start", token=game.host)
    assert (started.json["status"], started.json["reserved_seats"]) == ("playing", 0)
    assert end_of(join(game, code)) == "begun"


def test_unused_code_is_refused_after_the_abort(service):
    game, code = invited(service)
    assert game.abort().json["reserved_seats"] == 0
    assert end_of(game.call("GET", token=code)) == "aborted"


def withdraw(game):
    """Revoke the only invitation of a game."""
    (unused,) = game.call("GET", "invitations", token=game.host).json["invitations"]
    assert game.call("DELETE", f"invitations/{unused['id']}", token=game.host).status_code == 200


ENDS = {
    "begun": lambda game, _: game.call("POST", "start", token=game.host),
    "withdrawn": lambda game, _: withdraw(game),
    "used": join,
    "aborted": lambda game, _: game.abort(),
}
OPERATIONS = [
    ("GET", "", None),
    ("GET", "events", None),
    ("GET", "events/stream", None),
    ("GET", "rematch", None),
    ("POST", "players", {"name": "Fay"}),
    ("POST", "start", None),
    ("GET", "invitations", None),
]
"""Operations to which a client may send an invitation code."""


def ended(service, end, **more):
    """Return a game of two players or three, and the code of an invitation that has ended."""
    game, code = invited(service, 2, **more)
    ENDS[end](game, code)
    return game, code


@pytest.mark.parametrize("end", ENDS)
def test_holder_of_an_ended_invitation_gets_the_reason(service, end):
    game, code = ended(service, end)
    for method, rest, body in OPERATIONS:
        assert end_of(game.call(method, rest, body, token=code)) == end, rest
    if end != "aborted":  # what happens to the game later does not change why this invitation ended
        assert game.abort().status_code == 200
        assert end_of(game.call("GET", token=code)) == end


def as_sent(answer):
    """Return all of a response that a client sees, without the id of the request."""
    request_id = answer.headers["X-Request-Id"]
    headers = [(name, value) for name, value in answer.headers if value != request_id and name != "Date"]
    return answer.status_code, headers, answer.data.replace(request_id.encode(), b"")


@pytest.mark.parametrize("end", ENDS)
def test_stranger_to_an_ended_invitation_gets_the_response_for_no_game(service, end):
    game, _ = ended(service, end)
    strangers = [None, "skye_invite_" + 22 * "g", invited(service)[1], new_key(), ended(service, end)[1]]
    for method, rest, body in OPERATIONS:
        for token in strangers:
            answer = game.call(method, rest, body, token=token)
            nowhere = service.call(method, f"/v1/games/nowhere/{rest}".rstrip("/"), body, token)
            assert nowhere.status_code == 404
            assert as_sent(answer) == as_sent(nowhere), (rest, token)


def test_views_of_a_game_do_not_have_the_codes_of_ended_invitations(service):
    game, code = ended(service, "withdrawn")
    shown = [game.call("GET", rest, token=game.host).text for rest in ("", "events", "invitations")]
    assert not any(hidden in text for text in shown for hidden in (code, hash_token(code), "ended_invites"))


def test_game_forgets_the_invitations_that_ended_first(service):
    game, first = ended(service, "withdrawn")
    last = first
    for _ in range(MAX_ENDED_INVITATIONS):
        last = game.call("POST", "invitations", token=game.host).json["invitation"]["code"]
        withdraw(game)
    assert end_of(game.call("GET", token=last)) == "withdrawn"
    assert problem_code(game.call("GET", token=first)) == "game_not_found"


def numbers(game):
    """Return the numbers of the unused invitations of a game."""
    return [each["number"] for each in game.call("GET", "invitations", token=game.host).json["invitations"]]


def test_number_of_an_invitation_is_never_given_again(service):
    game = service.begin(seat_count=5, players=[{"name": "Ann"}, {"invite": True}, {"invite": True}])
    first, second = game.created["invitations"]
    assert (first["number"], second["number"], numbers(game)) == (1, 2, [1, 2])
    game.call("DELETE", f"invitations/{second['id']}", token=game.host)
    join(game, first["code"])
    assert (numbers(game), game.view()["reserved_seats"]) == ([], 0)
    sent = {"token": game.host, "headers": {"Idempotency-Key": "third"}}
    third = game.call("POST", "invitations", **sent).json["invitation"]
    fourth = game.call("POST", "invitations", token=game.host).json["invitation"]
    assert (third["number"], fourth["number"], numbers(game)) == (3, 4, [3, 4])
    game.call("DELETE", f"invitations/{fourth['id']}", token=game.host)
    assert game.call("POST", "invitations", **sent).json["invitation"] == third  # the replayed response
    shown = game.call("GET", f"invitations/{third['id']}", token=game.host).json
    assert shown == {"id": third["id"], "number": 3}


def test_game_starts_when_the_last_invited_player_joins(service):
    game, code = invited(service, auto_start=True)
    assert service.get(game.path(), game.host)["status"] == "lobby"
    assert join(game, code).json["game"]["status"] == "playing"


def test_reserved_seat_is_refused_to_other_players(service):
    game, code = invited(service, visibility="public", seat_count=2)
    for token, player in ((None, {"name": "Fay"}), (game.host, {"bot": "random"})):
        assert problem_code(game.call("POST", "players", player, token=token)) == "game_full"
    assert problem_code(game.call("POST", "invitations", token=game.host)) == "game_full"
    assert join(game, code).status_code == 201


def test_refused_join_leaves_the_code_valid(service):
    game, code = invited(service)
    assert problem_code(join(game, code, "ann")) == "name_taken"
    assert join(game, code).status_code == 201


def test_more_players_than_seats_are_refused(service):
    body = {"seat_count": 2, "players": [{"name": "Ann"}, {"invite": True}, {"invite": True}]}
    assert problem_code(service.call("POST", "/v1/games", body)) == "game_full"


@pytest.mark.parametrize("player", [{"invite": False}, {"invite": True, "name": "Bob"}, {"invite": None}])
def test_malformed_invitation_is_refused(service, player):
    assert problem_code(service.call("POST", "/v1/games", {"players": [player]})) == "invalid_body"


def test_host_invites_one_more_player(service):
    game = service.create_game(1, visibility="private", start=False)
    answer = game.call("POST", "invitations", token=game.host)
    assert (answer.status_code, answer.json["game"]["reserved_seats"]) == (201, 1)
    assert join(game, answer.json["invitation"]["code"]).json["seat"] == 1


def test_host_invites_nobody_after_the_start(service):
    started = service.create_game(2)
    assert problem_code(started.call("POST", "invitations", token=started.host)) == "game_already_started"


def test_revoked_invitation_is_invalid_and_frees_its_seat(service):
    game, code = invited(service)
    (unused,) = service.get(game.path("invitations"), game.host)["invitations"]
    path = f"invitations/{unused['id']}"
    assert problem_code(game.call("DELETE", path, token=game.tokens[0])) == "host_only"
    assert game.call("DELETE", path, token=game.host).json["reserved_seats"] == 0
    assert end_of(join(game, code)) == "withdrawn"
    assert problem_code(game.call("DELETE", path, token=game.host)) == "invitation_not_found"
    assert service.get(game.path("invitations"), game.host)["invitations"] == []
    events = service.get(game.path("events"), game.host)["events"]
    assert events[-1]["type"] == "invitation_revoked"


def test_code_that_many_use_at_once_seats_one(service):
    game, code = invited(service)

    def use(number):
        player = {"name": f"Player {number}"}
        return service.beside().call("POST", game.path("players"), player, code).status_code

    assert sorted(at_once(use, range(8))) == [201] + [410] * 7
    assert len(service.get(game.path(), game.host)["players"]) == 2


def test_invitations_are_in_the_events(service):
    game, code = invited(service)
    join(game, code)
    events = service.get(f"{game.path()}/events?after=2", game.host)["events"]
    assert [event["type"] for event in events] == [
        "invitation_created",
        "invitation_accepted",
        "player_joined",
    ]
    assert code not in str(events)
    assert not {"name", "seat", "code"} & (events[0].keys() | events[1].keys())


def test_join_repeated_with_its_key_gets_the_same_token(service):
    game, code = invited(service)
    first, again = (join(game, code, headers=KEY) for _ in range(2))
    assert (again.status_code, again.json) == (201, first.json)


# Rotation of tokens.


@pytest.mark.parametrize("start", [False, True])
def test_rotation_replaces_the_token_of_a_seat(service, start):
    game = service.create_game(2, start=start)
    answer = game.call("POST", "token", seat=1)
    assert (answer.status_code, answer.json["seat"]) == (201, 1)
    assert answer.json["game"]["you"] == {"seat": 1, "roles": ["player"]}
    assert service.get(game.path(), answer.json["token"])["you"]["seat"] == 1
    assert problem_code(game.call("GET", token=game.tokens[1])) == "token_unknown"
    assert game.view(0)["you"]["seat"] == 0


@pytest.mark.parametrize("start", [False, True])
def test_rotation_replaces_the_host_token(service, start):
    game = service.create_game(2, start=start)
    answer = game.call("POST", "host-token", token=game.host)
    assert (answer.status_code, answer.json["game"]["you"]) == (201, {"seat": None, "roles": ["host"]})
    assert service.get(f"{game.path()}/events")["events"][-1]["type"] == "host_token_rotated"
    assert problem_code(game.abort()) == "token_unknown"
    assert game.call("POST", "abort", token=answer.json["host_token"]).status_code == 200


def test_prefix_of_a_token_names_its_kind(service):
    game, code = invited(service)
    assert code.startswith("skye_invite_")
    assert game.host.startswith("skye_host_")
    assert game.tokens[0].startswith("skye_seat_")


# Name and colour.


def test_player_changes_name_and_colour_in_the_lobby(service):
    game = service.create_game(2, start=False)
    answer = game.call("PATCH", "", {"name": "Ada", "color": "green"}, seat=0)
    player = answer.json["players"][0]
    assert (answer.status_code, player["name"], player["color"]) == (200, "Ada", "green")
    assert player["territory"][0]["tile"] == "castle-green"
    assert game.call("PATCH", "", {"name": "ADA"}, seat=0).json["players"][0]["color"] == "green"
    assert game.call("POST", "start", token=game.host).json["players"][0]["name"] == "ADA"


def test_name_or_colour_of_another_player_is_refused(service):
    game = service.create_game(2, start=False)
    taken = game.view()["players"][1]["color"]
    assert problem_code(game.call("PATCH", "", {"name": "bob"}, seat=0)) == "name_taken"
    assert problem_code(game.call("PATCH", "", {"color": taken}, seat=0)) == "color_taken"


def test_name_after_the_start_is_refused(service):
    game = service.create_game(2)
    assert problem_code(game.call("PATCH", "", {"name": "Ada"}, seat=0)) == "game_already_started"


def test_only_the_host_changes_bots_and_changes_bots_only(service):
    game = service.create_game(2, bots={1: "random"}, start=False)
    renamed = {"name": "Robot"}
    assert problem_code(game.call("PATCH", "players/1", renamed, token=game.tokens[0])) == "not_your_seat"
    assert problem_code(game.call("PATCH", "players/1", renamed)) == "token_required"
    assert game.call("PATCH", "", renamed, seat=1, token=game.host).status_code == 200
    assert problem_code(game.call("PATCH", "", {"name": "Ada"}, seat=0, token=game.host)) == "not_your_seat"
    assert problem_code(game.call("PATCH", "", {"name": "Ada"}, seat=2, token=game.host)) == "seat_not_found"


def watched(service, **body):
    """Create a private game; return it with the code for its spectators."""
    game = service.create_game(2, visibility="private", **body)
    answer = game.call("GET", "watch-code", token=game.host)
    assert answer.status_code == 200, answer.text
    return game, answer.json["code"]


def test_spectator_with_the_watch_code_sees_a_private_game_as_a_public_one(service):
    game, code = watched(service)
    discard, *kept = (tile["tile"] for tile in game.view(0)["players"][0]["tiles_on_offer"])
    offer = {"discard": discard, "prices": dict.fromkeys(kept, 1)}
    assert game.call("PUT", "players/0/offer", offer, token=game.tokens[0]).status_code == 200
    assert problem_code(game.call("GET")) == "game_not_found"
    view = game.call("GET", token=code).json
    assert view["you"] == {"seat": None, "roles": []}
    assert [tile["price"] for tile in view["players"][0]["tiles_on_offer"]] == [None] * 3
    events = game.call("GET", "events", token=code).json["events"]
    assert [event["prices"] for event in events if event["type"] == "offer_set"] == [None]


def test_watch_code_does_not_act_join_or_host(service):
    game, code = watched(service)
    for method, path, body in (
        ("POST", "abort", None),
        ("GET", "watch-code", None),
        ("GET", "invitations", None),
        ("POST", "players", {"name": "Eve"}),
        ("DELETE", "players/0", None),
        ("POST", "players/0/token", None),
    ):
        answer = game.call(method, path, body, token=code)
        assert answer.status_code in (403, 409), (path, answer.text)
    lobby, code = watched(service, start=False)
    assert lobby.call("POST", "players", {"name": "Eve"}, token=code).status_code >= 400


def test_watch_code_is_that_of_one_game(service):
    (game, code), (other, _) = watched(service), watched(service)
    assert game.call("GET", "watch-code", token=game.host).json["code"] == code
    assert problem_code(other.call("GET", token=code)) == "game_not_found"


def test_new_host_token_makes_the_watch_code_invalid(service):
    game, code = watched(service)
    rotated = game.call("POST", "host-token", token=game.host)
    assert rotated.status_code == 201, rotated.text
    assert problem_code(game.call("GET", token=code)) == "game_not_found"
    host = rotated.json["host_token"]
    assert game.call("GET", "watch-code", token=host).json["code"] != code


def test_host_with_a_player_key_gets_a_watch_code(service):
    key = "skye_key_" + 22 * "w"
    path = service.begin(key, visibility="private", players=[{"name": "Ann"}]).path()
    code = service.get(f"{path}/watch-code", key)["code"]
    assert service.get(path, code)["you"]["roles"] == []
    assert service.call("GET", path).status_code == 404
