"""Deletion of games that are over."""

import pytest

from skye_server.store.shards import key_of
from tests.support.playing import KEY, Service

PLAYER_KEY = "skye_key_" + 24 * "A"


@pytest.fixture
def service(any_redis):
    return Service(any_redis)


def aborted(service, **more):
    """Return an aborted game that nobody played but its host."""
    game = service.create_game(2, bots={1: "random"}, **more)
    assert game.abort().status_code == 200
    return game


def delete(game, token=None, **more):
    return game.call("DELETE", token=token or game.host, **more)


def refused(answer):
    return answer.status_code, answer.json["code"]


def test_deleted_game_leaves_nothing_in_the_store(service):
    kept = service.create_game(2)
    before = service.stored()
    game = aborted(service, headers={"Idempotency-Key": "one-0123456789abcdefghijk"})
    answer = delete(game)
    assert (answer.status_code, answer.data) == (204, b"")
    assert service.stored() == before
    assert kept.call("GET").status_code == 200


def test_deleted_game_of_player_keys_leaves_their_lists(service):
    game = aborted(service, key=PLAYER_KEY)
    assert len(service.get("/v1/me/games", token=PLAYER_KEY)["games"]) == 1
    assert delete(game).status_code == 204
    assert service.get("/v1/me/games", token=PLAYER_KEY)["games"] == []
    assert service.redis.keys(key_of(game.id, "*")) == []
    assert service.redis.keys("skye:{player.*}:games") == []


@pytest.mark.parametrize("path", ["", "events", "events/stream", "record", "position", "scores", "rounds/1"])
def test_deleted_game_is_not_found(service, path):
    game = aborted(service)
    delete(game)
    for token in (None, game.host, game.tokens[0]):
        assert refused(game.call("GET", path, token=token)) == (404, "game_not_found")


def test_deletion_repeated_with_its_key_succeeds_again(service):
    game = aborted(service)
    assert [delete(game, headers=KEY).status_code for _ in range(2)] == [204, 204]
    for answer in (
        delete(game, headers={"Idempotency-Key": "another-0123456789abcdefghijk"}),
        delete(game),
        delete(game, token=game.tokens[0], headers=KEY),
        game.call("PATCH", seat=0, body={"name": "A"}, headers=KEY),
    ):
        assert refused(answer) == (404, "game_not_found")


@pytest.mark.parametrize(
    ("expired", "problem"), [(False, (422, "idempotency_key_reused")), (True, (404, "game_not_found"))]
)
def test_key_of_the_abort_cannot_delete(service, expired, problem):
    game = service.create_game(2)
    assert game.call("POST", "abort", token=game.host, headers=KEY).status_code == 200
    if expired:
        service.redis.delete(key_of(game.id, "game"))
    assert refused(delete(game, headers=KEY)) == problem


def test_game_that_others_have_played_is_only_hidden_from_the_own_lists(service):
    keys = [PLAYER_KEY, "skye_key_" + 24 * "B"]
    game = service.begin(PLAYER_KEY, players=[{"name": "Ann"}], seat_count=2, auto_start=True)
    assert service.call("POST", game.path("players"), {"name": "Bob"}, keys[1]).status_code == 201
    service.call("POST", game.path("players/me/resign"), token=PLAYER_KEY)
    service.call("POST", game.path("players/me/resign"), token=keys[1])
    view = game.view()
    for key in keys:
        assert game.id in service.call("GET", "/v1/me/games/records", token=key).text
    answers = [game.call("DELETE", token=PLAYER_KEY, headers=KEY).status_code for _ in range(2)]
    assert [*answers, game.call("DELETE", token=PLAYER_KEY).status_code] == [204, 204, 204]
    assert game.view() == view
    assert len(service.get("/v1/me/games", PLAYER_KEY)["games"]) == 0
    assert service.call("GET", "/v1/me/games/records", token=PLAYER_KEY).text == ""
    assert [own["game"]["id"] for own in service.get("/v1/me/games", keys[1])["games"]] == [game.id]
    assert game.id in service.call("GET", "/v1/me/games/records", token=keys[1]).text
    assert [each["id"] for each in service.get("/v1/games")["games"]] == [game.id]
    assert refused(game.call("DELETE", token="skye_key_" + 24 * "C")) == (403, "host_only")
    assert refused(game.call("DELETE")) == (401, "token_required")


@pytest.mark.parametrize("holder", ["host", "seat"])
def test_token_of_a_game_that_others_have_played_deletes_nothing(service, holder):
    game = service.create_game(2)
    game.abort()
    token = game.host if holder == "host" else game.tokens[1]
    assert delete(game, token=token).status_code == 204
    assert game.view()["status"] == "aborted"


def test_host_deletes_games_that_never_began_and_those_of_the_laboratory(service):
    lobby = service.create_game(2, start=False)
    lobby.abort()
    manual = service.create_game(2, options={"clock": "manual", "turn_ms": 1000})
    manual.abort()
    for game in (lobby, manual):
        assert delete(game, token=game.tokens[0]).status_code == 204
        assert game.view()["status"] == "aborted"
        assert delete(game).status_code == 204
        assert game.call("GET").status_code == 404


@pytest.mark.parametrize("start", [True, False])
def test_game_that_is_not_over_is_not_deleted(service, start):
    game = service.create_game(2, start=start)
    assert refused(delete(game)) == (409, "game_not_over")
    assert game.call("GET").status_code == 200


def test_finished_game_leaves_the_list_when_it_is_deleted(service):
    game = service.create_game(2, bots={0: "random", 1: "random"})
    assert game.view()["status"] == "finished"
    assert delete(game).status_code == 204
    assert service.get("/v1/games")["games"] == []
    assert service.redis.keys() == [b"skye:{rulesets}:data"]


def test_deletion_of_a_private_game_is_hidden_from_strangers(service):
    game = aborted(service, visibility="private")
    asked = {"headers": {"X-Request-Id": "same"}}
    before = [game.call("DELETE", token=token, **asked).data for token in (None, "skye_seat_" + 22 * "A")]
    delete(game)
    after = [game.call("DELETE", token=token, **asked).data for token in (None, "skye_seat_" + 22 * "A")]
    assert before == after


def test_deletion_with_an_old_version_is_refused(service):
    game = aborted(service)
    assert refused(delete(game, headers={"If-Match": '"1"'})) == (412, "version_mismatch")
    assert game.call("GET").status_code == 200
