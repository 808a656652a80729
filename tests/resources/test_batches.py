"""Many games created with one request."""

import pytest
from redis.crc import key_slot

from skye_server.error_codes import Problem
from skye_server.store.redis_games import RedisGames
from tests.support.playing import KEY, PAIR, Service, limited, problem_code
from tests.support.stores import store_of

PLAYER_KEY = "skye_key_" + "L" * 22

ALONE = {"players": [{"name": "Ann"}, {"bot": "random"}], "auto_start": True}


def create(service, games, token=None, key="season-1-0123456789abcdefghijk"):
    return service.call("POST", "/v1/batches", {"games": games}, token, {"Idempotency-Key": key})


def ids(answer):
    assert answer.status_code == 201, answer.text
    return [game["game_id"] for game in answer.json["games"]]


def listed(service):
    return {game["id"] for game in service.get("/v1/games?limit=100")["games"]}


def test_batch_of_a_hundred_games_creates_each_with_its_tokens(service):
    answer = create(service, [{**PAIR, "name": f"Match {number}"} for number in range(100)])
    assert len(set(ids(answer))) == 100
    assert len({key_slot(f"{{{game}}}".encode()) for game in ids(answer)}) > 90
    for number, created in enumerate(answer.json["games"]):
        view = service.get(f"/v1/games/{created['game_id']}", created["players"][1]["token"])
        assert (view["name"], view["status"], view["you"]["seat"]) == (f"Match {number}", "playing", 1)


def test_batch_has_games_of_every_beginning(service):
    invited = {"visibility": "private", "players": [{"name": "Ann"}, {"invite": True}]}
    bots = {"players": [{"bot": "random"}, {"bot": "random"}], "auto_start": True}
    first, second, third, fourth = create(service, [{}, invited, bots, {"scenario": "last_action"}]).json[
        "games"
    ]
    assert (first["players"], first["invitations"]) == ([], [])
    assert len(second["invitations"]) == 1
    assert [player["token"] for player in third["players"]] == [None, None]
    assert service.get(f"/v1/games/{third['game_id']}")["status"] == "finished"
    assert service.get(f"/v1/games/{fourth['game_id']}")["origin"]["scenario"] == "last_action"
    assert service.get(f"/v1/games/{second['game_id']}", second["host_token"])["you"]["roles"] == ["host"]


def test_batch_repeated_after_play_returns_the_same_tokens(service):
    first = create(service, [PAIR] * 2)
    created = first.json["games"][0]
    path, token = f"/v1/games/{created['game_id']}/players/0", created["players"][0]["token"]
    action = service.get(f"{path}/actions", token)["actions"][0]
    (discard, *kept) = action["constraints"]["tiles"]
    offer = {"discard": discard, "prices": dict.fromkeys(kept, 1)}
    assert service.call("PUT", f"{path}/offer", offer, token).status_code == 200
    assert create(service, [PAIR] * 2).json == first.json


def test_batch_with_the_key_of_another_batch_is_refused(service):
    create(service, [PAIR] * 2)
    assert problem_code(create(service, [PAIR] * 3)) == "idempotency_key_reused"
    assert len(listed(service)) == 2


def test_batch_key_does_not_collide_with_the_key_of_a_game(service):
    service.call("POST", "/v1/games", {}, headers=KEY)
    assert len(ids(create(service, [{}]))) == 1


def test_batch_without_a_key_is_refused(service):
    answer = service.call("POST", "/v1/batches", {"games": [{}]})
    assert (problem_code(answer), answer.json["errors"][0]["name"]) == (
        "invalid_parameter",
        "Idempotency-Key",
    )


@pytest.mark.parametrize("games", [[], [{}] * 101])
def test_batch_of_too_few_or_too_many_games_is_refused(service, games):
    assert problem_code(create(service, games)) == "invalid_body"


