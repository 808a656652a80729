"""A server that the tests of the client packages share."""

import pytest

from tests.support.launcher import launching


@pytest.fixture(scope="session")
def url(tmp_path_factory):
    """The address of a lab server with two workers on a real Redis."""
    with launching(tmp_path_factory.mktemp("clients")) as start:
        yield start(SKYE_WORKERS="2", SKYE_LAB="on").url
