"""nginx in front of instances: it forwards requests, retries safe ones, and refuses malformed ones."""

import contextlib
import gzip
import json
import os
import re
import socket
import threading
import time

import pytest

from skye_server import cooperative_yield
from skye_server.following.streams import HEARTBEAT_S
from skye_server.outgoing.challenges import CHALLENGE_SECONDS
from tests.deploy.conftest import NO_HURRY
from tests.deploy.facts import DEPLOY
from tests.deploy.servers import JSON, messages, suspended
from tests.support.launcher import children, open_files
from tests.support.sizes import sized
from tests.support.waiting import MAX_WAIT_S, waited_for
from tests.system.test_one_address import OTHER, is_served

ATTEMPTS = 20 + os.cpu_count()
"""Requests after which both instances have been asked: each process of nginx alternates by itself."""


class Broken:
    """An instance that receives a request, and ends the connection without a response."""

    def __init__(self, path):
        self.received = []
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        path.chmod(0o777)
        self._listener.listen(100)
        self._thread = threading.Thread(target=self._hear)
        self._thread.start()

    def _hear(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                with connection, contextlib.suppress(ConnectionError):
                    self.received.append(connection.recv(65536).decode())

    def end(self):
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._listener.close()


@pytest.fixture
def broken(shared_instance, folder):  # noqa: ARG001 - it serves beside this one
    """An instance that drops each request, beside one that serves."""
    one = Broken(folder / "api-b.sock")
    yield one
    one.end()


def is_heard_by(broken, call):
    """Repeat a call until the broken instance has received it; return the response to that one."""
    before = len(broken.received)
    for _ in range(ATTEMPTS):
        answer = call()
        if len(broken.received) > before:
            return answer
    raise AssertionError("nginx never asked the broken instance")


def test_idempotent_request_is_retried_at_another_instance(nginx, broken):
    answer = is_heard_by(broken, lambda: nginx.call("GET", "/v1/scoring-tiles"))
    assert answer.status == 200


@pytest.mark.usefixtures("shared_instance")
def test_contract_passes_nginx_compressed(nginx):
    answer = nginx.call("GET", "/openapi.json", headers={"Accept-Encoding": "gzip"})
    assert answer.headers["Content-Encoding"] == "gzip"
    assert json.loads(gzip.decompress(answer.body))["openapi"] == "3.1.0"


def test_write_with_a_key_is_retried_at_another_instance(nginx, broken):
    headers = JSON | {"Idempotency-Key": "mine-0123456789abcdefghijk"}
    answer = is_heard_by(broken, lambda: nginx.call("POST", "/v1/games", b"{}", headers))
    assert answer.status == 201
    assert "\r\nIdempotency-Key: mine-0123456789abcdefghijk\r\n" in broken.received[-1]


def test_fault_header_reaches_the_instance(nginx, broken):
    headers = {"Skye-Fault": "drop"}
    is_heard_by(broken, lambda: nginx.call("GET", "/v1/scoring-tiles", headers=headers))
    assert "\r\nSkye-Fault: drop\r\n" in broken.received[-1]


def test_post_without_a_key_is_never_sent_twice(nginx, broken):
    answer = is_heard_by(broken, lambda: nginx.call("POST", "/v1/games", b"{}", JSON))
    assert answer.status == 503
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.headers["Retry-After"] == "1"
    assert answer.json["code"] == "store_unavailable"
    assert "idempotency-key" not in broken.received[-1].lower()


def test_delete_without_a_key_receives_one_from_nginx(nginx, broken):
    created = nginx.call(
        "POST", "/v1/games", b"{}", JSON | {"Idempotency-Key": "one-0123456789abcdefghijk"}
    ).json
    path, token = f"/v1/games/{created['game']['id']}", created["host_token"]
    headers = {"Authorization": f"Bearer {token}"}
    answer = is_heard_by(broken, lambda: nginx.call("DELETE", path, headers=headers))
    assert answer.status in (200, 409)  # 409: an earlier one reached only the intact instance
    assert "\r\nIdempotency-Key: " in broken.received[-1]


@pytest.mark.parametrize("nginx", [[]], indirect=True)
def test_suspended_instance_delays_safe_requests_until_the_next_one(nginx, instance):
    served, frozen = instance().start(), instance().start()
    game = served.new_game()["game"]["id"]
    with suspended(frozen):
        for number in range(sized(2, 6)):
            assert nginx.call("GET", f"/v1/games/{game}").status == 200
            assert nginx.call("GET", f"/v1/games/{game}/events").status == 200
            keyed = JSON | {"Idempotency-Key": f"suspended-{number}-0123456789abcdefghijk"}
            assert nginx.call("POST", "/v1/games", b"{}", keyed).status == 201


@pytest.mark.parametrize("nginx", [[]], indirect=True)
def test_change_that_a_suspended_instance_makes_later_is_announced(nginx, instance):
    served, frozen = instance().start(), instance().start()
    game = served.new_game()["game"]
    path = f"/v1/games/{game['id']}"
    with suspended(frozen):
        bodies = (b'{"name": "Ann"}', b'{"name": "Bob"}')
        answers = [nginx.call("POST", f"{path}/players", body, JSON) for body in bodies]
        refused = next(answer for answer in answers if answer.status != 201)
        assert (refused.status, refused.json["code"]) == (503, "store_unavailable")
        assert "may have been made" in refused.json["detail"]
        assert "Retry" not in refused.json["detail"]
    assert waited_for(lambda: len(served.call("GET", path).json["players"]) == 2)


ONE_AT_A_TIME = [*NO_HURRY, ("limit_conn per_address 1000", "limit_conn per_address 1")]


@pytest.mark.parametrize("nginx", [ONE_AT_A_TIME], indirect=True)
def test_requests_in_progress_of_one_address_are_limited(nginx, shared_instance):
    game = shared_instance.new_game()["game"]["id"]
    with nginx.follow(game) as stream:
        assert stream.status == 200
        refused = nginx.call("GET", "/v1/tiles/L01")
        assert (refused.status, refused.json["code"]) == (429, "too_many_requests")
        assert refused.headers["Retry-After"] == "1"
        assert refused.headers["Access-Control-Allow-Origin"] == "*"
        assert is_served(OTHER, nginx.url)


@pytest.mark.usefixtures("shared_instance")
def test_post_without_a_key_goes_to_an_instance_that_listens(nginx):
    # No process listens at `api-b.sock`.
    assert {nginx.call("POST", "/v1/games", b"{}", JSON).status for _ in range(10)} == {201}


def test_nginx_without_instances_answers_503_like_the_api(nginx):
    answer = nginx.call("GET", "/v1/games")
    assert answer.status == 503
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.headers["Retry-After"] == "1"
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert answer.json["status"] == 503
    assert answer.json["detail"] == "No instance of the service responds. Retry."


@pytest.mark.parametrize(
    ("method", "headers", "advice"),
    [
        ("POST", {}, "Look at the state before you repeat the request."),
        ("DELETE", {}, "Look at the state before you repeat the request."),
        ("POST", {"Idempotency-Key": "mine-0123456789abcdefghijk"}, "Retry with the same Idempotency-Key."),
        ("DELETE", {"Idempotency-Key": "mine-0123456789abcdefghijk"}, "Retry with the same Idempotency-Key."),
    ],
)
def test_nginx_says_that_a_failed_change_may_have_been_made(nginx, method, headers, advice):
    answer = nginx.call(method, "/v1/games", b"{}", JSON | headers)
    assert answer.status == 503
    assert answer.json["detail"].endswith(f"The change may have been made. {advice}")


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("GET", "/metrics", None, 404, "not_found"),
        ("GET", "/metrics/", None, 404, "not_found"),
        ("GET", "//metrics", None, 404, "not_found"),
        ("GET", "/%6detrics?a=b", None, 404, "not_found"),
        ("GET", "/v1/games/../../%00", None, 400, "bad_request"),
        ("GET", "/" + "a" * 40_000, None, 414, "uri_too_long"),
        ("POST", "/v1/games", b"x" * 2_000_000, 413, "body_too_large"),
        ("TRACE", "/v1/games", None, 405, "method_not_allowed"),
    ],
)
def test_errors_of_nginx_have_the_form_of_the_api(nginx, method, path, body, status, code):
    answer = nginx.call(method, path, body)
    assert (answer.status, answer.json["code"], answer.json["status"]) == (status, code, status)
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.headers["Access-Control-Allow-Origin"] == "*"


