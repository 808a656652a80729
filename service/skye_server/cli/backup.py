"""`skye-server backup FILE`: write all games into a file while the server runs."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final

import click

from skye_server.error_codes import Problem
from skye_server.server.processes import LaunchError
from skye_server.server.stored_games import opened_store
from skye_server.settings import SettingsError
from skye_server.store.backup import BackupError, Counts

STANDARD_STREAM: Final = Path("-")


@contextlib.contextmanager
def reporting_errors() -> Iterator[None]:
    """End the command with one line for an error that its user can do something about."""
    try:
        yield
    except SettingsError as error:
        raise click.UsageError(f"These settings cannot be used:\n{error}") from error
    except (LaunchError, BackupError) as error:
        raise click.ClickException(str(error)) from error
    except Problem as problem:
        cause = f" ({problem.__cause__})" if problem.__cause__ else ""
        raise click.ClickException(f"Redis does not respond, or refuses commands{cause}.") from problem
    except OSError as error:
        raise click.ClickException(f"{error.filename or 'the file'}: {error.strerror}.") from error


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
def command(file: Path) -> None:
    """Write all games and players into FILE, which must not exist; `-` is the standard output.

    The server may run meanwhile: each game is in the backup as it was at one moment. The games are those of
    the Redis that SKYE_REDIS_URL names, else of SKYE_DATA_DIR.
    """
    with reporting_errors():
        if file == STANDARD_STREAM:
            with opened_store() as store:
                counts = store.backup(sys.stdout.buffer)
        else:
            counts = _write(file)
    click.echo(f"Games in the backup: {counts.games}.", err=True)


def _write(file: Path) -> Counts:
    """Write a file that has its name only when it is complete."""
    if file.exists():
        raise BackupError(f"{file} exists already. Choose another name.")
    unfinished = file.with_name(f"{file.name}.unfinished")
    with opened_store() as store, _created(unfinished) as output:
        try:
            counts = store.backup(output)
            output.flush()
            os.fsync(output.fileno())
            unfinished.rename(file)
        finally:
            unfinished.unlink(missing_ok=True)
    return counts


def _created(path: Path) -> IO[bytes]:
    """Create a file for its owner alone: it has the hashes of tokens."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb")
