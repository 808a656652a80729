"""A server that the tests of the client packages share."""

from urllib.parse import urlsplit

import pytest

from skye_client import Skye
from tests.support.launcher import launching
from tests.system.network import Relay


@pytest.fixture(scope="session")
def live(tmp_path_factory):
    """A lab server with two workers on a real Redis, which all these tests share."""
    with launching(tmp_path_factory.mktemp("clients")) as start:
        yield start(SKYE_WORKERS="2", SKYE_DISPATCHERS="1", SKYE_LAB="on")


@pytest.fixture(scope="session")
def url(live):
    """The address of that server."""
    return live.url


@pytest.fixture
def skye(live):
    """A client of the shared server."""
    with Skye(live.url) as client:
        yield client


@pytest.fixture
def proxy(live):
    """A proxy before the shared server, whose `fault` a test sets."""
    parts = urlsplit(live.url)
    with Relay((parts.hostname, parts.port)) as proxy:
        yield proxy
