"""`skye-server serve`: the API on one machine, with an embedded Redis unless a URL names one.

The launcher owns gunicorn, Redis and dispatchers. It starts them, prints the addresses, restarts Redis and
dispatchers that end, and stops all after a signal. It imports few modules, to start fast.
"""

import contextlib
import os
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from typing import NamedTuple

from skye_server.observability.metrics_folder import create_folder
from skye_server.observability.readiness import readiness
from skye_server.redis_url import MEMORY_URL, without_secrets
from skye_server.server import api_process, processes
from skye_server.server.api_process import ROOT
from skye_server.server.embedded_redis import (
    LOG_NAME,
    DataFolder,
    RedisServer,
    has_space,
    lock_files,
    socket_location,
)
from skye_server.server.processes import LaunchError, adopt_orphans, describe_end, spawn, stop
from skye_server.server.server_programs import describe, program_for, vulnerabilities
from skye_server.setting_parsers import Address
from skye_server.settings import Settings, SettingsError, unknown_variables

_RESTART_S = 5.0
_STOP_TIMEOUT_S = 5.0


class DispatchProcesses:
    """Dispatchers on the Redis at a URL. Games go on without them: one that ends is only started again."""

    def __init__(self, redis_url: str, number: int) -> None:
        self._environ = {**os.environ, "SKYE_REDIS_URL": redis_url}
        self._number = number
        self._running: dict[int, subprocess.Popen[bytes]] = {}
        self._started_at = float("-inf")

    def start(self) -> float | None:
        """Start those that do not run, at most every few seconds.

        :returns: the seconds after which to call this again; None: when a child has ended.
        """
        ended = [place for place in range(self._number) if not self._is_running(place)]
        left_s = self._started_at + _RESTART_S - time.monotonic()
        if not ended or left_s > 0:
            return left_s if ended else None
        self._started_at = time.monotonic()
        for place in ended:
            command = [sys.executable, "-m", "skye_server.cli", "dispatch", f"--metrics-of=dispatcher{place}"]
            self._running[place] = spawn(command, folder=ROOT, environ=self._environ)
        return None

    def _is_running(self, place: int) -> bool:
        return place in self._running and self._running[place].poll() is None

    def stop(self) -> None:
        """Stop all; what they have not finished is due again when its lease ends."""
        for process in self._running.values():
            process.terminate()
        for process in self._running.values():
            stop(process, _STOP_TIMEOUT_S)


_LONGEST_DELAY_S = 30.0
_STABLE_AFTER_S = 60.0
_SPACE_CHECK_S = 0.5

_NO_REDIS = """\
WARNING: no redis-server or valkey-server was found on the path, and there is no wheel of one for this machine
(only for x86-64 and ARM64). The games are kept in the memory of one process: THEY WILL NOT SURVIVE its end.
Install Redis or Valkey (on Debian and Ubuntu: the package redis-server), or set SKYE_REDIS_URL to a server.
"""


class _Store(NamedTuple):
    """The store of the games: the URL for gunicorn, the embedded server, and a description."""

    url: str
    server: RedisServer | None
    description: str


class _Children(NamedTuple):
    """The children beside Redis."""

    api: subprocess.Popen[bytes]
    dispatchers: DispatchProcesses

    def wait(self, until: float | None) -> None:
        """Wait until a child has ended, or until a time; start dispatchers that have ended again.

        :raises LaunchError: if the API ends.
        """
        waits = [self.dispatchers.start(), None if until is None else until - time.monotonic()]
        processes.wait_for_child(
            min((max(wait_s, 0.0) for wait_s in waits if wait_s is not None), default=None)
        )
        if self.api.poll() is not None:
            raise LaunchError(f"The API ended ({describe_end(self.api)}); its output is above.")


def serve() -> int:
    """Serve until a signal stops the launcher.

    :returns: the exit code: 0 stopped by a signal, 1 could not start or go on, 2 invalid settings.
    """
    processes.block()
    adopt_orphans()
    try:
        settings = Settings.from_environment(os.environ)
        _allow_local_webhooks(settings)
        for line in unknown_variables(os.environ):
            _warn(f"Warning: {line}")
        if refusal := settings.refusal(settings.bind):
            raise SettingsError(refusal)
        for line in settings.warnings(settings.bind):
            _warn(f"Warning: {line}")
        with contextlib.ExitStack() as stack:
            _serve(settings, stack)
    except SettingsError as error:
        _warn(f"These settings cannot be used:\n{error}")
        return 2
    except LaunchError as error:
        _warn(str(error))
        return 1
    except processes.StopRequested:
        print("Stopped.")
    return 0


