"""Services under test, what they keep their games in, and a clock."""

import fakeredis
import pytest

from tests.service.endpoints import stages
from tests.service.playing import Service


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
