"""Fixtures and pytest hooks that all tests share."""

import contextlib
import gc
import os
import socket
import time
from itertools import groupby, zip_longest
from operator import attrgetter
from pathlib import Path

import fakeredis
import pytest
import redis

from skye_server import app, cooperative_yield
from skye_server.server.embedded_redis import RedisServer
from skye_server.server.server_programs import find_program
from skye_server.setting_parsers import Address
from skye_server.store.connection import topology
from tests.support import documents, typescript, url_rules
from tests.support.endpoints import stages
from tests.support.launcher import launching
from tests.support.missing_programs import NO_REDIS, REASONS
from tests.support.playing import Service
from tests.support.ports import free_port
from tests.support.waiting import MAX_WAIT_S

pytest_plugins = ["tests.support.tiers"]
MAX_PROCESSES = 8


@pytest.fixture(scope="session")
def redis_program():
    """The program of a Redis server: that of $REDIS_PROGRAM, or the one that the launcher would choose."""
    named = os.environ.get("REDIS_PROGRAM")
    return Path(named) if named else find_program() or pytest.skip(NO_REDIS)


@pytest.fixture(scope="session")
def redis_server(redis_program, tmp_path_factory):
    """A running `RedisServer`; clients connect to its `url`. Flush it before use."""
    address = Address("127.0.0.1", free_port())
    with RedisServer(redis_program, tmp_path_factory.mktemp("redis"), address) as server:
        server.wait_until_ready()
        yield server


@pytest.fixture
def redis_client(redis_server):
    """A client of that server, flushed before the test and after it.

    What services in the process of a test leave has no number of a layout: a server refuses to start with it.
    """
    with redis.Redis.from_url(redis_server.url, socket_timeout=MAX_WAIT_S) as client:
        client.flushall()
        yield client
        client.flushall()


@pytest.fixture(autouse=True)
def _no_other_hosts(monkeypatch):
    """Resolve no names of other machines: services in this process send requests to webhooks and bots."""
    resolve = socket.getaddrinfo

    def resolve_locally(host, port, family=0, type=0, proto=0, flags=0):  # noqa: A002 - as in socket
        known = host in (None, "localhost", b"localhost")
        return resolve(host, port, family, type, proto, flags | (0 if known else socket.AI_NUMERICHOST))

    monkeypatch.setattr(socket, "getaddrinfo", resolve_locally)


@pytest.fixture(autouse=True)
def _end_services(monkeypatch):
    """Stop the subscribers and close the Redis clients of the services that a test creates in this process.

    Otherwise a subscriber would connect again and again, and a garbage collection during a later test would
    find open sockets: the warning would fail that test.
    """
    create_client, create_notifier = topology.create_client, app.ChangeNotifier
    with contextlib.ExitStack() as clients, contextlib.ExitStack() as notifiers:

        def client(options, timeout_s):
            return clients.enter_context(create_client(options, timeout_s))

        def notifier(store):
            created = create_notifier(store)
            notifiers.callback(created.stop)
            return created

        monkeypatch.setattr(topology, "create_client", client)
        monkeypatch.setattr(app, "ChangeNotifier", notifier)
        yield


@pytest.fixture
def launch(tmp_path):
    """A function that starts a launcher on the data of this test, with settings such as SKYE_WORKERS="2"."""
    with launching(tmp_path) as start:
        yield start


@pytest.fixture(scope="session")
def live(tmp_path_factory):
    """A lab server with two workers and a dispatcher, shared by all tests that only call it."""
    with launching(tmp_path_factory.mktemp("live")) as start:
        yield start(SKYE_WORKERS="2", SKYE_DISPATCHERS="1", SKYE_LAB="on")


@pytest.fixture(scope="session")
def url(live):
    """The address of that server."""
    return live.url


@pytest.fixture(name="typescript", scope="session")
def typescript_built(tmp_path_factory):
    """The module of the TypeScript packages, once they are compiled."""
    typescript.build(tmp_path_factory)
    return typescript


@pytest.fixture
def service():
    """A service on an empty store."""
    return Service()


@pytest.fixture(scope="module")
def games():
    """A game at each stage, for tests that change none."""
    return stages(Service())


