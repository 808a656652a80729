"""Results, records and lists of games show how each seat ended; a seat that was given up cannot win."""

import random

import pytest

from skye.positions import record_from_json, replay
from skye_server.games.views.game import timestamp
from skye_server.store.codec import decode_game
from skye_server.store.shards import key_of
from tests.support.comparing import with_fields_of
from tests.support.endpoints import taken_over
from tests.support.playing import dice, new_key, problem_code

PLAYED = {
    "type": "played", "at": None, "bot": None, "round": None, "phase": None,
    "missed_deadlines": 0, "server_decisions": 0, "decisions": 18,
}  # fmt: skip
RESIGNED = {**PLAYED, "type": "resigned", "bot": "greedy", "round": 1, "phase": "pricing"}


def ends(players):
    """Return how each seat ended, in the fields of `PLAYED`."""
    return [with_fields_of(PLAYED, player["end"]) for player in players]


def at(game, ms=0):
    """Return the time of a game's clock, or that some milliseconds before."""
    return timestamp(int(game.service.clock.now * 1000) - ms)


def record_of(game):
    return game.service.get(game.path("record"), game.tokens[0])


def played_again(game):
    """Return the view of a new game from the record of another."""
    created = game.service.call("POST", "/v1/games", {"record": record_of(game)})
    assert created.status_code == 201, created.json
    return created.json["game"]


def ranked(view, gave_up):
    """Return the places as the contract has them, computed from the points of the result."""
    stayed = [player["seat"] for player in view["result"]["players"] if player["seat"] not in gave_up]
    ranks = {
        player["seat"]: (player["score"], view["players"][player["seat"]]["gold"] % 5)
        for player in view["result"]["players"]
    }
    places = [
        {"place": 1 + sum(ranks[other] > ranks[seat] for other in stayed), "seat": seat}
        for seat in sorted(stayed, key=lambda seat: [-number for number in ranks[seat]])
    ]
    return places + [
        {"place": place, "seat": seat} for place, seat in enumerate(reversed(gave_up), len(places) + 1)
    ]


def test_seat_of_a_player_who_resigned_does_not_win(service):
    game = service.create_game(2, bots={1: "random"})
    assert game.call("POST", "resign", seat=0).status_code == 200
    view = service.get(game.path())
    scores = [player["score"] for player in view["result"]["players"]]
    assert scores[0] > scores[1]
    assert view["result"]["winners"] == [1]
    assert view["result"]["placing"] == [{"place": 1, "seat": 1}, {"place": 2, "seat": 0}]
    resigned = {**RESIGNED, "at": at(game), "server_decisions": 18}
    assert ends(view["players"]) == ends(view["result"]["players"]) == [resigned, PLAYED]
    listed = service.get("/v1/games?status=finished")["games"][0]
    assert ends(listed["players"]) == [resigned, PLAYED]


def test_nobody_wins_a_game_that_all_players_gave_up(service):
    game = service.create_game(3)
    for seat in (1, 2, 0):
        game.call("POST", "resign", seat=seat)
        service.clock.advance(1)
    result = service.get(game.path())["result"]
    assert result["winners"] == []
    assert [place["seat"] for place in result["placing"]] == [0, 2, 1]


def test_bot_after_a_missed_deadline_cannot_win_either(service):
    game = service.create_game(2, options={"turn_ms": 1000, "on_timeout": "bot"})
    game.offer(0, 1, 1)
    service.clock.advance(1)
    game.view()
    late = {**RESIGNED, "type": "took_over", "at": at(game), "missed_deadlines": 1}
    assert [end | {"server_decisions": 0} for end in ends(game.view()["players"])] == [PLAYED, late]


def test_missed_deadlines_of_a_game_in_which_nobody_acted_are_counted(service):
    game = service.create_game(2, options={"turn_ms": 1000})
    while service.get(game.path())["status"] != "finished":
        service.clock.advance(1)
    view = service.get(game.path())
    missed = [end["missed_deadlines"] for end in ends(view["result"]["players"])]
    events = service.get(game.path("events?limit=1000"))["events"]
    timed_out = [event["seat"] for event in events if event["type"] == "timed_out"]
    assert missed == [timed_out.count(0), timed_out.count(1)] == [1, 1]
    assert [end["server_decisions"] for end in ends(view["players"])] == [18, 18]
    assert {end["type"] for end in ends(view["players"])} == {"took_over"}
    assert view["result"]["winners"] == []
    assert [place["place"] for place in view["result"]["placing"]] == [1, 1]


