"""`skye-server doctor` and `settings`: check what the server needs, and list the settings."""

from __future__ import annotations

import http.client
import json
import logging
import os
import resource
import socket
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import click

from skye_server.cli.settings_errors import reporting_settings
from skye_server.error_codes import Problem
from skye_server.redis_url import MEMORY_URL, without_secrets
from skye_server.server.embedded_redis import DataFolder, address_of_server, unusable, url_of
from skye_server.server.processes import LaunchError
from skye_server.server.server_programs import describe, program_for, vulnerabilities
from skye_server.setting_parsers import Address
from skye_server.settings import Settings, table, unknown_variables
from skye_server.worker import open_files

if TYPE_CHECKING:
    from skye_server.store.outages import Reading

_LARGEST_KINDS: Final = 5
"""How many kinds of keys are named, those that take most memory."""

_MAX_BODY: Final = 100_000


class Finding(NamedTuple):
    """One checked fact. `level` is "ok", "warning", or "error" for what keeps the server from working."""

    level: str
    text: str


def findings(settings: Settings) -> Iterator[Finding]:
    """Yield what was found about the host and the store, in the order of the checks."""
    yield from (Finding("warning", line) for line in unknown_variables(os.environ))
    if refusal := settings.refusal(settings.bind):
        yield Finding("error", refusal)
    yield from (Finding("warning", line) for line in settings.warnings(settings.bind))
    yield from _address("SKYE_BIND", settings.bind)
    if settings.health_bind:
        yield from _address("SKYE_HEALTH_BIND", settings.health_bind)
    yield _open_files()
    yield from _proxies(settings)
    if settings.redis_url is None:
        yield from _data_folder(settings)
        yield from _embedded_server(settings.data_dir)
    elif settings.redis_url == MEMORY_URL:
        yield Finding("warning", "SKYE_REDIS_URL is memory://: the games are lost when the server stops")
    else:
        yield from _redis(settings)


def _address(setting: str, address: Address) -> Iterator[Finding]:
    with socket.socket(socket.AF_INET6 if ":" in address.host else socket.AF_INET) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(address)
        except OSError as error:
            if server := list(_running(address)):
                yield from server
                return
            fault = f"{address} cannot be used: {error.strerror}"
            yield Finding("warning", f"{fault}. Stop what listens there, or set {setting}")
            return
    yield Finding("ok", f"{address} is free")


def _running(address: Address) -> Iterator[Finding]:
    """Ask the server that listens at an address whether it is ready; yield nothing if it is none of ours."""
    with closing(http.client.HTTPConnection(*address.reachable, timeout=10)) as connection:
        try:
            connection.request("GET", "/readyz")
            response = connection.getresponse()
            body = json.loads(response.read(_MAX_BODY))
            if response.status == http.client.OK:
                findings = [
                    Finding("ok", f"the server at {address} is ready; dispatchers: {body['dispatchers']}")
                ]
                findings += [_warning(text) for text in body["warnings"]]
            else:
                findings = [Finding("error", f"the server at {address} is not ready: {body['detail']}")]
        except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
            return
    yield from findings


def _open_files() -> Finding:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if refusal := open_files.refusal(hard):
        return Finding("error", refusal)
    connections = open_files.connections(hard)
    if connections == open_files.MAX_CONNECTIONS:
        return Finding("ok", "a worker may open enough files")
    fault = (
        f"a process may open {hard} files only, by its hard limit: a worker accepts {connections} connections"
    )
    return Finding("warning", f"{fault} instead of {open_files.MAX_CONNECTIONS}. {open_files.REMEDY}")


def _proxies(settings: Settings) -> Iterator[Finding]:
    number = settings.trusted_proxies
    if number:
        entries = "entry of X-Forwarded-For is" if number == 1 else f"{number} entries of X-Forwarded-For are"
        yield Finding("ok", f"the last {entries} trusted: no client may reach the server past the proxies")
    elif settings.is_limited and settings.bind.is_loopback:
        fault = "SKYE_LIMITS is on at a loopback address without SKYE_TRUSTED_PROXIES"
        yield Finding("warning", f"{fault}: all clients of a proxy share one address; set it to the proxies")


def _data_folder(settings: Settings) -> Iterator[Finding]:
    """Check a folder without creating it, and the embedded server that has it open."""
    path = settings.data_dir
    try:
        running = address_of_server(path)
        if running:
            yield Finding("ok", f"the games in {path} are being served")
            yield from _redis(replace(settings, redis_url=url_of(Path(running))))
        elif path.exists():
            DataFolder(path).close()
            yield Finding("ok", f"the data folder {path} can be written")
        else:
            _check_parent(path)
            yield Finding("ok", f"the data folder {path} can be created")
    except LaunchError as error:
        yield Finding("error", str(error))


