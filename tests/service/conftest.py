"""Services under test."""

import pytest

from tests.service.playing import Service


@pytest.fixture
def service():
    """A service on an empty store of its own."""
    return Service()
