"""One address that opens many connections: others and the health listener are still served.

`tests/deploy/test_nginx_clients.py` has thousands of them, behind nginx.
"""

import contextlib
import select
import socket
from urllib.parse import urlsplit

import pytest

from tests.deploy.servers import LONG_INTERVALS, Instance
from tests.support.launcher import PATIENT, launching
from tests.support.ports import free_port
from tests.support.waiting import MAX_WAIT_S, waited_for
from tests.system.raw import connect, get, is_closed, metric_value, send_and_read

pytestmark = pytest.mark.usefixtures("redis_program")

ATTACKER, OTHER = "127.0.0.1", "127.0.0.9"


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

    def has_slot(follower):
        """Whether a follower has the slot; it asks again if a probe was ahead of it."""
        if select.select([follower], [], [], 0)[0] and follower.recv(65536).startswith(b"HTTP/1.1 429"):
            follower.sendall(request)
        return not is_free()

    with limited.plug() as follower:
        follower.sendall(request)
        assert waited_for(lambda: has_slot(follower))
    assert waited_for(is_free, 50)  # before the long poll would end by itself
    assert waited_for(lambda: b"\nskye_open_streams 0.0\n" in limited.call("GET", "/metrics").body)
