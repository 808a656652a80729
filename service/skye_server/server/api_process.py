"""gunicorn as a child of the launcher: its listening socket, start, health check and stop."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from errno import EACCES, EADDRINUSE
from pathlib import Path

from skye_server.server.processes import (
    HANDLED,
    STOPPING,
    LaunchError,
    describe_end,
    kill_group,
    pause,
    spawn,
)
from skye_server.setting_parsers import Address

ROOT = Path(__file__).resolve().parents[2]
GUNICORN_CONF = "python:skye_server.worker.gunicorn_conf"
APPLICATION = "skye_server.wsgi:app"

_PORT_TIMEOUT_S = 3.0
_HEALTH_TIMEOUT_S = 120.0
_STOP_TIMEOUT_S = 15.0  # longer than the graceful timeout of gunicorn, which kills its workers after that


def listen(setting: str, address: Address) -> socket.socket:
    """Bind the port before other steps, so that a port in use is reported at once; gunicorn inherits it.

    The workers of an instance that was killed a moment ago may still hold the port: retry for a few seconds.

    :param setting: the name of the setting that has the address.
    :raises LaunchError: if the address cannot be bound.
    """
    deadline = time.monotonic() + _PORT_TIMEOUT_S
    while True:
        try:
            family, *_ = socket.getaddrinfo(*address, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
            return socket.create_server(address, family=family, backlog=2048)
        except OSError as error:
            if error.errno != EADDRINUSE or time.monotonic() > deadline:
                raise LaunchError(_bind_failure(setting, address, error)) from error
        pause(0.05)


def _bind_failure(setting: str, address: Address, error: OSError) -> str:
    # The number of an address that does not resolve is negative and not an errno.
    reason = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror
    another = address._replace(port=8002 if address.port in {8000, 8001} else 8000)
    remedies = {
        EADDRINUSE: f"Stop the program that uses it, or set {setting}, for example to {another}",
        EACCES: f"Set {setting} to a port above 1023, for example {another}, behind a proxy",
    }
    remedy = remedies.get(error.errno or 0, f"Set {setting} to an address of this machine")
    return f"Cannot listen at {address}: {reason}. {remedy}."


def start(redis_url: str, listeners: Sequence[socket.socket]) -> subprocess.Popen[bytes]:
    """Start gunicorn on bound sockets."""
    environ = {**os.environ, "SKYE_REDIS_URL": redis_url}
    command = [sys.executable, "-m", "gunicorn", "--config", GUNICORN_CONF]
    for listener in listeners:
        command += ["--bind", f"fd://{listener.fileno()}"]
    command.append(APPLICATION)
    # If the launcher is killed, so is Redis: no request can be completed, so gunicorn frees the port at once.
    return spawn(
        command,
        folder=ROOT,
        environ=environ,
        inherited=[listener.fileno() for listener in listeners],
        signal_at_our_death=signal.SIGQUIT,
    )


def stop_gracefully(api: subprocess.Popen[bytes]) -> None:
    """Let the requests in progress complete, then end; a second stop signal ends them at once."""
    if api.poll() is None:
        print("\nStopping ...", flush=True)
        api.send_signal(signal.SIGTERM)
    deadline = time.monotonic() + _STOP_TIMEOUT_S
    while api.poll() is None and time.monotonic() < deadline:
        received = signal.sigtimedwait(HANDLED, 0.5)
        if received and received.si_signo in STOPPING:
            api.send_signal(signal.SIGQUIT)
    kill(api)


def kill(api: subprocess.Popen[bytes]) -> None:
    """Kill gunicorn if it still runs, and the workers that it leaves behind; they would hold the port."""
    if api.poll() is None:
        api.kill()
        api.wait()
    kill_group(api)


def wait_for_health(here: Address, api: subprocess.Popen[bytes]) -> None:
    """Wait until the API responds.

    :raises LaunchError: if it ends, or does not respond in time.
    """
    deadline = time.monotonic() + _HEALTH_TIMEOUT_S
    while not is_ok(here, "/healthz", api):
        if api.poll() is not None:
            raise LaunchError(f"The API did not start ({describe_end(api)}); its output is above.")
        if time.monotonic() > deadline:
            raise LaunchError(f"The API does not respond at http://{here.reachable}/healthz.")
        pause(0.02)


def is_ok(here: Address, path: str, api: subprocess.Popen[bytes]) -> bool:
    """Return whether a GET of `path` gets 200, waiting as long as a worker may still accept it."""
    try:
        with socket.create_connection(here.reachable, timeout=1.0) as connection:
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: {here}\r\nConnection: close\r\n\r\n".encode())
            connection.settimeout(0.05)
            deadline = time.monotonic() + _HEALTH_TIMEOUT_S
            while api.poll() is None and time.monotonic() < deadline:
                with contextlib.suppress(TimeoutError):
                    return connection.recv(64).split(b" ")[1:2] == [b"200"]
                pause(0)
    except OSError:
        pass
    return False