def test_too_large_headers_are_refused_like_by_the_api(nginx):
    answer = nginx.call("GET", "/v1/games", headers={"A": "b" * 9000})
    assert (answer.status, answer.json["code"], answer.json["status"]) == (431, "headers_too_large", 431)


@pytest.mark.usefixtures("shared_instance")
def test_slightly_too_large_body_is_refused_by_the_api_itself(nginx):
    answer = nginx.call("POST", "/v1/games", b'"' + b"x" * 500_000 + b'"', JSON)
    assert (answer.status, answer.json["code"]) == (413, "body_too_large")
    assert "X-Request-Id" in answer.headers


def test_events_pass_through_nginx_without_buffering(nginx, shared_instance):
    game = shared_instance.new_game()["game"]["id"]
    with nginx.follow(game) as stream:
        received = messages(stream)
        assert next(received)[0] == "stream"
        assert next(received)[1]["type"] == "game_created"
        for name in ("Ann", "Bob"):
            body = b'{"name": "%s"}' % name.encode()
            shared_instance.call("POST", f"/v1/games/{game}/players", body, JSON)
            assert next(received)[1]["id"] > 1


PLAYER = {"Authorization": "Bearer skye_key_" + "n" * 22}
SHORTER_WAIT = [*NO_HURRY, ("${before}6000$after", "${before}60$after")]


