"""The list of public games: its order and its pages, and what a rebuild mends."""

import pytest

from skye_server.settings import Settings
from skye_server.store.game_index import Listed, next_places
from skye_server.store.games import EXPIRY_S
from skye_server.store.redis_store import RedisStore
from skye_server.store.shards import key_of
from tests.support.dispatching import dispatch, rebuild_all
from tests.support.playing import problem_code


def opened(service, number):
    """Open games, each a moment after the one before; return their ids, newest first."""
    ids = []
    for count in range(number):
        service.clock.advance(1)
        ids.append(service.create_game(2, start=count % 2 == 0).id)
    return ids[::-1]


def listed(service, **query):
    """Return the ids of all games listed, page by page, and how many pages there were."""
    ids, pages = [], 0
    while pages < 100:
        answer = service.call("GET", "/v1/games", query_string=query).json
        ids += [game["id"] for game in answer["games"]]
        pages += 1
        if answer["next_cursor"] is None:
            break
        query["cursor"] = answer["next_cursor"]
    return ids, pages


def test_games_are_listed_newest_first(service):
    ids = opened(service, 5)
    assert listed(service) == (ids, 1)
    (newest, *_) = service.get("/v1/games")["games"]
    assert newest["id"] == ids[0]
    assert newest.keys() >= {"id", "name", "status", "seat_count", "players", "created_at", "round", "phase"}


@pytest.mark.parametrize(("limit", "pages"), [(1, 7), (2, 4), (3, 3), (6, 2), (7, 1), (100, 1)])
def test_pages_have_every_game_once(service, limit, pages):
    ids = opened(service, 7)
    assert listed(service, limit=limit) == (ids, pages)


def test_games_can_be_listed_by_status(service):
    ids = opened(service, 4)
    over = service.create_game(2, bots={0: "random", 1: "random"}).id
    assert listed(service, status="lobby") == (ids[0::2], 1)
    assert listed(service, status="playing", limit=1) == (ids[1::2], 2)
    assert listed(service, status="finished") == ([over], 1)


def test_game_with_a_new_status_moves_in_the_index(service):
    game = service.create_game(2, start=False)
    assert listed(service, status="lobby") == ([game.id], 1)
    game.call("POST", "start", token=game.host)
    assert listed(service, status="lobby") == ([], 1)
    assert listed(service, status="playing") == ([game.id], 1)
    game.abort()
    assert listed(service) == ([], 1)
    assert service.redis.keys("skye:{index}:*") == []


def test_next_page_of_a_list_that_changes_skips_and_repeats_no_game(service):
    ids = opened(service, 6)
    first = service.get("/v1/games?limit=2")
    opened(service, 2)
    gone = ids[3]
    service.redis.delete(key_of(gone, "game"))
    service.clock.advance(100)
    second = service.get(f"/v1/games?limit=2&cursor={first['next_cursor']}")
    assert [game["id"] for game in second["games"]] == [ids[2], ids[4]]


def put(service, name, game_id, score=1e15):
    """Put a game into a list as nothing but a loss of writes does."""
    RedisStore(service.redis).index.put(Listed(game_id, 1, name, score), (), forced=True)


def newest(service, name):
    return [game for game, _ in RedisStore(service.redis).index.newest(name, None, 9)]


def lists(service):
    return {key: value for key, value in service.stored().items() if key.startswith(b"skye:{index}:")}


def test_list_that_lags_behind_shows_each_game_once_and_is_rebuilt(service):
    ids = opened(service, 3)
    before = lists(service)
    scores = dict(service.redis.zrange("skye:{index}:lobby", 0, -1, withscores=True))
    scores |= dict(service.redis.zrange("skye:{index}:playing", 0, -1, withscores=True))
    for name in ("lobby", "playing", "finished"):
        for game, score in scores.items():
            put(service, name, game.decode(), score)
    for limit in (1, 2, 9):
        assert listed(service, limit=limit)[0] == ids
    rebuild_all(service)
    assert lists(service) == before


def test_game_that_is_being_stored_is_listed_after_its_commit(service):
    put(service, "lobby", "soon", service.clock.now * 1e6)
    assert listed(service) == ([], 1)
    assert newest(service, "lobby") == ["soon"]
    rebuild_all(service)
    assert service.redis.keys("skye:{index}:*") == []


def test_expired_games_leave_the_index_without_a_request_for_lists(service):
    expired, kept = service.create_game(2, start=False), service.create_game(2, start=False)
    service.redis.expire(key_of(expired.id, "game"), EXPIRY_S)
    service.clock.advance(Settings().game_ttl_lobby_s)
    dispatch(service)
    assert newest(service, "lobby") == [kept.id]
    assert set(service.redis.hkeys("skye:{index}:versions")) == {kept.id.encode()}


def test_private_game_is_not_listed(service):
    service.create_game(2, visibility="private")
    service.create_game(2, visibility="private", start=False)
    assert service.get("/v1/games") == {"games": [], "next_cursor": None}


def test_private_game_in_the_index_is_not_listed(service):
    game = service.create_game(2, visibility="private")
    put(service, "playing", game.id)
    assert service.get("/v1/games")["games"] == []
    rebuild_all(service)
    assert newest(service, "playing") == []


def test_listed_game_of_a_wrong_redis_type_is_left_out(service):
    ids = opened(service, 3)
    key = key_of(ids[1], "game")
    service.redis.delete(key)
    service.redis.lpush(key, "not a game")
    assert problem_code(service.call("GET", f"/v1/games/{ids[1]}")) == "store_unavailable"
    assert listed(service) == ([ids[0], ids[2]], 1)


@pytest.fixture
def two_finished(service):
    """The ids of two finished games, of which the first that was created finished last."""
    bots = {"players": [{"name": "Ann"}, {"bot": "random"}], "auto_start": True}
    slow = service.call("POST", "/v1/games", bots).json
    service.clock.advance(1)
    quick = service.create_game(2, bots={0: "random", 1: "random"}).id
    service.clock.advance(1)
    path = f"/v1/games/{slow['game']['id']}/players/0/resign"
    assert service.call("POST", path, token=slow["players"][0]["token"]).status_code == 200
    return [slow["game"]["id"], quick]


def test_finished_game_under_another_status_is_moved_to_its_end(service, two_finished):
    scores = dict(service.redis.zrange("skye:{index}:finished", 0, -1, withscores=True))
    service.redis.delete("skye:{index}:finished")
    for game in two_finished:
        put(service, "playing", game)
    rebuild_all(service)
    assert dict(service.redis.zrange("skye:{index}:finished", 0, -1, withscores=True)) == scores
    assert newest(service, "playing") == []


def test_next_page_reads_no_more_than_its_games_from_the_last_place_on():
    places, asked = [("c", 5.0), ("b", 5.0), ("a", 4.0), ("d", 3.0)], []

    def read(highest, limit):
        asked.append((highest, limit))
        return [place for place in places if highest is None or place[1] <= highest][:limit]

    assert next_places(read, 2, None) == [(5.0, "c"), (5.0, "b")]
    assert next_places(read, 2, (4.5, "")) == [(4.0, "a"), (3.0, "d")]
    assert asked == [(None, 2), (4.5, 2)]
    assert next_places(read, 2, (5.0, "c")) == [(5.0, "b"), (4.0, "a")]
