"""The embedded server on a disk that is really full: a small file system of its own."""

import itertools
import json
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tests.deploy.servers import waited_for
from tests.support.launcher import launching

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
    """Create a game; return its id, or the problem of the refusal."""
    try:
        return served.call("POST", "/v1/games", {})["game"]["id"], None
    except urllib.error.HTTPError as error:
        return None, json.load(error)


def test_full_disk_of_the_embedded_server_refuses_writes_and_loses_nothing(tmp_path, disk):
    with launching(tmp_path) as start:
        served = start()
        acknowledged = [create(served)[0]]
        filler = fill(disk)
        refusals = []

        def refused():
            game, problem = create(served)
            acknowledged.extend([game] if game else [])
            refusals.extend([problem] if problem else [])
            return bool(refusals)

        assert waited_for(refused, 60)
        assert (refusals[0]["status"], refusals[0]["code"]) == (503, "store_unavailable")
        assert "MISCONF" not in refusals[0]["detail"]
        assert b"<html" in served.read("/docs")
        assert served.read("/healthz")
        for game in acknowledged:
            assert json.loads(served.read(f"/v1/games/{game}"))["id"] == game
        filler.unlink()
        assert waited_for(lambda: create(served)[0], 60)
        assert served.end() == 0
        again = start()
        for game in acknowledged:
            assert json.loads(again.read(f"/v1/games/{game}"))["id"] == game