@pytest.mark.parametrize("seed", range(4))
def test_record_of_players_who_left_is_replayed_to_the_same_result(service, seed):
    throw = random.Random(seed)
    game = service.create_game(4, bots={3: "random"}, seed=f"left {seed}")
    gave_up = []
    for number in sorted(throw.sample(range(1, 6), 2)):
        game.play_to("pricing", number, dice(seed))
        gave_up.append(throw.choice([seat for seat in (1, 2) if seat not in gave_up]))
        assert game.call("POST", "resign", seat=gave_up[-1]).status_code == 200
        service.clock.advance(1)
    game.play_out(dice(seed))
    view, record = game.view(), record_of(game)
    assert view["result"]["placing"] == ranked(view, gave_up)
    assert record["gave_up"] == [[seat] for seat in gave_up]
    assert [player["bot"] for player in record["players"]] == [None, None, None, "random"]
    assert ends(record["players"]) == ends(view["players"])
    again = played_again(game)
    assert again["result"] == view["result"]
    assert ends(again["players"]) == ends(view["players"])
    replayed = replay(record_from_json(record))[-1].game
    assert list(replayed.winners) == view["result"]["winners"]
    assert replayed == decode_game(service.redis.get(key_of(game.id, "game"))).state


def test_record_of_format_2_gives_each_seat_a_date_of_its_own(service):
    game = service.create_game(3)
    for seat in (2, 0, 1):
        assert game.call("POST", "resign", seat=seat).status_code == 200
        service.clock.advance(1)
    record = record_of_spectator(game)
    assert (record["format"], record["gave_up"]) == (3, [[2], [0], [1]])
    older = record | {"format": 2, "gave_up": [2, 0, 1]}
    assert record_from_json(older) == record_from_json(record)
    created = service.call("POST", "/v1/games", {"record": older})
    assert created.json["game"]["result"] == service.get(game.path())["result"]


def test_seats_of_one_date_in_a_record_share_a_place(service):
    record = record_of_spectator(service.create_game(3, bots=dict.fromkeys(range(3), "random")))
    created = service.call("POST", "/v1/games", {"record": record | {"gave_up": [[1], [2, 0]]}}).json
    placing = [{"place": 1, "seat": 0}, {"place": 1, "seat": 2}, {"place": 3, "seat": 1}]
    assert created["game"]["result"]["placing"] == placing
    assert created["game"]["result"]["winners"] == []
    exported = service.get(f"/v1/games/{created['game']['id']}/record")
    assert exported["gave_up"] == [[1], [0, 2]]


def test_beginning_of_a_record_has_its_first_players(service):
    game = service.create_game(2, bots={1: "random"})
    game.call("POST", "resign", seat=0)
    created = service.call("POST", "/v1/games", {"record": record_of_spectator(game), "stop_at": 0}).json
    assert ends(created["game"]["players"]) == [PLAYED, PLAYED]
    assert (
        game.service.get(f"/v1/games/{created['game']['id']}/events")["events"][-1]["type"] != "end_changed"
    )
    assert created["game"]["players"][0]["bot"] is None


def record_of_spectator(game):
    return game.service.get(game.path("record"))


def test_record_that_names_a_seat_twice_or_none_is_refused(service):
    game = service.create_game(2, bots={0: "random", 1: "random"})
    record = record_of_spectator(game)
    for gave_up in ([[0], [0]], [[0, 1], [1]], [[0, 0]], [[2]], [[]], [2]):
        answer = service.call("POST", "/v1/games", {"record": record | {"gave_up": gave_up}})
        assert answer.status_code == 422, answer.json
        assert answer.json["errors"][0]["pointer"].startswith("/record/gave_up/")


def test_game_of_every_version_has_its_ends_in_the_log(service):
    game = service.create_game(3, options={"turn_ms": 1000, "on_timeout": "auto"})
    service.clock.advance(1)
    game.view()
    game.call("POST", "resign", seat=1)
    now = service.get(game.path())
    past = service.get(game.path() + f"?at_event={now['last_event']}")
    assert ends(past["players"]) == ends(now["players"])


def test_token_of_a_resigned_seat_watches_a_private_game_as_a_spectator(service):
    game = service.create_game(3, visibility="private")
    assert game.call("POST", "resign", seat=0).status_code == 200
    discard, *kept = (tile["tile"] for tile in game.view(1)["players"][1]["tiles_on_offer"])
    offer = {"discard": discard, "prices": dict.fromkeys(kept, 1)}
    assert game.call("PUT", "players/1/offer", offer, token=game.tokens[1]).status_code == 200
    view = game.call("GET", token=game.tokens[0]).json
    assert view["you"] == {"seat": None, "roles": []}
    assert [tile["price"] for tile in view["players"][1]["tiles_on_offer"]] == [None] * 3
    for method, path in (("GET", "players/0/actions"), ("POST", "players/0/resign"), ("GET", "watch-code")):
        assert game.call(method, path, token=game.tokens[0]).status_code == 403, path
    assert problem_code(game.call("GET")) == "game_not_found"


