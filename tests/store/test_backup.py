"""Files that are damaged are refused as such, before anything is restored. Due work is rebuilt after it."""

import io

import pytest

from skye_server.error_codes import Problem
from skye_server.games.due import RELAY_MS
from skye_server.relay.relay import rebuild
from skye_server.store import backup as backups
from skye_server.store.backup import BackupError, check_backup
from skye_server.store.redis_store import RedisStore
from tests.store.test_redis_store import commit
from tests.support.dispatching import dispatch, rebuild_all
from tests.support.playing import Service, stored
from tests.support.waiting import MAX_WAIT_S


@pytest.fixture
def backup(redis_client):
    """The bytes of a backup."""
    store, file = RedisStore(redis_client), io.BytesIO()
    store.games.commit(commit(1))
    store.backup(file)
    return file.getvalue()


def refused(path, content):
    """Return whether a file of this content is refused."""
    path.write_bytes(content)
    try:
        check_backup(path)
    except BackupError:
        return True
    return False


def test_backup_that_is_damaged_anywhere_is_refused(backup, tmp_path):
    assert not refused(tmp_path / "backup", backup)
    header = 10  # of gzip: times and flags without effect on the content
    for place in range(header, len(backup)):
        damaged = bytearray(backup)
        damaged[place] ^= 0xFF
        assert refused(tmp_path / "backup", damaged), place


def test_restore_that_broke_off_is_reported_and_finished_with_the_same_file(
    redis_client, tmp_path, monkeypatch
):
    store, file, other = RedisStore(redis_client), tmp_path / "backup", tmp_path / "other"
    for path, games in ((other, ["one"]), (file, ["one", "two", "three"])):
        for game in games:
            store.games.commit(commit(1, game=game))
        with path.open("wb") as written:
            store.backup(written)
        redis_client.flushall()
    service = Service(redis_client, store)
    with monkeypatch.context() as broken:
        left, commands = [None] * 2, backups._commands  # noqa: SLF001 - what a restore sends

        def breaks_off(stored):
            left.pop()
            return commands(stored)

        broken.setattr(backups, "_commands", breaks_off)
        with pytest.raises(Problem):
            store.restore(file)
    assert service.call("GET", "/readyz").json["code"] == "store_unavailable"
    with pytest.raises(BackupError, match="has not finished"):
        store.backup(io.BytesIO())
    with pytest.raises(BackupError, match="restore of another file"):
        store.restore(other)
    assert store.restore(file).games == 3
    assert service.call("GET", "/readyz").json["code"] == "store_unavailable"
    store.finish_restore()
    assert service.get("/readyz")["status"] == "ok"
    with pytest.raises(BackupError, match="has games already"):
        store.restore(file)


def test_due_work_is_rebuilt_after_a_restore(redis_client, tmp_path):
    def prepare(service):
        service.create_game(2, options={"turn_ms": 60_000})
        service.create_game(2, start=False)

    check_due_after_restore(redis_client, tmp_path / "backup", prepare, 2)


def check_due_after_restore(redis_client, path, prepare, entries):
    """Check that the due entries that some requests cause are the same after a backup and a restore.

    :param prepare: sends the requests to a service.
    :param entries: how many entries there must be.
    """
    store = RedisStore(redis_client)
    service = Service(redis_client, store)
    service.clock.now = store.time()
    prepare(service)

    def due():
        keys = redis_client.keys("skye:*:due.*")
        return {
            (key, name): due_ms
            for key in keys
            for name, due_ms in redis_client.zrange(key, 0, -1, withscores=True)
        }

    before = due()
    assert len(before) == entries
    with path.open("wb") as file:
        store.backup(file)
    redis_client.flushdb()
    store.restore(path)
    assert due() == {}
    rebuild(store)
    service.clock.now = store.time() + RELAY_MS / 1000
    dispatch(service)
    after = due()
    assert after.keys() == before.keys()
    assert max(abs(after[entry] - before[entry]) for entry in after) < 1000 * MAX_WAIT_S


def test_lists_of_games_are_left_out_and_rebuilt(redis_client, tmp_path):
    service = Service(redis_client)
    ids = {service.create_game(2, start=start).id for start in (True, False)}
    store, lists = RedisStore(redis_client), index(redis_client)
    with (tmp_path / "backup").open("wb") as file:
        store.backup(file)
    redis_client.flushdb()
    store.restore(tmp_path / "backup")
    assert index(redis_client) == {}
    rebuild_all(service)
    assert index(redis_client) == lists
    assert {game["id"] for game in service.get("/v1/games")["games"]} == ids


def index(redis_client):
    return {key: stored(redis_client, key) for key in redis_client.keys("skye:{index}:*")}
