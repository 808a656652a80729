"""The example clients, with their generated files, and a server to play against."""

import sys

import pytest

from tests.support.chromium import browsing, find_headless_chromium
from tests.support.launcher import ROOT, call, launching  # noqa: F401 - for the tests of this folder
from tests.support.programs import run  # noqa: F401 - likewise

EXAMPLES = ROOT / "examples"


@pytest.fixture(scope="session")
def url(live):
    """The address of a server with a real Redis."""
    return live.url


@pytest.fixture(scope="session")
def lab_url(tmp_path_factory):
    """The address of a lab server."""
    with launching(tmp_path_factory.mktemp("lab")) as start:
        yield start(SKYE_LAB="on", SKYE_DISPATCHERS="1").url


@pytest.fixture(scope="session")
def python_bot():
    """The command of the bot in Python, on the client package of this checkout."""
    package = ROOT / "clients" / "python"
    return ["env", f"PYTHONPATH={package}", sys.executable, str(EXAMPLES / "python" / "bot.py")]


@pytest.fixture(scope="session")
def typescript_bot(typescript):
    """The command of the bot in TypeScript, its types generated, checked and compiled."""
    return ["node", str(typescript.BOT / "dist" / "bot.js")]


@pytest.fixture
def page(tmp_path):
    """A page in a real Chromium."""
    with browsing(find_headless_chromium(), tmp_path) as page:
        yield page
