"""A cluster moves the slot of a shard with many games under play: commits wait, and none fails."""

import itertools
import threading
import time

from skye_server.games.due import Due
from skye_server.settings import Settings
from skye_server.store.commit import Commit, LogEntry
from skye_server.store.redis_store import RedisStore
from skye_server.store.shards import key_of, shard_of
from tests.support.sizes import sized
from tests.system.redis_forms import Cluster
from tests.system.test_dispatchers_on_redis_forms import move_slot

SHARD = 7
GAMES = sized(300, 5_000)
PLAYED = 20


def commit(store, game, version):
    """Commit a version of a game that has a deadline in a minute."""
    now_ms = round(1000 * time.time())
    expected = b"1:%d:" % (version - 1) if version > 1 else None
    entries, due = [LogEntry(version, b"change")], [Due("game", game, now_ms + 60_000)]
    assert store.games.commit(
        Commit(game, expected, b"1:%d:game" % version, entries, 1000, due=due, now_ms=now_ms)
    )


def test_commits_wait_while_the_slot_of_their_shard_moves(redis_program, tmp_path):
    names = (f"game{number}" for number in itertools.count())
    games = list(itertools.islice((name for name in names if shard_of(name) == SHARD), GAMES))
    settings = Settings()
    with Cluster(redis_program, tmp_path, replicas=0) as cluster:
        store = RedisStore.from_settings(Settings(redis_url=cluster.url))
        for game in games:
            commit(store, game, 1)
        moved, versions, longest_s = threading.Event(), dict.fromkeys(games[:PLAYED], 1), [0.0]

        def play():
            while not moved.is_set():
                for game in versions:
                    began_at = time.monotonic()
                    commit(store, game, versions[game] + 1)
                    versions[game] += 1
                    longest_s[0] = max(longest_s[0], time.monotonic() - began_at)

        player = threading.Thread(target=play)
        player.start()
        move_slot(cluster, key_of(games[0], "game"))
        moved.set()
        player.join()
        assert longest_s[0] < settings.redis_wait_ms / 1000
        for game, version in versions.items():
            assert store.games.load(game)[0] == b"1:%d:game" % version
            assert [entry.last_event for entry in store.games.load_with_log(game)[1]] == list(
                range(1, version + 1)
            )
        claims = store.due.claim(round(1000 * time.time()) + 120_000, {"game": 3 * GAMES}).claims
        assert sorted(claim.id for claim in claims) == sorted(games)
