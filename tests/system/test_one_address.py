"""One address that opens thousands of connections: others and the health listener are still served."""

import contextlib
import resource
import socket
from urllib.parse import urlsplit

import pytest

from tests.deploy.servers import LONG_INTERVALS, Instance
from tests.support.launcher import PATIENT, launching
from tests.support.ports import free_port
from tests.support.sizes import sized
from tests.support.waiting import MAX_WAIT_S, waited_for
from tests.system.raw import connect, get, is_closed, metric_value, read_response, send_and_read

pytestmark = pytest.mark.usefixtures("redis_program")

ATTACKS = sized(300, 4000)
ATTACKER, OTHER = "127.0.0.1", "127.0.0.9"
PER_WORKER = 50


@pytest.fixture(autouse=True)
def many_files():
    """Let this process open as many files as it may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.fixture
def serve(tmp_path):
    """Start the API with two workers and a health listener; return it and the URL of the listener."""
    with launching(tmp_path) as launch:

        def start(**settings):
            health = f"127.0.0.1:{free_port()}"
            served = launch(**{"SKYE_WORKERS": "2", "SKYE_HEALTH_BIND": health} | settings)
            assert served.call("GET", "/healthz")["status"] == "ok"
            return served, f"http://{health}"

        yield start


def connect_from(address, url):
    where = urlsplit(url)
    source = (address, 0)
    return socket.create_connection((where.hostname, where.port), timeout=MAX_WAIT_S, source_address=source)


def is_served(address, url, path="/v1/tiles/L01", seconds=MAX_WAIT_S):
    with connect_from(address, url) as connection:
        connection.settimeout(seconds)
        try:
            return send_and_read(connection, get(path))[0] == 200
        except TimeoutError:
            return False


def open_many(opened, served, request, number):
    """Send a request on each of many new connections of the attacker, without reading the responses."""
    for _ in range(number):
        with contextlib.suppress(OSError):  # refused connections may be reset
            connection = opened.enter_context(connect_from(ATTACKER, served.url))
            connection.sendall(request)


def new_game(served):
    return served.call("POST", "/v1/games", {})["game"]["id"]


def test_thousands_of_streams_of_one_address_do_not_block_others(serve):
    served, health = serve(
        SKYE_LIMITS="on",
        SKYE_LIMIT_REQUESTS_PER_MINUTE="0",  # as if each request had a token with a budget of its own
        SKYE_LIMIT_STREAMS="0",
        SKYE_LIMIT_STREAMS_PER_ADDRESS=str(PER_WORKER),
    )
    path = f"/v1/games/{new_game(served)}/events"
    stream = get(f"{path}/stream")
    for request in (stream, get(f"{path}?after=1&wait_ms=60000")):
        refused = metric_value(health, 'errors_total{code="too_many_streams"}')
        with contextlib.ExitStack() as opened:
            open_many(opened, served, request, ATTACKS)
            assert is_served(ATTACKER, health, "/healthz")
            # A busy worker that opens a thousand connections may exceed the deadline of its call to Redis.
            assert waited_for(lambda: is_served(ATTACKER, health, "/readyz"))
            assert waited_for(
                lambda before=refused: metric_value(health, 'errors_total{code="too_many_streams"}') > before
            )
            if request is stream:
                assert 0 < metric_value(health, "open_streams") <= 2 * PER_WORKER
            assert is_served(OTHER, served.url)
            with connect_from(OTHER, served.url) as follower:
                follower.sendall(stream)
                assert follower.recv(12) == b"HTTP/1.1 200"
        assert waited_for(lambda: metric_value(health, "open_streams") == 0)


def test_connections_of_one_address_are_limited(serve):
    kept_open = {"SKYE_CLIENT_TIMEOUT_S": "600", "GUNICORN_CMD_ARGS": "--keep-alive 600"}
    served, health = serve(SKYE_LIMITS="on", SKYE_LIMIT_CONNECTIONS="20", **kept_open)
    with contextlib.ExitStack() as opened:
        held = [opened.enter_context(connect_from(ATTACKER, served.url)) for _ in range(60)]
        for connection in held:
            connection.sendall(get("/v1/tiles/L01"))
        refused = [one for one in held if _is_refused(one)]
        assert 60 - 2 * 20 <= len(refused) <= 60 - 20  # 20 in each of two workers
        assert is_served(OTHER, served.url)
        assert metric_value(health, 'errors_total{code="too_many_requests"}') == len(refused)
    assert waited_for(lambda: is_served(ATTACKER, served.url))


def test_open_streams_count_as_connections_of_their_address(serve):
    served, _ = serve(SKYE_LIMITS="on", SKYE_LIMIT_CONNECTIONS="5", SKYE_LIMIT_STREAMS="0", SKYE_WORKERS="1")
    stream = get(f"/v1/games/{new_game(served)}/events/stream")
    with contextlib.ExitStack() as opened:
        for _ in range(5):
            _open_stream(opened.enter_context(connect_from(ATTACKER, served.url)), stream)
        assert _is_refused(opened.enter_context(connect_from(ATTACKER, served.url)))
    assert waited_for(lambda: is_served(ATTACKER, served.url))


def test_open_streams_leave_connections_for_other_requests(serve):
    served, _ = serve(GUNICORN_CMD_ARGS="--worker-connections 10", SKYE_WORKERS="1")
    stream = get(f"/v1/games/{new_game(served)}/events/stream")
    with contextlib.ExitStack() as opened:
        for _ in range(10):
            _open_stream(opened.enter_context(connect_from(ATTACKER, served.url)), stream)
        assert is_served(OTHER, served.url)
        assert metric_value(served.url, "open_streams") == 10


def _open_stream(connection, request):
    """Open a stream, and read its first message."""
    connection.sendall(request)
    received = b""
    while b"event: stream" not in received:
        received += connection.recv(4096)
    assert received.startswith(b"HTTP/1.1 200")


def _is_refused(connection):
    """Return whether the first response on a connection refuses the connection; otherwise it must be 200."""
    status, headers, problem = read_response(connection)
    if status == 200:
        return False
    assert (status, problem["code"], headers["Retry-After"]) == (429, "too_many_requests", "1")
    return is_closed(connection)


def test_health_listener_answers_while_all_connections_are_in_use(serve):
    served, health = serve(GUNICORN_CMD_ARGS="--worker-connections 40")
    request = get(f"/v1/games/{new_game(served)}/events?after=1&wait_ms=60000")
    with contextlib.ExitStack() as opened:
        open_many(opened, served, request, 120)
        assert not is_served(OTHER, served.url, seconds=1)
        assert is_served(OTHER, health, "/healthz")
        assert waited_for(lambda: is_served(OTHER, health, "/readyz"))
        assert metric_value(health, 'games_total{event="created"}') == 1  # by whichever worker
        with connect(health) as connection:  # which serves nothing else
            status, problem = send_and_read(connection, get("/v1/tiles"))
            assert (status, problem["code"]) == (404, "not_found")
            assert is_closed(connection)


@pytest.fixture
def limited(redis_server, tmp_path):
    """An instance that lets an address follow once, and sends no heartbeat for ten minutes."""
    settings = PATIENT | {"SKYE_LIMITS": "on", "SKYE_LIMIT_STREAMS_PER_ADDRESS": "1", "SKYE_WORKERS": "1"}
    instance = Instance(tmp_path / "api.sock", redis_server.url, LONG_INTERVALS, **settings)
    yield instance.start()
    instance.kill()


@pytest.mark.parametrize("follow", ["?after=1&wait_ms=60000", "/stream"])
def test_disconnected_follower_frees_its_slot_before_it_is_written_to(limited, follow):
    path = f"/v1/games/{limited.new_game()['game']['id']}/events"
    request = get(f"{path}{follow}")
    probe = get(f"{path}?after=1&wait_ms=1")

    def is_free():
        with limited.plug() as another:
            return send_and_read(another, probe)[0] == 200

    with limited.plug() as follower:
        follower.sendall(request)
        assert waited_for(lambda: not is_free())
    assert waited_for(is_free, 50)  # before the long poll would end by itself
    assert waited_for(lambda: b"\nskye_open_streams 0.0\n" in limited.call("GET", "/metrics").body)
