"""An address that has as much stored as it may: it fills a small part of Redis, and strangers play."""

import secrets

import pytest

from skye_server.http.rate_limits import GAME_KB, SEAT_KB
from skye_server.store.connection.topology import SingleServer
from skye_server.store.memory_reserve import MemoryReserve
from skye_server.store.redis_store import RedisStore
from tests.support.playing import PAIR, Service, dice, problem_code

BUDGET_KB = 600
"""The budget of a day, scaled from the 20,000 of the defaults."""


@pytest.fixture
def redis_of_3_mb(redis_client):
    redis_client.config_set("maxmemory", redis_client.info("memory")["used_memory"] + 3_000_000)
    yield redis_client
    redis_client.config_set("maxmemory", 0)


class Address:
    """A client at an address, which sends each request with a new player key."""

    def __init__(self, service, address):
        self.service, self.environ = service, {"REMOTE_ADDR": address}

    def send(self, method, path, body=None, key=None):
        token = key or f"skye_key_{secrets.token_urlsafe(24)}"
        answer = self.service.call(method, path, body, token, environ_base=self.environ)
        return answer if answer.status_code < 400 else problem_code(answer)

    def fill(self):
        """Store as much as possible, and return the code by which the server refuses more."""
        name = "x" * 40
        while True:
            key = f"skye_key_{secrets.token_urlsafe(24)}"
            lobby = self.send("POST", "/v1/games", {"name": name, "players": [{"name": name}]}, key)
            if isinstance(lobby, str):
                return lobby
            seat = f"/v1/games/{lobby.json['game']['id']}/players"
            for number in range(3):
                self.send("POST", seat, {"name": f"{number}{name[1:]}"})
                self.send("PATCH", f"{seat}/0", {"name": f"{number}{name[2:]}y"}, key)
            alone = {"players": [{"name": name}, {"bot": "random"}], "auto_start": True}
            game = self.send("POST", "/v1/games", alone, key)
            if isinstance(game, str):
                return game
            path = f"/v1/games/{game.json['game']['id']}"
            self.send("POST", f"{path}/players/0/resign", key=key)
            self.send("DELETE", path, key=key)
            self.send("POST", "/v1/matchmaking/tickets", {"name": name, "seat_count": 5})


def limited_by_the_day(redis_client):
    store = RedisStore(redis_client)
    store.reserve = MemoryReserve(store.calls, SingleServer(redis_client), 25)
    rates = {"limit_requests_per_minute": 0, "limit_games_per_minute": 0}
    return Service(redis_client, store, limits=True, limit_stored_kb_per_day=BUDGET_KB, **rates)


@pytest.mark.usefixtures("stopped_clock")
def test_address_that_fills_redis_leaves_room_for_strangers(redis_of_3_mb):
    service = limited_by_the_day(redis_of_3_mb)
    assert Address(service, "192.0.2.1").fill() == "too_many_requests"
    keys = redis_of_3_mb.keys("skye:*")
    assert 0 < sum(redis_of_3_mb.memory_usage(key, samples=0) for key in keys) < 1000 * BUDGET_KB
    for number in range(BUDGET_KB // (GAME_KB + 2 * SEAT_KB) // 4):
        stranger = Address(service, f"198.51.100.{number}")
        assert stranger.send("POST", "/v1/games", PAIR).status_code == 201
    assert service.create_game(2).play_out(dice(1))["status"] == "finished"
