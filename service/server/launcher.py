"""`python -m service.cli serve`: the API on one machine, with a Redis of its own unless one is named.

The launcher owns two children, gunicorn and Redis. It starts both, says where everything is, starts Redis
again when that dies, and stops both when it is told to stop. It imports little, to add little to the start.
"""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from service.server.data_folder import DataFolder
from service.server.embedded_redis import (
    LOG_NAME,
    RedisServer,
    find_program,
    lock_files,
    socket_place,
    version_of,
)
from service.server.processes import LaunchError, describe_end, spawn, stop
from service.settings import MEMORY_URL, Address, Settings, SettingsError, unknown_variables
from service.storage.redis_url import without_secrets

ROOT = Path(__file__).resolve().parents[2]
GUNICORN_CONF = "python:service.server.gunicorn_conf"

_STOPPING = {signal.SIGINT, signal.SIGTERM}
if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as it is under nohup
    _STOPPING.add(signal.SIGHUP)
_HEEDED = _STOPPING | {signal.SIGCHLD}

_HEALTH_PATIENCE_S = 30.0
_API_STOP_PATIENCE_S = 15.0  # longer than gunicorn's own, which ends its workers by force
_REVIVALS = 3
_REVIVALS_WITHIN_S = 60.0

_NO_REDIS = """\
WARNING: no redis-server or valkey-server was found on the path, and the wheel that brings one exists only for
Linux x86-64 with Python 3.11 or 3.12. The games are kept in the memory of one process: THEY WILL NOT SURVIVE
its end. Install Redis (on Debian and Ubuntu: the package redis-server), or name one with SKYE_REDIS_URL.
"""


class _Stopped(Exception):
    """A signal asked us to stop."""


class _Store(NamedTuple):
    """Where the games are kept, for gunicorn, for us and in words."""

    url: str
    server: RedisServer | None
    described: str


def main() -> int:
    """Serve until told to stop; return the exit code: 0 stopped, 1 could not go on, 2 bad settings."""
    # Blocked signals wait until we ask for them: there is no handler, and no bad moment.
    signal.pthread_sigmask(signal.SIG_BLOCK, _HEEDED)
    try:
        settings = Settings.from_environment(os.environ)
        for line in unknown_variables(os.environ):
            _complain(f"Warning: {line}")
        with contextlib.ExitStack() as stack:
            _serve(settings, stack)
    except SettingsError as error:
        _complain(f"These settings cannot be used:\n{error}")
        return 2
    except LaunchError as error:
        _complain(str(error))
        return 1
    except _Stopped:
        print("Stopped.")
    return 0


def _serve(settings: Settings, stack: contextlib.ExitStack) -> None:
    started = time.monotonic()
    store = _find_store(settings, stack)
    listener = stack.enter_context(_listen(settings.bind))
    here = Address(*listener.getsockname()[:2])
    if store.server is not None:
        stack.enter_context(store.server)
    # The API loads its modules while Redis reads its file; it calls Redis first when it is called itself.
    api = _start_api(store, listener)
    stack.callback(_stop_api, api)
    listener.close()
    if store.server is not None:
        store.server.wait_until_ready(_pause)
    _wait_for_health(here, api)
    _greet(here, store, time.monotonic() - started)
    if store.server is None and not _answers(here, "/readyz", api):
        _complain("That Redis does not answer. Until it does, requests for games are answered 503.")
    _watch(api, store.server)


def _find_store(settings: Settings, stack: contextlib.ExitStack) -> _Store:
    if settings.redis_url == MEMORY_URL:
        return _Store(MEMORY_URL, None, "in memory: lost when this stops")
    if settings.redis_url is not None:
        return _Store(settings.redis_url, None, f"in the Redis at {without_secrets(settings.redis_url)}")
    program = find_program()
    if program is None:
        _complain(_NO_REDIS)
        return _Store(MEMORY_URL, None, "in memory: lost when this stops")
    folder = DataFolder(settings.data_dir)
    stack.callback(folder.close)
    place = stack.enter_context(socket_place(folder.path))
    lock = lock_files(folder, place, _pause)
    server = RedisServer(program, folder.path, place, settings.appendfsync, inherited=(lock,))
    return _Store(server.url, server, f"in {folder.path} (appendfsync {settings.appendfsync})")


