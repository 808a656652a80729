"""Stores whose games are read or committed in another way."""

from skye_server.store.redis_store import RedisStore


def store_of(client, games, *arguments):
    """Return a store whose games are of another class; its arguments follow the calls of the store."""
    store = RedisStore(client)
    store.games = games(store.calls, *arguments)
    return store
