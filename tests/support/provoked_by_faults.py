"""Requests that fail because of the state of the service or of its store."""

from skye_server.error_codes import Problem
from skye_server.settings import Settings
from skye_server.store.memory_reserve import RETRY_AFTER_S, MemoryReserve
from skye_server.store.redis_games import RedisGames
from skye_server.store.redis_store import RedisStore
from skye_server.store.shards import key_of
from tests.support.playing import Service
from tests.support.provoked_problems import provokes
from tests.support.stores import store_of

NOBODY = RedisStore.from_settings(Settings(redis_url="redis://127.0.0.1:1/0", redis_wait_ms=0))
"""A store on a Redis that does not reply."""


class Refusing(RedisGames):
    """Games of a store that refuses writes."""

    def commit(self, _commit):
        return False


class Faulty(RedisStore):
    """A store that raises an unexpected error."""

    def ping(self):
        raise ZeroDivisionError


class Full(MemoryReserve):
    """The reserve of a Redis that is nearly full."""

    def check(self, _key):
        raise Problem("storage_full", headers={"Retry-After": str(RETRY_AFTER_S)})


def nearly_full(service):
    """Return a service with the same games, on a Redis that is nearly full."""
    store = RedisStore(service.redis)
    store.reserve = Full(store.calls, None)
    return Service(service.redis, store)


@provokes("storage_full")
def a_new_game_while_the_store_is_nearly_full(service):
    """A new game while the store is nearly full."""
    full = nearly_full(service)
    return lambda: full.call("POST", "/v1/games", {})


@provokes("storage_full")
def a_rematch_while_the_store_is_nearly_full(service):
    game = service.create_game(2)
    game.abort()
    game.service = nearly_full(service)
    return lambda: game.call("POST", "rematch", token=game.tokens[0])


@provokes("too_much_contention")
def a_write_that_others_always_overtake(service):
    """A write that conflicts with other writes at each attempt."""
    game = service.create_game()
    slow = Service(service.redis, store_of(service.redis, Refusing))
    game.service = slow
    return lambda: game.offer(0, 1, 1)


@provokes("internal_error")
def a_fault_that_nobody_foresaw(service):
    """An unexpected error of the service."""
    faulty = Service(service.redis, Faulty(service.redis))
    return lambda: faulty.call("GET", "/readyz")


@provokes("store_unavailable")
def any_game_while_the_store_is_away(service):
    """A request while the store does not respond."""
    game = service.create_game()
    game.service = Service(service.redis, NOBODY)
    return lambda: game.call("GET")


@provokes("store_unavailable")
def a_new_game_while_the_store_is_away(service):
    """A new game while the store does not respond."""
    away = Service(service.redis, NOBODY)
    return lambda: away.call("POST", "/v1/games", {})


@provokes("data_corrupt")
def a_game_that_is_stored_damaged(service):
    game = service.create_game()
    key = key_of(game.id, "game")
    service.redis.set(key, service.redis.get(key)[:-1])
    return lambda: game.call("GET")


@provokes("data_newer")
def a_game_that_a_newer_program_has_stored(service):
    game = service.create_game()
    key = key_of(game.id, "game")
    service.redis.set(key, b"9" + service.redis.get(key)[1:])
    return lambda: game.call("PUT", "purchase", {"tile": None}, seat=0)
