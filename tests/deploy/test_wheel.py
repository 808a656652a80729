"""The wheel of the service, built and installed apart from the checkout."""

import os
import shutil
import subprocess
import sys

import pytest

from tests.deploy.servers import ROOT
from tests.support.launcher import Launched
from tests.support.waiting import MAX_RUN_S

pytestmark = pytest.mark.slow

PIP = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")


@pytest.fixture(scope="module")
def site_packages(tmp_path_factory):
    """A folder with the installed wheel; its dependencies are those of the environment of the tests."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"  # a copy: setuptools writes beside the sources it builds
    shutil.copytree(ROOT / "service", source / "service", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    offline = ("--no-deps", "--no-index")
    build = (*PIP, "wheel", *offline, "--no-build-isolation", "--wheel-dir", folder, source)
    subprocess.run(build, check=True, timeout=MAX_RUN_S)
    (wheel,) = folder.glob("*.whl")
    subprocess.run(
        (*PIP, "install", *offline, "--target", folder / "site", wheel), check=True, timeout=MAX_RUN_S
    )
    return folder / "site"


def test_installed_wheel_serves_games_docs_and_contract(site_packages, tmp_path):
    environ = {name: value for name, value in os.environ.items() if not name.startswith("SKYE_")}
    environ |= {"PYTHONPATH": str(site_packages), "SKYE_BIND": "127.0.0.1:0", "SKYE_REDIS_URL": "memory://"}
    launched = Launched(environ, tmp_path / "serve.log", cwd=tmp_path)
    try:
        assert launched.call("POST", "/v1/games", {})["game"]["status"] == "lobby"
        for path in ("/docs", "/docs/rules", "/docs/reference", "/openapi.yaml"):
            assert launched.read(path)
    finally:
        launched.end()
