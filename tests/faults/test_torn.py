"""Connections to Redis that break during a command: it is retried, and takes effect once."""

import pytest

from skye_server.settings import Settings
from skye_server.store.redis_store import RedisStore
from tests.faults.parts import RetryingPlayer, StreamReader, check_stored_game
from tests.support.playing import Service
from tests.support.waiting import waited_for
from tests.system.network import ANSWER, REQUEST, ConnectionBreak, NoFault, Relay

HASTY_MS = 150
"""The timeout of a call, in milliseconds."""


@pytest.fixture
def relay(redis_server):
    with Relay(redis_server.address) as relay:
        yield relay


@pytest.fixture
def game(redis_client, relay):
    """A game at a service that reaches its Redis by the relay."""
    url = f"redis://{relay.host}:{relay.port}/0"
    settings = Settings(redis_url=url, redis_timeout_ms=HASTY_MS, redis_wait_ms=60_000)
    game = Service(redis_client, RedisStore.from_settings(settings)).create_game(2)
    game.offer(0, 1, 1)  # every script is known to the Redis now
    return game


ENDS = [
    *[(REQUEST, after, False) for after in (0, 1, 5, 50, 500, 900)],
    *[(REQUEST, after, True) for after in (0, 7, 700)],
    *[(ANSWER, after, False) for after in range(4)],
    *[(ANSWER, after, True) for after in (0, 3)],
]


@pytest.mark.parametrize("times", [1, 3])
def test_change_is_made_once_wherever_its_connection_breaks(game, relay, redis_client, times):
    version = game.view()["version"]
    ends = [end for end in ENDS if times == 1 or not end[2]]
    for number, (kind, after, silence) in enumerate(ends):
        trouble = relay.fault = ConnectionBreak(kind, after, b"EVALSHA", times, silence=silence)
        answer = game.offer(0, 1 + number % 2, 1)
        assert (answer.status_code, answer.json["version"]) == (200, version + number + 1), (kind, after)
        assert trouble.times == 0
    assert check_stored_game(redis_client, game.id).version == version + len(ends)


READS = ("", "events", "events?limit=2", "record", "scores", "players/0/actions")


@pytest.mark.parametrize("silence", [False, True], ids=["reset", "silence"])
def test_read_is_retried_wherever_its_connection_breaks(game, relay, silence):
    expected = [game.call("GET", rest, token=game.tokens[0]).data for rest in READS]
    for after in (0, 1, 6, 40, 900, 1500)[:: 3 if silence else 1]:
        for rest, data in zip(READS, expected, strict=True):
            relay.fault = ConnectionBreak(ANSWER, after, silence=silence)
            answer = game.call("GET", rest, token=game.tokens[0])
            assert (answer.status_code, answer.data) == (200, data), (rest, after)
    relay.fault = ConnectionBreak(ANSWER, 2)
    assert game.service.get("/v1/games")["games"][0]["id"] == game.id


def test_game_is_created_once_wherever_its_connection_breaks(game, relay, redis_client):
    service = game.service
    for kind, after in ((REQUEST, 0), (REQUEST, 300), (ANSWER, 0), (ANSWER, 2)):
        for word in (b"ZADD", b"EVALSHA"):
            relay.fault = ConnectionBreak(kind, after, word)
            opened = service.create_game(2)
            assert check_stored_game(redis_client, opened.id).version == opened.view()["version"]
    relay.fault = NoFault()
    assert len(service.get("/v1/games")["games"]) == 9
    assert len(redis_client.keys("skye:*:game")) == 9


def test_whole_game_is_played_over_breaking_connections(game, relay, redis_client):
    def torn(view):
        relay.fault = ConnectionBreak(ANSWER, view["version"] % 5, times=2)
        return view["status"] != "playing"

    last = game.play_until(torn)
    relay.fault = NoFault()
    assert check_stored_game(redis_client, game.id).version == last["version"]


def test_subscriber_reconnects_after_a_half_open_connection(parts):
    player = RetryingPlayer(parts.api)
    game = player.call("POST", "/v1/games", {"players": [{"name": "Ann"}]})
    reader = StreamReader(parts.api, game["game"]["id"])
    listening = subscriber_ids(parts)
    parts.relay.drop_open_connections()
    assert waited_for(lambda: subscriber_ids(parts) and not subscriber_ids(parts) & listening)
    last = player.call("POST", f"/v1/games/{game['game']['id']}/players", {"name": "Bob"})["game"]
    assert waited_for(lambda: reader.events[-1] == last["last_event"])
    player.call("POST", f"/v1/games/{last['id']}/abort", token=game["host_token"])
    assert reader.ended() == "aborted"


def subscriber_ids(parts):
    """Return the ids of the pub/sub connections of the API."""
    return {client["id"] for client in parts.redis.client.client_list(_type="pubsub")}
