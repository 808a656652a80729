"""Redis by its URL alone: over TLS and at a Unix socket, with outages of one server."""

import contextlib
import shutil
import threading
import time
from urllib.parse import quote

import pytest

from skye_server.error_codes import Problem
from skye_server.server.server_programs import programs
from skye_server.settings import Settings
from skye_server.store.commit import Commit, LogEntry
from skye_server.store.redis_store import RedisStore
from tests.support.missing_programs import NO_TLS
from tests.support.ports import free_port
from tests.support.waiting import waited_for
from tests.system.redis_forms import (
    KEPT,
    PASSWORD,
    Server,
    certificate,
    quoted,
    supports_tls,
)
from tests.system.storm_on_redis import play_goes_on, played_on, serving


@pytest.fixture
def tls_program(redis_program):
    """A server program with TLS: that of the tests, or another that is found."""
    for program in (redis_program, *programs()):
        if supports_tls(program):
            return program
    pytest.skip(NO_TLS)


@pytest.fixture
def one_server(request, tmp_path):
    """A function that starts a server of the program with arguments."""
    name = "tls_program" if "tls_program" in request.fixturenames else "redis_program"
    program = request.getfixturevalue(name)
    with contextlib.ExitStack() as running:

        def start(*arguments):
            server = Server(program, tmp_path, *KEPT, "--requirepass", PASSWORD, *arguments)
            server.start()
            running.callback(server.kill)
            return server

        yield start


@pytest.fixture
def vouched(tls_program, tmp_path):  # noqa: ARG001 - skips the test where there is none
    """The certificate of servers that speak TLS, and the arguments to make one of these."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip(NO_TLS)
    key, made = certificate(openssl, tmp_path)
    files = ("--tls-cert-file", made, "--tls-key-file", key, "--tls-ca-cert-file", made)
    return quoted(made), (*files, "--tls-auth-clients", "no")


def test_games_are_played_over_tls_with_a_password(vouched, one_server, tmp_path):
    authority, speaking_tls = vouched
    port = str(free_port())
    one_server("--tls-port", port, *speaking_tls)
    url = f"rediss://:{quoted(PASSWORD)}@127.0.0.1:{port}/0"
    with serving(tmp_path, f"{url}?ssl_ca_certs={authority}") as api, played_on(api):
        pass
    strange = RedisStore.from_settings(Settings(redis_url=url, redis_wait_ms=0))
    with pytest.raises(Problem, match="store_unavailable"):  # a certificate that nobody known vouches for
        strange.ping()


def test_sentinels_and_clusters_are_reached_over_tls(vouched, one_server, tls_program, tmp_path):
    authority, speaking_tls = vouched
    ports = [str(free_port()) for _ in range(3)]
    one_server("--tls-port", ports[0], *speaking_tls)
    node = one_server(
        "--tls-port", ports[1], *speaking_tls, "--cluster-enabled", "yes", "--tls-cluster", "yes"
    )
    node.ask("CLUSTER ADDSLOTS", *range(16384))
    pairs = zip(speaking_tls[::2], speaking_tls[1::2], strict=True)
    lines = [f"{name.removeprefix('--')} {value}" for name, value in pairs]
    lines += [f"tls-port {ports[2]}", "tls-replication yes", f'requirepass "{PASSWORD}"']
    lines += [f"sentinel monitor skye 127.0.0.1 {ports[0]} 1", f'sentinel auth-pass skye "{PASSWORD}"']
    sentinel = Server(tls_program, tmp_path, *lines, sentinel=True)
    sentinel.start()
    word = quoted(PASSWORD)
    try:
        for url in (
            f"rediss+sentinel://:{word}@127.0.0.1:{ports[2]}/skye?sentinel_password={word}&",
            f"rediss+cluster://:{word}@127.0.0.1:{ports[1]}?",
        ):
            patience = {"redis_timeout_ms": 60_000, "redis_wait_ms": 60_000}
            store = RedisStore.from_settings(Settings(redis_url=f"{url}ssl_ca_certs={authority}", **patience))
            assert store.games.commit(Commit("ann", None, b"1:1:table", [LogEntry(1, b"change")], 60))
            assert store.games.load_many(["bob", "ann"]) == [None, b"1:1:table"]
    finally:
        sentinel.kill()


def test_games_are_played_at_a_unix_socket_through_a_suspension(one_server, tmp_path):
    path = tmp_path / "one redis.sock"
    server = one_server("--unixsocket", path)
    url = f"unix://:{quoted(PASSWORD)}@{quote(str(path))}"
    with (
        serving(tmp_path, url, SKYE_REDIS_TIMEOUT_MS="500", SKYE_REDIS_WAIT_MS="60000") as api,
        played_on(api) as crowd,
    ):
        server.suspend()
        threading.Timer(2, server.resume).start()
        play_goes_on(crowd, time.time() + 0.1)
        assert crowd.counts[503] == 0  # a suspension that ends in time is waited for


def test_outage_is_reported_at_the_deadline_and_loses_nothing(one_server, tmp_path):
    server = one_server()
    url = f"redis://:{quoted(PASSWORD)}@127.0.0.1:{server.port}"
    settings = {"SKYE_REDIS_TIMEOUT_MS": "200", "SKYE_REDIS_WAIT_MS": "500"}
    with serving(tmp_path, url, **settings) as api, played_on(api) as crowd:
        server.suspend()
        assert waited_for(lambda: crowd.wrong or crowd.counts[503] >= 10)
        server.resume()
        play_goes_on(crowd, time.time())
