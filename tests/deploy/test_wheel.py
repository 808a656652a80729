"""The wheel of the service, built and installed apart from the checkout."""

import os

import pytest

from tests.deploy.servers import ROOT
from tests.support.launcher import Launched
from tests.support.wheels import installed


@pytest.fixture(scope="module")
def site_packages(tmp_path_factory):
    """A folder with the installed wheel; its dependencies are those of the environment of the tests."""
    return installed(ROOT / "service", tmp_path_factory.mktemp("wheel"))


def test_installed_wheel_serves_games_docs_and_contract(site_packages, tmp_path):
    environ = {name: value for name, value in os.environ.items() if not name.startswith("SKYE_")}
    environ |= {"PYTHONPATH": str(site_packages), "SKYE_BIND": "127.0.0.1:0", "SKYE_REDIS_URL": "memory://"}
    launched = Launched(environ, tmp_path / "serve.log", cwd=tmp_path)
    try:
        assert launched.call("POST", "/v1/games", {})["game"]["status"] == "lobby"
        for path in (
            "/docs",
            "/docs/rules",
            "/docs/reference",
            "/openapi.yaml",
            "/play/",
            "/play/-/client/index.js",
        ):
            assert launched.read(path)
    finally:
        launched.end()
