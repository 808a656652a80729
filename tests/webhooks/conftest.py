"""A service that sends webhooks to this machine, and a receiver of them."""

import pytest

from tests.support.local_services import local_service
from tests.support.receiver import Receiver


@pytest.fixture
def service():
    with local_service() as service:
        yield service


@pytest.fixture
def receiver():
    with Receiver() as receiver:
        yield receiver
