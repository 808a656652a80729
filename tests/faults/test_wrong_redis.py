"""A wrong Redis URL: no server, another server, or no permission."""

import contextlib
import random
import re
import socketserver
import threading
import time

import pytest

from skye_server.settings import Settings
from skye_server.store.redis_store import RedisStore
from tests.deploy.facts import DEPLOY
from tests.faults.parts import MAX_S
from tests.support.playing import Service, problem_code
from tests.support.ports import free_port
from tests.system.network import unanswered

TOKEN = "skye_seat_" + "A" * 22
HASTY_MS = 60
"""Short timeouts for calls that fail."""
KEY = {"Idempotency-Key": "a-key-0123456789abcdefghijk"}


def service_at(url, timeout_ms=60_000):
    """Return a service with this URL of Redis."""
    settings = Settings(redis_url=url, redis_timeout_ms=timeout_ms, redis_wait_ms=timeout_ms)
    return Service(store=RedisStore.from_settings(settings))


def answers(service):
    """Send every request that needs the store; return the responses, which must come in time."""
    given = []
    for method, path, body, headers in (
        ("GET", "/readyz", None, {}),
        ("GET", "/v1/games", None, {}),
        ("GET", "/v1/games/abcdefghijkm", None, {}),
        ("GET", "/v1/games/abcdefghijkm/events", None, {}),
        ("GET", "/v1/games/abcdefghijkm/record", None, {}),
        ("GET", "/v1/games/abcdefghijkm/players/0/actions", None, {}),
        ("POST", "/v1/games/abcdefghijkm/start", {}, {}),
        ("POST", "/v1/games/abcdefghijkm/start", {}, KEY),
        ("POST", "/v1/games", {}, {}),
        ("POST", "/v1/games", {"visibility": "private"}, KEY),
    ):
        started = time.monotonic()
        token = None if path == "/v1/games" else TOKEN
        given.append(service.call(method, path, body, token, headers=headers))
        assert time.monotonic() - started < MAX_S
    return given


def all_refused(url, timeout_ms=60_000):
    """Check that with this URL exactly the requests that need the store fail."""
    service = service_at(url, timeout_ms)
    for answer in answers(service):
        assert problem_code(answer) == "store_unavailable"
        assert answer.headers["Retry-After"]
    assert b"skye_store_up 0.0" in service.call("GET", "/metrics").data
    for path in ("/healthz", "/v1/tiles", "/docs"):
        assert service.call("GET", path).status_code == 200


# Nobody there.


def test_refused_connection_makes_the_store_unavailable():
    all_refused(f"redis://127.0.0.1:{free_port()}/0", HASTY_MS)


def test_unresponsive_server_makes_the_store_unavailable():
    with unanswered() as (host, port):
        all_refused(f"redis://{host}:{port}/0", HASTY_MS)


def test_unknown_host_makes_the_store_unavailable():
    all_refused("redis://no-such-host.invalid:6379/0", HASTY_MS)


def test_missing_socket_makes_the_store_unavailable(tmp_path):
    all_refused(f"unix://{tmp_path}/redis.sock", HASTY_MS)


# One who does not let us in.


@pytest.fixture
def locked(redis_server, redis_client):
    """The address of a Redis with a password, for a while."""
    redis_client.config_set("requirepass", "right")
    try:
        yield redis_server.address
    finally:
        redis_client.config_set("requirepass", "")


@pytest.mark.parametrize("password", ["", ":wrong@", "nobody:right@"])
def test_wrong_password_makes_the_store_unavailable(locked, password, caplog):
    all_refused(f"redis://{password}{locked}/0")
    received = {record.getMessage() for record in caplog.records}
    assert any("invalid username-password pair" in line or "authenticate" in line for line in received)
    assert "wrong@" not in caplog.text


def test_right_password_makes_the_store_available(locked):
    service_at(f"redis://:right@{locked}/0").create_game(2)


def test_missing_database_makes_the_store_unavailable(redis_server):
    all_refused(f"redis://{redis_server.address}/99")


@pytest.fixture
def user(redis_server, redis_client):
    """A function that creates a Redis user with permissions, and returns its URL."""

    def make(rights):
        redis_client.execute_command("ACL", "SETUSER", "user", "reset", "on", ">secret", *rights.split())
        return f"redis://user:secret@{redis_server.address}/0"

    try:
        yield make
    finally:
        redis_client.acl_deluser("user")


def test_read_only_user_can_read(user, redis_client, caplog):
    game = Service(redis_client).create_game(2)
    reader = service_at(user("~skye:* +@read +ping"))
    assert reader.call("GET", game.path()).status_code == 200
    assert problem_code(reader.call("POST", "/v1/games", {})) == "store_unavailable"
    assert "has no permissions to run" in caplog.text


def test_user_with_the_documented_rights_can_play(user):
    rights = re.search(r"ACL SETUSER NAME on >PASSWORD (.+?)`", (DEPLOY / "faults.md").read_text())[1]
    with service_at(user(rights)) as service:
        game = service.create_game(2)
        assert service.get(game.path("events?wait_ms=1"))["events"]
        assert len(service.get("/v1/games")["games"]) == 1
        assert service.call("GET", "/readyz").status_code == 200
        assert game.play_out()["status"] == "finished"


# Somebody else.

SAID = {
    "a web server": b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n",
    "a mail server": b"220 mail.example.org ESMTP\r\n",
    "TLS": b"\x15\x03\x03\x00\x02\x02\x28",
    "noise": random.Random(1).randbytes(4000),
    "nothing": b"",
    "an end": None,
    "yes": b"+OK\r\n",
    "no": b"-ERR unknown command\r\n",
    "nil": b"$-1\r\n",
    "nil in a list": b"*1\r\n$-1\r\n",
    "an empty list": b"*0\r\n",
    "a number": b":1\r\n",
    "a string": b"$5\r\nhello\r\n",
    "a list": b"*2\r\n$1\r\na\r\n:5\r\n",
    "a map": b"%1\r\n+a\r\n+b\r\n",
    "true": b"#t\r\n",
    "a fraction": b",1.5\r\n",
    "a push": b">2\r\n+message\r\n+x\r\n",
    "depth": b"*1\r\n" * 5000,
    "more than there is": b"$999999999999\r\n",
    "a count below zero": b"*-7\r\n",
    "no number": b"$x\r\n",
    "not text": b"+\xff\xfe\r\n",
    "an error that is not text": b"-\xff\xfe\r\n",
}


@contextlib.contextmanager
def impostor(said):
    """The address of a server that always sends the same reply; None: it closes the connection."""

    class Saying(socketserver.BaseRequestHandler):
        def handle(self):
            with contextlib.suppress(OSError):
                while self.request.recv(65536) and said is not None:
                    self.request.sendall(said)

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        block_on_close = False

    with Server(("127.0.0.1", 0), Saying) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield "{}:{}".format(*server.server_address)
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize("said", SAID)
def test_reply_of_another_protocol_is_no_internal_error(said):
    with impostor(SAID[said]) as address:
        service = service_at(f"redis://{address}/0", HASTY_MS)
        for answer in answers(service):
            if answer.status_code >= 400:
                assert problem_code(answer) in ("store_unavailable", "game_not_found", "data_corrupt"), (
                    answer.text
                )
        assert service.call("GET", "/metrics").status_code == 200
