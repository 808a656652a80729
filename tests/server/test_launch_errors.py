"""What keeps the launcher from starting: each error names its cause and a remedy."""

import socket

import pytest

from skye_server.server import api_process
from skye_server.server.api_process import listen
from skye_server.server.embedded_redis import DataFolder
from skye_server.server.processes import LaunchError
from skye_server.setting_parsers import Address


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