def _check_parent(path: Path) -> None:
    """Create a folder in the nearest existing parent and remove it: permissions alone do not show all.

    :raises LaunchError: if it cannot be created.
    """
    existing = next(parent for parent in path.parents if parent.exists())
    try:
        Path(tempfile.mkdtemp(prefix="skye-", dir=existing)).rmdir()
    except OSError as error:
        raise unusable(path, error) from error


def _embedded_server(path: Path) -> Iterator[Finding]:
    try:
        program = program_for(path)
        if program is None:
            fault = "no Redis or Valkey was found"
            yield Finding("error", f"{fault}: install one, or set SKYE_REDIS_URL")
            return
        yield Finding("ok", f"the games are stored by {describe(program)} ({program})")
        if known := vulnerabilities(program):
            yield Finding("warning", f"it has known vulnerabilities: {', '.join(known)}; install a newer one")
    except LaunchError as error:
        yield Finding("error", str(error))


def _warning(text: str) -> Finding:
    from skye_server.store.connection.server_warnings import is_error  # noqa: PLC0415 - loads much

    return Finding("error" if is_error(text) else "warning", text)


def _redis(settings: Settings) -> Iterator[Finding]:
    from skye_server.store.connection.failures import describe_failure  # noqa: PLC0415 - loads much
    from skye_server.store.layout import UNFINISHED  # noqa: PLC0415 - loads much
    from skye_server.store.redis_store import RedisStore  # noqa: PLC0415 - loads much

    shown = without_secrets(settings.redis_url or "")
    store = RedisStore.from_settings(settings)
    warnings = store.warnings()
    yield from map(_warning, warnings)
    try:
        store.ping()
        refusal = store.layout_refusal() or (UNFINISHED if store.unfinished_restore() else "")
        reading = store.outages.read()
    except Problem as problem:
        if not warnings:
            fault = f"the Redis at {shown} {describe_failure(problem.__cause__, settings.redis_url)}"
            yield Finding("error", f"{fault}: start it, or correct SKYE_REDIS_URL")
        return
    if refusal:
        yield Finding("error", refusal)
    else:
        yield Finding("ok", f"the Redis at {shown} responds")
        yield Finding("ok", _signs(reading))
        if kinds := store.largest_kinds(_LARGEST_KINDS):
            shown_kinds = ", ".join(f"{kind} {size / 1e6:.1f} MB ({keys})" for kind, keys, size in kinds)
            yield Finding(
                "ok", f"the largest kinds of its keys, with the number of measured ones: {shown_kinds}"
            )


def _signs(reading: Reading) -> str:
    """Return what is known of signs of life and outages.

    >>> from skye_server.games.outages import Outage, Uptime
    >>> from skye_server.store.outages import Reading
    >>> _signs(Reading(2000.0, Uptime(0)))
    'no worker has served its games yet'
    >>> _signs(Reading(2000.0, Uptime(1_999_000, (Outage(1_700_000, 1_640_000, 1_705_000),))))
    'a worker could commit to all games 1 s ago; outages: 1, the last of 65 s until 1970-01-01 00:28:25 UTC'
    """
    now_s, (sign_ms, outages), *_ = reading
    if not sign_ms:
        return "no worker has served its games yet"
    text = f"a worker could commit to all games {now_s - sign_ms / 1000:.0f} s ago; outages: {len(outages)}"
    if outages:
        last = outages[-1]
        until = datetime.fromtimestamp(last.end_ms // 1000, UTC)
        text += (
            f", the last of {(last.end_ms - last.start_ms) / 1000:.0f} s until {until:%Y-%m-%d %H:%M:%S} UTC"
        )
    return text


@click.command()
def doctor() -> None:
    """Check what the server needs, and what to change.

    That is: Redis, the clock, limits of files, proxies and the data folder, and a server that runs already.
    The exit code is 1 after an error, and 0 after warnings.
    """
    with reporting_settings():
        settings = Settings.from_environment(os.environ)
    has_failed = False
    logging.getLogger("skye_server").addHandler(logging.NullHandler())  # the findings say it
    for level, text in findings(settings):
        click.echo(f"{level:8} {text}")
        has_failed |= level == "error"
    raise SystemExit(has_failed)


@click.command()
def settings() -> None:
    """Print the table of settings, in Markdown."""
    click.echo(table())