def _allow_local_webhooks(settings: Settings) -> None:
    """Let the children send webhooks to this machine, unless other hosts may reach the API."""
    if settings.bind.is_loopback and not settings.trusted_proxies and not settings.is_limited:
        local = {"SKYE_WEBHOOKS_HTTP": "on", "SKYE_WEBHOOKS_PRIVATE": "on", "SKYE_WEBHOOKS_PORTS": "*"}
        for name, value in local.items():
            os.environ.setdefault(name, value)


def _serve(settings: Settings, stack: contextlib.ExitStack) -> None:
    started, report_ready = time.monotonic(), readiness()
    store = _choose_store(settings, stack)
    listeners = [stack.enter_context(api_process.listen("SKYE_BIND", settings.bind))]
    if settings.health_bind:
        listeners.append(stack.enter_context(api_process.listen("SKYE_HEALTH_BIND", settings.health_bind)))
    stack.callback(shutil.rmtree, create_folder(), ignore_errors=True)
    here = Address(*listeners[0].getsockname()[:2])
    if store.server is not None:
        stack.enter_context(store.server)
    # The API loads its modules while Redis loads its file; it connects to Redis at the first request.
    api = api_process.start(store.url, listeners)
    stack.callback(api_process.kill, api)
    for listener in listeners:
        listener.close()
    if store.server is not None:
        _wait_for_redis(store.server)
    dispatchers = DispatchProcesses(store.url, 0 if store.url == MEMORY_URL else settings.dispatchers)
    stack.callback(dispatchers.stop)
    dispatchers.start()
    api_process.wait_for_health(here, api)
    if store.server is not None and not api_process.is_ok(here, "/readyz", api):
        _check_store(replace(settings, redis_url=store.url))
    try:
        _print_addresses(here, store, time.monotonic() - started)
        report_ready()
        if not api_process.is_ok(here, "/readyz", api):
            _warn_of_the_store(replace(settings, redis_url=store.url))
        _supervise(_Children(api, dispatchers), store.server)
    except processes.StopRequested:
        api_process.stop_gracefully(api)
        raise


def _choose_store(settings: Settings, stack: contextlib.ExitStack) -> _Store:
    if settings.redis_url == MEMORY_URL:
        return _Store(MEMORY_URL, None, "in memory: lost when this stops")
    if settings.redis_url is not None:
        _check_store(settings)
        return _Store(settings.redis_url, None, f"in the Redis at {without_secrets(settings.redis_url)}")
    program = program_for(settings.data_dir)
    if program is None:
        _warn(_NO_REDIS)
        return _Store(MEMORY_URL, None, "in memory: lost when this stops")
    if found := vulnerabilities(program):
        _warn(
            f"Warning: {program} is {describe(program)}, which has known vulnerabilities: "
            f"{', '.join(found)}. Install a newer Redis or Valkey, unless your distribution has patched it."
        )
    folder = DataFolder(settings.data_dir)
    stack.callback(folder.close)
    location = stack.enter_context(socket_location(folder.path))
    lock = lock_files(folder, location, processes.pause)
    server = RedisServer(program, folder.path, location, settings.appendfsync, inherited=(lock,))
    return _Store(server.url, server, f"in {folder.path} (appendfsync {settings.appendfsync})")


def _check_store(settings: Settings) -> None:
    """Refuse a Redis without commands that the store calls, or with data of another layout.

    One that does not respond may come later.

    :raises LaunchError: if it cannot be used.
    """
    from skye_server.error_codes import Problem  # noqa: PLC0415 - loads much
    from skye_server.store.redis_store import RedisStore  # noqa: PLC0415 - loads much

    store, shown = RedisStore.from_settings(settings), without_secrets(settings.redis_url or "")
    if warning := store.too_old():
        raise LaunchError(f"{warning} ({shown}).")
    with contextlib.suppress(Problem):
        if refusal := store.claim_layout():
            raise LaunchError(f"{refusal} ({shown}).")


