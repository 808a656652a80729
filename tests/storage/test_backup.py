"""Files that are damaged are refused as such, before anything is restored."""

import io

import pytest

from skye_server.storage.backup import BackupError, check_backup
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
