"""Misbehaving clients, with nginx before the API: nginx handles them, or others are served all the same."""

import contextlib
import json
import resource

import pytest

from tests.deploy.conftest import NO_HURRY
from tests.support.ports import free_port
from tests.support.sizes import sized
from tests.support.waiting import waited_for
from tests.system.raw import get, is_closed, metric_value
from tests.system.test_malformed_requests import NO_CHUNK, TOO_LONG, UNREADABLE, statuses_of, with_headers
from tests.system.test_one_address import ATTACKER, OTHER, connect_from, is_served, open_many
from tests.system.test_slow_clients import SLOW, dripping, is_held, slow

IMPATIENT = [
    ("client_header_timeout 3s", "client_header_timeout 1s"),
    ("client_body_timeout 10s", "client_body_timeout 1s"),
]
NORMALISED = ("lines that end without CR", "two schemes", "an expectation of its own")
"""Malformed requests that nginx normalizes to valid ones."""


@pytest.mark.parametrize("nginx", [IMPATIENT], indirect=True)
def test_half_sent_request_is_closed_by_nginx_and_not_passed_on(nginx):
    begun = [
        b"",
        b"GET /v1/ti",
        b"GET /v1/tiles HTTP/1.1\r\nHost: localhost\r\nAcc",
        with_headers("Content-Length: 10", after="{"),
        with_headers("Transfer-Encoding: chunked", after="a\r\n{"),
    ]
    endless, more = SLOW["a head without end"]
    with contextlib.ExitStack() as opened:
        silent = [opened.enter_context(nginx.plug()) for _ in (*begun, endless)]
        for connection, sent in zip(silent, (*begun, endless), strict=True):
            connection.sendall(sent)
        opened.enter_context(dripping(silent[-1:], more))
        assert all(is_closed(connection) for connection in silent)
    assert nginx.call("GET", "/v1/tiles").status == 503  # no instance runs


@pytest.fixture
def small(instance):
    """An instance with one worker of ten connections."""
    return instance(SKYE_WORKERS="1", GUNICORN_CMD_ARGS="--worker-connections 10").start()


@pytest.mark.usefixtures("small")
def test_slow_clients_behind_nginx_leave_room_for_the_requests_of_others(nginx):
    for what, (begun, more) in SLOW.items():
        with contextlib.ExitStack() as opened:
            connections = [opened.enter_context(slow(nginx, begun)) for _ in range(60)]
            opened.enter_context(dripping(connections, more))
            for _ in range(3):
                assert nginx.call("GET", "/v1/tiles/L01").status == 200, what


@pytest.mark.usefixtures("shared_instance")
@pytest.mark.parametrize("nginx", [[*NO_HURRY, ("send_timeout 30s", "send_timeout 1s")]], indirect=True)
def test_client_that_does_not_read_responses_is_disconnected_by_nginx(nginx):
    begun, _ = SLOW["responses that it does not read"]
    with slow(nginx, begun) as connection:
        assert waited_for(lambda: not is_held(connection))


PER_WORKER = 50


@pytest.fixture
def many_files():
    """Let this process open as many files as it may."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.usefixtures("many_files")
def test_thousands_of_streams_of_one_address_do_not_block_others(nginx, instance):
    health = f"127.0.0.1:{free_port()}"
    served = instance(
        SKYE_TRUSTED_PROXIES="1",
        SKYE_WORKERS="2",
        SKYE_HEALTH_BIND=health,
        SKYE_LIMIT_REQUESTS_PER_MINUTE="0",  # as if each request had a token with a budget of its own
        SKYE_LIMIT_STREAMS="0",
        SKYE_LIMIT_STREAMS_PER_ADDRESS=str(PER_WORKER),
    ).start()
    path, health = f"/v1/games/{served.new_game()['game']['id']}/events", f"http://{health}"
    stream = get(f"{path}/stream")
    for request in (stream, get(f"{path}?after=1&wait_ms=60000")):
        refused = metric_value(health, 'errors_total{code="too_many_streams"}')
        with contextlib.ExitStack() as opened:
            open_many(opened, nginx, request, sized(300, 4000))
            assert is_served(ATTACKER, health, "/healthz")
            # A busy worker that opens a thousand connections may exceed the deadline of its call to Redis.
            assert waited_for(lambda: is_served(ATTACKER, health, "/readyz"))
            assert waited_for(
                lambda before=refused: metric_value(health, 'errors_total{code="too_many_streams"}') > before
            )
            if request is stream:
                assert 0 < metric_value(health, "open_streams") <= 2 * PER_WORKER
            assert is_served(OTHER, nginx.url)
            with connect_from(OTHER, nginx.url) as follower:
                follower.sendall(stream)
                assert follower.recv(12) == b"HTTP/1.1 200"
        assert waited_for(lambda: metric_value(health, "open_streams") == 0)


@pytest.mark.usefixtures("shared_instance")
def test_malformed_request_is_never_answered_in_html(nginx):
    sent = UNREADABLE | {what: request for what, (request, *_) in TOO_LONG.items()}
    for what, request in sent.items():
        received = b""
        with nginx.plug() as connection:
            with contextlib.suppress(OSError):  # who sends far too much may not send it all
                connection.sendall(request)
                connection.sendall(get("/nowhere", "Connection: close"))
            with contextlib.suppress(OSError):
                while data := connection.recv(65536):
                    received += data
        first = json.JSONDecoder().raw_decode(received.decode()[received.index(b"{") :])[0]
        refused = what not in NORMALISED
        assert first["status"] in ((400, 414, 431) if refused else (404,)), what
        assert b"<html" not in received, what


@pytest.mark.usefixtures("shared_instance")
def test_nginx_and_the_api_agree_on_the_end_of_a_request(nginx):
    inner = get("/v1/tiles/L01").decode()
    sent = with_headers(f"Content-Length: {len(inner)}", after=inner)
    sent += with_headers("Transfer-Encoding: chunked", after=f"{len(inner):x};a=b\r\n{inner}\r\n{NO_CHUNK}")
    sent += get("/v1/tiles/L02", f"Content-Length: {len(inner)}") + inner.encode()
    with nginx.plug() as connection:
        received = statuses_of(connection, sent + get("/v1/tiles/L03", "Connection: close"))
    assert received == ["malformed_json", "malformed_json", "L02", "L03"]
