"""The user's own Redis: the program, the folder, the process."""

import os
import socket
import subprocess
import sys

import pytest
import redis

from skye_server.server.embedded_redis import DataFolder, RedisServer, lock_files, socket_location
from skye_server.server.processes import LaunchError
from tests.server.programs import script
from tests.support.waiting import waited_for


@pytest.fixture
def server_in(redis_program):
    """Return a function that creates a server on a folder's files; stop running servers at the end."""
    made = []

    def make(folder, address=None, **more):
        made.append(RedisServer(redis_program, folder, address or folder / "redis.sock", **more))
        return made[-1]

    yield make
    for server in made:
        server.stop()


@pytest.fixture
def started_in(server_in):
    """Return a function that creates such a server, starts it, and waits until it is ready."""

    def start(folder, **more):
        server = server_in(folder, **more)
        server.start()
        server.wait_until_ready()
        return server

    return start


def test_games_are_kept_from_start_to_start(tmp_path, started_in):
    for start in range(1, 3):
        server = started_in(tmp_path)
        with redis.Redis.from_url(server.url) as client:
            assert client.incr("starts") == start
        server.stop()
        assert not server.running


def test_data_folder_with_special_characters_can_be_used(tmp_path, started_in):
    folder = tmp_path / """it's "odd" %20 ü"""
    folder.mkdir()
    with redis.Redis.from_url(started_in(folder).url) as client:
        assert client.ping()


def test_server_that_cannot_start_reports_why(tmp_path, server_in):
    (tmp_path / "appendonly.aof").write_bytes(b"no commands\r\n" * 9)
    server = server_in(tmp_path)
    server.start()
    with pytest.raises(LaunchError, match=r"did not start on .*: Bad file format"):
        server.wait_until_ready()


def test_old_redis_does_not_start_beside_the_files_of_a_newer_one(tmp_path):
    (tmp_path / "appendonlydir").mkdir()
    old = script(tmp_path / "redis-server", "echo Redis server v=6.2.14 sha=0:0")
    with pytest.raises(LaunchError, match=r"written by Redis 7 or newer, but .* is redis-server 6\.2\.14"):
        RedisServer(old, tmp_path, tmp_path / "redis.sock").start()


def test_append_only_files_without_manifest_are_refused(tmp_path, server_in, started_in):
    started_in(tmp_path).stop()
    (tmp_path / "appendonlydir" / "appendonly.aof.manifest").unlink()
    with pytest.raises(LaunchError, match="holds append-only files but no manifest"):
        server_in(tmp_path).start()


def test_truncated_append_only_file_is_reported(tmp_path, started_in):
    server = started_in(tmp_path)
    assert server.truncation() is None
    with redis.Redis.from_url(server.url) as client:
        client.set("kept", "1")
        client.set("cut", "2")
    server.stop()
    (file,) = (tmp_path / "appendonlydir").glob("*.incr.aof")
    os.truncate(file, file.stat().st_size - 3)
    again = started_in(tmp_path)
    assert "short read while loading" in again.truncation()
    with redis.Redis.from_url(again.url) as client:
        assert client.keys() == [b"kept"]


def test_data_folder_is_locked_by_one_launcher(tmp_path):
    first = DataFolder(tmp_path / "new" / "data")
    with pytest.raises(LaunchError, match=f"by process {os.getpid()}"):
        DataFolder(first.path)
    first.close()
    DataFolder(first.path).close()


def test_data_folder_is_accessible_to_its_owner_only(tmp_path):
    folder = DataFolder(tmp_path / "data")
    assert folder.path.stat().st_mode & 0o777 == 0o700
    folder.close()


def test_files_are_accessible_to_their_owner_only_in_a_folder_of_others(tmp_path, started_in):
    tmp_path.chmod(0o755)
    for _ in range(2):
        server = started_in(tmp_path)
        with redis.Redis.from_url(server.url) as client:
            client.set("secret", "s")
        server.stop()
        files = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != "redis.lock"]
        assert any("appendonly" in path.name for path in files)
        assert [path for path in [*files, tmp_path / "appendonlydir"] if path.stat().st_mode & 0o077] == []
        for path in files:  # as an earlier server left them
            path.chmod(0o644)


def test_redis_left_over_ends_before_its_files_are_opened(tmp_path, started_in):
    earlier = DataFolder(tmp_path)
    lock = lock_files(earlier, tmp_path / "redis.sock")
    orphan = started_in(tmp_path, inherited=(lock,))
    earlier.close()  # as the death of its launcher would; the Redis itself lives on

    later = DataFolder(tmp_path)
    assert later.lock_files("nobody") is None
    assert lock_files(later, tmp_path / "redis.sock", lambda _: orphan.process.terminate()) is not None
    assert waited_for(lambda: not orphan.running)  # a process that exits closes its files a moment before
    later.close()


def test_error_names_the_lock_that_a_process_holds(tmp_path, monkeypatch):
    monkeypatch.setattr("skye_server.server.embedded_redis._ORPHAN_TIMEOUT_S", 0.05)
    earlier = DataFolder(tmp_path)
    lock = earlier.lock_files(tmp_path / "held.sock")
    holder = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, pass_fds=(lock,))
    try:
        earlier.close()
        later = DataFolder(tmp_path)
        with pytest.raises(LaunchError, match=r"fuser .*redis\.lock"):
            lock_files(later, tmp_path / "redis.sock")
        later.close()
    finally:
        holder.communicate(b"\n")


def test_socket_goes_into_the_folder_where_its_path_is_short_enough(tmp_path):
    with socket_location(tmp_path) as place:
        assert place == tmp_path / "redis.sock"
        place.touch()
    assert not place.exists()


def test_long_socket_path_is_replaced_by_a_private_folder(tmp_path):
    deep = tmp_path / ("a" * 60) / ("b" * 60)
    deep.mkdir(parents=True)
    with socket_location(deep) as place:
        assert place.parent.stat().st_mode & 0o777 == 0o700
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(place))
    assert not place.parent.exists()


def test_stale_socket_is_replaced(tmp_path):
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(tmp_path / "redis.sock"))
    with socket_location(tmp_path) as place:
        assert place.parent == tmp_path
        assert not place.exists()


def test_waiting_for_a_server_that_never_answers_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr("skye_server.server.embedded_redis._FIRST_REPLY_TIMEOUT_S", 0.1)
    silent = RedisServer(script(tmp_path / "server", "exec sleep 600"), tmp_path, tmp_path / "redis.sock")
    with silent:
        with pytest.raises(LaunchError, match="it does not respond"):
            silent.wait_until_ready()
        assert silent.running