def _warn_of_the_store(settings: Settings) -> None:
    """Print why the API is not ready."""
    from skye_server.error_codes import Problem  # noqa: PLC0415 - as above
    from skye_server.store.connection.failures import describe_failure  # noqa: PLC0415 - as above
    from skye_server.store.layout import UNFINISHED  # noqa: PLC0415 - as above
    from skye_server.store.redis_store import RedisStore  # noqa: PLC0415 - as above

    store, url = RedisStore.from_settings(settings), settings.redis_url or ""
    try:
        store.ping()
        if store.unfinished_restore():
            _warn(UNFINISHED)
    except Problem as problem:
        fault = f"The Redis at {without_secrets(url)} {describe_failure(problem.__cause__, url)}"
        _warn(f"{fault}. Until that is corrected, requests for games get 503.")


def _wait_for_redis(server: RedisServer) -> None:
    server.wait_until_ready(processes.pause)
    if truncation := server.truncation():
        _warn(
            f"WARNING: the append-only file in {server.folder} ended in the middle of a change, as after a "
            "power cut or a full disk. That end was cut off, and the last changes may be missing. "
            f"Redis: {truncation}"
        )


def _print_addresses(here: Address, store: _Store, seconds: float) -> None:
    url = f"http://{here.reachable}"
    description = store.description
    if store.server is not None:
        description += f", by {describe(store.server.program)}"
    print(
        f"""
Play at {url}/play/

Isle of Skye is being served; it was ready in {seconds:.2f} s. Ctrl-C stops it.

  API       {url}/v1
  docs      {url}/docs
  contract  {url}/openapi.yaml
  health    {url}/healthz
  games     {description}
""",
        flush=True,
    )


def _supervise(children: _Children, server: RedisServer | None) -> None:
    """Wait for a signal to stop; restart Redis on the same files whenever it ends.

    Without Redis the API still serves its documentation and health checks; other requests get 503. So
    the launcher does not give up, but waits longer before each attempt, until Redis stays up for a minute.

    :raises LaunchError: if the API ends.
    """
    delay_s, up_since = 0.0, time.monotonic()
    while True:
        _wait_for_end(children, server)
        assert server is not None
        if time.monotonic() - up_since > _STABLE_AFTER_S:
            delay_s = 0.0
        _warn(f"Redis ended ({server.failure()}); starting it again on the same files in {delay_s:.0f} s.")
        while not _restarted(children, server, delay_s):
            delay_s = _next_delay(delay_s)
        delay_s, up_since = _next_delay(delay_s), time.monotonic()
        _warn("Redis is back, with its games.")


def _wait_for_end(children: _Children, server: RedisServer | None, until: float | None = None) -> None:
    """Wait until Redis has ended, or with `until` to that time; without an embedded server, forever.

    :raises LaunchError: if the API ends.
    """
    while until is not None or server is None or server.running:
        if until is not None and time.monotonic() >= until:
            return
        children.wait(until)


def _restarted(children: _Children, server: RedisServer, delay_s: float) -> bool:
    """Start Redis again after a delay; return whether it is ready, after a warning if it is not.

    Where the disk was full, it is started as soon as there is space, which Redis had missed.

    :raises LaunchError: if the API ends.
    """
    until, was_full = time.monotonic() + delay_s, not has_space(server.folder)
    while (now := time.monotonic()) < until and not (was_full and has_space(server.folder)):
        _wait_for_end(children, server, min(until, now + _SPACE_CHECK_S))
    try:
        server.start()
        _wait_for_redis(server)
    except LaunchError as error:
        server.stop()
        _warn(
            f"{error}. Its log: {server.folder / LOG_NAME}. Next attempt in {_next_delay(delay_s):.0f} s; "
            "until then requests for games get 503."
        )
        return False
    return True


def _next_delay(delay_s: float) -> float:
    return min(max(1.0, 2 * delay_s), _LONGEST_DELAY_S)


def _warn(message: str) -> None:
    print(message, file=sys.stderr, flush=True)
