"""A Redis, a relay and an API, for tests that inject faults; each test repairs them."""

import shutil
import tempfile
from pathlib import Path

import pytest

from skye_server.setting_parsers import Address
from tests.deploy.servers import Instance
from tests.faults.parts import MAX_CONNECTIONS, SETTINGS, Parts, Redis, sockets
from tests.support.ports import free_port
from tests.support.waiting import waited_for
from tests.system.network import Relay


@pytest.fixture(scope="session")
def place():
    """A folder with a path short enough for sockets."""
    path = Path(tempfile.mkdtemp(prefix="skye-"))
    yield path
    shutil.rmtree(path)


@pytest.fixture(scope="session")
def lasting(redis_program, place):
    """The parts, for all tests."""
    (place / "redis").mkdir()
    redis = Redis(redis_program, place / "redis", Address("127.0.0.1", free_port()))
    try:
        redis.start()
        with Relay(redis.server.address) as relay:
            api = Instance(place / "api.sock", f"redis://{relay.host}:{relay.port}/0", **SETTINGS)
            try:
                yield Parts(redis, relay, api.start())
            finally:
                api.kill()
    finally:
        redis.end()


@pytest.fixture
def parts(lasting):
    """The parts; afterwards no process has ended, no connection leaked, and no internal error occurred."""
    workers = lasting.workers
    held = sockets(workers)
    yield lasting
    lasting.repair()
    assert lasting.workers == workers
    assert waited_for(lambda: lasting.redis.connections() <= MAX_CONNECTIONS), (
        lasting.redis.client.client_list()
    )
    assert waited_for(lambda: sockets(workers) <= held + MAX_CONNECTIONS)
    assert lasting.logged_errors() == []
