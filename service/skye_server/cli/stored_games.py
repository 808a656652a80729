"""`skye-server backup`, `restore` and `rebuild`: commands on the stored games, while a server runs or not."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Final

import click

from skye_server.cli.settings_errors import reporting_settings
from skye_server.error_codes import Problem
from skye_server.redis_url import MEMORY_URL
from skye_server.relay import relay
from skye_server.server.embedded_redis import (
    DataFolder,
    RedisServer,
    address_of_server,
    has_files,
    lock_files,
    socket_location,
    url_of,
)
from skye_server.server.processes import LaunchError
from skye_server.server.server_programs import program_for
from skye_server.settings import Settings
from skye_server.store.backup import BackupError, Counts
from skye_server.store.connection.failures import describe_failure
from skye_server.store.layout import UNFINISHED
from skye_server.store.redis_store import RedisStore


@contextlib.contextmanager
def opened_store(*, may_be_new: bool = False) -> Iterator[RedisStore]:
    """Yield the store of the settings; without a server on the data folder, start one meanwhile.

    :param may_be_new: accept a data folder that no server has used.
    :raises SettingsError: if the settings cannot be used.
    :raises LaunchError: if the data folder or Redis cannot be used, or no server has used the folder.
    """
    settings = Settings.from_environment(os.environ)
    if settings.redis_url == MEMORY_URL:
        raise LaunchError("SKYE_REDIS_URL is memory://: no other process can read those games.")
    with contextlib.ExitStack() as stack:
        url = settings.redis_url or _embedded_url(settings.data_dir, stack, may_be_new)
        store = RedisStore.from_settings(replace(settings, redis_url=url))
        if warning := store.too_old():
            raise LaunchError(f"{warning}.")
        if refusal := store.layout_refusal():
            raise LaunchError(f"{refusal}.")
        yield store


def _embedded_url(path: Path, stack: contextlib.ExitStack, may_be_new: bool) -> str:
    if running := address_of_server(path):
        return url_of(Path(running))
    if not (may_be_new or has_files(path)):
        raise LaunchError(f"No server has used {path}: set SKYE_DATA_DIR or SKYE_REDIS_URL.")
    program = program_for(path)
    if program is None:
        raise LaunchError("No redis-server or valkey-server was found: install one, or set SKYE_REDIS_URL.")
    folder = DataFolder(path)
    stack.callback(folder.close)
    location = stack.enter_context(socket_location(folder.path))
    lock = lock_files(folder, location)
    server = stack.enter_context(RedisServer(program, folder.path, location, inherited=(lock,)))
    server.wait_until_ready()
    return server.url


def warn_of_unfinished_restore(store: RedisStore) -> None:
    """Print a warning if the store has a part of a backup only."""
    if store.unfinished_restore():
        click.echo(f"Warning: {UNFINISHED}", err=True)


STANDARD_STREAM: Final = Path("-")

_ROTATED: Final = f"skye-{8 * '[0-9]'}T{6 * '[0-9]'}.{6 * '[0-9]'}Z.backup"
"""The names of the files that `--keep` writes and deletes, the oldest first."""

_UNFINISHED_SUFFIX: Final = ".unfinished"


@contextlib.contextmanager
def reporting_errors() -> Iterator[None]:
    """End the command with one line for an error that its user can do something about."""
    try:
        with reporting_settings():
            yield
    except (LaunchError, BackupError) as error:
        raise click.ClickException(str(error)) from error
    except Problem as problem:
        fault = describe_failure(problem.__cause__, Settings.from_environment(os.environ).redis_url)
        raise click.ClickException(f"Redis {fault}.") from problem
    except OSError as error:
        raise click.ClickException(f"{error.filename or 'the file'}: {error.strerror}.") from error


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--keep",
    type=click.IntRange(min=1),
    help="FILE is a folder: write a new file there, and delete all but this many of the newest.",
)
def backup(file: Path, keep: int | None) -> None:
    """Write all games and players into FILE, which must not exist; `-` is the standard output.

    The server may run meanwhile: each game is in the backup as it was at one moment. The games are those of
    the Redis that SKYE_REDIS_URL names, else of SKYE_DATA_DIR.
    """
    if keep is not None and file == STANDARD_STREAM:
        raise click.UsageError("With --keep, FILE is a folder, and not the standard output.")
    with reporting_errors():
        if keep is not None:
            _remove_abandoned(file)
            counts = _write(file / f"skye-{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}.backup")
            for old in sorted(file.glob(_ROTATED))[:-keep]:
                old.unlink()
        elif file == STANDARD_STREAM:
            with opened_store() as store:
                counts = store.backup(sys.stdout.buffer)
                sys.stdout.buffer.flush()
        else:
            counts = _write(file)
    click.echo(f"Games in the backup: {counts.games}.", err=True)


def _write(file: Path) -> Counts:
    """Write a file that has its name only when it is complete."""
    _check_name(file)
    unfinished = file.with_name(f"{file.name}{_UNFINISHED_SUFFIX}")
    with opened_store() as store, _created(unfinished) as output:
        try:
            counts = store.backup(output)
            output.flush()
            os.fsync(output.fileno())
            unfinished.rename(file)
        except OSError as error:
            raise BackupError(f"{file} cannot be written: {error.strerror}.") from error
        finally:
            unfinished.unlink(missing_ok=True)
    return counts


def _check_name(file: Path) -> None:
    """Check that a file of this name can be written.

    :raises BackupError: if it cannot.
    """
    if file.is_dir():
        raise BackupError(f"{file} is a folder. Name a file in it, or use --keep.")
    if file.is_file():
        raise BackupError(f"{file} exists already. Choose another name.")
    if file.exists():
        raise BackupError(f"{file} is not a regular file. Use `-`, and redirect the standard output.")
    if not file.parent.is_dir():
        fault = "is not a folder" if file.parent.exists() else "does not exist"
        raise BackupError(f"The folder {file.parent} {fault}.")


def _created(path: Path) -> IO[bytes]:
    """Create a file for its owner alone, as it has the hashes of tokens; and lock it, as long as it is open.

    :raises BackupError: if it cannot be written.
    """
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    except OSError as error:
        raise BackupError(f"The folder {path.parent} cannot be written: {error.strerror}.") from error
    _lock(descriptor)
    return os.fdopen(descriptor, "wb")


def _remove_abandoned(folder: Path) -> None:
    """Remove the unfinished files of rotated backups that were killed: no process has locked them."""
    for path in folder.glob(f"{_ROTATED}{_UNFINISHED_SUFFIX}"):
        with contextlib.suppress(OSError), path.open("rb") as file:
            if _lock(file.fileno()):
                path.unlink()


def _lock(descriptor: int) -> bool:
    """Lock a file; return False if another process has locked it, or the file system has no locks."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
def restore(file: Path) -> None:
    """Put the games and players of FILE into a server without games; `-` is the standard input.

    The server is the Redis that SKYE_REDIS_URL names, else one on SKYE_DATA_DIR. The whole file is checked
    first. Until it is restored, `/readyz` is 503; after an interruption, run the command again with the same
    file: that restores all of it.
    """
    with reporting_errors(), opened_store(may_be_new=True) as store:
        if file == STANDARD_STREAM:
            with tempfile.NamedTemporaryFile() as copy:
                shutil.copyfileobj(sys.stdin.buffer, copy)
                copy.flush()
                counts = store.restore(Path(copy.name))
        else:
            counts = store.restore(file)
        relay.rebuild(store)
        store.finish_restore()
    click.echo(f"Games restored: {counts.games}.", err=True)


@click.command()
def rebuild() -> None:
    """Make the dispatchers derive the games and events of players, and the lists, again from all games.

    The server may serve meanwhile. It is the Redis that SKYE_REDIS_URL names, else one on SKYE_DATA_DIR.
    """
    with reporting_errors(), opened_store() as store:
        warn_of_unfinished_restore(store)
        queued = relay.rebuild(store)
    click.echo(f"Entries queued for the dispatchers: {queued}.", err=True)
