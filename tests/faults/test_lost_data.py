"""Games that Redis has lost completely or in part: the service returns the rest, and never guesses."""

import contextlib
from itertools import islice

import pytest

from skye_server.store.redis_games import RedisGames
from skye_server.store.shards import key_of
from tests.deploy.servers import JSON
from tests.faults.parts import RetryingPlayer, StreamReader, call_until_available, check_stored_game
from tests.support.dispatching import rebuild_all
from tests.support.playing import Service, dice, problem_code
from tests.support.stores import store_of
from tests.support.waiting import waited_for
from tests.support.whole_game import played

# All games at once.


def test_store_that_returns_empty_has_no_games(parts):
    api, player = parts.api, RetryingPlayer(parts.api)
    (game, _), *_ = islice(played(player, 2, "lost"), 8)
    path = f"/v1/games/{game['id']}"
    reader = StreamReader(api, game["id"])
    key = JSON | {"Idempotency-Key": "the-only-one-0123456789abcdefghijk"}
    created = call_until_available(api, "POST", "/v1/games", b"{}", key)

    parts.redis.restart_empty()
    parts.repair()

    assert reader.ended() == "game_not_found"
    for rest in ("", "/events", "/record", "/scores", "/players/0/actions", "/players/0/territory"):
        answer = call_until_available(api, "GET", path + rest)
        assert (answer.status, answer.json["code"]) == (404, "game_not_found")
    assert call_until_available(api, "POST", f"{path}/start", b"", JSON).json["code"] == "game_not_found"
    assert call_until_available(api, "GET", "/v1/games").json["games"] == []

    again = call_until_available(api, "POST", "/v1/games", b"{}", key)
    assert again.status == 201
    assert again.json["host_token"] != created.json["host_token"]
    listed = call_until_available(api, "GET", "/v1/games").json["games"]
    assert [game["id"] for game in listed] == [again.json["game"]["id"]]
    *_, (last, _) = played(player, 2, "lost")
    assert check_stored_game(parts.redis.client, last["id"]).version == last["version"]


def test_stream_reports_a_store_that_returns_with_older_data(parts):
    api, player = parts.api, RetryingPlayer(parts.api)
    playing = played(player, 2, "older")
    game, _ = list(islice(playing, 8))[-1]
    names = [key_of(game["id"], part).encode() for part in ("game", "log")]
    older = {name: parts.redis.client.dump(name) for name in names}
    newer, _ = list(islice(playing, 5))[-1]
    reader = StreamReader(api, game["id"])
    assert waited_for(lambda: reader.events[-1] == newer["last_event"])

    for name in names:
        parts.redis.client.restore(name, 0, older[name], replace=True)
    parts.redis.client.client_kill_filter(_type="pubsub")  # as when the store was restarted

    assert reader.ended() == "history_lost"
    answer = call_until_available(api, "GET", f"/v1/games/{game['id']}/events?after={newer['last_event']}")
    assert (answer.status, answer.json["code"]) == (410, "history_lost")
    check_stored_game(parts.redis.client, game["id"])


class Reverted(RedisGames):
    """Games of a store that call a function before each commit."""

    def __init__(self, calls):
        super().__init__(calls)
        self.first = []

    def commit(self, commit):
        if self.first:
            self.first.pop()()
        return super().commit(commit)


def test_commit_to_another_game_of_the_same_version_is_refused(redis_client):
    store = store_of(redis_client, Reverted)
    game = Service(redis_client, store).create_game(2)

    def kept():
        return {name: redis_client.dump(name) for name in redis_client.keys(key_of(game.id, "*"))}

    def restore(older):
        for name, value in older.items():
            redis_client.restore(name, 0, value, replace=True)

    begun = kept()
    game.offer(0, 1, 1)
    another = kept()
    restore(begun)
    game.offer(0, 2, 1)
    store.games.first = [lambda: restore(another)]  # as when Redis had lost a second, and players went on
    assert game.offer(1, 1, 1).status_code == 200
    assert store.games.first == []
    assert check_stored_game(redis_client, game.id).version == 6


@contextlib.contextmanager
def unwritable(client):
    """Make a Redis a replica without a master: it keeps its data, and refuses writes."""
    client.replicaof("127.0.0.1", 1)
    try:
        yield
    finally:
        client.replicaof("NO", "ONE")


def test_deadline_during_an_outage_is_applied_later(service, redis_client):
    game = in_play(service, options={"turn_ms": 1000})
    version = game.view()["version"]
    service.clock.advance(2)
    with unwritable(redis_client):
        for rest in ("", "events", "scores"):
            assert problem_code(game.call("GET", rest)) == "store_unavailable"
    assert game.view()["version"] > version
    check_stored_game(redis_client, game.id)


def test_list_omits_lost_games_although_redis_refuses_writes(service, redis_client):
    lost, kept = service.create_game(2), service.create_game(2)
    redis_client.delete(*redis_client.keys(key_of(lost.id, "*")))
    with unwritable(redis_client):
        assert [listed["id"] for listed in service.get("/v1/games")["games"]] == [kept.id]
        assert redis_client.zcard("skye:{index}:playing") == 2
    rebuild_all(service)
    assert redis_client.zcard("skye:{index}:playing") == 1


