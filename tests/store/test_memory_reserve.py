"""The reserve of memory for games in play: new games are refused while a master is nearly full."""

import pytest

from skye_server.error_codes import Problem
from skye_server.settings import Settings
from skye_server.store.connection.topology import SingleServer
from skye_server.store.memory_reserve import NO_LIMIT, MemoryReserve
from skye_server.store.redis_store import RedisStore
from tests.support.playing import Service, problem_code
from tests.support.waiting import waited_for


@pytest.fixture
def used(redis_client):
    """A function that sets `maxmemory` so that a percentage of it is used."""

    def use(percent):
        maximum = redis_client.info("memory")["used_memory"] * 100 // percent
        redis_client.config_set("maxmemory", maximum)

    redis_client.set("skye:ballast", bytes(30_000_000))  # beside which buffers of connections do not count
    yield use
    redis_client.config_set("maxmemory", 0)


def reserve_of(redis_client, percent=25, **more):
    return MemoryReserve(RedisStore(redis_client).calls, SingleServer(redis_client), percent, **more)


def is_full(reserve):
    reserve.sample()
    try:
        reserve.check("any")
    except Problem:
        return True
    return False


def test_reserve_begins_at_its_size_and_ends_five_percent_below(redis_client, used):
    reserve, found = reserve_of(redis_client), []
    for percent in (72, 78, 72, 68, 72):
        used(percent)
        found.append(is_full(reserve))
    assert found == [False, True, True, False, False]


def test_redis_without_a_limit_or_a_right_has_no_reserve(redis_client):
    reserve = reserve_of(redis_client, warns=True)
    assert not is_full(reserve)
    assert reserve.warnings() == [NO_LIMIT]
    assert reserve_of(redis_client).warnings() == []
    redis_client.execute_command("ACL", "SETUSER", "default", "-info")
    try:
        assert not is_full(reserve)
    finally:
        redis_client.execute_command("ACL", "SETUSER", "default", "+info")


def test_game_in_play_goes_on_while_new_games_are_refused(redis_client, used):
    store = RedisStore(redis_client)
    service = Service(redis_client, store)
    game, lobby = service.create_game(2), service.create_game(1, start=False, seat_count=2)
    store.reserve = reserve_of(redis_client)
    used(80)

    waited_for(lambda: service.call("POST", "/v1/games", {}).status_code == 503)
    answer = service.call("POST", "/v1/games", {})
    assert (problem_code(answer), answer.headers["Retry-After"]) == ("storage_full", "60")
    assert lobby.call("POST", "players", {"name": "Bob"}).status_code == 201
    assert game.play_out()["status"] == "finished"
    assert problem_code(game.call("POST", "rematch", token=game.tokens[0])) == "storage_full"


def test_settings_name_the_size_of_the_reserve():
    store = RedisStore.from_settings(Settings(redis_url="redis://127.0.0.1:1/0"))
    assert store.reserve.percent == Settings().redis_reserve_percent == 25