def test_token_of_a_resigned_seat_sees_no_more_than_others_before_the_end(service):
    game = service.create_game(2, visibility="private", options={"public_from": "end"})
    assert game.call("POST", "resign", seat=0).status_code == 200
    assert problem_code(game.call("GET", "events", token=game.tokens[0])) == "not_public_yet"
    assert game.call("GET", token=game.tokens[0]).json["round"] == 0


def test_player_who_resigned_keeps_a_private_game_in_the_history(service):
    ann, bob = new_key(), new_key()
    game = service.begin(ann, visibility="private", players=[{"name": "Ann"}, {"bot": "random"}])
    assert service.call("POST", game.path("start"), token=ann).status_code == 200
    other = service.begin(bob, visibility="private", players=[{"name": "Bob"}, {"invite": True}])
    code = other.created["invitations"][0]["code"]
    joined = service.call("POST", other.path("players"), {"name": "Ann", "invite_code": code}, ann)
    assert joined.status_code == 201, joined.json
    service.call("POST", other.path("start"), token=bob)
    before = service.get("/v1/me", ann)["active_game_count"]
    assert service.call("POST", other.path("players/me/resign"), token=ann).status_code == 200
    assert service.get("/v1/me", ann)["active_game_count"] == before - 1
    listed = {each["game"]["id"]: each for each in service.get("/v1/me/games", ann)["games"]}[other.id]
    assert (listed["seat"], listed["resigned_seat"], listed["roles"], listed["waiting"]) == (
        None,
        1,
        [],
        False,
    )
    assert service.get(other.path(), ann)["you"] == {"seat": None, "roles": []}
    assert service.call("GET", other.path(), token=new_key()).status_code == 404
    left = [
        each["type"] for each in service.get("/v1/me/events", ann)["events"] if each["game_id"] == other.id
    ]
    assert left.count("seat_left") == 1
    assert service.call("POST", other.path("players/me/resign"), token=bob).status_code == 200
    assert service.get(other.path(), ann)["status"] == "finished"
    exported = service.call("GET", "/v1/me/games/records", token=ann).text
    assert other.id in exported


@pytest.fixture
def late(service):
    """A game for three in which the server has taken seat 0 over after a missed deadline."""
    return taken_over(service)


def test_player_takes_the_seat_back_and_can_win(late):
    (action,) = late.actions(0)
    assert (action["type"], action["revises"]) == ("return", True)
    assert late.service.call("POST", action["href"], token=late.tokens[1]).status_code == 403
    view = late.send(0, action).json
    assert view["players"][0]["bot"] is None
    assert view["players"][0]["takeover"] is None
    assert view["players"][0]["end"]["type"] == "took_over", "no decision has followed yet"
    assert problem_code(late.send(0, action)) == "seat_not_taken_over"
    late.play_out(dice(1))
    over = late.view()
    counts = {"missed_deadlines": 1, "server_decisions": 1}
    assert ends(over["players"]) == [{**PLAYED, **counts}, PLAYED, PLAYED]
    assert over["result"]["placing"] == ranked(over, [])
    record = record_of(late)
    assert record["gave_up"] == []
    assert played_again(late)["result"]["placing"] == over["result"]["placing"]


def test_player_who_missed_a_deadline_wins_when_the_other_has_resigned_meanwhile(service):
    game = service.create_game(2, options={"turn_ms": 1000, "on_timeout": "bot"})
    game.offer(0, 1, 1)
    service.clock.advance(1)
    assert game.call("POST", "resign", seat=0).json["status"] == "playing"
    assert game.call("POST", "return", seat=1).status_code == 200
    game.play_out(dice(1))
    assert game.view(1)["result"]["winners"] == [1]


def test_seat_is_taken_back_at_every_event_of_the_log(late):
    late.call("POST", "return", seat=0)
    late.play_to("building")
    events = late.service.get(late.path("events"))["events"]
    types = [event["type"] for event in events]
    returned = types.index("seat_returned")
    for number, kind in ((returned, "took_over"), (returned + 1, "took_over"), (len(types), "played")):
        past = late.service.get(late.path() + f"?at_event={number}")
        assert past["players"][0]["end"]["type"] == kind


def test_seat_is_not_taken_back_after_a_resignation_or_the_end(late):
    late.call("POST", "resign", seat=1)
    assert late.call("POST", "return", seat=1).status_code == 401
    assert problem_code(late.call("POST", "return", seat=2)) == "seat_not_taken_over"
    late.play_out(dice(1))
    assert late.actions(0) == []
    assert problem_code(late.call("POST", "return", seat=0)) == "game_finished"
