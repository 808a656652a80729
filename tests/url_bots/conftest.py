"""A service that asks bots on this machine."""

import pytest

from tests.support.local_services import local_service


@pytest.fixture
def service():
    with local_service() as service:
        yield service