@pytest.fixture
def unchanged(games):
    """Assert that a test writes, adds and removes no key of the store of those games."""
    store = games["lobby"].service.redis
    with store.pipeline() as transaction:
        before = set(store.keys())
        transaction.watch(*before)
        yield
        assert set(store.keys()) == before
        transaction.multi()
        transaction.ping()
        transaction.execute()  # raises `WatchError` if a key has been written


@pytest.fixture(params=["fakeredis", "redis"])
def any_redis(request):
    """An empty Redis: first an in-process fake, then a real server."""
    if request.param == "redis":
        yield request.getfixturevalue("redis_client")
    else:
        with fakeredis.FakeRedis(server=fakeredis.FakeServer()) as client:
            yield client


@pytest.fixture
def stopped_clock(monkeypatch):
    """Stop the clock of fakeredis, which refills budgets, and the CPU clock; a real Redis has its own.

    The value is a function that advances the former by some seconds.
    """
    begun, steps = time.time(), []
    monkeypatch.setattr("time.time", lambda: begun + sum(steps))
    monkeypatch.setattr(cooperative_yield, "cpu_time", lambda: 0.0)
    return steps.append


@pytest.fixture
def naps(monkeypatch):
    """The durations passed to `time.sleep`, in seconds, which alone advance `time.monotonic`."""
    taken = []
    monkeypatch.setattr("time.sleep", taken.append)
    monkeypatch.setattr("time.monotonic", lambda: sum(taken))
    return taken


def pytest_configure():
    """Make apps cheap to create and to read the contract from."""
    url_rules.install()
    documents.install()


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist: the examples are run without it
def pytest_xdist_auto_num_workers(config):
    """Return the number of test processes: for each core one, or two where half of the tests mostly wait."""
    for_each_core = 1 if config.option.markexpr == "not full" else 2
    return min(MAX_PROCESSES, for_each_core * len(os.sched_getaffinity(0)))


_WAITING_ROOMS = ["system", "faults", "deploy"]
"""Their tests mostly wait: for failovers, for time limits, for processes that start or end."""

# The rooms with the longest files, slowest first; the others follow in alphabetical order.
_SLOW_ROOMS = [
    *_WAITING_ROOMS,
    "web",
    "clients",
    "examples",
    "contract",
    "bench",
    "server",
    "engine",
    "tests",  # those beside a distribution
    "resources",
]


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Exclude what is imported and collected from garbage collections: it is large, and stays to the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config, items):
    """Run the slow rooms first, and leave what is `full_size` to `make test-all`.

    The slow rooms come first so that none of them runs alone at the end. Files that wait alternate with files
    that compute: where all processes wait the cores are idle, and where all compute they hinder each other.
    """
    if os.environ.get("TEST_SIZE") != "full":
        config.hook.pytest_deselected(items=[item for item in items if _is_full_size(item)])
        items[:] = [item for item in items if not _is_full_size(item)]
    items.sort(key=_rank)
    files = [list(tests) for _, tests in groupby(items, key=attrgetter("path"))]
    waiting = [tests for tests in files if _room(tests[0]) in _WAITING_ROOMS]
    computing = [tests for tests in files if _room(tests[0]) not in _WAITING_ROOMS]
    pairs = zip_longest(waiting, computing, fillvalue=())
    items[:] = [item for pair in pairs for tests in pair for item in tests]


def _is_full_size(item):
    return item.get_closest_marker("full_size") is not None


def _room(item):
    return item.path.parent.name


def _rank(item):
    room = _room(item)
    return _SLOW_ROOMS.index(room) if room in _SLOW_ROOMS else len(_SLOW_ROOMS)


def pytest_terminal_summary(terminalreporter):
    """Print in one line what was not run, and which programs that needs."""
    skipped = [str(report.longrepr) for report in terminalreporter.stats.get("skipped", ())]
    numbers = {reason: sum(reason in text for text in skipped) for reason in REASONS}
    missing = [f"{number} tests ({reason.partition(':')[0]})" for reason, number in numbers.items() if number]
    if missing:
        terminalreporter.write_line(f"NOT RUN: {', '.join(missing)}", red=True, bold=True)