@pytest.mark.parametrize("nginx", [SHORTER_WAIT], indirect=True)
@pytest.mark.parametrize("wait", ["wait_ms=60000", "wait_ms=7000&limit=5", "limit=5&wait_ms=10000"])
def test_long_poll_ends_before_nginx_gives_up_its_instance(nginx, shared_instance, wait):
    game = shared_instance.new_game()["game"]["id"]
    began = time.monotonic()
    for path in (f"/v1/games/{game}/events?after=1&{wait}", f"/v1/me/events?{wait}"):
        answer = nginx.call("GET", path, headers=PLAYER)
        assert (answer.status, answer.json["events"]) == (200, []), path
    assert time.monotonic() - began < MAX_WAIT_S


@pytest.mark.parametrize("wait", ["after=1&wait_ms=60001", "wait_ms=600000", "after=1&wait_ms=7e3"])
def test_invalid_wait_passes_nginx_unchanged(nginx, shared_instance, wait):
    game = shared_instance.new_game()["game"]["id"]
    answer = nginx.call("GET", f"/v1/games/{game}/events?{wait}")
    assert (answer.status, answer.json["code"]) == (422, "invalid_parameter")


AT_ONCE = [("proxy_read_timeout 9s", "proxy_read_timeout 1ms")]


@pytest.mark.usefixtures("shared_instance")
@pytest.mark.parametrize("nginx", [AT_ONCE], indirect=True)
def test_long_batch_is_not_taken_for_an_unresponsive_instance(nginx):
    headers = JSON | {"Idempotency-Key": "batch-0123456789abcdefghijk"}
    answer = nginx.call("POST", "/v1/batches", json.dumps({"games": [{}] * 20}), headers)
    assert (answer.status, len(answer.json["games"])) == (201, 20)


def read_timeouts():
    """Return the `proxy_read_timeout` of each location of nginx.conf, in seconds, and of the server by ""."""
    located, location = {}, ""
    for line in (DEPLOY / "nginx" / "nginx.conf").read_text().splitlines():
        if found := re.match(r" *location (.+) {", line):
            location = found[1]
        elif found := re.match(r" *proxy_read_timeout (\d+)s;", line):
            located[location] = int(found[1])
    return located


def test_nginx_waits_longer_than_the_heartbeat_of_a_stream():
    (stream_s,) = (seconds for location, seconds in read_timeouts().items() if "stream" in location)
    assert stream_s > HEARTBEAT_S


def test_nginx_waits_longer_than_a_challenge_and_a_time_slice():
    assert read_timeouts()[""] > CHALLENGE_SECONDS + cooperative_yield.MAX_WAIT_S


def test_heartbeats_pass_nginx(nginx, instance):
    game = instance().start().new_game()["game"]["id"]
    with (
        nginx.follow(game, **PLAYER) as of_game,
        nginx.asked("GET", "/v1/me/events/stream", headers=PLAYER) as of_player,
    ):
        for stream in (of_game, of_player):
            assert b": heartbeat\n" in stream


@pytest.mark.usefixtures("shared_instance")
def test_response_that_no_client_reads_fills_no_disk_of_nginx(nginx, folder):
    size = len(nginx.call("GET", "/openapi.json").body)
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect(("127.0.0.1", nginx.port))
        client.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        assert client.recv(12) == b"HTTP/1.1 200"
        assert nginx.call("GET", "/healthz").status == 200
        assert spooled(nginx, folder) == []
        received = 12
        while part := client.recv(65536):
            received += len(part)
        assert received > size


def spooled(nginx, folder):
    """Return the files, deleted ones among them, in which nginx keeps answers."""
    files = [file for pid in children(nginx.process.pid) for file in open_files(pid)]
    return [file for file in files if file.is_relative_to(folder / "nginx-proxy")]


def test_client_address_is_the_one_that_nginx_accepted(nginx, instance):
    # With the default of 3,000 a minute, the budget would refill between the two requests.
    few = {"SKYE_LIMIT_REQUESTS_PER_MINUTE": "2"}
    instance(SKYE_TRUSTED_PROXIES="1", SKYE_LIMITS="on", SKYE_WORKERS="1", **few).start()
    answers = [
        nginx.call("GET", "/v1/games", headers={"X-Forwarded-For": address})
        for address in ("192.0.2.1", "192.0.2.2")
    ]
    left = [int(re.search(r";r=(\d+);", answer.headers["RateLimit"])[1]) for answer in answers]
    assert left[1] == left[0] - 1  # neither made itself another client