def _listen(address: Address) -> socket.socket:
    """Take the port before anything starts, so that one in use is told at once; gunicorn inherits the socket.

    Raises:
        LaunchError: if it cannot be had.
    """
    try:
        family, *_ = socket.getaddrinfo(*address, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        return socket.create_server(address, family=family, backlog=2048)
    except OSError as error:
        # A name that does not resolve has a number of its own kind.
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror
        another = address._replace(port=8001 if address.port == 8000 else 8000)
        raise LaunchError(
            f"Cannot listen at {address}: {reason}. "
            f"Stop what uses it or choose another, for example: SKYE_BIND={another} make serve"
        ) from error


def _start_api(store: _Store, listener: socket.socket) -> subprocess.Popen[bytes]:
    environ = {**os.environ, "SKYE_REDIS_URL": store.url}
    command = [sys.executable, "-m", "gunicorn", "--config", GUNICORN_CONF]
    command += ["--bind", f"fd://{listener.fileno()}", "service.wsgi:app"]
    # If we are killed, Redis is gone too: nothing can be finished, but the port can be freed at once.
    return spawn(
        command,
        folder=ROOT,
        environ=environ,
        inherited=(listener.fileno(),),
        signal_at_our_death=signal.SIGQUIT,
    )


def _stop_api(api: subprocess.Popen[bytes]) -> None:
    """Let the requests under way end; a second signal to us cuts them short."""
    if api.poll() is None:
        print("\nStopping ...", flush=True)
        api.send_signal(signal.SIGTERM)
    deadline = time.monotonic() + _API_STOP_PATIENCE_S
    while api.poll() is None and time.monotonic() < deadline:
        heard = signal.sigtimedwait(_HEEDED, 0.5)
        if heard and heard.si_signo in _STOPPING:
            api.send_signal(signal.SIGQUIT)
    stop(api, patience_s=0)


def _wait_for_health(here: Address, api: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _HEALTH_PATIENCE_S
    while not _answers(here, "/healthz", api):
        if api.poll() is not None:
            raise LaunchError(f"The API did not start ({describe_end(api)}); what it said is above.")
        if time.monotonic() > deadline:
            raise LaunchError(f"The API does not answer at http://{here.reachable}/healthz.")
        _pause(0.02)


def _answers(here: Address, path: str, api: subprocess.Popen[bytes]) -> bool:
    """Whether a GET of `path` is answered 200, waiting as long as a worker may still take the call."""
    try:
        with socket.create_connection(here.reachable, timeout=1.0) as connection:
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: {here}\r\nConnection: close\r\n\r\n".encode())
            connection.settimeout(0.05)
            deadline = time.monotonic() + _HEALTH_PATIENCE_S
            while api.poll() is None and time.monotonic() < deadline:
                with contextlib.suppress(TimeoutError):
                    return connection.recv(64).split(b" ")[1:2] == [b"200"]
                _pause(0)
    except OSError:
        pass
    return False


def _greet(here: Address, store: _Store, seconds: float) -> None:
    url = f"http://{here.reachable}"
    kept = store.described
    if store.server is not None:
        kept += f", by {store.server.program.name} {'.'.join(map(str, version_of(store.server.program)))}"
    print(
        f"""
Isle of Skye is being served; it was ready in {seconds:.2f} s. Ctrl-C stops it.

  API       {url}/v1
  docs      {url}/docs
  contract  {url}/openapi.yaml
  health    {url}/healthz
  games     {kept}
""",
        flush=True,
    )


def _watch(api: subprocess.Popen[bytes], server: RedisServer | None) -> None:
    """Stay until told to stop; start Redis again when it ends, on the same files, a few times."""
    deaths: list[float] = []
    while True:
        if signal.sigwait(_HEEDED) in _STOPPING:
            raise _Stopped
        if api.poll() is not None:
            raise LaunchError(f"The API ended ({describe_end(api)}); what it said is above.")
        if server is None or server.running:
            continue
        now = time.monotonic()
        deaths = [*(death for death in deaths if now - death < _REVIVALS_WITHIN_S), now]
        if len(deaths) > _REVIVALS:
            raise LaunchError(
                f"Redis keeps ending: {server.last_words()}. Its log: {server.folder / LOG_NAME}"
            )
        _complain(f"Redis ended ({server.last_words()}); starting it again on the same files.")
        server.start()
        server.wait_until_ready(_pause)
        _complain("Redis is back, with its games.")


def _pause(seconds: float) -> None:
    """Wait, unless told to stop."""
    if signal.sigtimedwait(_STOPPING, seconds):
        raise _Stopped


def _complain(message: str) -> None:
    print(message, file=sys.stderr, flush=True)
