"""What keeps the launcher from starting: each error names its cause and a remedy."""

import errno
import os
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from skye_server.server import api_process, launcher
from skye_server.server.api_process import listen
from skye_server.server.embedded_redis import DataFolder, has_space
from skye_server.server.processes import LaunchError
from skye_server.setting_parsers import Address
from skye_server.settings import Settings
from tests.support.waiting import MAX_WAIT_S


@pytest.mark.parametrize("setting", ["SKYE_BIND", "SKYE_HEALTH_BIND"])
def test_port_in_use_is_reported_with_its_setting(setting, monkeypatch):
    monkeypatch.setattr(api_process, "_PORT_TIMEOUT_S", -1)
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(LaunchError) as raised:
            listen(setting, Address("127.0.0.1", port))
    assert str(raised.value).startswith(f"Cannot listen at 127.0.0.1:{port}: Address already in use.")
    assert f"Stop the program that uses it, or set {setting}," in str(raised.value)


def test_data_folder_that_cannot_be_written_is_reported(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(LaunchError, match=f"The data folder {tmp_path}/file/data cannot be written: Not a"):
        DataFolder(tmp_path / "file" / "data")


def test_server_with_an_unfinished_restore_is_warned_of(redis_server, redis_client, capsys):
    redis_client.set("skye:{clock}:restore", "digest")
    launcher._warn_of_the_store(Settings(redis_url=redis_server.url))  # noqa: SLF001 - needs no processes
    redis_client.delete("skye:{clock}:restore")
    assert "restore into this server has not finished" in capsys.readouterr().err
    launcher._warn_of_the_store(Settings(redis_url=f"{redis_server.url[:-1]}99"))  # noqa: SLF001 - likewise
    assert "refuses commands (DB index is out of range)" in capsys.readouterr().err


def test_too_few_open_files_are_reported_with_the_limit():
    limited = "import resource, runpy; resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128)); "
    limited += "runpy.run_module('skye_server.worker.gunicorn_conf')"
    environ = os.environ | {"SKYE_REDIS_URL": "memory://"}
    done = subprocess.run(
        [sys.executable, "-c", limited], env=environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.startswith("A process may open 128 files only")


def test_redis_on_a_full_disk_starts_again_as_soon_as_there_is_space(monkeypatch, tmp_path):
    free = [False, False, False, True]
    monkeypatch.setattr(launcher, "has_space", lambda _folder: free.pop(0))
    monkeypatch.setattr(launcher, "_wait_for_end", lambda *_: None)
    started = []
    server = SimpleNamespace(folder=tmp_path, start=lambda: started.append(free[:]))
    monkeypatch.setattr(launcher, "_wait_for_redis", lambda _server: None)
    assert launcher._restarted(None, server, MAX_WAIT_S)  # noqa: SLF001 - else it would wait that long
    assert started == [[]]


def test_space_of_a_folder_is_found_by_writing_to_it(tmp_path, monkeypatch):
    assert has_space(tmp_path)
    assert not list(tmp_path.iterdir())

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    assert not has_space(tmp_path)
