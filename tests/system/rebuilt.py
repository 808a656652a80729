"""What was derived of games during faults, compared with what is derived of them again."""

import tempfile
import time
from pathlib import Path

import redis

from skye_server.error_codes import Problem
from skye_server.games.due import RELAY_MS
from skye_server.server.server_programs import find_program
from skye_server.settings import Settings
from skye_server.store.redis_store import RedisStore
from tests.support.derived import derived, forget_derived
from tests.support.dispatching import games_of, rebuild_all
from tests.support.playing import Service
from tests.support.waiting import MAX_WAIT_S, waited_for
from tests.system.machines import OneRedis
from tests.system.proof import require

STATUSES = ("lobby", "playing", "finished")
MAX_PAGES = 1000


def prove_rebuilt(url, wire):
    """Compare lists, and games and events of players, of an idle service with a rebuild in another store.

    :param url: that of the Redis, on which a dispatcher is running.
    """
    store = relayed(url)
    with tempfile.TemporaryDirectory(prefix="skye-") as folder:
        backup = Path(folder, "backup")
        with backup.open("wb") as file:
            store.backup(file)
        with (
            OneRedis(find_program(), Path(folder), "no") as other,
            redis.Redis.from_url(other.url) as client,
            Service(client) as rebuilt,
        ):
            rebuilt.clock.now = float(round(time.time()))  # whole seconds, so that no sum is rounded
            games_of(rebuilt).store.restore(backup)
            players = derived(rebuilt)
            forget_derived(rebuilt)
            rebuild_all(rebuilt)
            again = derived(rebuilt)
            for key, value in players.items():
                require(again.get(key) == value, key, value, "but rebuilt", again.get(key))
            more = [key for key in again if key not in players and not key.startswith(b"skye:{index}:")]
            require(not more, "rebuilt only:", more)
            for status in STATUSES:
                listed = _listed(status, wire.read)
                require(listed == _listed(status, rebuilt.get), status, listed)


def relayed(url):
    """Return the store at a URL, once nothing is due for the relay, nor will be soon."""
    store = RedisStore.from_settings(Settings(redis_url=url, redis_wait_ms=int(1000 * MAX_WAIT_S)))

    def backlog():
        return store.due.backlog(round(1000 * time.time()) + 2 * RELAY_MS)

    def is_relayed():
        try:
            found = backlog()
        except Problem:  # a Redis that was killed starts again
            return False
        return found["relay"][1] == 0 and found["parked"][0] == 0 and not store.due.claimed()["relay"]

    assert waited_for(is_relayed), backlog()
    return store


def _listed(status, read):
    """Return the ids of the games of a status, which one must not be on two pages of the list."""
    listed, cursor = [], ""
    for _ in range(MAX_PAGES):
        page = read(f"/v1/games?status={status}&limit=50{cursor}")
        listed += [game["id"] for game in page["games"]]
        if page["next_cursor"] is None:
            return sorted(listed)
        cursor = f"&cursor={page['next_cursor']}"
    raise AssertionError(f"the list of {status} games does not end")