# Parts of a game.


@pytest.fixture
def service(redis_client, monkeypatch):
    monkeypatch.setattr(
        "skye_server.store.connection.pubsub._POLL_S", 0.01
    )  # lets the one who listens end at once
    with Service(redis_client) as service:
        yield service


def in_play(service, **more):
    game = service.create_game(2, **more)
    game.play_to("building", 1)
    return game


OF_THE_TABLE = ("", "scores", "players/0/territory", "players/0/territory/picture.svg")
OF_THE_LOG = ("events", "record", "rounds/1")


def test_game_without_its_log_is_shown_but_cannot_change(service, redis_client):
    game = in_play(service)
    redis_client.delete(key_of(game.id, "log"))
    table = redis_client.get(key_of(game.id, "game"))
    for rest in OF_THE_TABLE:
        service.get(game.path(rest))
    for rest in OF_THE_LOG:
        assert problem_code(game.call("GET", rest)) == "data_corrupt"
    for action in game.actions(0):
        assert problem_code(game.send(0, action)) == "data_corrupt"
    assert problem_code(game.abort()) == "data_corrupt"
    assert redis_client.get(key_of(game.id, "game")) == table
    assert not redis_client.exists(key_of(game.id, "log"))


def test_log_without_its_beginning_or_end_is_refused(service, redis_client):
    for entry in (0, 3, -1):
        game = in_play(service)
        entries = redis_client.xrange(key_of(game.id, "log"))
        redis_client.xdel(key_of(game.id, "log"), entries[entry][0])
        for rest in OF_THE_LOG:
            assert problem_code(game.call("GET", rest)) == "data_corrupt"


def test_events_after_a_lost_beginning_are_returned(service, redis_client):
    game = in_play(service)
    entries = redis_client.xrange(key_of(game.id, "log"))
    redis_client.xdel(key_of(game.id, "log"), entries[0][0])
    after = int(entries[2][0].split(b"-")[0])
    assert service.get(game.path(f"events?after={after}"))["events"][0]["id"] == after + 1


def test_stream_of_a_game_without_its_log_is_refused(service, redis_client):
    game = in_play(service)
    redis_client.delete(key_of(game.id, "log"))
    answer = game.call("GET", "events/stream")
    assert problem_code(answer) == "data_corrupt"


def test_game_without_its_state_is_gone_and_its_id_is_free(service, redis_client):
    key = {"Idempotency-Key": "the-same-0123456789abcdefghijk"}
    game = in_play(service, headers=key)
    redis_client.delete(key_of(game.id, "game"))
    for rest in (*OF_THE_TABLE, *OF_THE_LOG, "players/0/actions"):
        assert problem_code(game.call("GET", rest)) == "game_not_found"
    redis_client.delete(*redis_client.keys(key_of(game.id, "record:*")))
    again = service.create_game(2, headers=key)
    assert again.id == game.id
    again.play_out(dice(1))
    check_stored_game(redis_client, game.id)


def test_deadline_of_a_game_without_its_log_changes_nothing(service, redis_client):
    game = in_play(service, options={"turn_ms": 1000})
    redis_client.delete(key_of(game.id, "log"))
    table = redis_client.get(key_of(game.id, "game"))
    service.clock.advance(10)
    assert problem_code(game.call("GET")) == "data_corrupt"
    assert redis_client.get(key_of(game.id, "game")) == table


@pytest.mark.parametrize("part", ["game", "log"])
def test_value_of_another_redis_type_is_refused(service, redis_client, part):
    game = in_play(service)
    redis_client.delete(key_of(game.id, part))
    redis_client.rpush(key_of(game.id, part), "a list")
    assert game.call("GET", "events").status_code == 503
    for action in game.actions(0) if part == "log" else ():
        assert game.send(0, action).status_code == 503
    assert service.call("GET", "/v1/games").status_code in (200, 503)


def test_eviction_of_games_causes_no_internal_error(service, redis_client):
    games = [in_play(service) for _ in range(20)]
    actions = [game.actions(0)[0] for game in games]
    parts = [key_of(game.id, part) for game in games for part in ("game", "log")]

    def evicted():
        redis_client.config_set("maxmemory", int(redis_client.info("memory")["used_memory"]) - 10_000)
        redis_client.set("more", b"x" * 100)
        return redis_client.exists(*parts) < len(parts) - 5

    redis_client.config_set("maxmemory-policy", "allkeys-random")
    try:
        assert waited_for(evicted)
        answers = [game.call("GET", rest) for game in games for rest in (*OF_THE_TABLE, *OF_THE_LOG)]
        answers += [game.send(0, action) for game, action in zip(games, actions, strict=True)]
    finally:
        redis_client.config_set("maxmemory", 0)
        redis_client.config_set("maxmemory-policy", "noeviction")
    refused = {problem_code(answer) for answer in answers if answer.status_code != 200}
    assert refused <= {"game_not_found", "data_corrupt", "data_newer", "store_unavailable"}
    assert refused & {"game_not_found", "data_corrupt"}
