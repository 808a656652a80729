"""Clients of the server that all tests share, and a proxy before it."""

from urllib.parse import urlsplit

import pytest

from skye_client import Skye
from tests.system.network import Relay


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
