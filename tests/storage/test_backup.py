"""Files that are damaged are refused as such, before anything is restored. The due queue is restored last."""

import io

import pytest

from skye_server.storage import backup as backups
from skye_server.storage.backup import BackupError, check_backup
from skye_server.storage.due_queue import Due
from skye_server.storage.redis_store import RedisStore
from tests.storage.test_redis_store import commit


@pytest.fixture
def backup(redis_client):
    """The bytes of a backup."""
    store, file = RedisStore(redis_client), io.BytesIO()
    store.commit(commit(1))
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


def test_restore_writes_the_due_queue_after_all_games(redis_client, tmp_path, monkeypatch):
    store, restore, keys = RedisStore(redis_client), backups._restore, []  # noqa: SLF001 - to see the order
    store.commit(commit(1, game="zoe"))
    store.due.add(Due("game", "zoe", 1000))
    with (tmp_path / "backup").open("wb") as file:
        store.backup(file)
    redis_client.flushdb()
    monkeypatch.setattr(
        backups, "_restore", lambda calls, stored: keys.append(stored.key) or restore(calls, stored)
    )
    assert store.restore(tmp_path / "backup").values == len(keys)
    assert sorted(key for key in keys if key.startswith(b"skye:{due.")) == keys[-1:]
    assert b"skye:{zoe}:table" in keys
