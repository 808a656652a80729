"""The embedded server on a disk that is really full: a small file system of its own."""

import contextlib
import http.client
import itertools
import json
import os
import signal
import subprocess
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.launcher import all_ended, launching, redis_servers
from tests.support.waiting import MAX_WAIT_S, waited_for

DISK = "size=4m"
NO_MOUNT = "This user may not mount a file system: the embedded server is not tested on a full disk"


@pytest.fixture
def disk(tmp_path):
    """A folder on a file system of 4 MB."""
    folder = tmp_path / "data"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", DISK, "tmpfs", folder], check=False)
    if mounted.returncode:
        pytest.skip(NO_MOUNT)
    folder.chmod(0o700)
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


def fill(folder):
    """Write a file until no space is left; return its path."""
    path = Path(folder, "filler")
    with path.open("wb", buffering=0) as file, pytest.raises(OSError, match="No space left"):
        file.writelines(itertools.repeat(b"x" * 4096))
    return path


def create(served):
    """Create a game; return its id, or the problem that refused it."""
    try:
        return served.call("POST", "/v1/games", {})["game"]["id"], None
    except urllib.error.HTTPError as error:
        with error:
            return None, json.load(error)


def test_full_disk_of_the_embedded_server_refuses_writes_and_loses_nothing(tmp_path, disk):
    with launching(tmp_path) as start:
        served = start()
        acknowledged = [create(served)[0]]
        filler = fill(disk)
        problems = []

        def refused():
            game, problem = create(served)
            acknowledged.extend([game] if game else [])
            problems.extend([problem] if problem else [])
            return bool(problems)

        assert waited_for(refused)
        assert (problems[0]["status"], problems[0]["code"]) == (503, "store_unavailable")
        assert problems[0]["detail"].startswith("The store refused the change")
        assert b"<html" in served.read("/docs")
        assert served.read("/healthz")
        with pytest.raises(urllib.error.HTTPError) as unready:
            served.read("/readyz")
        with unready.value as response:
            assert "free space on its disk" in json.load(response)["detail"]
        for game in acknowledged:
            assert json.loads(served.read(f"/v1/games/{game}"))["id"] == game
        filler.unlink()
        assert waited_for(lambda: create(served)[0])
        assert served.end() == 0
        again = start()
        for game in acknowledged:
            assert json.loads(again.read(f"/v1/games/{game}"))["id"] == game


NO_ANSWER = (OSError, http.client.HTTPException)
CLIENTS = 4


def create_until_refused(served):
    """Create games until one is refused, or nothing answers; return the ids of those acknowledged."""
    acknowledged = []
    with contextlib.suppress(*NO_ANSWER):
        while (created := create(served))[1] is None:
            acknowledged.append(created[0])
        assert created[1]["code"] == "store_unavailable"
    return acknowledged


def are_stored(served, games):
    """Return whether all games can be read; False while the store is unavailable.

    :raises urllib.error.HTTPError: if a game is lost.
    """
    for game in games:
        try:
            served.read(f"/v1/games/{game}")
        except urllib.error.HTTPError as error:
            with error:
                if error.code == 503:
                    return False
                raise
    return True


@pytest.fixture(params=["everysec", "always"])
def full(request, tmp_path, disk):
    """A launcher whose disk has filled up while games were created.

    Yields also the games it must not lose, and the lists of those that each client created while the disk was
    filled: with `everysec` the server acknowledges some before it notices that the disk is full.
    """
    with launching(tmp_path) as start:
        settings = {"SKYE_APPENDFSYNC": request.param, "SKYE_REDIS_WAIT_MS": "500"}
        served = start(**settings)
        kept = [create(served)[0] for _ in range(20)]
        assert waited_for(lambda: any(kept[-1].encode() in file.read_bytes() for file in disk.rglob("*.aof")))
        with ThreadPoolExecutor(CLIENTS) as threads:
            creating = [threads.submit(create_until_refused, served) for _ in range(CLIENTS)]
            filler = fill(disk)
            late = [created.result(MAX_WAIT_S) for created in creating]
        if request.param == "always":
            kept, late = kept + [game for games in late for game in games], []
        yield served, kept, late, filler, lambda: start(**settings)


def is_stored(served, game):
    try:
        return bool(served.read(f"/v1/games/{game}"))
    except urllib.error.HTTPError as error:
        with error:
            if error.code != 404:
                raise
        return False


def are_lost_from_the_end(served, games):
    """Return whether none of the games of a client is stored after the first that is lost."""
    stored = [is_stored(served, game) for game in games]
    return stored == sorted(stored, reverse=True)


def test_kill_of_redis_on_a_full_disk_loses_the_last_changes_at_most(full):
    served, acknowledged, late, filler, _ = full
    for pid in redis_servers(served.process.pid):  # none while it is being started again
        os.kill(pid, signal.SIGKILL)
    served.wait_for("Redis ended")
    filler.unlink()
    assert waited_for(lambda: are_stored(served, acknowledged))
    assert all(are_lost_from_the_end(served, games) for games in late)
    assert waited_for(lambda: create(served)[0])


def test_kill_of_the_launcher_on_a_full_disk_loses_the_last_changes_only(full):
    served, acknowledged, late, filler, start_again = full
    processes = served.descendants()
    served.end(signal.SIGKILL)
    assert all_ended(processes)
    on_full_disk = start_again()
    assert waited_for(lambda: "health" in on_full_disk.printed or on_full_disk.process.poll() is not None)
    processes = on_full_disk.descendants() if on_full_disk.process.poll() is None else []
    if on_full_disk.process.poll() is None:
        on_full_disk.end(signal.SIGKILL)
    assert all_ended(processes)
    filler.unlink()
    again = start_again()
    assert again.url
    assert are_stored(again, acknowledged)
    assert all(are_lost_from_the_end(again, games) for games in late)
    assert create(again)[0]