@pytest.mark.parametrize(
    ("wrong", "code", "pointer"),
    [
        ({"seat_count": 9}, "invalid_body", "/games/1/seat_count"),
        ({"seat_count": 2, "options": {"first_seat": 4}}, "invalid_setup", "/games/1"),
        ({"players": [{"name": "Ann"}, {"name": "ann"}]}, "name_taken", "/games/1"),
        ({"position": {"round": 1}}, "invalid_body", "/games/1/position"),
    ],
)
def test_batch_with_one_impossible_game_creates_none(service, wrong, code, pointer):
    answer = create(service, [PAIR, wrong])
    assert problem_code(answer) == code
    assert answer.json["errors"][0]["pointer"].startswith(pointer)
    assert service.stored() == {}


def test_batch_with_an_illegal_record_names_the_game_and_the_action(service):
    over = service.create_game(2, bots={0: "random", 1: "random"})
    record = service.get(over.path("record"))
    last = record | {"actions": record["actions"][-1:]}
    answer = create(service, [PAIR, {"record": last}])
    assert problem_code(answer) == "invalid_record"
    (error,) = answer.json["errors"]
    assert error["pointer"].startswith("/games/1")
    assert error["detail"].startswith("Action 1: ")


def test_batch_that_seats_too_many_bots_is_refused(service):
    games = [{"players": [{"bot": "random"}] * 5}] * 41
    answer = create(service, games)
    assert (problem_code(answer), answer.json["errors"][0]["pointer"]) == ("invalid_body", "/games")


def test_batch_binds_its_games_to_a_player_key(service):
    made = ids(create(service, [PAIR] * 3, PLAYER_KEY))
    own = service.get("/v1/me/games", PLAYER_KEY)["games"]
    assert {game["game"]["id"] for game in own} == set(made)
    assert all(game["roles"] == ["host", "player"] and game["seat"] == 0 for game in own)


class Failing(RedisGames):
    """Games of a store that fails after some commits."""

    commits_left = 3

    def commit(self, commit):
        if self.commits_left == 0:
            raise Problem("store_unavailable")
        self.commits_left -= 1
        return super().commit(commit)


def test_batch_that_failed_halfway_is_completed_by_a_retry(redis_client):
    store = store_of(redis_client, Failing)
    service = Service(redis_client, store)
    assert problem_code(create(service, [PAIR] * 5)) == "store_unavailable"
    begun = {key.split(b":")[-2].decode() for key in redis_client.keys("skye:*:game")}
    store.games.commits_left = 100
    completed = ids(create(service, [PAIR] * 5))
    assert len(begun) == 3
    assert begun < set(completed)
    assert len(redis_client.keys("skye:*:game")) == 5
    assert set(completed) == listed(service)


def test_batch_beyond_the_games_of_a_key_is_completed_later():
    service, alone = limited(limit_games_per_key=2), [ALONE] * 3
    answer = create(service, alone, PLAYER_KEY)
    assert problem_code(answer) == "too_many_games"
    first = service.get("/v1/me/games", PLAYER_KEY)["games"][0]["game"]["id"]
    assert service.call("POST", f"/v1/games/{first}/abort", token=PLAYER_KEY).status_code == 200
    assert first in ids(create(service, alone, PLAYER_KEY))


@pytest.mark.usefixtures("stopped_clock")
def test_batch_costs_as_much_as_its_games():
    service = limited(limit_games_per_minute=10)
    bots = {"players": [{"bot": "random"}]}
    answer = create(service, [bots] * 4)
    assert answer.headers["RateLimit"].startswith('"games";r=2')
    refused = create(service, [bots] * 2, key="season-2-0123456789abcdefghijk")
    assert (problem_code(refused), refused.headers["Retry-After"]) == ("too_many_requests", "12")


def test_batch_that_can_never_be_afforded_is_refused_as_invalid():
    answer = create(limited(limit_games_per_minute=10), [{}] * 11)
    assert (problem_code(answer), answer.json["errors"][0]["pointer"]) == ("invalid_body", "/games")


def test_long_lists_within_a_long_list_are_read_in_one_computation(service):
    """Each list of more than 50 elements is read in time slices: one within another must not wait for it."""
    actions = [{"type": "unknown"}] * 60
    records = [{"record": {"format": 3, "actions": actions}}] * 60
    answer = create(service, records)
    assert (answer.status_code, answer.json["code"]) == (422, "invalid_body")
